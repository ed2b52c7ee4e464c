"""Estimators by the names of methods, for commands that study them; and the options that these commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli.help import RESULTS
from branchwork.cli.output import check_output, format_by_name, write, write_json
from branchwork.cli.settings import settings
from branchwork.cli.words import word_option
from branchwork.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from branchwork.cli.inputs import Lesson

ESTIMATORS: dict[str, tuple[str, dict[str, Any]]] = {
    "id3": ("ID3", {}),
    "stump": ("Stump", {}),
    "c45": ("C45", {}),
    "j48": ("C45", {"variant": "j48"}),
    "cart": ("CART", {}),
    "tree": ("Tree", {}),
    "chaid": ("CHAID", {}),
    "optimal": ("OptimalTree", {}),
    "bagging": ("Bagging", {}),
    "forest": ("RandomForest", {}),
    "extra": ("ExtraTrees", {}),
    "adaboost": ("AdaBoost", {}),
    "neighbours": ("Neighbours", {}),
}
"""What each method is called as an estimator, before "Classifier" or "Regressor", and its settings."""

USUAL = {"confidence": "c45", "min_cases": "c45", "n_estimators": "forest", "k": "neighbours"}
"""The method that is studied unless one is given, by the setting that varies; of all others it is tree."""

Values = Annotated[
    str | None,
    typer.Option(
        "--values",
        metavar="A,B,…",
        help="The values to try, with commas between them; none stands for no limit.",
    ),
]
StudyOutput = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to this file what its name asks for: .html a page, .svg a picture, .json or .txt.",
        rich_help_panel=RESULTS,
    ),
]
FORMATS = ("html", "svg", "json", "text")


def known_methods() -> list[str]:
    """Return the methods whose estimators there are."""
    import branchwork

    return [method for method, (name, _) in ESTIMATORS.items() if f"{name}Classifier" in branchwork.__all__]


def study_method() -> object:
    """Return the option --method of a study."""
    names = known_methods()
    text = f"The algorithm ({', '.join(names)}); by default tree, or what has the setting that varies."
    return word_option("--method", words=lambda: names, text=text)


def estimator_of(method: str | None, over: str | None, lesson: Lesson, others: Sequence[str] | None) -> Any:
    """Return the estimator of a method for the target of a table, with settings by name."""
    import branchwork
    from branchwork.table.target import Classes

    usual = USUAL.get(over or "", "tree")
    method = method or (usual if usual in known_methods() else "tree")
    is_classes = isinstance(lesson.target, Classes)
    name, given = ESTIMATORS[method]
    kind = getattr(branchwork, f"{name}{'Classifier' if is_classes else 'Regressor'}", None)
    if kind is None:
        raise ParameterError(
            f"--method {method} learns classes, but the target is numeric. Add --task classification, or take tree."
        )
    est = kind(**given)
    changes, known = settings(others), est.get_params()
    for wrong in [name for name in changes if name not in known]:
        raise ParameterError(
            f"{method} has no setting {wrong!r}.{did_you_mean(wrong, known)} It has {', '.join(sorted(known))}."
        )
    return est.set_params(**changes)


def answers_of(lesson: Lesson) -> Any:
    """Return the target as estimators take it."""
    from branchwork.model.model import label_array
    from branchwork.table.target import Classes

    target = lesson.target
    return label_array(target.labels)[target.codes] if isinstance(target, Classes) else target.values


def values_of(text: str | None) -> list[Any] | None:
    """Return the values of --values.

    >>> values_of("1,2.5,none")
    [1, 2.5, None]
    """
    if text is None:
        return None
    return [settings([f"value={part.strip()}"])["value"] for part in text.split(",") if part.strip()]


def check_study_output(output: str | None, as_json: bool, file: str) -> str:
    """Return the format of the result; refuse a name that does not fit it."""
    wanted = "json" if as_json else format_by_name(output, FORMATS)
    check_output(output, wanted, file, hint="A study is written as .html, .svg, .json or .txt.")
    return wanted


def write_study(found: Any, wanted: str, output: str | None) -> None:
    """Write what a study found."""
    if wanted == "json":
        write_json(found.to_dict(), output)
    elif wanted == "svg":
        write(found.to_svg(theme="auto"), output)
    else:
        write(found.to_html() if wanted == "html" else str(found), output)
