"""`--set NAME=VALUE`: the settings of a method, which are the parameters of its estimator's constructor."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.table.target import Target

Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting by its name, as in --set confidence=0.1; an unknown name lists the valid ones. Lists "
        "and mappings are JSON. May be repeated.",
    ),
]

_WORDS = {"none": None, "true": True, "false": False}

NOT_TYPED = {
    "categorical_features": "Name each such column with --categorical COLUMN.",
    "verbose": "In a terminal, long work shows a progress bar anyway.",
    "estimator": "The settings of its trees have their own names, as in --set max_depth=3.",
    "callback": "It is for Python.",
    "warm_start": "It is for Python.",
    "oob_score": "The out-of-bag error is measured anyway.",
}
"""Parameters of estimators that make no sense on a command line, and what to do instead."""

BY_LABEL = ("class_weight", "priors")
"""Settings that may be mappings of label to number. The keys of JSON are text, labels may be numbers."""


def settings(pairs: Sequence[str] | None) -> dict[str, Any]:
    """Return the names and values of NAME=VALUE pairs.

    >>> settings(["confidence=0.1", "collapse=false", "order=best", 'class_weight={"ill": 5}'])
    {'confidence': 0.1, 'collapse': False, 'order': 'best', 'class_weight': {'ill': 5}}
    """
    found = {}
    for pair in pairs or ():
        name, sign, text = pair.partition("=")
        if not sign or not name:
            raise ParameterError(f"--set {pair!r}; expected NAME=VALUE, as in --set confidence=0.1.")
        found[name] = _value(name, text)
    return found


def limits(given: Mapping[str, float | str | None], method: str) -> dict[str, Any]:
    """Return the settings that options like --max-depth stand for, without those that were not given.

    A number of rows is whole where it can be. C4.5 calls its least leaf `min_cases`, and it has two criteria.
    """
    found: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name, value in found.items():
        if isinstance(value, float) and value.is_integer():
            found[name] = int(value)
    if method in ("c45", "j48"):
        if "min_samples_leaf" in found:
            found["min_cases"] = found.pop("min_samples_leaf")
        if (criterion := found.pop("criterion", None)) is not None:
            if criterion not in ("gain_ratio", "entropy"):
                hint = near(str(criterion), ("gain_ratio", "entropy"))
                raise ParameterError(f"--criterion {criterion}: {method} has gain_ratio and entropy.{hint}")
            found["gain_ratio"] = criterion == "gain_ratio"
    return found


def _value(name: str, text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if text[:1] in ("{", "[", '"'):
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise ParameterError(
                f"--set {name}: {text!r} is not JSON ({error}). Lists look like [1, 2], mappings like "
                '{"ill": 5}; put them in single quotes, so that the shell leaves them alone.'
            ) from None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def with_settings(est: Any, method: str, changes: Mapping[str, Any], target: Target) -> Any:
    """Return an estimator with settings changed; those of the trees of an ensemble are known by their own names.

    Parameters
    ----------
    est : an estimator that was made for this purpose; it is changed.
    method : what messages call it.
    target : its labels give the keys of mappings their type.
    """
    own = {name: None for name in est.get_params(deep=False) if name not in NOT_TYPED}
    member = est._member() if "estimator" in est.get_params(deep=False) else None
    of_trees = (
        [] if member is None else [name for name in member.get_params(deep=False) if name not in NOT_TYPED]
    )
    known = [*own, *(name for name in of_trees if name not in own)]
    for name in changes:
        if name not in known:
            raise _unknown(name, method, known)
    values = {
        name: _by_label(value, target) if name in BY_LABEL else value for name, value in changes.items()
    }
    if member is not None:
        member.set_params(**{name: value for name, value in values.items() if name not in own})
        est.set_params(estimator=member)
    return est.set_params(**{name: value for name, value in values.items() if name in own})


def _by_label(value: Any, target: Target) -> Any:
    """Return a mapping whose keys are the labels that the texts of its keys stand for."""
    from branchwork.table.csv_rows import category_of
    from branchwork.table.schema import Column
    from branchwork.table.target import Classes

    if not isinstance(value, dict) or not isinstance(target, Classes):
        return value
    labels = Column("label", "nominal", target.labels)
    return {
        target.labels[code]
        if (code := labels.code_of.get(category_of(labels, key))) is not None
        else key: number
        for key, number in value.items()
    }


def _unknown(name: str, method: str, known: Sequence[str]) -> ParameterError:
    if name in NOT_TYPED:
        return ParameterError(f"--set {name} is not for the command line. {NOT_TYPED[name]}")
    if name == "pruning" and "xval" in known:
        return ParameterError(
            f"{method} has no setting 'pruning': cross-validation chooses its size. To keep the whole tree, say --set "
            "xval=none."
        )
    return ParameterError(f"{method} has no setting {name!r}.{near(name, known)} It has {', '.join(known)}.")


def near(word: str, known: Iterable[str]) -> str:
    """' Did you mean 'a' or 'b'?' for the known words that are like a word or hold it, or nothing.

    >>> near("leaf", ["max_depth", "min_samples_leaf", "max_leaf_nodes"])
    " Did you mean 'min_samples_leaf' or 'max_leaf_nodes'?"
    """
    names = list(known)
    found = [
        *difflib.get_close_matches(word, names, n=3),
        *(name for name in names if word.lower() in name.lower()),
    ]
    if not found:
        return ""
    return f" Did you mean {' or '.join(map(repr, dict.fromkeys(found)))}?"
