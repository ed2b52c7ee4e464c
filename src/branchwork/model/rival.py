"""Find the split that nearly won: the second-best candidate of a node, by the measure that its recipe chooses with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from branchwork.model.model import Model
from branchwork.tree.ledger import Candidate, Page, Verdict

Measure = Literal["gain", "gain_ratio", "adjusted_p"]

IN_THE_RUNNING: tuple[Verdict, ...] = ("tie_lost", "lower_gain", "less_significant", "costs_more")
"""The verdicts of candidates that lost only because another one was better."""


@dataclass(frozen=True)
class Contest:
    """The winner of a node, the second best (None: no other feature has a split), and the measure that decided."""

    node: int
    measure: Measure
    winner: Candidate
    rival: Candidate | None


def measure_of(model: Model) -> Measure:
    """Return the measure that the recipe of a model chooses splits with."""
    if model.recipe.get("chaid") is not None:
        return "adjusted_p"
    return "gain_ratio" if model.criterion.by_ratio else "gain"


def contest(model: Model, node: int, pages: Mapping[int, Page] | None = None) -> Contest | None:
    """Return the contest at an inner node, from the given pages or the ledger of the tree; None if both lack it."""
    ledger = model.tree.ledger
    page = (pages or {}).get(node) or (None if ledger is None else ledger.page(node))
    winner = None if page is None else _winner(page)
    if page is None or winner is None:
        return None
    measure = measure_of(model)
    others = [one for one in page.candidates if one is not winner and one.gain is not None]
    return Contest(node, measure, winner, min(others, key=lambda one: _order(one, measure), default=None))


def _winner(page: Page) -> Candidate | None:
    return next((one for one in page.candidates if one.verdict == "chosen"), None)


def _order(one: Candidate, measure: Measure) -> tuple[bool, float, float]:
    """Return the sort key: candidates that could have won come first, the best of them first (ties: earlier feature).

    P-values too small for a double are all 0; among those, the largest gain comes first.
    """
    number = getattr(one, measure)
    if number is None:
        return True, 0.0, 0.0
    best = number if measure == "adjusted_p" else -number
    return one.verdict not in IN_THE_RUNNING, best, -(one.gain or 0.0)
