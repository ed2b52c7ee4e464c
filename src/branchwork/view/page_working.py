"""The candidates of each node for the page: the best ones as a table, and what each of them would have made.

working.columns    the names of a row's cells; "place" is the number of the candidate's column in the table
working.pages      for each node its candidates, the winner first, then by what decides
working.more       {"0": 9980}: candidates of a node that were left out
working.details    for each node whose rows were handed in, and for each of its candidates: the branches, the rows
                   in each (weights of classes, or weight and mean), and of a number the gain at every cut
working.lecture    the equations of a node (view/page_lecture.py); there are none below the first nodes
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from branchwork.model.model import Model
from branchwork.model.rival import measure_of
from branchwork.tree.ledger import VERDICTS, Candidate, Group, Page
from branchwork.tree.split import harmless
from branchwork.view.candidate_row import (
    COLUMNS,
    WIDEST_CELL,
    best_first,
    number_of,
    reason_of,
    shown_columns,
)
from branchwork.view.candidate_split import split_of_candidate
from branchwork.view.digits import settled, shortened
from branchwork.view.page_lecture import MOST_CANDIDATES as MOST_WRITTEN_OUT
from branchwork.view.page_lecture import lecture_of
from branchwork.view.working import working

MOST_CANDIDATES = 20
"""Of a node with more candidates, the best this many are shown ..."""
MOST_TIES = 100
"""... and the chosen one with those that are as good, up to this many: copies of one column are all as good."""
MOST_BRANCHES = 12
"""Branches of a candidate that are drawn."""
ROOM = 200_000
"""Characters for the details of all nodes."""

Pages = Mapping[int, Page]


def working_of(model: Model, unit: str, pages: Pages) -> dict[str, Any] | None:
    """Return the working of every node that has one; `pages` were computed from the training rows."""
    ledger = model.tree.ledger
    kept = [] if ledger is None else ledger.node.tolist()
    if ledger is None and not pages:
        return None
    told: dict[str, dict[str, Any]] = {"pages": {}, "more": {}, "details": {}, "lecture": {}}
    written, room = 0, ROOM
    for node in sorted({*kept, *pages}):
        page = pages.get(node) or (None if ledger is None else ledger.page(node))
        page, left_out = _best(page, by_ratio=model.criterion.by_ratio)
        if page is None:
            continue
        rows = working(model, node, page, unit).to_dict()
        order = best_first(model, rows)
        told["pages"][str(node)] = _table(rows, order, page)
        if left_out:
            told["more"][str(node)] = left_out
        if node in pages and room > 0:
            details = [_detail(model, page.candidates[k], rows[k]) for k in order]
            room -= len(json.dumps(details))
            told["details"][str(node)] = details
        written += len(page.candidates)
        if written <= MOST_WRITTEN_OUT:
            equations = lecture_of(model, page)
            equations["features"] = [equations["features"][k] for k in order]
            told["lecture"][str(node)] = equations
    return {
        "columns": [*COLUMNS, "place"],
        "measure": measure_of(model),
        "kept": ledger is not None,
        "reasons": {verdict: reason_of(model, verdict) for verdict in VERDICTS},
        **told,
    }


# ---- the table


def _table(rows: list[dict[str, Any]], order: list[int], page: Page) -> list[list[str | float | None]]:
    """The cells of a table; None in columns that would say nothing new. The impurity of the node stands above it."""
    shown = set(shown_columns(rows))
    if "known" not in shown:
        shown.discard("before")
    return [
        [
            *(_cell(name, rows[k]) if name in shown else None for name in COLUMNS),
            page.candidates[k].feature,
        ]
        for k in order
    ]


def _cell(name: str, row: dict[str, Any]) -> str | float | None:
    value = row[name]
    if isinstance(value, str):
        return shortened(harmless(value), WIDEST_CELL)
    return None if value is None else plain_number(number_of(name, row))


def plain_number(number: float | None) -> float | str | None:
    """A number as JSON has it: NaN is None, infinity is text."""
    if number is None or number != number:
        return None
    return number if math.isfinite(number) else "Infinity" if number > 0 else "-Infinity"


def _best(page: Page | None, *, by_ratio: bool) -> tuple[Page | None, int]:
    """The page with its best candidates in the order of the table, and how many were left out.

    The chosen one stays, and so do those that are as good.
    """
    if page is None or len(page.candidates) <= MOST_CANDIDATES:
        return page, 0

    def rank(one: Candidate) -> tuple[bool, bool, float, float, int]:
        worth = one.gain_ratio if by_ratio else one.gain
        of_test = math.inf if one.adjusted_p is None else one.adjusted_p
        return (
            one.verdict != "chosen",
            one.verdict != "tie_lost",
            of_test,
            -math.inf if worth is None else -worth,
            one.feature,
        )

    ranked = sorted(page.candidates, key=rank)
    ties = sum(one.verdict in ("chosen", "tie_lost") for one in ranked)
    most = max(MOST_CANDIDATES, min(ties, MOST_TIES))
    kept = sorted(ranked[:most], key=lambda one: one.feature)
    return replace(page, candidates=tuple(kept)), len(ranked) - len(kept)


# ---- what a candidate would have made


def _detail(model: Model, one: Candidate, row: dict[str, Any]) -> dict[str, Any] | None:
    """The branches of a candidate, the rows in each, and the gain at every cut; None: it has no split."""
    if one.gain is None or one.parting is None:
        return None
    groups = one.parting.branches
    names = split_of_candidate(one, model.schema[one.feature], len(groups)).branches(model.schema)
    branches = [
        [shortened(harmless(name), WIDEST_CELL), _group(group)]
        for name, group in zip(names, groups, strict=True)
        if group.weight > 0
    ]
    found: dict[str, Any] = {"branches": branches[:MOST_BRANCHES]}
    if len(branches) > MOST_BRANCHES:
        found["more"] = len(branches) - MOST_BRANCHES
    if one.cuts and one.cut is not None and math.isfinite(one.cut):
        found["curve"] = _curve(one, row)
    return found


def _group(group: Group) -> list[Any]:
    """The rows of a branch: [[label, weight], …], or [weight, mean]."""
    if group.counts is None:
        return [_brief(group.weight), group.mean]
    return [[label, _brief(weight)] for label, weight in enumerate(group.counts) if weight > 0]


def _curve(one: Candidate, row: dict[str, Any]) -> list[list[float]]:
    """Cuts, and what the choice would compare at each: the net gain. The best one is where the candidate has it.

    A candidate's own cut may have been moved down, to a value of the table.
    """
    assert one.cut is not None
    known, penalty = row["known"] or 1.0, row["penalty"] or 0.0
    points = [
        (cut.cut, known * settled(cut.gain, row["before"]) - penalty)
        for cut in one.cuts
        if math.isfinite(cut.cut)
    ]
    best = max(range(len(points)), key=lambda k: points[k][1], default=-1)
    told: list[list[float]] = [[_brief(cut, 8), _brief(gain, 5)] for cut, gain in points]
    if told:
        told[best] = [one.cut, row["net_gain"]]
    return told


def _brief(x: float, digits: int = 6) -> float:
    """A number to a few digits, whose JSON is short."""
    rounded = float(f"{x:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
