"""Find a feature that is a copy of the target, which makes a model pointless."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from branchwork.measure.association import count_pairs, entropy_of, mutual_information, pearson, ranks
from branchwork.study.look_finding import Finding, Fix
from branchwork.study.look_profile import Floats, Profile
from branchwork.table.target import Classes, Target

FEWEST_ROWS = 12
"""With fewer rows, a feature may determine the target by chance."""
SAME = 0.98
"""A feature and classes are the same if they share this part of the information in each of them."""
AS_ONE = 0.99999
"""A number is a copy of a numeric target if they, or their ranks, are correlated this strongly."""
NEARLY, MOST_SCREENED = 0.99, 10_000
"""A column whose ranks are correlated less than this, on up to about this many rows, is not compared further."""
MANY_VALUES = 20
"""Ranks are compared only if there are more distinct values than this."""


def target_copy(profile: Profile, target: Target) -> Finding | None:
    """Find a feature that determines the target, and that the target determines."""
    if profile.distinct < 2 or profile.finite < max(FEWEST_ROWS, profile.n_rows // 2):
        return None
    known = profile.is_countable
    if isinstance(target, Classes):
        share = _shared(profile, target, known)
        is_copy = share >= SAME
        exactly = share > 1 - 1e-9
        how = (
            "each of its values goes with one class"
            if exactly
            else f"they share {share:.1%} of what they tell"
        )
    else:
        is_copy, how = _as_numbers(profile, target.values, known)
    if not is_copy:
        return None
    name = profile.column.name
    message = f"Column {name!r} looks like a copy of the target: {how}. It would hardly be known before the target is."
    return Finding("target_copy", name, message, Fix("drop_column", name), profile.finite)


def _shared(profile: Profile, target: Classes, known: npt.NDArray[np.bool_]) -> float:
    """Return the shared information as a share of that of the feature and of the target; the smaller of the two."""
    if profile.distinct > 2 * len(target.labels) + 2:
        return 0.0  # it has much more information than the target
    if profile.column.is_nominal:
        codes, levels = profile.cells[known], len(profile.column.categories)
    else:
        codes, levels = np.searchsorted(profile.values, profile.cells[known]), profile.distinct
    pairs = count_pairs(codes, levels, target.codes[known], len(target.labels))
    larger = max(entropy_of(pairs.row_totals), entropy_of(pairs.column_totals))
    classes = np.count_nonzero(pairs.column_totals)
    return mutual_information(pairs) / larger if larger > 0 and classes > 1 else 0.0


def _as_numbers(profile: Profile, values: Floats, known: npt.NDArray[np.bool_]) -> tuple[bool, str]:
    """Return whether a number is a copy of the target, and how."""
    if profile.column.is_nominal:
        return False, ""
    rows = np.flatnonzero(known)
    some = rows[:: max(1, len(rows) // MOST_SCREENED)]
    near = pearson(ranks(profile.cells[some]), ranks(values[some]))
    if near is None or abs(near) < NEARLY:
        return False, ""
    cells, wanted = profile.cells[rows], values[rows]
    straight = pearson(cells, wanted)
    if straight is not None and abs(straight) >= AS_ONE:
        return True, f"their correlation is {straight:.6f}"
    if profile.distinct <= MANY_VALUES:
        return False, ""
    by_rank = pearson(ranks(cells), ranks(wanted))
    is_copy = by_rank is not None and abs(by_rank) >= AS_ONE
    return is_copy, f"the correlation of their ranks is {by_rank:.6f}" if is_copy else ""
