"""Prepare categories for growth: find rare ones, and warn about columns that look like identifiers.

This is decided once, on all rows of the fit. Folds of cross-validation, rows that are held out to prune by, and rows
for validation all use the same levels. The target plays no part in it, so nothing about held-out answers leaks.
"""

from __future__ import annotations

import math

from branchwork.errors import IdentifierWarning, warn
from branchwork.grow.grow import ROUNDING
from branchwork.grow.recipe import Recipe
from branchwork.learn.risk import sample_weights
from branchwork.table.adapt import positions
from branchwork.table.levels import LevelCount, identifier_columns, mark_rare, merged
from branchwork.table.table import Table
from branchwork.table.target import Target

ENOUGH_ROWS = 10
"""The number of rows per category that the warning suggests."""
MOST_NAMED = 20
"""The warning names up to this many columns."""


def with_levels(table: Table, target: Target, recipe: Recipe) -> tuple[Table, Table]:
    """Return the table with its rare categories marked, and the table to grow on, in which they are merged.

    Warn about columns that look like identifiers even after merging. Columns that CHAID treats as ordinal keep all
    their categories, because "other" has no place in an order.
    """
    search, chaid = recipe.search, recipe.chaid
    ordered = () if chaid is None else positions("ordinal_features", chaid.ordinal_features, table.schema)
    weights = None if target.weights is None else sample_weights(target)
    least = None if search.min_category_rows is None else float(search.min_category_rows) * (1 - ROUNDING)
    table = mark_rare(table, weights, least=least, most=search.max_levels, skip=ordered)
    seen = merged(table)
    found = identifier_columns(seen, skip=ordered)
    if found:
        heaviest = 1.0 if weights is None else float(weights.max())
        warn(_warning(found, math.ceil(ENOUGH_ROWS * heaviest)), IdentifierWarning)
    return table, seen


def _warning(found: list[LevelCount], enough: int) -> IdentifierWarning:
    """Return a warning about columns that look like identifiers, with advice.

    Categories of weight `enough` have several rows.
    """
    shown, more = found[:MOST_NAMED], len(found) - MOST_NAMED
    counts = ", ".join(f"{one.name!r} ({one.levels} values in {one.known} cells)" for one in shown)
    counts += f" and {more} more" if more > 0 else ""
    if len(found) == 1:
        finding, them = f"Column {counts} looks like an identifier: a split on it remembers rows", "it"
    else:
        finding, them = f"Columns {counts} look like identifiers: splits on them remember rows", "them"
    finding += " instead of learning from them."
    names = ", ".join(repr(one.name) for one in shown) + (", …" if more > 0 else "")
    advice = (
        f"Drop {them} (in pandas: X.drop(columns=[{names}])), or merge rare values by min_category_rows={enough}, "
        "a setting of the Tree, CART, C45 and CHAID estimators."
    )
    columns = tuple(one.name for one in found)
    return IdentifierWarning(f"{finding} {advice}", finding=finding, columns=columns, enough=enough)
