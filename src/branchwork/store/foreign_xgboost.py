"""Make a model from XGBoost's trees, from its JSON format.

A number goes left if its float32 is less than the threshold. A category goes left unless the node lists it. A
missing cell goes where the node says. The trees of one round add up to one sum per class.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from branchwork.errors import ModelFormatError, ParameterError
from branchwork.model.combine import Combine, Link
from branchwork.model.model import Model
from branchwork.store.foreign_columns import labels_given
from branchwork.store.foreign_json import (
    decimal,
    finite,
    listed,
    maybe,
    numbers,
    parsed,
    part,
    refuse,
    whole,
    wholes,
)
from branchwork.store.foreign_xgboost_tree import columns_of, tree_of

Task = Literal["number", "two", "many"]

OBJECTIVES: dict[str, tuple[Task, Link]] = {
    "reg:squarederror": ("number", "identity"),
    "reg:linear": ("number", "identity"),
    "reg:squaredlogerror": ("number", "identity"),
    "reg:pseudohubererror": ("number", "identity"),
    "reg:absoluteerror": ("number", "identity"),
    "reg:quantileerror": ("number", "identity"),
    "rank:pairwise": ("number", "identity"),
    "rank:ndcg": ("number", "identity"),
    "rank:map": ("number", "identity"),
    "count:poisson": ("number", "exp"),
    "reg:gamma": ("number", "exp"),
    "reg:tweedie": ("number", "exp"),
    "binary:logistic": ("two", "logistic"),
    "multi:softprob": ("many", "softmax"),
    "multi:softmax": ("many", "softmax"),
}
"""The task of each objective, and the link that turns sums into predictions."""
LEAST_CHANCE = 1e-6
"""The smallest start value of binary:logistic from version 3.2 on; 1 minus this is the largest."""


def from_xgboost(source: Any, *, labels: Iterable[Any] | None = None, rounds: int | None = None) -> Model:
    """Make a model from XGBoost's trees (gbtree or dart, one target).

    Every row comes to the same leaves. XGBoost adds in float32, this model in float64, so sums agree to about 1e-6 of
    their size. XGBoost does not store how many rows came to a node; `weight` is the sum of their hessians.

    Parameters
    ----------
    source : a JSON file (its path), its text or bytes, the same as a dictionary, or a Booster, XGBClassifier or
        XGBRegressor in memory.
    labels : names for the classes 0, 1, …
    rounds : take the trees of this many rounds, from the first; None means all. For an XGBClassifier or -Regressor that
        stopped early, None means up to the best round.
    """
    if hasattr(source, "get_booster"):
        _check_missing(source)
        labels = getattr(source, "classes_", None) if labels is None else labels
        rounds = _best_of(source) if rounds is None else rounds
        source = source.get_booster()
    document = _document(source)
    learner = part(document, "learner")
    name = part(learner, "objective", "name")
    task, link = _objective(name)
    booster = _Booster.of(learner, rounds)
    n_classes = whole(part(learner, "learner_model_param", "num_class"), "num_class")
    if (task == "many") != (n_classes > 1):
        raise ModelFormatError(f"The objective is {name}, but num_class is {n_classes}.")
    width = n_classes if task == "many" else 1
    if (booster.group >= width).any():
        raise ModelFormatError(f"tree_info: a tree belongs to class {booster.group.max()} of {width}.")
    columns = columns_of(learner, booster.model, booster.trees)
    trees = tuple(
        tree_of(tree, columns, scale, f"tree {k}")
        for k, (tree, scale) in enumerate(zip(booster.trees, booster.scale.tolist(), strict=True))
    )
    classes = None if task == "number" else labels_given(labels, 2 if task == "two" else width)
    if classes is None and labels is not None:
        raise ParameterError(f"labels are for classes; {name} predicts numbers.")
    return Model(
        columns.schema,
        classes,
        trees,
        {"library": "XGBoost", "name": str(name), "criterion": "loss"},
        handle_unknown="error" if columns.named_categories else "missing",
        occurring=None if classes is None else tuple(range(len(classes))),
        combine=Combine(
            "sum",
            base=_base(
                part(learner, "learner_model_param", "base_score"), width, link, _version(document) >= (3, 2)
            ),
            output=tuple(booster.group.tolist()) if width > 1 else None,
            link=link,
        ),
    )


def _check_missing(estimator: Any) -> None:
    """Refuse an estimator with a number that means missing: its trees do not store that number."""
    missing = getattr(estimator, "missing", None)
    if missing is not None and missing == missing:
        raise ParameterError(
            f"This {type(estimator).__name__} takes {missing!r} for a missing cell (missing); its trees take NaN. Use "
            f"bw.from_xgboost(estimator.get_booster()), and give the model NaN in place of {missing!r}."
        )


def _best_of(estimator: Any) -> int | None:
    """Return the number of rounds that an estimator itself uses, if it stopped early."""
    try:
        return int(estimator.best_iteration) + 1
    except AttributeError:
        return None


# ---- reading


def _document(source: Any) -> Any:
    if isinstance(source, dict):
        return source
    if hasattr(source, "save_raw"):
        return parsed(bytes(source.save_raw("json")))
    if isinstance(source, str) and source.lstrip()[:1] == "{":
        return parsed(source)
    if isinstance(source, bytes | bytearray):
        return _from_bytes(bytes(source))
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if not path.is_file():
            raise ModelFormatError(f"There is no file {str(source)[:200]!r}.")
        return _from_bytes(path.read_bytes())
    raise ParameterError(
        f"from_xgboost takes a path, JSON or a Booster; found {type(source).__name__}. "
        "Of a pickled estimator give the estimator itself."
    )


def _from_bytes(data: bytes) -> Any:
    if data.lstrip()[:1] != b"{" or data[1:2] in (b"L", b"l", b"i", b"I", b"U", b"$", b"#"):
        raise ModelFormatError(
            "This is not XGBoost's JSON, but perhaps UBJSON or its old binary format. Write it as JSON: "
            'booster.save_model("model.json").'
        )
    return parsed(data)


def _version(document: Any) -> tuple[int, ...]:
    """Return the version of XGBoost that wrote the file; () if it is not stored."""
    return tuple(wholes(maybe(document, "version", []), "version", lowest=0).tolist())


def _objective(name: Any) -> tuple[Task, Link]:
    if not isinstance(name, str) or name not in OBJECTIVES:
        raise ParameterError(
            f"XGBoost's objective {str(name)[:60]!r} cannot be expressed here; these can: {', '.join(OBJECTIVES)}."
        )
    return OBJECTIVES[name]


@dataclass(frozen=True)
class _Booster:
    """The trees that count; `group` has the class that each adds to, `scale` the factor of its leaves (dart)."""

    model: Any
    trees: list[Any]
    group: np.ndarray[Any, np.dtype[np.int64]]
    scale: np.ndarray[Any, np.dtype[np.float64]]

    @staticmethod
    def of(learner: Any, rounds: int | None) -> _Booster:
        booster = part(learner, "gradient_booster")
        name = part(booster, "name")
        if name not in ("gbtree", "dart"):
            raise ParameterError(
                f"XGBoost's booster {str(name)[:60]!r} is not made of trees; gbtree and dart are."
            )
        model = part(booster, "gbtree", "model") if name == "dart" else part(booster, "model")
        settings = part(learner, "learner_model_param")
        if whole(maybe(settings, "num_target", "1"), "num_target") > 1:
            raise ParameterError(
                "This XGBoost model has several targets; a model has one. Train one for each."
            )
        trees = listed(part(model, "trees"), "trees")
        if not trees:
            raise ModelFormatError("The model has no trees.")
        group = wholes(part(model, "tree_info"), "tree_info", len(trees), lowest=0)
        scale = np.ones(len(trees))
        if name == "dart":
            scale = finite(numbers(part(booster, "weight_drop"), "weight_drop", len(trees)), "weight_drop")
        kept = len(trees) if rounds is None else _trees_in(model, rounds, len(trees))
        return _Booster(model, trees[:kept], group[:kept], scale[:kept])


def _trees_in(model: Any, rounds: int, count: int) -> int:
    """Return how many trees the first rounds have."""
    starts = wholes(part(model, "iteration_indptr"), "iteration_indptr", lowest=0)
    if isinstance(rounds, bool) or not isinstance(rounds, int | np.integer) or not 1 <= rounds < len(starts):
        raise ParameterError(f"rounds={rounds!r}; expected a whole number from 1 to {len(starts) - 1}.")
    if not 1 <= starts[rounds] <= count:
        raise refuse("iteration_indptr", int(starts[rounds]), f"numbers from 0 to {count}")
    return int(starts[rounds])


def _base(found: Any, width: int, link: Link, stays_away: bool) -> tuple[float, ...]:
    """Return the start value of sums.

    The file has it in the units of predictions: one number, or a list from version 3.1 on.

    `stays_away` says that a probability is kept away from 0 and 1.
    """
    written = found[1:-1].split(",") if isinstance(found, str) and found[:1] == "[" else [found]
    base = [decimal(item, "base_score") for item in written]
    if len(base) == 1:
        base = base * width
    if len(base) != width:
        raise ModelFormatError(f"base_score has {len(base)} numbers, expected {width}.")
    if link == "logistic":
        return (_log_odds(base[0], stays_away),)
    if link == "exp":
        if base[0] <= 0:
            raise refuse("base_score", base[0], "a number above 0")
        return (math.log(base[0]),)
    return tuple(base)


def _log_odds(chance: float, stays_away: bool) -> float:
    """Return the log-odds, computed in float32 as in XGBoost, which matters near 1."""
    if not (0 <= chance <= 1 if stays_away else 0 < chance < 1):
        raise refuse("base_score", chance, "a number between 0 and 1")
    one, least = np.float32(1), np.float32(LEAST_CHANCE)
    with np.errstate(divide="ignore"):  # for probabilities too small, or too close to 1, for float32
        own = np.clip(np.float32(chance), least, one - least) if stays_away else np.float32(chance)
        log_odds = -float(np.log(one / own - one))
    if not math.isfinite(log_odds):
        raise refuse("base_score", chance, "a number between 0 and 1 in float32")
    return log_odds
