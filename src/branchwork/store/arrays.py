"""The trees of a model as named arrays, in the one layout that files have.

tree.0.feature, tree.0.cut, …, tree.0.ledger.node, …, tree.0.surrogates.first, …: the fields of Tree, Ledger and
Surrogates. In a file what is looked up stands in the order of the nodes, without gaps, and what is never read is -1 or
NaN: one tree has one file, and a wrong offset cannot be mistaken for another right one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import TreeError
from branchwork.store.strict import refuse
from branchwork.table.schema import Schema
from branchwork.tree import check_ledger
from branchwork.tree.check import PER_NODE, check
from branchwork.tree.ledger import Ledger
from branchwork.tree.require import require_everywhere, slots_of
from branchwork.tree.surrogates import Surrogates
from branchwork.tree.tree import Tree

Array = npt.NDArray[Any]
Kind = tuple[type[np.generic], int]
"""The type of an array's numbers, and its dimensions."""

TREE: dict[str, Kind] = {
    **{name: (dtype, 1) for name, dtype in PER_NODE.items()},
    "pool": (np.int32, 1),
    "bounds": (np.float64, 1),
    "value": (np.float64, 2),
}
OPTIONAL: dict[str, Kind] = {
    "distribution": (np.float64, 2),
    "variance": (np.float64, 1),
    "answer": (np.int32, 1),
    "unseen_child": (np.int32, 1),
}
LEDGER: dict[str, Kind] = {
    "node": (np.int32, 1),
    **{name: (dtype, 2) for name, dtype in check_ledger.SHAPED.items()},
    "sides": (np.int32, 1),
    "chance": (np.float64, 3),
    "tests": (np.float64, 3),
    "parts_at": (np.int64, 3),
    "parts": (np.float64, 1),
}
SURROGATES: dict[str, Kind] = {
    **dict.fromkeys(("first", "count", "feature", "low_child", "lookup", "pool"), (np.int32, 1)),
    **dict.fromkeys(("cut", "agreement", "adjusted"), (np.float64, 1)),
}


def kind_of(name: str) -> Kind | None:
    """What an array of this name is; None: no array of a model file has it."""
    part, _, field = name.partition(".")
    if part in ("ledger", "surrogates"):
        return (LEDGER if part == "ledger" else SURROGATES).get(field)
    return TREE.get(name) or OPTIONAL.get(name)


# ---- from trees


def arrays_of(tree: Tree, schema: Schema) -> dict[str, Array]:
    """The arrays of a tree, by name, as they stand in a file."""
    tree = laid_out(tree, schema)
    found = {name: getattr(tree, name) for name in (*TREE, *OPTIONAL)}
    for part, of_part in (("ledger", tree.ledger), ("surrogates", tree.surrogates)):
        if of_part is not None:
            found |= {f"{part}.{own.name}": getattr(of_part, own.name) for own in fields(of_part)}
    return {name: _plain(array) for name, array in found.items() if array is not None}


def _plain(array: Array) -> Array:
    """The array in one piece, with every NaN the same one: they come with different bits."""
    if array.dtype.kind == "f" and (strange := np.isnan(array)).any():
        array = np.where(strange, np.nan, array)
    return np.ascontiguousarray(array)


def laid_out(tree: Tree, schema: Schema) -> Tree:
    """The same tree with its lookups in the order of the nodes, and -1 or NaN where nothing is read."""
    levels = np.array(schema.levels, np.int64)
    inner = tree.feature >= 0
    is_nominal = inner & (levels >= 0)[tree.feature]
    is_parted = inner & ~is_nominal & np.isnan(tree.cut)
    nominal, parted = np.flatnonzero(is_nominal), np.flatnonzero(is_parted)
    default = np.where(inner, tree.default_child, np.int32(-1))
    cut = np.where(inner & ~is_nominal, tree.cut, np.nan)
    lookup = np.full_like(tree.lookup, -1)
    lookup[nominal], pool = _packed(tree.pool, tree.lookup[nominal], 1 + levels[tree.feature[nominal]])
    if len(nominal):
        pool[lookup[nominal]] = default[nominal]
    lookup[parted], bounds = _packed(tree.bounds, tree.lookup[parted], tree.n_children[parted] - 1)
    return replace(
        tree,
        cut=cut,
        default_child=default,
        lookup=lookup,
        pool=pool,
        bounds=bounds,
        surrogates=None if tree.surrogates is None else _laid_out_surrogates(tree.surrogates, levels),
        ledger=None if tree.ledger is None else _laid_out_ledger(tree.ledger),
    )


def _packed(
    pool: Array, begin: npt.NDArray[np.integer], size: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.int64], Array]:
    """Runs of a pool side by side: where each begins, and the new pool."""
    if not len(begin):
        return np.empty(0, np.int64), pool[:0]
    places, _ = slots_of(begin, size)
    return np.cumsum(size, dtype=np.int64) - size, pool[places]


def _laid_out_surrogates(given: Surrogates, levels: npt.NDArray[np.int64]) -> Surrogates:
    nominal = levels[given.feature] >= 0
    lookup = np.full_like(given.lookup, -1)
    lookup[nominal], pool = _packed(given.pool, given.lookup[nominal], levels[given.feature[nominal]])
    return replace(
        given,
        first=np.cumsum(given.count, dtype=np.int32) - given.count,
        cut=np.where(nominal, np.nan, given.cut),
        low_child=np.where(nominal, np.int32(-1), given.low_child),
        lookup=lookup,
        pool=pool,
    )


def _laid_out_ledger(given: Ledger) -> Ledger:
    none = np.empty((3, 0, 0))
    chance = given.chance if given.chance.size else none
    if not given.tests.size:
        parts_at, parts = np.empty((0, 0, 2), np.int64), np.empty(0)
        return replace(given, chance=chance, tests=none, parts_at=parts_at, parts=parts)
    sizes = given.parts_at[..., 1] - given.parts_at[..., 0]
    begin, parts = _packed(given.parts, given.parts_at[..., 0].ravel(), sizes.ravel())
    begin = begin.reshape(sizes.shape)
    return replace(given, chance=chance, parts_at=np.stack((begin, begin + sizes), axis=-1), parts=parts)


# ---- to trees


def tree_from(arrays: Mapping[str, Array], schema: Schema, place: str) -> Tree:
    """The tree of these arrays, checked: prediction may trust every number in it."""
    for name in TREE:
        if name not in arrays:
            refuse(f"{place}.{name}", "the array is missing")
    parts: dict[str, Any] = {}
    for part, names, make in (("ledger", LEDGER, Ledger), ("surrogates", SURROGATES, Surrogates)):
        own = {name: arrays[f"{part}.{name}"] for name in names if f"{part}.{name}" in arrays}
        for name in names:
            if own and name not in own:
                refuse(f"{place}.{part}.{name}", "the array is missing")
        parts[part] = make(**own) if own else None
    parts |= {name: arrays.get(name) for name in (*TREE, *OPTIONAL)}
    tree = Tree(**parts)
    try:
        check(tree, schema)
        _check_layout(tree, laid_out(tree, schema))
    except TreeError as error:
        refuse(place, str(error).rstrip("."))
    return tree


def _check_layout(tree: Tree, expected: Tree) -> None:
    for name in ("cut", "default_child", "lookup", "pool", "bounds"):
        _check_same(name, getattr(tree, name), getattr(expected, name))
    for part in ("surrogates", "ledger"):
        given, right = getattr(tree, part), getattr(expected, part)
        for own in () if given is None else fields(given):
            _check_same(f"{part}.{own.name}", getattr(given, own.name), getattr(right, own.name))


def _check_same(name: str, given: Array, expected: Array) -> None:
    if given.shape != expected.shape:
        raise TreeError(f"Not a valid tree: {name} has shape {given.shape}, expected {expected.shape}.")
    same = given == expected
    if given.dtype.kind == "f":
        same |= (given != given) & (expected != expected)
    require_everywhere(same.ravel(), f"{name}: number {{}} is not laid out as in files")
