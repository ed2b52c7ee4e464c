"""Turn a tree grown on merged levels into the same tree on all categories.

Where rare categories were merged (table/levels.py), the tree was grown on a table in which they are one level, "other".
Here every lookup gets a slot for each category again, and all rare ones go where "other" went:

    merged     missing | a   c   other            expanded     missing | a   b   c   d   e
    pool          1    | 0   1     1              pool            1    | 0   1   1   1   1

The result is an ordinary tree, so prediction, exports and model files need to know nothing about levels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.table.levels import level_of
from branchwork.table.schema import Schema
from branchwork.tree.ledger import Candidate, Ledger, Page
from branchwork.tree.surrogates import Surrogates
from branchwork.tree.tree import Tree

Levels = list[npt.NDArray[np.intp]]
"""For each column, the level of each category; empty for numeric columns."""


def expand(tree: Tree, schema: Schema) -> Tree:
    """Return the tree on all categories of the schema; if no category is rare, that is the tree itself."""
    if not schema.has_rare:
        return tree
    levels = _levels(schema)
    pool, lookup = _expanded_pool(tree, schema, levels)
    return replace(
        tree,
        pool=pool,
        lookup=lookup,
        ledger=None if tree.ledger is None else _expanded_ledger(tree.ledger, schema, levels),
        surrogates=None if tree.surrogates is None else _expanded_surrogates(tree.surrogates, schema, levels),
    )


def expand_page(page: Page, schema: Schema) -> Page:
    """Return a page of candidates on merged levels as a page on all categories."""
    if not schema.has_rare:
        return page
    levels = _levels(schema)
    return replace(
        page,
        candidates=tuple(
            _expanded_candidate(one, levels[one.feature]) if schema[one.feature].rare else one
            for one in page.candidates
        ),
    )


def _levels(schema: Schema) -> Levels:
    return [level_of(column) if column.is_nominal else np.empty(0, np.intp) for column in schema]


def _expanded_candidate(one: Candidate, level: npt.NDArray[np.intp]) -> Candidate:
    if one.gain is None:
        return one
    if one.parts is not None:
        return replace(one, parts=(*(one.parts[k] for k in level), one.parts[-1]))
    # Sides that are None mean one branch per level.
    sides = level.tolist() if one.sides is None else [one.sides[k] for k in level]
    return replace(one, sides=tuple(sides))


def _expanded_pool(
    tree: Tree, schema: Schema, levels: Levels
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return `pool` and `lookup` with a slot for missing cells and one for each category."""
    lookup, runs = tree.lookup.copy(), Runs()
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        feature = int(tree.feature[node])
        if schema[feature].is_nominal:
            begin = int(tree.lookup[node])
            lookup[node] = runs.add(tree.pool[np.append(begin, begin + 1 + levels[feature])])
    return runs.joined(np.int32), lookup


def _expanded_surrogates(surrogates: Surrogates, schema: Schema, levels: Levels) -> Surrogates:
    lookup, runs = surrogates.lookup.copy(), Runs()
    for k, feature in enumerate(surrogates.feature.tolist()):
        if schema[feature].is_nominal:
            lookup[k] = runs.add(surrogates.pool[int(lookup[k]) + levels[feature]])
    return replace(surrogates, lookup=lookup, pool=runs.joined(np.int32))


def _expanded_ledger(ledger: Ledger, schema: Schema, levels: Levels) -> Ledger:
    """Return the ledger with the branch of each category; CHAID has parts, all others have sides."""
    if ledger.tests.size:
        return _expanded_parts(ledger, schema, levels)
    sides_at, runs = ledger.sides_at.copy(), Runs()
    has_rare_levels = np.array([bool(column.rare) for column in schema])
    is_multiway = has_rare_levels & ~np.isnan(ledger.gain) & (sides_at < 0)
    for page, feature in np.argwhere((sides_at >= 0) | is_multiway).tolist():
        begin, level = int(sides_at[page, feature]), levels[feature]
        sides_at[page, feature] = runs.add(level if begin < 0 else ledger.sides[begin + level])
    return replace(ledger, sides_at=sides_at, sides=runs.joined(np.int32))


def _expanded_parts(ledger: Ledger, schema: Schema, levels: Levels) -> Ledger:
    parts_at, runs = ledger.parts_at.copy(), Runs()
    for page, feature in np.ndindex(*ledger.cut.shape):
        begin, end = ledger.parts_at[page, feature].tolist()
        run = ledger.parts[begin:end]
        if schema[feature].is_nominal and len(run):
            run = np.append(run[levels[feature]], run[-1])  # the last is for missing cells
        begin = runs.add(run)
        parts_at[page, feature] = begin, begin + len(run)
    return replace(ledger, parts_at=parts_at, parts=runs.joined(np.float64))


class Runs:
    """Collects arrays and joins them into one."""

    def __init__(self) -> None:
        self.runs: list[npt.NDArray[Any]] = []
        self.length = 0

    def add(self, run: npt.NDArray[Any]) -> int:
        """Append an array; return where it begins."""
        begin = self.length
        self.runs.append(run)
        self.length += len(run)
        return begin

    def joined(self, dtype: type[np.generic]) -> npt.NDArray[Any]:
        """Return all added arrays as one."""
        return np.concatenate([np.empty(0, dtype), *self.runs]).astype(dtype)
