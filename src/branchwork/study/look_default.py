"""Decide which fixes are applied by default: only those that lose nothing that may tell about the target.

A fix loses something where different cells become one. That happens on purpose in two cases: several words for a
missing cell, and spellings that differ only in case, white space and Unicode form. Even then the target is asked
whether it tells these cells apart:

    cells      after the fix      I(cell; target) - I(cell after the fix; target) > 0?   (a G test on these rows)
    Oslo  ─┐
    OSLO  ─┴─► Oslo

If it does, or if other cells become one, the fix is only proposed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from branchwork.measure.association import count_pairs, mutual_information
from branchwork.measure.chance import p_of_chi_square
from branchwork.study.clean_columns import COLUMN_FIXES
from branchwork.study.look_association import TargetGroups
from branchwork.study.look_find_spelling import spelling_key
from branchwork.study.look_finding import Finding, Fix
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from branchwork.view.digits import chance

Codes = npt.NDArray[np.intp]

SURE = 0.001
"""The target tells cells apart if the difference has a smaller p-value than this."""


def judged(
    finding: Finding, column: Column, cells: npt.NDArray[np.generic], target: TargetGroups | None
) -> Finding:
    """Return a finding about a column; its fix is only proposed if it may lose something about the target."""
    fix = finding.fix
    if not finding.default or fix.name == "drop_column":
        return finding
    before = codes_of(cells)
    changed = COLUMN_FIXES[fix.name](
        Table(Schema((column,)), (cells,)), column.name, **fix.options
    ).table.arrays
    after = _together(changed)
    if not _may_be_one(fix, column, cells, before, after):
        return finding.on_request("different values would become one")
    if target is None:
        return finding
    p = p_of_loss(before, after, target)
    if fix.name == "one_unit":
        p = min(p, _p_of_choice(changed[0] != np.asarray(cells), target))  # which unit it was is lost, too
    if p < SURE:
        return finding.on_request(f"the target tells these cells apart (p {_sign(p)})")
    return finding


def rows_judged(finding: Finding, dropped: Codes, n_rows: int, target: TargetGroups | None) -> Finding:
    """Return a finding whose fix drops rows; it is only proposed if the target is another one in these rows."""
    if target is None:
        return finding
    gone = np.zeros(n_rows, bool)
    gone[dropped] = True
    p = _p_of_choice(gone, target)
    return (
        finding
        if p >= SURE
        else finding.on_request(f"these rows have other targets than the rest (p {_sign(p)})")
    )


def _p_of_choice(chosen: npt.NDArray[np.bool_], target: TargetGroups) -> float:
    """Return the p-value of a difference of the target between some rows and all others."""
    return p_of_loss(chosen.astype(np.intp), np.zeros(len(chosen), np.intp), target)


def p_of_loss(before: Codes, after: Codes, target: TargetGroups) -> float:
    """Return the p-value of what a fix loses: the information about the target that only the cells before it have.

    Only rows whose cell became one with another one are counted, so the degrees of freedom are those of the merged
    cells and of the classes that occur among them.
    """
    merged = merged_rows(before, after)
    if not len(merged):
        return 1.0
    one, other, classes = before[merged], after[merged], target.codes[merged]
    cells, groups = count_pairs(_packed(one), len(np.unique(one)), classes, target.count), _packed(other)
    table = count_pairs(groups, int(groups.max()) + 1, classes, target.count)
    lost = 2 * np.log(2) * cells.total * (mutual_information(cells) - mutual_information(table))
    values = np.bincount(other[np.unique(one, return_index=True)[1]])
    kinds = np.bincount(table.row, minlength=int(groups.max()) + 1)
    freedom = int(((values[np.unique(other)] - 1) * (kinds - 1)).sum())
    return p_of_chi_square(max(0.0, float(lost)), freedom) if freedom else 1.0


def merged_rows(before: Codes, after: Codes) -> Codes:
    """Return the rows whose cell has become one with a different one."""
    pairs = np.unique(np.stack([after, before]), axis=1)
    shared = np.bincount(pairs[0]) > 1
    return np.flatnonzero(shared[after])


def codes_of(cells: npt.NDArray[np.generic]) -> Codes:
    """Return a code for each different cell; a missing cell has one, too."""
    return np.asarray(np.unique(cells, return_inverse=True, equal_nan=True)[1], np.intp)


def _together(arrays: Sequence[npt.NDArray[np.generic]]) -> Codes:
    """Return one code for each row: what a fix makes of a cell may be several new columns."""
    found = np.zeros(len(arrays[0]), np.intp)
    for array in arrays:
        codes = codes_of(array)
        found = _packed(found * (int(codes.max(initial=0)) + 1) + codes)
    return found


def _may_be_one(
    fix: Fix, column: Column, cells: npt.NDArray[np.generic], before: Codes, after: Codes
) -> bool:
    """Return whether the cells that become one are forms of one value: of one spelling, or of a missing cell."""
    if fix.name not in ("merge_spellings", "date_parts"):
        return True
    groups: dict[int, set[object]] = {}
    rows = merged_rows(before, after)
    firsts = rows[np.unique(before[rows], return_index=True)[1]]
    for row in firsts.tolist():
        code = int(cells[row])
        groups.setdefault(int(after[row]), set()).add(
            None if code < 0 else spelling_key(column.categories[code])
        )
    return all(len(keys) == 1 for keys in groups.values())


def _packed(codes: Codes) -> Codes:
    return np.asarray(np.unique(codes, return_inverse=True)[1], np.intp)


def _sign(p: float) -> str:
    shown = chance(p)
    return shown if shown.startswith("<") else f"= {shown}"
