"""Make a model from scikit-learn's gradient boosting on histograms.

Its cells are doubles, and so are its cuts. Before its trees see a row, columns of categories are coded and moved to the
front; here they keep their place and their categories.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.model.combine import Combine, Link
from branchwork.model.model import Model
from branchwork.store.foreign_columns import columns_named, plain_labels
from branchwork.store.foreign_tree import Nodes, to_tree
from branchwork.table.cells import is_missing
from branchwork.table.schema import Schema
from branchwork.tree.tree import Tree

LINKS: dict[str, Link] = {"poisson": "exp", "gamma": "exp", "log_loss": "logistic"}
"""The link that turns sums into predictions, if there is one."""
IDENTITY = ("squared_error", "absolute_error", "quantile")

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class _Columns:
    """How scikit-learn's columns map to ours.

    Parameters
    ----------
    order : our position of each of their columns.
    known : for each of their nominal columns, the codes that occurred in training; others count as missing.
    place : for each of their nominal columns, our code of each of their codes; -1 is a missing cell.
    """

    schema: Schema
    order: Codes
    known: dict[int, npt.NDArray[np.bool_]]
    place: dict[int, Codes]


def from_histograms(estimator: Any) -> Model:
    """Make a model from a fitted HistGradientBoostingClassifier or -Regressor."""
    loss = estimator.loss
    if loss not in LINKS and loss not in IDENTITY:
        raise ParameterError(f"loss={loss!r} is not known here; {', '.join([*LINKS, *IDENTITY])} are.")
    columns = _columns_of(estimator)
    labels = plain_labels(estimator.classes_) if hasattr(estimator, "classes_") else None
    base = np.asarray(estimator._baseline_prediction, np.float64).ravel()
    width = len(base)
    rounds = estimator._predictors
    trees = tuple(_tree(one, columns) for of_round in rounds for one in of_round)
    combine = Combine(
        "sum",
        base=tuple(base.tolist()),
        output=tuple(k % width for k in range(len(trees))) if width > 1 else None,
        link="softmax" if width > 1 else LINKS.get(loss, "identity"),
    )
    recipe = {"library": "scikit-learn", "name": type(estimator).__name__, "criterion": "loss"}
    occurring = None if labels is None else tuple(range(len(labels)))
    return Model(columns.schema, labels, trees, recipe, occurring=occurring, combine=combine)


def _columns_of(estimator: Any) -> _Columns:
    names = getattr(estimator, "feature_names_in_", None)
    count = int(estimator.n_features_in_)
    if estimator.is_categorical_ is None:
        return _Columns(columns_named(names, count), np.arange(count), {}, {})
    nominal = np.flatnonzero(estimator.is_categorical_)
    order = np.concatenate((nominal, np.flatnonzero(~estimator.is_categorical_)))
    encoder = estimator._preprocessor.named_transformers_["encoder"]
    bits, at = estimator._bin_mapper.make_known_categories_bitsets()
    categories: dict[int, list[Hashable]] = {}
    known, place = {}, {}
    for theirs, (ours, values) in enumerate(zip(nominal.tolist(), encoder.categories_, strict=True)):
        listed = values.tolist()
        categories[ours] = [value for value in listed if not is_missing(value)]
        place[theirs] = np.array([-1 if is_missing(value) else k for k, value in enumerate(listed)], np.intp)
        known[theirs] = _members(bits[at[theirs]])
    return _Columns(columns_named(names, count, categories), order, known, place)


def _members(bitset: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Return which of 256 codes are in a bitset of eight words."""
    codes = np.arange(256)
    return np.asarray((bitset[codes // 32] >> (codes % 32).astype(np.uint32)) & 1, bool)


def _tree(predictor: Any, columns: _Columns) -> Tree:
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    weight = nodes["count"].astype(np.float64)
    theirs = Nodes(
        left=np.where(leaf, -1, nodes["left"].astype(np.int64)),
        right=np.where(leaf, -1, nodes["right"].astype(np.int64)),
        feature=columns.order[np.where(leaf, 0, nodes["feature_idx"])],
        cut=nodes["num_threshold"].astype(np.float64),
        missing_left=nodes["missing_go_to_left"].astype(bool),
        value=nodes["value"].astype(np.float64)[:, None],
        weight=weight,
        n_rows=nodes["count"].astype(np.int64),
        gain=np.where(leaf, 0.0, nodes["gain"]) / np.maximum(weight, 1),
        left_codes={
            int(node): _left_codes(predictor, nodes[node], columns)
            for node in np.flatnonzero(nodes["is_categorical"].astype(bool) & ~leaf)
        },
        inner_means=True,
    )
    return to_tree(theirs, columns.schema)


def _left_codes(predictor: Any, node: Any, columns: _Columns) -> Codes:
    """Return the codes that go left, including codes unseen in training, which go where missing cells go."""
    theirs = int(node["feature_idx"])
    left = _members(predictor.raw_left_cat_bitsets[node["bitset_idx"]])
    goes_left = left | (~columns.known[theirs] & bool(node["missing_go_to_left"]))
    place = columns.place[theirs]
    return place[(place >= 0) & goes_left[: len(place)]]
