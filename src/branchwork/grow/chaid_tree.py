"""Collect the arrays of a CHAID tree, one level after the other, and its ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.grow.node_target import entropies
from branchwork.table.target import Classes, Target
from branchwork.tree.ledger import VERDICTS, Ledger
from branchwork.tree.tree import STOP_REASONS, Tree

if TYPE_CHECKING:
    from branchwork.grow.chaid_columns import Categories
    from branchwork.grow.chaid_looks import Looks

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

SPLIT = STOP_REASONS.index("split")


@dataclass(frozen=True, eq=False)
class Level:
    """The targets of the nodes of a level. The impurity is `spread` · `unit`²; for classes, `unit` is 1."""

    value: Floats  # (nodes, classes): class weights; or (nodes, 1): means
    weight: Floats
    samples: Floats  # the weight without class weights
    n_rows: npt.NDArray[np.int64]
    impurity: Floats
    spread: Floats
    unit: Floats
    variance: Floats | None  # numbers: with n − 1
    is_pure: npt.NDArray[np.bool_]

    @staticmethod
    def of(growth: _core.ChaidGrowth, target: Target) -> Level:
        """Describe the nodes of the current level."""
        value, weight, spread, unit, n_rows = growth.describe()
        value = value.reshape(len(weight), -1)
        if isinstance(target, Classes):
            impurity = entropies(value)
            samples = weight if target.class_weights is None else value @ (1 / target.class_weights)
            is_pure = np.count_nonzero(value, axis=1) < 2
            return Level(
                value, weight, samples, n_rows, impurity, impurity, np.ones_like(weight), None, is_pure
            )
        impurity = spread * unit**2
        more = np.where(weight > 1, weight / np.where(weight > 1, weight - 1, 1), 0)
        return Level(value, weight, weight, n_rows, impurity, spread, unit, impurity * more, unit == 0)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.weight)


class GrowingTree:
    """The arrays of a tree that is being grown, in breadth-first order."""

    def __init__(self, columns: Categories) -> None:
        self.columns = columns
        self.levels: list[Level] = []
        self.splits: list[dict[str, npt.NDArray[np.generic]]] = []
        self.pool: list[Ints] = []
        self.bounds: list[Floats] = []
        self.pool_size = self.bounds_size = 0
        self.pages: list[tuple[Ints, Looks]] = []  # per level: the open nodes and their looks
        self.n_described = self.n_nodes = 0  # n_nodes includes the children of the last level

    def add_level(
        self,
        level: Level,
        stop: npt.NDArray[np.uint8],
        open_nodes: Ints,
        looks: Looks,
        *,
        keep_page: bool,
    ) -> None:
        """Add the nodes of a level, and the numbers of their children."""
        begin = self.n_described
        self.n_described = self.n_nodes = begin + len(level)
        arrays = {
            "feature": np.full(len(level), -1, np.int32),
            "cut": np.full(len(level), np.nan),
            "first_child": np.full(len(level), -1, np.int32),
            "n_children": np.zeros(len(level), np.int32),
            "lookup": np.full(len(level), -1, np.int32),
            "default_child": np.full(len(level), -1, np.int32),
            "gain": np.zeros(len(level)),
            "stop": stop,
        }
        for k in np.flatnonzero(looks.best >= 0).tolist():
            node, feature = open_nodes[k], looks.best[k]
            arrays["feature"][node] = feature
            arrays["gain"][node], arrays["cut"][node] = looks.gain[k, feature], looks.cut[k, feature]
            arrays["first_child"][node], arrays["n_children"][node] = self.n_nodes, looks.groups[k, feature]
            arrays["default_child"][node] = looks.missing_group[k, feature]
            self.n_nodes += int(looks.groups[k, feature])
        self.levels.append(level)
        self.splits.append(arrays)
        if keep_page:
            self.pages.append(((begin + open_nodes).astype(np.int32), looks))

    def add_routes(self, open_nodes: Ints, looks: Looks, heaviest: Ints) -> None:
        """Write which child each value goes to, for the nodes of the last level that were split.

        `heaviest` has the heaviest child of each of these nodes.
        """
        arrays = self.splits[-1]
        lookup, default_child, cut = arrays["lookup"], arrays["default_child"], arrays["cut"]
        for k, heavy in zip(np.flatnonzero(looks.best >= 0).tolist(), heaviest.tolist(), strict=True):
            node, feature = open_nodes[k], int(looks.best[k])
            if default_child[node] < 0:
                default_child[node] = heavy
            parts = looks.parts_of(k, feature)
            if not self.columns.is_numeric[feature]:
                lookup[node] = self.pool_size
                children = _children_of_categories(parts[:-1], heavy, bool(self.columns.is_ordered[feature]))
                self.pool.append(np.concatenate(([default_child[node]], children)).astype(np.int32))
                self.pool_size += len(self.pool[-1])
            elif np.isnan(cut[node]):
                lookup[node] = self.bounds_size
                self.bounds.append(parts)
                self.bounds_size += len(parts)

    def finish(self, *, keep_ledger: bool) -> Tree:
        """Return the tree."""
        arrays = {name: np.concatenate([split[name] for split in self.splits]) for name in self.splits[0]}
        variances = [level.variance for level in self.levels if level.variance is not None]
        return Tree(
            feature=arrays["feature"],
            cut=arrays["cut"],
            first_child=arrays["first_child"],
            n_children=arrays["n_children"],
            lookup=arrays["lookup"],
            default_child=arrays["default_child"],
            gain=arrays["gain"],
            stop=arrays["stop"],
            pool=np.concatenate([np.empty(0, np.int32), *self.pool]),
            bounds=np.concatenate([np.empty(0), *self.bounds]),
            value=np.concatenate([level.value for level in self.levels]),
            distribution=None,
            weight=np.concatenate([level.weight for level in self.levels]),
            n_rows=np.concatenate([level.n_rows for level in self.levels]),
            impurity=np.concatenate([level.impurity for level in self.levels]),
            variance=np.concatenate(variances) if variances else None,
            ledger=ledger_of(self.pages) if keep_ledger else None,
        )


def _children_of_categories(groups: Floats, heaviest: int, is_ordered: bool) -> npt.NDArray[np.int64]:
    """Return the child of each category. Absent ones go with the next in order, or to the heaviest child."""
    children = groups.astype(np.int64)
    present = np.flatnonzero(children >= 0)
    if not is_ordered or not present.size:
        return np.where(children < 0, heaviest, children)
    following = np.searchsorted(present, np.arange(len(children)))
    last = children[present].max()
    return np.append(children[present], last)[following]


def ledger_of(pages: list[tuple[Ints, Looks]]) -> Ledger:
    """Return the ledger: the candidates of every node that was considered for a split."""
    looks = [one for _, one in pages]
    starts = np.cumsum([0, *(len(one.parts) for one in looks)])[:-1]
    cut = np.concatenate([one.cut for one in looks])
    return Ledger(
        node=np.concatenate([nodes for nodes, _ in pages]),
        cut=cut,
        gain=np.concatenate([one.gain for one in looks]),
        split_info=np.full(cut.shape, np.nan),
        verdict=np.concatenate([one.verdict for one in looks]),
        sides_at=np.full(cut.shape, -1, np.int64),
        sides=np.empty(0, np.int32),
        tests=np.concatenate(
            [np.stack([one.statistic, one.p_value, one.adjusted_p]) for one in looks], axis=1
        ),
        parts_at=np.concatenate([one.parts_at + start for one, start in zip(looks, starts, strict=True)]),
        parts=np.concatenate([one.parts for one in looks]),
    )


def why_unsplit(looks: Looks) -> npt.NDArray[np.uint8]:
    """Return why each of the nodes is a leaf, if no column splits it."""
    reasons = ("not_significant", "no_gain")
    seen = [(looks.verdict == VERDICTS.index(reason)).any(axis=1) for reason in reasons]
    codes = [STOP_REASONS.index(reason) for reason in reasons]
    found = np.select(seen, codes, STOP_REASONS.index("no_candidate"))
    return np.where(looks.best >= 0, SPLIT, found).astype(np.uint8)
