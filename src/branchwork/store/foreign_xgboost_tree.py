"""Read the columns and the single trees of XGBoost's JSON."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ModelFormatError, ParameterError
from branchwork.store.foreign_columns import columns_named
from branchwork.store.foreign_float32 import cut_before_rounding
from branchwork.store.foreign_json import finite, listed, maybe, numbers, part, refuse, texts, whole, wholes
from branchwork.store.foreign_tree import Nodes, to_tree
from branchwork.table.schema import Schema
from branchwork.tree.tree import Tree

LARGEST_CODE = 2**24 - 1
"""The largest code of a category: float32 does not hold larger integers exactly."""
MOST_UNNAMED = 10**6
"""The largest number of columns without names or types: a small file could ask for any number."""
MOST_FILLED = 2**16
"""Up to this many codes, all count as known categories; beyond, only those that a node lists."""


@dataclass(frozen=True)
class Columns:
    """The columns; `place` has our code of each of their codes, by column."""

    schema: Schema
    place: dict[int, dict[int, int]]
    named_categories: bool


def columns_of(learner: Any, model: Any, trees: list[Any]) -> Columns:
    """Return the columns of a model, with the names of their categories, or else the codes that its trees list."""
    names = texts(maybe(learner, "feature_names", []), "feature_names")
    types = texts(maybe(learner, "feature_types", []), "feature_types")
    most = max(len(names), len(types)) or MOST_UNNAMED
    count = whole(part(learner, "learner_model_param", "num_feature"), "num_feature", most)
    if count == 0 or len(names) not in (0, count) or len(types) not in (0, count):
        raise ModelFormatError(
            f"num_feature is {count}, but there are {len(names)} feature_names and {len(types)} feature_types."
        )
    spoken_of = _codes_by_column(trees)
    nominal = sorted({j for j, kind in enumerate(types) if kind == "c"} | set(spoken_of))
    if nominal and nominal[-1] >= count:
        raise ModelFormatError(f"A node asks for column {nominal[-1]}; there are {count} columns.")
    named = _named_categories(model, count)
    categories: dict[int, list[Hashable]] = {}
    place = {}
    for j in nominal:
        codes = _all_codes(spoken_of.get(j, set()))
        if named is not None and named[j]:
            if codes and max(spoken_of.get(j, {0})) >= len(named[j]):
                raise ModelFormatError(
                    f"Column {j} has {len(named[j])} categories; a node refers to another one."
                )
            codes = list(range(len(named[j])))
        place[j] = {code: ours for ours, code in enumerate(codes)}
        categories[j] = named[j] if named is not None and named[j] else [*codes]
    try:
        schema = columns_named(names or None, count, categories)
    except DataError as error:
        raise ModelFormatError(f"feature_names: {error}") from None
    return Columns(schema, place, named is not None and any(named[j] for j in nominal))


def _all_codes(spoken_of: set[int]) -> list[int]:
    if spoken_of and max(spoken_of) < MOST_FILLED:
        return list(range(max(spoken_of) + 1))
    return sorted(spoken_of)


def _codes_by_column(trees: list[Any]) -> dict[int, set[int]]:
    """Return the codes that the nodes of each column list."""
    found: dict[int, set[int]] = {}
    for k, tree in enumerate(trees):
        features = wholes(part(tree, "split_indices"), f"tree {k}: split_indices", lowest=0)
        for node, codes in right_codes(tree, f"tree {k}", len(features)).items():
            found.setdefault(int(features[node]), set()).update(codes.tolist())
    return found


def _named_categories(model: Any, count: int) -> list[list[Hashable]] | None:
    """Return the names of each column's categories, which files have from version 3.1 on; None if there are none."""
    written = maybe(model, "cats", None)
    if written is None or not part(written, "enc"):
        return None
    columns = listed(part(written, "enc"), "cats.enc", count)
    return [_names(column, f"cats.enc[{j}]") for j, column in enumerate(columns)]


def _names(column: Any, place: str) -> list[Hashable]:
    values = part(column, "values")
    if "offsets" not in column:
        found: list[Hashable] = list(listed(values, place))
        if not all(type(value) in (int, float) for value in found):
            raise ModelFormatError(f"{place}: expected numbers.")
    else:
        text = bytes(byte & 255 for byte in wholes(values, f"{place}.values", lowest=-128).tolist())
        ends = wholes(column["offsets"], f"{place}.offsets", lowest=0).tolist()
        if ends and (sorted(ends) != ends or ends[0] != 0 or ends[-1] != len(text)):
            raise refuse(f"{place}.offsets", ends, f"numbers that rise from 0 to {len(text)}")
        # The file truncates a pandas category such as "über" in the middle of a character.
        if not text.isascii():
            raise ModelFormatError(
                f"{place}: a category has letters beyond ASCII, and XGBoost cuts such names off when it writes them. "
                "Train on names in ASCII, or on codes."
            )
        found = [text[a:b].decode() for a, b in pairwise(ends)]
    if len(set(found)) != len(found):
        raise ModelFormatError(f"{place}: a category occurs twice.")
    return found


def right_codes(tree: Any, place: str, n_nodes: int) -> dict[int, npt.NDArray[np.int64]]:
    """Return the codes that go right at every nominal node."""
    ids = wholes(maybe(tree, "categories_nodes", []), f"{place}: categories_nodes", lowest=0)
    begins = wholes(
        maybe(tree, "categories_segments", []), f"{place}: categories_segments", len(ids), lowest=0
    )
    sizes = wholes(maybe(tree, "categories_sizes", []), f"{place}: categories_sizes", len(ids), lowest=0)
    codes = wholes(maybe(tree, "categories", []), f"{place}: categories", lowest=0)
    if (ids >= n_nodes).any() or len(np.unique(ids)) != len(ids):
        raise ModelFormatError(
            f"{place}: categories_nodes names a node that does not exist, or one node twice."
        )
    if (begins + sizes > len(codes)).any() or sizes.sum() > len(codes):
        raise ModelFormatError(f"{place}: categories_segments and _sizes reach beyond the categories.")
    if (codes > LARGEST_CODE).any():
        raise refuse(f"{place}: categories", int(codes.max()), f"numbers up to {LARGEST_CODE}")
    return {
        node: codes[begin : begin + size]
        for node, begin, size in zip(ids.tolist(), begins.tolist(), sizes.tolist(), strict=True)
    }


def tree_of(tree: Any, columns: Columns, scale: float, place: str) -> Tree:
    """Return one tree with its leaves multiplied by `scale`."""
    size = maybe(maybe(tree, "tree_param", {}), "size_leaf_vector", "1")
    if whole(size, f"{place}: size_leaf_vector") > 1:
        raise ParameterError(
            "The leaves of this XGBoost model hold several numbers (multi_strategy); expected one."
        )
    left = wholes(part(tree, "left_children"), f"{place}: left_children")
    n = len(left)
    right = wholes(part(tree, "right_children"), f"{place}: right_children", n)
    feature = wholes(part(tree, "split_indices"), f"{place}: split_indices", n, lowest=0)
    condition = numbers(part(tree, "split_conditions"), f"{place}: split_conditions", n)
    weight = finite(numbers(part(tree, "sum_hessian"), f"{place}: sum_hessian", n), f"{place}: sum_hessian")
    change = numbers(part(tree, "loss_changes"), f"{place}: loss_changes", n)
    default_left = wholes(part(tree, "default_left"), f"{place}: default_left", n, lowest=0) == 1
    with np.errstate(over="ignore"):
        value = condition.astype(np.float32).astype(np.float64) * scale
    right_of = right_codes(tree, place, n)
    codes = {node: _left(right_of[node], columns.place.get(int(feature[node]), {})) for node in right_of}
    unseen_with_missing = all(default_left[node] for node in right_of)
    nodes = Nodes(
        left=left,
        right=right,
        feature=feature,
        cut=cut_before_rounding(condition.astype(np.float32), strict=True),
        missing_left=default_left,
        value=np.where(left < 0, value, 0.0)[:, None],
        weight=np.maximum(weight, 0.0),
        n_rows=np.zeros(n, np.int64),
        gain=np.where(np.isfinite(change) & (weight > 0), change, 0.0) / np.where(weight > 0, weight, 1.0),
        left_codes=codes,
        unseen_left=None if unseen_with_missing else np.ones(n, bool),
        inner_means=True,
    )
    return to_tree(nodes, columns.schema, place)


def _left(right: npt.NDArray[np.int64], place: dict[int, int]) -> npt.NDArray[np.intp]:
    """Return our codes of the categories that go left: all except those that the node lists."""
    goes_left = np.ones(len(place), bool)
    goes_left[[place[code] for code in right.tolist() if code in place]] = False
    return np.flatnonzero(goes_left)
