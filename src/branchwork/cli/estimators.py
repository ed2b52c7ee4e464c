"""Estimators by the names of methods, for commands that study them; and the options that these commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli.help import RESULTS
from branchwork.cli.output import chosen_format, write, write_json
from branchwork.cli.settings import settings, with_settings
from branchwork.cli.words import word_option
from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from branchwork.cli.inputs import Lesson
    from branchwork.table.target import Target

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
        help="Write to this file what its name asks for: .html a page, .svg, .png or .pdf a picture, .json or .txt.",
        rich_help_panel=RESULTS,
    ),
]
FORMATS = ("text", "html", "svg", "png", "pdf", "json")


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
    usual = USUAL.get(over or "", "tree")
    method = method or (usual if usual in known_methods() else "tree")
    return new_estimator(method, lesson.target, settings(others))


def new_estimator(method: str, target: Target, changes: Mapping[str, Any]) -> Any:
    """Return the estimator of a method for a target, with settings by name."""
    import branchwork
    from branchwork.table.target import Classes

    name, given = ESTIMATORS[method]
    kind = getattr(branchwork, f"{name}{'Classifier' if isinstance(target, Classes) else 'Regressor'}", None)
    if kind is None:
        others = [other for other in ESTIMATORS if learns_numbers(other)]
        raise ParameterError(
            f"--method {method} learns classes, but the target is numeric. Add --task classification, or take a method "
            f"for numbers: {', '.join(others)}."
        )
    return with_settings(kind(**given), method, changes, target)


def learns_numbers(method: str) -> bool:
    """Return whether a method can learn a numeric target."""
    import branchwork

    return hasattr(branchwork, f"{ESTIMATORS[method][0]}Regressor")


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
    return chosen_format(output, FORMATS, file, as_json=as_json)


def write_study(found: Any, wanted: str, output: str | None) -> None:
    """Write what a study found."""
    if wanted == "json":
        write_json(found.to_dict(), output)
    elif wanted == "svg":
        write(found.to_svg(theme="auto"), output)
    elif wanted in ("png", "pdf"):
        from branchwork.cli.pictures import picture_of

        write(picture_of(found.plot, wanted), output)  # type: ignore[arg-type]
    elif wanted == "html":
        write(found.to_html(), output)
    else:
        write(str(found) if output is None else found.to_text(), output)
