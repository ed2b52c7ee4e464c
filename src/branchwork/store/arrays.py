"""Write and read the trees of a model as named arrays, in the one layout that files have.

tree.0.feature, tree.0.cut, …, tree.0.ledger.node, …, tree.0.surrogates.first, …: the fields of Tree, Ledger and
Surrogates. In a file, lookups are in the order of the nodes and without gaps, and entries that are never read are -1
or NaN. So a tree has exactly one file, and a wrong offset cannot pass for a right one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import TreeError
from branchwork.store.strict import refuse
from branchwork.table.schema import Schema
from branchwork.tree import check_ledger
from branchwork.tree.check import PER_NODE, checked
from branchwork.tree.grove import Grove, before, first_refused
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
    "missing_weight": (np.float64, 1),
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
LATER: dict[str, Kind] = {"judged": (np.float64, 3)}
"""Arrays of a ledger that older files do not have; one that is empty is not written."""
SURROGATES: dict[str, Kind] = {
    **dict.fromkeys(("first", "count", "feature", "low_child", "lookup", "pool"), (np.int32, 1)),
    **dict.fromkeys(("cut", "agreement", "adjusted"), (np.float64, 1)),
}


KINDS: dict[str, Kind] = {
    **TREE,
    **OPTIONAL,
    **{f"ledger.{name}": kind for name, kind in (LEDGER | LATER).items()},
    **{f"surrogates.{name}": kind for name, kind in SURROGATES.items()},
}
"""Every array that a tree in a model file may have."""


# ---- from trees


def arrays_of(tree: Tree, schema: Schema) -> dict[str, Array]:
    """Return the arrays of a tree by name, in the layout of files."""
    tree = laid_out(tree, schema)
    found = {name: getattr(tree, name) for name in (*TREE, *OPTIONAL)}
    for part, of_part in (("ledger", tree.ledger), ("surrogates", tree.surrogates)):
        if of_part is not None:
            found |= {f"{part}.{own.name}": getattr(of_part, own.name) for own in fields(of_part)}
    for name in LATER:
        if tree.ledger is not None and not getattr(tree.ledger, name).size:
            del found[f"ledger.{name}"]
    return {name: _plain(array) for name, array in found.items() if array is not None}


def _plain(array: Array) -> Array:
    """Return a contiguous array in which every NaN has the same bits."""
    if array.dtype.kind == "f" and (strange := np.isnan(array)).any():
        array = np.where(strange, np.nan, array)
    return np.ascontiguousarray(array)


def laid_out(tree: Tree, schema: Schema) -> Tree:
    """Return the same tree with its lookups in the order of the nodes, and -1 or NaN in entries that are never read."""
    levels = np.array(schema.levels, np.int64)
    return replace(
        tree,
        **_laid_out_nodes(Grove((tree,), levels)),
        surrogates=None if tree.surrogates is None else _laid_out_surrogates(tree.surrogates, levels),
        ledger=None if tree.ledger is None else _laid_out_ledger(tree.ledger),
    )


def _laid_out_nodes(grove: Grove) -> dict[str, Array]:
    """Return the arrays that decide where a row goes."""
    inner, nominal, numeric, parted = grove.inner, grove.nominal, grove.numeric, grove.parted
    cut, lookup = np.full_like(grove.cut, np.nan), np.full_like(grove.lookup, -1)
    default = np.full_like(grove.default_child, -1)
    cut[numeric], default[inner] = grove.cut[numeric], grove.default
    slots, bounds = grove.pool[:0], grove.bounds[:0]
    if len(nominal):
        start = before(grove.lengths("pool"))[grove.tree_of(nominal)]
        size = 1 + grove.levels[grove.feature[nominal]]
        begin, slots = _packed(grove.pool, start + grove.lookup[nominal], size)
        lookup[nominal], slots[begin] = begin - start, default[nominal]
    if len(parted):
        start = before(grove.lengths("bounds"))[grove.tree_of(parted)]
        begin, bounds = _packed(grove.bounds, start + grove.lookup[parted], grove.n_children[parted] - 1)
        lookup[parted] = begin - start
    return {"cut": cut, "default_child": default, "lookup": lookup, "pool": slots, "bounds": bounds}


def _packed(
    pool: Array, begin: npt.NDArray[np.integer], size: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.int64], Array]:
    """Put runs of a pool side by side; return where each begins, and the new pool."""
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
    judged = given.judged if given.judged.size else none
    if not given.tests.size:
        parts_at, parts = np.empty((0, 0, 2), np.int64), np.empty(0)
        return replace(given, chance=chance, judged=judged, tests=none, parts_at=parts_at, parts=parts)
    sizes = given.parts_at[..., 1] - given.parts_at[..., 0]
    begin, parts = _packed(given.parts, given.parts_at[..., 0].ravel(), sizes.ravel())
    begin = begin.reshape(sizes.shape)
    parts_at = np.stack((begin, begin + sizes), axis=-1)
    return replace(given, chance=chance, judged=judged, parts_at=parts_at, parts=parts)


# ---- to trees


def trees_from(given: Iterable[Mapping[str, Array]], schema: Schema) -> tuple[Tree, ...]:
    """Make trees from arrays and check them, so that prediction may trust every number."""
    trees = tuple(_tree(arrays, f"tree.{k}") for k, arrays in enumerate(given))
    refused = first_refused(trees, lambda some: _check(some, schema))
    if refused is not None:
        k, error = refused
        refuse(f"tree.{k}", str(error).rstrip("."))
    return trees


def _tree(arrays: Mapping[str, Array], place: str) -> Tree:
    own = {name: array for name, array in arrays.items() if "." not in name}
    for name in TREE:
        if name not in own:
            refuse(f"{place}.{name}", "the array is missing")
    parts: dict[str, Any] = dict.fromkeys(OPTIONAL) | own
    if len(own) < len(arrays):
        parts["ledger"] = _part(arrays, "ledger", LEDGER, Ledger, place, LATER)
        parts["surrogates"] = _part(arrays, "surrogates", SURROGATES, Surrogates, place)
    return Tree(**parts)


def _part(
    arrays: Mapping[str, Array],
    part: str,
    names: Iterable[str],
    make: Any,
    place: str,
    optional: Iterable[str] = (),
) -> Any:
    own = {name: arrays[f"{part}.{name}"] for name in (*names, *optional) if f"{part}.{name}" in arrays}
    for name in names:
        if own and name not in own:
            refuse(f"{place}.{part}.{name}", "the array is missing")
    for name in optional:
        if name in own and not own[name].size:
            refuse(f"{place}.{part}.{name}", "the array is empty; such an array is left out")
    return make(**own) if own else None


def _check(trees: Sequence[Tree], schema: Schema) -> None:
    """Raise TreeError unless the trees are valid, and laid out as in files."""
    levels = np.array(schema.levels, np.int64)
    for grove in checked(trees, schema):
        for name, expected in _laid_out_nodes(grove).items():
            _check_same(name, getattr(grove, name), expected)
        for tree in grove.trees:
            if tree.surrogates is not None:
                _check_part("surrogates", tree.surrogates, _laid_out_surrogates(tree.surrogates, levels))
            if tree.ledger is not None:
                _check_part("ledger", tree.ledger, _laid_out_ledger(tree.ledger))


def _check_part(part: str, given: Ledger | Surrogates, expected: Ledger | Surrogates) -> None:
    for own in fields(given):
        _check_same(f"{part}.{own.name}", getattr(given, own.name), getattr(expected, own.name))


def _check_same(name: str, given: Array, expected: Array) -> None:
    if given.shape != expected.shape:
        raise TreeError(f"Not a valid tree: {name} has shape {given.shape}, expected {expected.shape}.")
    same = given == expected
    if given.dtype.kind == "f":
        same |= (given != given) & (expected != expected)
    require_everywhere(same.ravel(), f"{name}: number {{}} is not laid out as in files")
