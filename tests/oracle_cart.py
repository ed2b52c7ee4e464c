"""A slow and obvious CART with surrogates, priors, losses and cost-complexity: the oracle of `like_rpart`.

Standard library only; every split is tried by really dividing the rows. Rules are those of rpart, found from what
it prints (docs/algorithms/cart.md lists them).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

Cell = float | int | None  # a number, or the position of a category
TIE = 1e-12


@dataclass(frozen=True)
class Settings:
    method: str = "class"  # class, anova, poisson
    split: str = "gini"  # or "information"
    prior: Sequence[float] | None = None
    loss: Sequence[Sequence[float]] | None = None
    shrink: float = 1.0
    cp: float = 0.01
    min_split: float = 20
    min_leaf: float = 7
    max_surrogates: int = 5
    ties_stop: bool = True  # does a row stop at a node where the majority, its last resort, is a tie?


@dataclass
class Surrogate:
    feature: int
    cut: float | None
    low_goes: int  # which side cells at or below the cut go to
    sides: list[int | None] | None
    agree: float
    adjusted: float


@dataclass
class Node:
    rows: list[int]
    risk: float
    value: float
    weight: float
    prob: list[float] | None
    feature: int | None = None
    cut: float | None = None
    sides: list[int | None] | None = None
    improve: float = 0.0
    surrogates: list[Surrogate] = field(default_factory=list)
    majority: int | None = None
    children: list[Node] = field(default_factory=list)
    complexity: float = 0.0
    below: float = 0.0
    splits: int = 0


class Cart:
    """One training table: cells by column, the target, weights."""

    def __init__(
        self,
        columns: Sequence[Sequence[Cell]],
        levels: Sequence[int],
        target: Sequence[float],
        weights: Sequence[float],
        classes: int,
        settings: Settings,
        rows: Sequence[int] | None = None,
        alpha: float | None = None,
    ) -> None:
        self.columns, self.levels, self.target, self.weights = columns, levels, target, weights
        self.classes, self.settings = classes, settings
        everyone = range(len(target)) if rows is None else rows
        self.rows = list(everyone)
        self.prepare()
        self.root = self.node(self.rows)
        self.alpha = settings.cp * self.root.risk if alpha is None else alpha
        self.grow()

    # ---- what a node is worth

    def prepare(self) -> None:
        s = self.settings
        total = sum(self.weights[i] for i in self.rows)
        self.factor = [1.0]
        if s.method == "class":
            count = [0.0] * self.classes
            for i in self.rows:
                count[int(self.target[i])] += self.weights[i]
            prior = list(s.prior) if s.prior is not None else [c / sum(count) for c in count]
            loss = s.loss or [[float(i != j) for j in range(self.classes)] for i in range(self.classes)]
            altered = [p * sum(row) for p, row in zip(prior, loss, strict=True)]
            altered = [a / sum(altered) for a in altered]
            self.loss, self.prior = loss, prior
            self.risk_of = [p * total / c if c else 0.0 for p, c in zip(prior, count, strict=True)]
            self.factor = [a * total / c if c else 0.0 for a, c in zip(altered, count, strict=True)]
        if s.method == "poisson":
            events = sum(self.weights[i] * self.target[i] for i in self.rows)
            self.k = 1 / s.shrink**2 if s.shrink else 0.0
            self.beta = self.k / (events / total) if s.shrink else 0.0

    def node(self, rows: list[int]) -> Node:
        weight = sum(self.weights[i] for i in rows)
        value, risk, prob = self.evaluate(rows)
        return Node(rows, risk, value, weight, prob)

    def evaluate(self, rows: list[int]) -> tuple[float, float, list[float] | None]:
        if self.settings.method == "class":
            mass = [0.0] * self.classes
            for i in rows:
                mass[int(self.target[i])] += self.weights[i] * self.risk_of[int(self.target[i])]
            costs = [sum(m * self.loss[c][k] for c, m in enumerate(mass)) for k in range(self.classes)]
            best = min(range(self.classes), key=lambda k: (round(costs[k], 9), k))
            return float(best), costs[best], [m / sum(mass) for m in mass] if sum(mass) else mass
        w = sum(self.weights[i] for i in rows)
        s = sum(self.weights[i] * self.target[i] for i in rows)
        if self.settings.method == "anova":
            mean = s / w
            return mean, sum(self.weights[i] * (self.target[i] - mean) ** 2 for i in rows), None
        rate = (s + self.k) / (w + self.beta)
        return rate, sum(self.weights[i] * self.deviance(self.target[i], rate) for i in rows), None

    @staticmethod
    def deviance(y: float, rate: float) -> float:
        return 2 * (rate - y + (y * math.log(y / rate) if y > 0 else 0))

    def impurity(self, rows: list[int]) -> float:
        """Impurity times weight: what splits are compared by."""
        if not rows:
            return 0.0
        if self.settings.method == "class":
            mass = [0.0] * self.classes
            for i in rows:
                mass[int(self.target[i])] += self.weights[i] * self.factor[int(self.target[i])]
            all_ = sum(mass)
            if self.settings.split == "gini":
                return all_ - sum(m * m for m in mass) / all_
            return -sum(m * math.log(m / all_) for m in mass if m > 0)
        w = sum(self.weights[i] for i in rows)
        s = sum(self.weights[i] * self.target[i] for i in rows)
        if self.settings.method == "anova":
            return sum(self.weights[i] * (self.target[i] - s / w) ** 2 for i in rows)
        return -s * math.log(s / w) if s > 0 else 0.0

    # ---- splitting

    def grow(self) -> None:
        waiting = [self.root]
        order = []
        while waiting:
            node = waiting.pop()
            order.append(node)
            if sum(
                self.weights[i] for i in node.rows
            ) < self.settings.min_split or node.risk <= self.alpha * (1 + TIE):
                continue
            if not self.choose(node):
                continue
            self.find_surrogates(node)
            parts = [[], [], []]
            for i in node.rows:
                side = self.side(node, [c[i] for c in self.columns])
                parts[2 if side is None else side].append(i)
            node.children = [self.node(parts[0]), self.node(parts[1])]
            waiting.extend(reversed(node.children))
        self.weigh()

    def splits_of(self, rows: list[int], j: int) -> list[tuple[float | None, list[int | None] | None]]:
        cells = self.columns[j]
        present = sorted({cells[i] for i in rows})
        if len(present) < 2:
            return []
        if self.levels[j] == 0:
            return [(a / 2 + b / 2, None) for a, b in itertools.pairwise(present)]
        groups = []
        if self.settings.method == "class" and self.classes > 2:
            for mask in range(2 ** (len(present) - 1) - 1):
                left = {present[0]} | {c for k, c in enumerate(present[1:]) if mask >> k & 1}
                groups.append(left)
        else:

            def key(c: Any) -> float:
                here = [i for i in rows if cells[i] == c]
                if self.settings.method == "class":
                    mass = [
                        sum(self.weights[i] * self.factor[k] for i in here if self.target[i] == k)
                        for k in range(2)
                    ]
                    return mass[1] / sum(mass)
                return sum(self.weights[i] * self.target[i] for i in here) / sum(
                    self.weights[i] for i in here
                )

            ordered = sorted(present, key=key)
            groups = [set(ordered[:k]) for k in range(1, len(ordered))]
        found = []
        for left in groups:
            sides: list[int | None] = [None] * self.levels[j]
            for c in present:  # the first category that is present goes to the first child
                sides[int(c)] = int((c in left) != (present[0] in left))
            found.append((None, sides))
        return found

    def choose(self, node: Node) -> bool:
        best = 0.0
        scale = self.impurity(node.rows) if self.settings.method != "poisson" else 1.0
        for j in range(len(self.columns)):
            known = [i for i in node.rows if self.columns[j][i] is not None]
            whole = self.impurity(known)
            for cut, sides in self.splits_of(known, j):
                left = [i for i in known if self.cell_side(self.columns[j][i], cut, sides) == 0]
                right = [i for i in known if self.cell_side(self.columns[j][i], cut, sides) == 1]
                if min(sum(self.weights[i] for i in part) for part in (left, right)) < self.settings.min_leaf:
                    continue
                gain = whole - self.impurity(left) - self.impurity(right)
                if gain > best + TIE * max(scale, 1):
                    best, node.feature, node.cut, node.sides = gain, j, cut, sides
        node.improve = best
        return node.feature is not None

    @staticmethod
    def cell_side(cell: Cell, cut: float | None, sides: list[int | None] | None) -> int | None:
        if cell is None:
            return None
        return sides[int(cell)] if sides is not None else int(cell >= cut)

    # ---- surrogates

    def find_surrogates(self, node: Node) -> None:
        assert node.feature is not None
        primary = {}
        for i in node.rows:
            side = self.cell_side(self.columns[node.feature][i], node.cut, node.sides)
            if side is not None:
                primary[i] = side
        weight = [sum(self.weights[i] for i, s in primary.items() if s == k) for k in (0, 1)]
        tie = weight[0] == weight[1] and self.settings.ties_stop
        node.majority = None if tie else int(weight[1] > weight[0])
        base = max(weight)
        others = [j for j in range(len(self.columns)) if j != node.feature]
        tried = [self.best_surrogate(node, primary, j, base, sum(weight)) for j in others]
        found = [surrogate for surrogate in tried if surrogate is not None]
        found.sort(key=lambda s: -round(s.agree, 12))
        node.surrogates = found[: self.settings.max_surrogates]

    def best_surrogate(
        self, node: Node, primary: dict[int, int], j: int, base: float, total: float
    ) -> Surrogate | None:
        cells = self.columns[j]
        rows = [i for i in primary if cells[i] is not None]
        best: Surrogate | None = None

        def offer(cut: float | None, low: int, sides: list[int | None] | None) -> None:
            nonlocal best
            to = {}
            for i in rows:
                to[i] = sides[int(cells[i])] if sides is not None else (low if cells[i] < cut else 1 - low)
            sent = [sum(self.weights[i] for i in rows if to[i] == k) for k in (0, 1)]
            differ = sum(self.weights[i] for i in rows if to[i] != primary[i])
            if min(sent) < 2 if sides is None else differ < 2:
                return
            same = sum(self.weights[i] for i in rows if to[i] == primary[i])
            if same > base + TIE * total and (best is None or same > best.agree * total + TIE * total):
                best = Surrogate(j, cut, low, sides, same / total, (same - base) / (total - base))

        if self.levels[j] == 0:
            for a, b in itertools.pairwise(sorted({cells[i] for i in node.rows if cells[i] is not None})):
                for low in (0, 1):
                    offer(a / 2 + b / 2, low, None)
        else:
            sides: list[int | None] = [None] * self.levels[j]
            both = [sum(self.weights[i] for i in rows if primary[i] == k) for k in (0, 1)]
            majority = int(both[1] > both[0]) if both[0] != both[1] else self.higher_side(primary)
            for c in {cells[i] for i in rows}:
                w = [sum(self.weights[i] for i in rows if cells[i] == c and primary[i] == k) for k in (0, 1)]
                sides[int(c)] = majority if w[0] == w[1] else int(w[1] > w[0])
            offer(None, 0, sides)
        return best

    def higher_side(self, primary: dict[int, int]) -> int:
        """The side of the primary split with the larger mean; of classes their positions are averaged."""
        means = []
        for side in (0, 1):
            rows = [i for i in primary if primary[i] == side]
            masses = [
                self.weights[i] * (self.factor[int(self.target[i])] if self.classes else 1.0) for i in rows
            ]
            means.append(sum(m * self.target[i] for m, i in zip(masses, rows, strict=True)) / sum(masses))
        return int(means[1] >= means[0])

    def side(self, node: Node, cells: Sequence[Cell]) -> int | None:
        assert node.feature is not None
        side = self.cell_side(cells[node.feature], node.cut, node.sides)
        for s in node.surrogates:
            if side is None and cells[s.feature] is not None:
                side = self.cell_side(cells[s.feature], s.cut, s.sides)
                if s.sides is None:
                    side = s.low_goes if side == 0 else 1 - s.low_goes
        return node.majority if side is None else side

    # ---- cost-complexity

    def weigh(self) -> None:
        """Complexity of every split, children first; a split that is not worth alpha goes at once.

        It is the gain a split of what is left below when the node's turn comes: a child whose own turn comes before
        has become a leaf. What is left below is handed up as it is then.
        """
        for node in reversed(nodes_of(self.root)):
            node.below, node.splits, node.complexity = node.risk, 0, self.alpha
            if not node.children:
                continue
            below = {id(child): (child.below, child.splits) for child in node.children}
            for child in sorted(node.children, key=lambda c: c.complexity):
                if self.worth(node, below) > child.complexity + 1e-10 * self.root.risk:
                    below[id(child)] = child.risk, 0
                else:
                    break
            node.complexity = self.worth(node, below)
            if node.complexity <= self.alpha + 1e-12 * self.root.risk:
                node.children, node.feature, node.surrogates = [], None, []
                continue
            node.below = sum(risk for risk, _ in below.values())
            node.splits = sum(splits for _, splits in below.values()) + 1
        for node in nodes_of(self.root):
            for child in node.children:
                child.complexity = min(child.complexity, node.complexity)

    @staticmethod
    def worth(node: Node, below: dict[int, tuple[float, int]]) -> float:
        left = sum(risk for risk, _ in below.values())
        return (node.risk - left) / (1 + sum(splits for _, splits in below.values()))

    # ---- the table of complexities

    def cp_table(self, folds: Sequence[int] | None) -> list[list[float]]:
        """CP, nsplit, rel_error, xerror, xstd: one row for each tree of the sequence, the smallest first."""
        inner = [node for node in nodes_of(self.root) if node.children]
        root = self.root.risk
        steps: list[float] = []
        for value in sorted((node.complexity for node in inner), reverse=True):
            if not steps or steps[-1] - value > 1e-10 * root:
                steps.append(value)
        steps.append(self.alpha)
        table = []
        for alpha in steps:
            kept = [node for node in inner if node.complexity > alpha + 1e-10 * root]
            table.append([alpha / root, len(kept), self.risk_at(alpha + 1e-10 * root) / root])
        if folds is None:
            return table
        betas = [math.inf] + [math.sqrt(a * b) for a, b in itertools.pairwise(steps)]
        errors = [[0.0] * len(self.target) for _ in betas]
        whole = sum(self.weights[i] for i in self.rows)
        for fold in sorted(set(folds)):
            rows = [i for i in self.rows if folds[i] != fold]
            share = sum(self.weights[i] for i in rows) / whole
            part = self.without(rows, self.alpha * share)
            for i in self.rows:
                if folds[i] == fold:
                    for k, beta in enumerate(betas):
                        errors[k][i] = self.error(
                            i, part.value_at([c[i] for c in self.columns], beta * share)
                        )
        for k, row in enumerate(table):
            total = sum(self.weights[i] * errors[k][i] for i in self.rows)
            squares = sum(self.weights[i] * errors[k][i] ** 2 for i in self.rows)
            row += [total / root, math.sqrt(max(0.0, squares - total * total / whole)) / root]
        return table

    def without(self, rows: list[int], alpha: float) -> Cart:
        """The same learner on fewer rows. What a class counts is still what it counts in the whole table."""
        part = copy(self)
        part.rows, part.alpha = rows, alpha
        if self.settings.method == "poisson":
            part.prepare()
        part.root = part.node(rows)
        part.grow()
        return part

    def risk_at(self, alpha: float) -> float:
        risk, waiting = 0.0, [self.root]
        while waiting:
            node = waiting.pop()
            if node.children and node.complexity > alpha:
                waiting.extend(node.children)
            else:
                risk += node.risk
        return risk

    def value_at(self, cells: Sequence[Cell], alpha: float = -math.inf) -> float:
        return self.leaf(cells, alpha).value

    def leaf(self, cells: Sequence[Cell], alpha: float = -math.inf) -> Node:
        node = self.root
        while node.children and node.complexity > alpha:
            side = self.side(node, cells)
            if side is None:
                break
            node = node.children[side]
        return node

    def error(self, i: int, value: float) -> float:
        """What a prediction costs. The losses are read the other way round, as rpart does here."""
        y = self.target[i]
        if self.settings.method == "class":
            return self.loss[int(value)][int(y)] * self.risk_of[int(y)]
        return (y - value) ** 2 if self.settings.method == "anova" else self.deviance(y, value)


def nodes_of(top: Node) -> list[Node]:
    found = [top]
    for node in found:
        found.extend(node.children)
    return found
