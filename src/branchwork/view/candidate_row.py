"""A candidate as a row of the working: its numbers, and how they are written.

known · gain − penalty = net gain          before − remainder = gain
what the choice compares                   on the rows that the candidate is judged by
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from branchwork.measure.chance import p_of_chi_square, p_of_f
from branchwork.model.model import Model
from branchwork.tree.ledger import LEFT_OUT, Candidate, Cut, Verdict, reason
from branchwork.tree.split import number
from branchwork.view.candidate_split import split_of_candidate
from branchwork.view.digits import chance, deciding_chance, measured, settled, shortened
from branchwork.view.terminal import harmless

WIDEST_CELL = 100
IMPURITIES = ("before", "remainder", "gain", "net_gain", "gain_ratio")
"""What is measured as the node's impurity is; the others are numbers of their own kind."""
"""Criteria whose gain is in bits, as the split information is: only of these there is a ratio."""

COLUMNS = (
    "feature",
    "test",
    "known",
    "before",
    "remainder",
    "gain",
    "penalty",
    "net_gain",
    "split_info",
    "gain_ratio",
    "chi2",
    "f",
    "p_value",
    "adjusted_p",
    "verdict",
)
"""Of the table that is shown."""

KEYS = ("feature", "test", "n", *COLUMNS[2:], "reason")
"""Of the rows as data."""

ALWAYS_SHOWN = ("feature", "test", "verdict")


def reason_of(model: Model, verdict: Verdict) -> str:
    """Say why a candidate won or lost. In C4.5 a cut may gain something, but less than the penalty."""
    search = model.recipe.get("search", {})
    if verdict == "no_gain" and search.get("rules") in ("c45", "j48") and search.get("cut_penalty"):
        return "gains nothing, or no more than the penalty for choosing among its cuts"
    return reason(verdict, by_ratio=model.criterion.by_ratio)


def row_of(model: Model, candidate: Candidate, impurity: float, n: float) -> dict[str, Any]:
    """A candidate as a row; `impurity` and `n` are the impurity and the weight of the rows of the node."""
    column = model.schema[candidate.feature]
    candidate = with_p_value(model, with_known(model, candidate, impurity))
    net, in_bits = candidate.gain, model.criterion.in_bits
    before, gain, remainder = judged(candidate)
    is_class = model.labels is not None
    return {
        "feature": column.name,
        "test": None if net is None else split_of_candidate(candidate, column).describe(model.schema),
        "n": n,
        "known": candidate.known,
        "before": impurity if net is None else before,
        "remainder": remainder,
        "gain": gain,
        "penalty": candidate.penalty,
        "net_gain": net,
        "split_info": candidate.split_info if in_bits else None,
        "gain_ratio": candidate.gain_ratio if in_bits else None,
        "chi2": candidate.statistic if is_class else None,
        "f": None if is_class else candidate.statistic,
        "p_value": candidate.p_value,
        "adjusted_p": candidate.adjusted_p,
        "verdict": candidate.verdict,
        "reason": reason_of(model, candidate.verdict),
    }


def cuts_of(model: Model, candidate: Candidate, row: dict[str, Any]) -> list[dict[str, Any]]:
    """The single cuts of a candidate, as data."""
    return [_cut(model.schema[candidate.feature].name, cut, row["before"]) for cut in candidate.cuts]


def _cut(name: str, cut: Cut, before: float) -> dict[str, Any]:
    return {
        "test": f"{name} <= {number(cut.cut)}",
        "cut": cut.cut,
        "gain": cut.gain,
        "remainder": max(0.0, before - cut.gain),
        "left": cut.left,
        "right": cut.right,
        "missing": cut.missing,
    }


def with_known(model: Model, candidate: Candidate, impurity: float) -> Candidate:
    """The candidate with the rows that it was judged by: all rows of the node, unless missing cells are left out.

    Files of older versions do not tell which share of the rows was known. Then it stays None. C4.5 has a penalty for
    cuts only, and only if it was asked for.
    """
    if candidate.gain is None:
        return candidate
    search = model.recipe["search"]
    leaves_out = model.recipe.get("chaid") is None and search["missing"] in LEFT_OUT
    if candidate.known is None and not leaves_out:
        candidate = replace(candidate, known=1.0, before=impurity)
    has_penalty = search["rules"] in ("c45", "j48") and search["cut_penalty"] and candidate.cut is not None
    return candidate if has_penalty else replace(candidate, penalty=None)


def judged(candidate: Candidate) -> tuple[float | None, float | None, float | None]:
    """Impurity before a split, gain and remainder, all of the rows that it is judged by; None: not told."""
    if candidate.gain is None or not candidate.known or candidate.before is None:
        return None, None, None
    gain = (candidate.gain + (candidate.penalty or 0.0)) / candidate.known
    return candidate.before, gain, max(0.0, candidate.before - gain)


def with_p_value(model: Model, candidate: Candidate) -> Candidate:
    """The candidate with the p-value of the statistic that the ledger kept."""
    if candidate.statistic is None or candidate.freedom is None:
        return candidate
    if model.labels is None:
        return replace(candidate, p_value=p_of_f(candidate.statistic, *candidate.freedom))
    return replace(candidate, p_value=p_of_chi_square(candidate.statistic, candidate.freedom[0]))


# ---- how it is written


def shown_columns(rows: list[dict[str, Any]]) -> list[str]:
    """The columns of the table; those that would say nothing new are left out."""

    def has_news(name: str) -> bool:
        values = [row[name] for row in rows if row[name] is not None]
        if name == "known":
            return any(value < 1 for value in values)
        if name == "net_gain":
            return any(row["net_gain"] is not None and row["net_gain"] != row["gain"] for row in rows)
        return bool(values)

    return [name for name in COLUMNS if name in ALWAYS_SHOWN or has_news(name)]


def best_first(model: Model, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Return the places of the rows: the best one, the tree's split, the others by what decides, then those without.

    The adjusted p-value decides in CHAID, and the gain ratio of columns with at least average gain in C4.5.
    """
    places = {"chosen": 0, "best_here": 0, "tree_split": 1, "below_average": 3}
    without, by_ratio = 4, model.criterion.by_ratio

    def order(k: int) -> tuple[int, float, float]:
        row = rows[k]
        worth = row["gain_ratio"] if by_ratio else row["net_gain"]
        of_test = row["adjusted_p"] if row["adjusted_p"] is not None else 1.0
        return without if worth is None else places.get(row["verdict"], 2), of_test, -(worth or 0.0)

    return sorted(range(len(rows)), key=order)


def cell(name: str, row: dict[str, Any]) -> str:
    """A cell of the table."""
    value = row[name]
    if value is None:
        return "–"
    if name == "verdict":
        return "chosen" if value == "chosen" else str(row["reason"])
    if name == "p_value":
        return chance(value)
    if name == "adjusted_p":
        return deciding_chance(value)
    return (
        shortened(harmless(value), WIDEST_CELL) if isinstance(value, str) else measured(number_of(name, row))
    )


def short_verdict(verdict: Verdict, *, by_ratio: bool = False) -> str:
    """Return a verdict in two words, for narrow terminals.

    >>> short_verdict("below_average"), short_verdict("lower_gain", by_ratio=True)
    ('below average', 'lower gain ratio')
    """
    return "lower gain ratio" if by_ratio and verdict == "lower_gain" else verdict.replace("_", " ")


def cut_cell(name: str, row: dict[str, Any], cut: dict[str, Any]) -> str:
    """A cell of the line of a single cut."""
    if name == "feature":
        return "  cut"
    return cell(name, {**row, **cut}) if name in cut else ""


def number_of(name: str, row: dict[str, Any]) -> float:
    """A number of a row, or 0 where it is only rounding."""
    return settled(row[name], (row["before"] or 0.0) if name in IMPURITIES else 1.0)
