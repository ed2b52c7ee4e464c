"""Read the columns and the single trees of LightGBM's text.

The bits of a node's `decision_type` say what it tests and where missing cells go:

    bit 0      categories: those of its bitset go left, all others and missing cells right
    bit 1      missing cells go left
    bits 2, 3  what is missing: 0 nothing (NaN counts as 0), 1 zeros and NaN, 2 NaN
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ModelFormatError, ParameterError
from branchwork.store.foreign_columns import columns_named
from branchwork.store.foreign_lightgbm_text import Fields, Written, numbers, whole, wholes
from branchwork.store.foreign_tree import Nodes, to_tree
from branchwork.table.schema import Schema, category_key
from branchwork.tree.tree import Floats, Tree

ZERO = float(np.float32(1e-35))
"""Numbers up to this far from 0 are read as 0."""
BELOW_ZERO = float(np.nextafter(-ZERO, -np.inf))
"""The largest negative number that is not read as 0."""

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Columns:
    """The columns; `place` has our code of each of their codes, by column."""

    schema: Schema
    place: dict[int, dict[int, int]]


def columns_of(written: Written) -> Columns:
    """Return the columns of a model, with the categories that its header, its trees or pandas declare."""
    count = whole(written.head, "max_feature_idx", "The head") + 1
    names = written.head.get("feature_names", "").split(" ")
    infos = written.head.get("feature_infos", "").split(" ")
    if len(names) != count or len(infos) != count:
        raise ModelFormatError(
            f"There are {count} columns (max_feature_idx), but {len(names)} feature_names and {len(infos)} "
            "feature_infos."
        )
    codes = {j: _codes_of(info) for j, info in enumerate(infos) if info[:1] not in ("[", "n", "")}
    for k, fields in enumerate(written.trees):
        for j, left in _codes_by_column(fields, f"Tree {k}").items():
            codes.setdefault(j, set()).update(left)
    if codes and max(codes) >= count:
        raise ModelFormatError(f"A node asks for column {max(codes)}; there are {count} columns.")
    named = _pandas_categories(written, codes)
    categories: dict[int, list[Hashable]] = {}
    place = {}
    for j in sorted({*codes, *named}):
        known = sorted(codes.get(j, set()))
        if j in named:
            if known and known[-1] >= len(named[j]):
                raise ModelFormatError(
                    f"pandas_categorical: column {j} has {len(named[j])} categories; a node refers to another one."
                )
            known = list(range(len(named[j])))
        place[j] = {code: ours for ours, code in enumerate(known)}
        categories[j] = named.get(j, [*known])
    made_up = names == [f"Column_{j}" for j in range(count)]
    try:
        return Columns(columns_named(None if made_up else names, count, categories), place)
    except DataError as error:
        raise ModelFormatError(f"feature_names: {error}") from None


def _codes_of(info: str) -> set[int]:
    """Return the categories that occurred in training; -1 is a missing cell."""
    try:
        return {int(code) for code in info.split(":") if int(code) >= 0}
    except ValueError:
        raise ModelFormatError(
            f"feature_infos: {info[:60]!r} is neither a range nor a list of categories."
        ) from None


def _codes_by_column(fields: Fields, place: str) -> dict[int, set[int]]:
    n = whole(fields, "num_leaves", place, lowest=1) - 1
    if n == 0 or not whole(fields, "num_cat", place):
        return {}
    feature = wholes(fields, "split_feature", place, n)
    found: dict[int, set[int]] = {}
    for node, codes in left_codes(fields, place, n).items():
        found.setdefault(int(feature[node]), set()).update(codes.tolist())
    return found


def _pandas_categories(written: Written, codes: dict[int, set[int]]) -> dict[int, list[Hashable]]:
    """Return the categories of a pandas table by column; the file has them in the order of these columns."""
    lists = written.pandas_categorical
    if not lists:
        return {}
    if not isinstance(lists, list) or not all(isinstance(values, list) for values in lists):
        raise ModelFormatError("pandas_categorical: expected a list of lists.")
    set_apart = [
        item for item in written.settings.get("categorical_feature", "").split(",") if item.isdecimal()
    ]
    columns = sorted({int(item) for item in set_apart if len(item) < 10}) or sorted(codes)
    if len(columns) != len(lists):
        raise ModelFormatError(
            f"The table had {len(lists)} pandas columns of categories, but {len(columns)} were used as such, and "
            "the file does not say which. Train on unordered categories only, or on codes."
        )
    for values in lists:
        plain = all(isinstance(value, str | int | float | bool) for value in values)
        if not plain or len({category_key(value) for value in values}) != len(values):
            raise ModelFormatError("pandas_categorical: expected distinct texts, numbers or booleans.")
    return dict(zip(columns, lists, strict=True))


def left_codes(fields: Fields, place: str, n: int) -> dict[int, Codes]:
    """Return the codes that go left at every nominal node."""
    decision = wholes(fields, "decision_type", place, n, highest=255)
    nominal = np.flatnonzero(decision & 1)
    if not nominal.size:
        return {}
    n_sets = whole(fields, "num_cat", place)
    threshold = numbers(fields, "threshold", place, n)
    ends = wholes(fields, "cat_boundaries", place, n_sets + 1).tolist()
    words = wholes(fields, "cat_threshold", place, ends[-1], highest=2**32 - 1)
    if ends[0] != 0 or sorted(ends) != ends:
        raise ModelFormatError(f"{place}: cat_boundaries do not rise from 0.")
    found = {}
    for node in nominal.tolist():
        which = float(threshold[node])
        if not (which.is_integer() and 0 <= which < n_sets):
            raise ModelFormatError(
                f"{place}: node {node} asks for set {which:g} of {n_sets} sets of categories."
            )
        found[node] = _members(words[ends[int(which)] : ends[int(which) + 1]])
    return found


def _members(words: Codes) -> Codes:
    """Return the numbers in a bitset of 32-bit words."""
    bits = (words[:, None] >> np.arange(32)) & 1
    return np.flatnonzero(bits.ravel())


def tree_of(fields: Fields, columns: Columns, scale: float, place: str) -> Tree:
    """Return one tree with its leaves multiplied by `scale`. Inner nodes come first, then leaves."""
    if fields.get("is_linear", "0").strip() not in ("0", ""):
        raise ParameterError(
            "This LightGBM model has linear trees (linear_tree); leaves must hold a single number."
        )
    n_leaves = whole(fields, "num_leaves", place, lowest=1)
    n = n_leaves - 1
    of_leaves = numbers(fields, "leaf_value", place, n_leaves) * scale
    rows = (
        wholes(fields, "leaf_count", place, n_leaves) if fields.get("leaf_count") else np.zeros(n_leaves, int)
    )
    if n == 0:
        return to_tree(_leaf(of_leaves, rows), columns.schema, place)
    left, right = (_children(fields, name, place, n) for name in ("left_child", "right_child"))
    feature = wholes(fields, "split_feature", place, n)
    decision = wholes(fields, "decision_type", place, n, highest=255)
    codes = {
        node: np.array([columns.place[int(feature[node])][code] for code in of_node.tolist()], np.intp)
        for node, of_node in left_codes(fields, place, n).items()
    }
    cut, missing_left = _cuts(numbers(fields, "threshold", place, n), decision, place)
    gain = np.nan_to_num(numbers(fields, "split_gain", place, n), posinf=0.0, neginf=0.0)
    count = np.maximum(wholes(fields, "internal_count", place, n), 1)
    of_inner = np.zeros(n, np.int64)

    def then_leaves(array: npt.NDArray[Any], fill: float) -> npt.NDArray[Any]:
        return np.concatenate((array, np.full(n_leaves, fill, array.dtype)))

    nodes = Nodes(
        left=then_leaves(left, -1),
        right=then_leaves(right, -1),
        feature=then_leaves(feature, 0),
        cut=then_leaves(cut, 0),
        missing_left=then_leaves(missing_left & (decision & 1 == 0), False),
        value=np.concatenate((np.zeros(n), of_leaves))[:, None],
        weight=np.concatenate((of_inner, rows)).astype(np.float64),
        n_rows=np.concatenate((of_inner, rows)),
        gain=then_leaves(gain / count, 0),
        left_codes=codes,
        inner_means=True,
    )
    return to_tree(nodes, columns.schema, place)


def _leaf(value: Floats, rows: npt.NDArray[np.int64]) -> Nodes:
    none, zero = np.array([-1]), np.zeros(1)
    return Nodes(
        none, none, zero.astype(int), zero, zero == 1, value[:, None], rows.astype(float), rows, zero
    )


def _children(fields: Fields, name: str, place: str, n: int) -> Codes:
    """Return the ids of children: leaves, which LightGBM numbers -1, -2, …, come after the inner nodes."""
    child = wholes(fields, name, place, n, lowest=-n - 1, highest=n - 1)
    return np.where(child >= 0, child, n + ~child)


def _cuts(threshold: Floats, decision: Codes, place: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the cuts, and whether missing cells go left."""
    missing, default_left = (decision >> 2) & 3, (decision & 2) > 0
    # Nodes where everything that is read as 0 goes one way.
    beside_zero = np.where(threshold >= 0, ZERO, BELOW_ZERO)
    cut = np.where(np.abs(threshold) <= ZERO, beside_zero, threshold)
    missing_left = default_left.copy()
    nothing = missing == 0
    missing_left[nothing] = threshold[nothing] >= 0
    for node in np.flatnonzero((missing == 1) & (decision & 1 == 0)).tolist():
        cut[node] = _cut_beside_zero(
            float(threshold[node]), bool(default_left[node]), f"{place}, node {node}"
        )
    if (missing == 3).any():
        raise ModelFormatError(f"{place}: decision_type names an unknown kind of missing cells.")
    return cut, missing_left


def _cut_beside_zero(threshold: float, default_left: bool, place: str) -> float:
    """Return the cut of a node that sends zeros with missing cells, if one cut is enough: zeros end the left side."""
    if default_left and threshold >= BELOW_ZERO:
        return max(threshold, ZERO)
    if not default_left and threshold <= ZERO:
        return min(threshold, BELOW_ZERO)
    raise ParameterError(
        f"{place}: zeros go with missing cells (zero_as_missing) to the {'left' if default_left else 'right'}, while "
        f"numbers on both sides of them go the other way (threshold {threshold:g}). One cut cannot say that. Train "
        "with zero_as_missing=false and NaN for what is missing."
    )
