"""Hold the working: the best split of every column at every node, and why the winner won.

The ledger is recorded by the core while it grows the tree; each page is about one node. Trees of more than 1 000 nodes
have no ledger; a page can then be computed again from the training data (grow/replay.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

Verdict = Literal[
    "chosen",
    "lower_gain",
    "tie_lost",
    "no_gain",
    "one_branch",
    "used_above",
    "too_few_rows",
    "small_gain",
    "below_average",
    "less_significant",
    "not_significant",
    "not_drawn",
    "costs_more",
    "tree_split",
    "best_here",
]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""The position of a verdict is its code in the core, which knows the first nine and "not_drawn"."""
KEPT = VERDICTS[:13]
"""Verdicts that a ledger keeps. The last two occur only when rows are given."""

LEFT_OUT = ("larger", "share", "surrogate")
"""The policies for missing values under which the gain of a candidate is computed from the rows whose cell is known."""

REASONS: dict[Verdict, str] = {
    "chosen": "the best of all columns",
    "lower_gain": "another column gains more",
    "tie_lost": "as good as the chosen one, which comes earlier in the table",
    "no_gain": "gains nothing, and this recipe does not split for nothing",
    "one_branch": "all rows here would take the same branch",
    "used_above": "already used on the way here",
    "too_few_rows": "every split would leave a branch with too few rows",
    "small_gain": "no column gains as much as was asked for",
    "below_average": "gains less than the columns do on average",
    "less_significant": "another column is more significant",
    "not_significant": "not significant",
    "not_drawn": "not among the columns drawn at random",
    "costs_more": "no tree that begins with it is better",
    "tree_split": "the tree's split; these rows would choose another one",
    "best_here": "the best on these rows, but not what the tree has here",
}


def reason(verdict: Verdict, *, by_ratio: bool = False) -> str:
    """Return in words why a candidate won or lost. `by_ratio` says that the gain ratio decides.

    >>> reason("lower_gain"), reason("lower_gain", by_ratio=True)
    ('another column gains more', 'another column has a larger gain ratio')
    """
    if verdict == "lower_gain" and by_ratio:
        return "another column has a larger gain ratio"
    return REASONS[verdict]


@dataclass(frozen=True)
class Cut:
    """One cut of a numeric column: the weight on each side, and its gain per row that it is judged by."""

    cut: float
    gain: float
    left: float
    right: float
    missing: float


@dataclass(frozen=True)
class Group:
    """Some rows: their weight, their impurity, and the weight of each class or the mean of a numeric target."""

    weight: float
    impurity: float
    counts: tuple[float, ...] | None = None
    mean: float | None = None


@dataclass(frozen=True)
class Parting:
    """The rows that a candidate was judged by, and those of each branch.

    Rows with a missing cell may be left out of both.
    """

    whole: Group
    branches: tuple[Group, ...]


@dataclass(frozen=True)
class Candidate:
    """One column's best split at a node. Numbers are None if the column has no split.

    `gain` is what the choice compares. Where missing cells are left out, and where C4.5 deducts a penalty for the
    number of cuts tried, it is less than the impurity that the split removes from the rows it is judged by:

        gain = known · (before − remainder) − penalty
    """

    feature: int
    verdict: Verdict
    cut: float | None = None
    gain: float | None = None
    split_info: float | None = None
    known: float | None = None  # share of the node's weight that the candidate is judged by
    before: float | None = None  # impurity of those rows
    penalty: float | None = None
    sides: tuple[int, ...] | None = None  # nominal with groups: the branch of each category; -1: absent
    statistic: float | None = None  # the statistic of a test: chi-square for classes, F for numbers
    p_value: float | None = None
    adjusted_p: float | None = None
    freedom: tuple[float, float] | None = None  # for a statistic without a p-value, as in Ledger
    parts: tuple[float, ...] | None = None  # CHAID: as in Ledger
    cuts: tuple[Cut, ...] = ()
    parting: Parting | None = None  # only if the data were given

    @property
    def gain_ratio(self) -> float | None:
        """Gain divided by split information; None if there is no split information."""
        if self.gain is None or not self.split_info:
            return None
        return self.gain / self.split_info


@dataclass(frozen=True)
class HandedIn:
    """The rows that a page was computed from: those of a given table that reach the node.

    `of_training` says whether they are the node's own training rows: they have the same weight, and the same classes
    or the same mean and spread. `table_weight` is the weight of all rows of the table. `chose` says that they are
    the half of the training rows that chose the splits of an honest tree.
    """

    n_rows: int
    rows: Group
    of_training: bool
    table_weight: float
    chose: bool = False


@dataclass(frozen=True)
class Page:
    """The working of one node, recorded during growth or computed from given rows."""

    node: int
    candidates: tuple[Candidate, ...]
    handed_in: HandedIn | None = None


@dataclass(frozen=True, eq=False)
class Ledger:
    """Pages of candidates, as arrays of (page, column)."""

    node: npt.NDArray[np.int32]
    cut: npt.NDArray[np.float64]
    gain: npt.NDArray[np.float64]
    split_info: npt.NDArray[np.float64]
    verdict: npt.NDArray[np.uint8]
    sides_at: npt.NDArray[np.int64]  # where the sides of a grouped column begin in `sides`; -1: none
    sides: npt.NDArray[np.int32]
    chance: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((3, 0, 0)))
    """For each page and column: chi-square or F, its degrees of freedom, and those within branches; NaN: no test."""
    judged: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((3, 0, 0)))
    """For each page and column, if missing cells are left out: `known`, `before` and `penalty` of Candidate."""
    tests: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((3, 0, 0)))
    """CHAID, for each page and column: statistic, p-value and adjusted p-value; NaN means no test."""
    parts_at: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 0, 2), np.int64))
    """CHAID: where the parts of a column begin and end in `parts`."""
    parts: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """Nominal: the group of each category, then that of missing cells; −1 means absent. Numeric: bounds, as in Tree."""

    def page(self, node: int) -> Page | None:
        """Return the page of a node, or None for a leaf for which no candidates were examined."""
        at = int(np.searchsorted(self.node, node))
        if at == len(self.node) or self.node[at] != node:
            return None
        rows = zip(
            self.cut[at].tolist(),
            self.gain[at].tolist(),
            self.split_info[at].tolist(),
            self.verdict[at].tolist(),
            self._sides_of(at),
            strict=True,
        )
        found = [candidate(feature, *numbers) for feature, numbers in enumerate(rows)]
        if self.judged.size:
            found = [self._with_judged(at, one) for one in found]
        if self.chance.size:
            found = [self._with_chance(at, one) for one in found]
        if self.tests.size:
            found = [self._tested(at, one) for one in found]
        return Page(node, tuple(found))

    def _with_judged(self, at: int, one: Candidate) -> Candidate:
        known, before, penalty = self.judged[:, at, one.feature].tolist()
        return one if one.gain is None else replace(one, known=known, before=before, penalty=penalty)

    def _with_chance(self, at: int, one: Candidate) -> Candidate:
        statistic, freedom, within = self.chance[:, at, one.feature].tolist()
        if one.gain is None or statistic != statistic:
            return one
        return replace(one, statistic=statistic, freedom=(freedom, within))

    def _tested(self, at: int, one: Candidate) -> Candidate:
        """Return the candidate with its test."""
        if one.gain is None:
            return one
        statistic, p_value, adjusted_p = self.tests[:, at, one.feature].tolist()
        begin, end = self.parts_at[at, one.feature].tolist()
        parts = tuple(self.parts[begin:end].tolist())
        return replace(one, statistic=statistic, p_value=p_value, adjusted_p=adjusted_p, parts=parts)

    def take(self, origin: npt.NDArray[np.integer]) -> Ledger:
        """Return a ledger whose node i has the page of node `origin[i]`, and no page if that node has none or is -1."""
        at = np.searchsorted(self.node, origin)
        at[at == len(self.node)] = 0
        kept = np.flatnonzero(self.node[at] == origin) if len(self.node) else np.zeros(0, np.intp)
        pages = at[kept]
        sides_at, sides = self._take_sides(pages)
        return Ledger(
            node=kept.astype(np.int32),
            cut=self.cut[pages],
            gain=self.gain[pages],
            split_info=self.split_info[pages],
            verdict=self.verdict[pages],
            sides_at=sides_at,
            sides=sides,
            chance=self.chance[:, pages] if self.chance.size else self.chance,
            judged=self.judged[:, pages] if self.judged.size else self.judged,
            tests=self.tests[:, pages] if self.tests.size else self.tests,
            parts_at=self.parts_at[pages] if self.tests.size else self.parts_at,
            parts=self.parts,
        )

    def _sides_of(self, at: int) -> list[list[int]]:
        """Return the sides of each column on a page; an empty list if its categories were not grouped."""
        starts = self.sides_at[at]
        ranges = zip(starts.tolist(), self._sides_end(starts).tolist(), strict=True)
        return [self.sides[start:end].tolist() if start >= 0 else [] for start, end in ranges]

    def _sides_end(self, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return where the sides that begin at each place end: where the next ones begin."""
        begins = np.append(self.sides_at[self.sides_at >= 0], len(self.sides))
        return begins[np.searchsorted(begins, starts, side="right")] if len(self.sides) else starts

    def _take_sides(
        self, pages: npt.NDArray[np.integer]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Return `sides_at` and `sides` of only these pages."""
        sides_at = self.sides_at[pages]
        grouped = sides_at >= 0
        starts = sides_at[grouped]
        lengths = self._sides_end(starts) - starts
        moved_to = np.cumsum(lengths) - lengths
        sides_at[grouped] = moved_to
        return sides_at, self.sides[np.repeat(starts - moved_to, lengths) + np.arange(lengths.sum())]


def candidate(
    feature: int, cut: float, gain: float, split_info: float, verdict: int, sides: Sequence[int]
) -> Candidate:
    """Make a candidate from the core's numbers, in which NaN means none."""
    is_split = gain == gain
    return Candidate(
        feature,
        VERDICTS[verdict],
        cut=cut if cut == cut and is_split else None,
        gain=gain if is_split else None,
        split_info=split_info if is_split and split_info == split_info else None,
        sides=tuple(sides) or None,
    )
