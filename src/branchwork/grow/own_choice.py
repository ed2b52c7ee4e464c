"""Choosing a split by a user's own score, in Python: what `_core.choose` does, with functions instead of tables.

All candidates of a column are made first, as arrays of class weights, and a score made of terms is asked about all of
them at once. A score that is a gain is asked about one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.own_partitions import NO_SIDES, Column, partitions_of, sides_of
from branchwork.grow.own_tables import refuse_loss, refuse_negative
from branchwork.grow.recipe import Recipe
from branchwork.measure.impurity import entropy
from branchwork.measure.own_score import Floats, Labels, Score
from branchwork.tree.ledger import VERDICTS, Cut, Verdict

RELATIVE_SLACK, ROUNDING_SLACK = 1e-12, 1e-15
"""As in the core (score.hpp): costs that are closer than these shares are equal."""


class Ways(NamedTuple):
    """Ways to part some rows of a node, all with the same policy for missing cells, and what each of them gains."""

    gain: Floats  # per row of the node
    partition: npt.NDArray[np.intp]  # the number of each; -1: what is known against what is missing
    branches: Floats  # (ways, branches, classes)
    rows: Floats  # (classes,)
    missing_child: int


class Judged(NamedTuple):
    """One of them."""

    gain: float
    partition: int
    branches: Floats  # (branches, classes)
    rows: Floats
    missing_child: int


@dataclass(frozen=True)
class OwnCandidate:
    """One column's best split, with the same names as the core's candidate."""

    feature: int
    verdict: int
    cut: float = float("nan")
    gain: float = float("nan")
    split_info: float = 0.0
    statistic: float = float("nan")
    freedom: float = 0.0
    rest: float = 0.0
    known: float = 1.0
    before: float = float("nan")
    price: float = 0.0
    missing_child: int = -1
    sides: npt.NDArray[np.int32] = field(default_factory=lambda: NO_SIDES)

    @property
    def is_split(self) -> bool:
        """Whether the column can part the rows."""
        return self.gain == self.gain


class OwnChoice(NamedTuple):
    """Every column's candidate, the winner or -1, and the node's impurity times its weight."""

    candidates: list[OwnCandidate]
    best: int
    parent: float


@dataclass
class OwnChooser:
    """Chooses splits by a score; `scored` counts the partitions that it was asked about."""

    score: Score
    recipe: Recipe
    labels: Labels
    options: _core.Options
    rows_per_weight: Floats
    scored: int = 0

    def look(self, tally: _core.NodeTally) -> OwnChoice:
        """Return what is known of a node that is not to be split."""
        return OwnChoice([], -1, _Node(self, tally).cost)

    def choose(
        self,
        tally: _core.NodeTally,
        used: npt.NDArray[np.bool_],
        needed: float,
        order: npt.NDArray[np.intp] | None,
    ) -> OwnChoice:
        """Return the choice of a node.

        `order`: features in the order drawn, of which the first that can split compete; None: all of them do.
        """
        node = _Node(self, tally)
        most = len(used) if self.recipe.subspace is None else self.recipe.subspace.features
        found: dict[int, OwnCandidate] = {}
        for j in range(len(used)) if order is None else order.tolist():
            if used[j]:
                found[j] = OwnCandidate(j, VERDICTS.index("used_above"))
            elif sum(one.is_split for one in found.values()) < most:
                found[j] = node.best(j)
        candidates = [found.get(j) or OwnCandidate(j, VERDICTS.index("not_drawn")) for j in range(len(used))]
        return self._picked(candidates, node, needed)

    def cuts(self, tally: _core.NodeTally, feature: int, known: float) -> tuple[Cut, ...]:
        """Return every cut of a numeric column, with its gain per row that it is judged by."""
        node = _Node(self, tally)
        column = node.column(feature)
        partitions = partitions_of(column, self.recipe.search)
        missing = float(column.missing.sum())
        listed = []
        best: dict[int, tuple[float, int]] = {}
        for ways in node.judged(column, partitions.left):
            for k, gain in zip(ways.partition.tolist(), ways.gain.tolist(), strict=True):
                if k >= 0 and (k not in best or gain > best[k][0]):
                    best[k] = gain, ways.missing_child
        for k, (gain, missing_child) in sorted(best.items()):
            left = float(partitions.left[k].sum())
            right = float(column.known.sum()) - left
            if self.recipe.search.missing == "learn":
                left, right = (left + missing, right) if missing_child == 0 else (left, right + missing)
            listed.append(Cut(partitions.cut(k), gain / known, left, right, missing))
        return tuple(listed)

    def _picked(self, candidates: list[OwnCandidate], node: _Node, needed: float) -> OwnChoice:
        """Judge the columns against each other, as `pick` of the core does."""
        slack, zero_gain = node.slack, self.recipe.zero_gain
        candidates = [
            replace(one, gain=0.0) if one.is_split and abs(one.gain) <= slack else one for one in candidates
        ]
        best = -1
        for k, one in enumerate(candidates):
            if one.is_split and (best < 0 or one.gain > candidates[best].gain + slack):
                best = k
        if best < 0:
            return OwnChoice(candidates, -1, node.cost)
        most = candidates[best].gain
        nothing = most < 0 or (not zero_gain and most <= slack)
        little = most < needed

        def verdict(one: OwnCandidate) -> Verdict:
            if nothing and one.gain <= slack:
                return "no_gain"
            if little:
                return "small_gain"
            return "tie_lost" if one.gain >= most - slack else "lower_gain"

        judged = [
            replace(one, verdict=VERDICTS.index(verdict(one))) if one.is_split else one for one in candidates
        ]
        if nothing or little:
            return OwnChoice(judged, -1, node.cost)
        judged[best] = replace(judged[best], verdict=VERDICTS.index("chosen"))
        return OwnChoice(judged, best, node.cost)


class _Node:
    """One node: its rows, and what each column makes of them."""

    def __init__(self, chooser: OwnChooser, tally: _core.NodeTally) -> None:
        self.chooser, self.score, self.tally = chooser, chooser.score, tally
        self.search, self.options = chooser.recipe.search, chooser.options
        self.all: Floats = np.asarray(tally.total)
        self.weight = float(self.all.sum())
        whole = self.all[None, :]
        refuse_negative(self.score, whole, chooser.labels)
        self.cost = float(self.score.costs(whole, chooser.labels)[0])
        magnitude = float(self.score.magnitudes(whole, chooser.labels)[0])
        slack = RELATIVE_SLACK * abs(self.cost) + ROUNDING_SLACK * magnitude
        self.slack = slack / (self.weight or 1.0)  # of a gain per row

    def column(self, feature: int) -> Column:
        return Column.of(self.tally.columns[feature], len(self.all))

    def best(self, feature: int) -> OwnCandidate:
        """Return the best split of a column."""
        column = self.column(feature)
        if column.levels and self.search.nominal == "multiway":
            return self._multiway(feature, column)
        partitions = partitions_of(column, self.search)
        best = self._first_best(self.judged(column, partitions.left))
        if best is None:
            return OwnCandidate(feature, VERDICTS.index(self._why_none(column, len(partitions.left))))
        if best.partition < 0:
            has_branch = self.search.missing == "branch"
            top = float(column.values[-1]) if len(column.values) else float("nan")
            cut = top if has_branch or not len(column.values) else float("inf")
            sides, swap = sides_of(column, None, self.search)
        else:
            cut = partitions.cut(best.partition)
            sides, swap = sides_of(column, partitions.in_left(best.partition), self.search)
        missing_child = best.missing_child
        if self.search.missing == "larger" and column.missing.sum() > 0:
            missing_child = int(best.branches[0].sum() < best.branches[1].sum())
            if len(sides) and best.branches[0].sum() == best.branches[1].sum():
                missing_child = int(swap)
        if swap and missing_child >= 0:
            missing_child = 1 - missing_child
        return self._candidate(feature, column, best, cut=cut, sides=sides, missing_child=missing_child)

    def judged(self, column: Column, left: Floats) -> list[Ways]:
        """Return the ways to part the rows that limits admit, whatever becomes of missing cells."""
        known, missing = column.known, column.missing
        right, apart = known - left, np.broadcast_to(missing, left.shape)
        if not missing.sum() > 0:
            return [self._admitted(self.all, np.stack([left, right], axis=1))]
        beside = np.stack([known, missing])[None]
        if self.search.missing == "branch":
            return [
                self._admitted(self.all, np.stack([left, right, apart], axis=1)),
                self._admitted(self.all, beside, whole=True),
            ]
        if self.search.missing == "larger":
            return [self._admitted(known, np.stack([left, right], axis=1))]
        return [
            self._admitted(self.all, np.stack([left, right + missing], axis=1), 1),
            self._admitted(self.all, np.stack([left + missing, right], axis=1), 0),
            self._admitted(self.all, beside, 1, whole=True),
        ]

    def _multiway(self, feature: int, column: Column) -> OwnCandidate:
        """One branch for each category; missing cells have their own, are left out, or join the best one."""
        groups, missing = column.groups, column.missing
        has_missing = bool(missing.sum() > 0)
        own_branch = has_missing and self.search.missing == "branch"
        if len(groups) + own_branch < 2:
            return OwnCandidate(feature, VERDICTS.index("one_branch"))
        missing_child = -1
        if has_missing and self.search.missing == "learn":
            ways = self._admitted(self.all, groups[None] + np.eye(len(groups))[:, :, None] * missing)
        elif own_branch or not has_missing:
            branches = np.concatenate([groups, missing[None]]) if own_branch else groups
            ways = self._admitted(self.all, branches[None])
        else:
            missing_child = int(column.codes[np.argmax(groups.sum(axis=1))])
            ways = self._admitted(column.known, groups[None])
        best = self._first_best([ways])
        if best is None:
            return OwnCandidate(feature, VERDICTS.index("too_few_rows"))
        if has_missing and self.search.missing == "learn":
            missing_child = int(column.codes[best.partition])
        return self._candidate(feature, column, best, missing_child=missing_child)

    def _admitted(
        self, rows: Floats, branches: Floats, missing_child: int = -1, *, whole: bool = False
    ) -> Ways:
        """Ask the score about ways to part some rows, (ways, branches, classes), that no limit forbids."""
        enough = self._has_room(branches).all(axis=1) & (branches.sum(axis=2) > 0).all(axis=1)
        at = np.flatnonzero(enough)
        self.chooser.scored += len(at)
        gain = self._gains(rows, branches[at]) * (float(rows.sum()) / self.weight)
        return Ways(gain, np.full(len(at), -1) if whole else at, branches[at], rows, missing_child)

    def _gains(self, rows: Floats, branches: Floats) -> Floats:
        """What each way gains per row that is parted."""
        score, labels = self.score, self.chooser.labels
        if not len(branches):
            return np.zeros(0)
        if score.gain is not None:
            return np.array([score.gain_of(rows, one) for one in branches])
        before = float(score.costs(rows[None, :], labels)[0])
        costs = score.costs(branches.reshape(-1, branches.shape[2]), labels).reshape(branches.shape[:2])
        gain = before - costs.sum(axis=1)
        worst = int(np.argmin(gain))
        refuse_loss(score, rows, branches[worst], labels, float(gain[worst]))
        return np.asarray(gain / float(rows.sum()))

    def _first_best(self, all_ways: list[Ways]) -> Judged | None:
        """A later one must be better by more than rounding; of several policies, the smaller cut wins."""
        most = max((ways.gain.max(initial=-np.inf) for ways in all_ways), default=-np.inf)
        best: Judged | None = None
        for ways in all_ways:
            ties = np.flatnonzero(ways.gain >= most - self.slack)
            if not len(ties):
                continue
            k = int(ties[0])
            one = Judged(
                float(ways.gain[k]), int(ways.partition[k]), ways.branches[k], ways.rows, ways.missing_child
            )
            if best is None or 0 <= one.partition < best.partition or (best.partition < 0 <= one.partition):
                best = one
        return best

    def _candidate(
        self,
        feature: int,
        column: Column,
        best: Judged,
        *,
        missing_child: int,
        cut: float = float("nan"),
        sides: npt.NDArray[np.int32] = NO_SIDES,
    ) -> OwnCandidate:
        apart = self.weight - float(best.rows.sum())
        weights = np.array([*best.branches.sum(axis=1), max(0.0, apart)])
        statistic, freedom = _chi_square(best.branches)
        left_out = self.search.missing == "larger"
        before = self.score.impurity(column.known, self.chooser.labels) if left_out else float("nan")
        return OwnCandidate(
            feature,
            VERDICTS.index("lower_gain"),
            cut=cut,
            gain=best.gain,
            split_info=entropy(weights),
            statistic=statistic,
            freedom=freedom,
            known=float(column.known.sum()) / self.weight if left_out else 1.0,
            before=before,
            missing_child=missing_child,
            sides=sides,
        )

    def _has_room(self, branches: Floats) -> npt.NDArray[np.bool_]:
        samples = branches @ self.chooser.rows_per_weight
        limits = self.options
        return np.asarray(
            (samples >= limits.min_leaf_samples) & (branches.sum(axis=2) >= limits.min_leaf_weight)
        )

    def _why_none(self, column: Column, partitions: int) -> Verdict:
        parts = partitions > 0 or (column.missing.sum() > 0 and self.search.missing != "larger")
        limited = self.options.min_leaf_samples > 0 or self.options.min_leaf_weight > 0
        return "too_few_rows" if parts and limited else "one_branch"


def _chi_square(branches: Floats) -> tuple[float, float]:
    """Pearson's statistic of branches against classes, and its degrees of freedom."""
    seen = branches[:, branches.sum(axis=0) > 0]
    freedom = (seen.shape[0] - 1) * (seen.shape[1] - 1)
    if freedom <= 0:
        return 0.0, 0.0
    expected = seen.sum(axis=1, keepdims=True) * seen.sum(axis=0, keepdims=True) / seen.sum()
    return float(((seen - expected) ** 2 / expected).sum()), float(freedom)
