"""A candidate as a split: the same words for what might have been as for what is in the tree."""

from __future__ import annotations

from collections.abc import Hashable

from branchwork.table.schema import Column
from branchwork.tree.ledger import Candidate
from branchwork.tree.split import Intervals, Lookup, Split, Threshold

Groups = tuple[tuple[Hashable, ...], ...]


def split_of_candidate(candidate: Candidate, column: Column, n_branches: int = 0) -> Split:
    """The split of a candidate that has one. Where it has more branches than cells, the last is for missing ones."""
    feature, parts = candidate.feature, candidate.parts
    has_missing_branch = parts is not None and not column.is_nominal and len(parts) > 1
    if candidate.cut is not None and not has_missing_branch:
        return Threshold(feature, candidate.cut, n_branches == 3)
    if parts is not None and not column.is_nominal:
        return Intervals(feature, parts)
    if parts is not None:
        groups = _grouped(column, parts)
    elif candidate.sides is not None:
        groups = _grouped(column, candidate.sides, at_least=2)
    else:
        groups = tuple((category,) for category in column.categories)
    return Lookup(feature, (*groups, ()) if n_branches > len(groups) else groups)


def _grouped(column: Column, branch_of: tuple[float, ...], at_least: int = 0) -> Groups:
    """Categories of each branch; a branch of missing cells alone is empty."""
    return tuple(
        tuple(value for value, at in zip(column.categories, branch_of, strict=False) if at == branch)
        for branch in range(max(at_least, int(max(branch_of)) + 1))
    )
