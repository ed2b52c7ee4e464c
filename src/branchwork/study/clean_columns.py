"""List the fixes that change columns, by name."""

from __future__ import annotations

from collections.abc import Callable

from branchwork.study import clean_fixes, clean_new_columns
from branchwork.study.clean_fixes import Change

COLUMN_FIXES: dict[str, Callable[..., Change]] = {
    one.__name__: one
    for one in (
        clean_fixes.drop_column,
        clean_fixes.blank_values,
        clean_fixes.blank_outside,
        clean_fixes.flag_outside,
        clean_fixes.to_number,
        clean_fixes.one_unit,
        clean_fixes.merge_spellings,
        clean_fixes.group_levels,
        clean_new_columns.date_parts,
        clean_new_columns.lag,
        clean_new_columns.group_columns,
    )
}
