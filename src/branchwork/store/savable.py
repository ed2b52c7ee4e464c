"""Find what can be saved, and advise what to do about everything else."""

from __future__ import annotations

from typing import Any, NamedTuple

from branchwork.errors import ParameterError
from branchwork.model.committee import Committee
from branchwork.model.model import Model
from branchwork.neighbours.model import Neighbours
from branchwork.rules.rule_list import RuleList

KINDS = "a fitted estimator of Branchwork, a Model or a RuleList"
READERS = {"sklearn": "from_sklearn", "xgboost": "from_xgboost", "lightgbm": "from_lightgbm"}
"""Libraries whose trees can become a Model, and the function that makes it."""


def saved_of(given: Any) -> Model | RuleList | Committee | Neighbours:
    """Return what to save: the rules of an estimator that predicts by rules, the model of every other estimator."""
    found = _found_in(given)
    if found is None:
        raise ParameterError(_complaint(given))
    return found


def _found_in(given: Any) -> Model | RuleList | Committee | Neighbours | None:
    if isinstance(given, type):
        return None
    for found in (given, getattr(given, "rules_", None), getattr(given, "model_", None)):
        if isinstance(found, Model | RuleList | Committee | Neighbours):
            return found
    return None


class _Inner(NamedTuple):
    """The estimator inside a pipeline or a search, and how it is reached."""

    estimator: Any
    reach: str


def _inside(given: Any) -> _Inner | None:
    """Return the last step of a pipeline or the best estimator of a search, or None if this is neither."""
    steps = getattr(given, "steps", None)
    if isinstance(steps, list) and steps and hasattr(given, "named_steps"):
        return _Inner(steps[-1][1], "[-1]")
    if hasattr(given, "refit") and hasattr(given, "estimator"):
        return _Inner(getattr(given, "best_estimator_", given.estimator), ".best_estimator_")
    return None


def _complaint(given: Any) -> str:
    """Say why something cannot be saved, and what can be done instead."""
    if isinstance(given, type):
        return f"{given.__name__} is a class; expected {KINDS}."
    inner = _inside(given)
    if inner is not None:
        return _complaint_around(given, inner)
    if hasattr(given, "_foreign") and hasattr(given, "estimators_"):  # a vote with members of other libraries
        return str(given._foreign())
    name = type(given).__name__
    library = type(given).__module__.split(".")[0]
    if library == "branchwork" and hasattr(given, "fit"):
        return f"This {name} is not fitted; fit it before it is saved."
    complaint = f"An object of type {name} cannot be saved; expected {KINDS}."
    if library in READERS and hasattr(given, "predict"):
        return f"{complaint} If it is made of trees and fitted, bw.{READERS[library]} makes a Model of it."
    return complaint


def _complaint_around(given: Any, inner: _Inner) -> str:
    """Say the same about an estimator that contains another one."""
    name, variable = type(given).__name__, "pipeline" if inner.reach == "[-1]" else "search"
    estimator, reach = inner
    while (deeper := _inside(estimator)) is not None:
        estimator, reach = deeper.estimator, reach + deeper.reach
    if type(estimator).__module__.split(".")[0] != "branchwork":
        return f"A {name} cannot be saved, and neither can its last step. {_complaint(estimator)}"
    call = f"bw.save({variable}{reach}, path)"
    if getattr(given, "refit", True) is False:
        return f"This {name} keeps no estimator (refit=False); fit it with refit=True, then {call}."
    if _found_in(estimator) is None:
        return f"This {name} is not fitted; fit it, then save the {type(estimator).__name__} in it: {call}."
    complaint = f"A {name} cannot be saved, but the {type(estimator).__name__} in it can: {call}."
    if "[-1]" not in reach:
        return complaint
    return f"{complaint} The steps before it are not in the file; prepare rows with them before predicting."
