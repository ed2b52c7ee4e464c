"""Format the numbers of a report: a figure, its interval, a class, a threshold."""

from __future__ import annotations

import math
from collections.abc import Hashable

from branchwork.study.intervals import Estimate
from branchwork.study.report_result import Report
from branchwork.study.report_threshold import NEVER
from branchwork.tree.split import category, harmless, rounded
from branchwork.view.digits import percent, weighed

UNKNOWN = "–"


def figure(value: float) -> str:
    """Return a number as a report shows it: three decimals, or four digits if it is large, or two if it is tiny.

    >>> figure(0.85714), figure(0.00012), figure(12345.678), figure(float("nan"))
    ('0.857', '0.00012', '12346', '–')
    """
    if not math.isfinite(value):
        return UNKNOWN
    if value == 0:
        return "0"
    if abs(value) >= 10:
        return rounded(value, 4)
    return f"{value:.3f}" if abs(value) >= 0.0095 else f"{value:.2g}"


def interval(one: Estimate) -> str:
    """Return the ends of an interval, or nothing if there is none."""
    return "" if math.isnan(one.low) or math.isnan(one.high) else f"{figure(one.low)} to {figure(one.high)}"


def with_interval(one: Estimate | None) -> str:
    """Return a figure with its interval in brackets."""
    if one is None or not one.is_defined:
        return UNKNOWN
    ends = interval(one)
    return f"{figure(one.value)} ({ends})" if ends else figure(one.value)


def said(label: Hashable) -> str:
    """Return a class or a number for display."""
    return rounded(label) if isinstance(label, float) else harmless(category(label))


def threshold(value: float) -> str:
    """Return a threshold; one that no probability reaches is "never"."""
    return "never" if value >= NEVER else figure(value)


def rows(weight: float) -> str:
    """Return a number of rows, or the sum of their weights."""
    return weighed(weight, 2)


def of_target(found: Report, word: str = " of ") -> str:
    """Return the name of what is predicted after a word; nothing if it has no name."""
    return "" if found.target is None else f"{word}{harmless(found.target)}"


def headline(found: Report) -> str:
    """Say what was judged, and where the intervals come from."""
    draws = f", or {found.n_bootstrap} bootstrap draws" if found.n_bootstrap else ""
    name = f"{found.name}{of_target(found, ' for ')}"
    return f"{name} on {found.n_rows} rows; {percent(found.level)} intervals (Wilson{draws})"


def baseline_words(found: Report) -> str:
    """Say what the baseline does."""
    return f"baseline: {harmless(found.baseline.words)}"
