"""Optimal trees by brute force: every tree is tried. Slow and obvious, for tables of a dozen rows.

A problem is a list of columns and a target. Numeric columns are lists of floats (NaN: missing), nominal ones lists of
codes (-1: missing). Every test of a node is a list of groups of rows, one for each branch; groups without rows do not
count, and a test that leaves a single group is no test.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Literal

Rows = tuple[int, ...]


@dataclass
class Problem:
    """What is to be learned, and what a leaf costs.

    Parameters
    ----------
    columns : "numeric" or "nominal", and the cells.
    y : class codes, or numbers.
    loss : loss[c][k] is the cost of taking class c for class k; None: squared error.
    """

    columns: Sequence[tuple[Literal["numeric", "nominal"], Sequence[float]]]
    y: Sequence[float]
    loss: Sequence[Sequence[float]] | None
    weights: Sequence[float]
    penalty: float = 0.0
    min_leaf: float = 0.0
    groups: bool = False
    known: dict[tuple[Rows, int, int], float] = field(default_factory=dict)

    def leaf(self, rows: Rows) -> float:
        """What a leaf of these rows costs."""
        if self.loss is not None:
            return min(
                sum(self.weights[i] * self.loss[int(self.y[i])][k] for i in rows)
                for k in range(len(self.loss))
            )
        weight = math.fsum(self.weights[i] for i in rows)
        mean = math.fsum(self.weights[i] * self.y[i] for i in rows) / weight
        return math.fsum(self.weights[i] * (self.y[i] - mean) ** 2 for i in rows)

    def tests(self, rows: Rows) -> Iterator[list[Rows]]:
        """Every way to part the rows."""
        for kind, cells in self.columns:
            missing = tuple(i for i in rows if cells[i] == -1 or cells[i] != cells[i])
            known = [i for i in rows if i not in missing]
            values = sorted({cells[i] for i in known})
            if missing and known:
                yield [tuple(known), missing]
            if kind == "numeric":
                sides = [set(values[:k]) for k in range(1, len(values))]
            else:
                largest = len(values) // 2 if self.groups else 1
                sides = [set(some) for k in range(1, largest + 1) for some in combinations(values, k)]
                yield [tuple(i for i in known if cells[i] == value) for value in values] + [missing]
            for left in sides:
                for missing_left in (True, False) if missing else (False,):
                    goes_left = {i: missing_left if i in missing else cells[i] in left for i in rows}
                    yield [
                        tuple(i for i in rows if goes_left[i]),
                        tuple(i for i in rows if not goes_left[i]),
                    ]

    def best(self, rows: Rows, depth: int, leaves: int) -> float:
        """The least cost of a tree of these rows; each leaf but the first costs the penalty."""
        key = (rows, depth, leaves)
        if key not in self.known:
            self.known[key] = min(self._costs(rows, depth, leaves))
        return self.known[key]

    def _costs(self, rows: Rows, depth: int, leaves: int) -> Iterator[float]:
        yield self.leaf(rows)
        if depth == 0:
            return
        for parts in self.tests(rows):
            parts = [part for part in parts if part]
            samples = [sum(self.weights[i] for i in part) for part in parts]
            if len(parts) < 2 or len(parts) > leaves or min(samples) < self.min_leaf * (1 - 1e-11):
                continue
            most = min(leaves - len(parts) + 1, 2**20)
            if leaves >= len(self.y):  # as many leaves as rows are as good as any number
                budgets: Iterator[tuple[int, ...]] = iter([(leaves,) * len(parts)])
            else:
                budgets = (
                    each for each in product(range(1, most + 1), repeat=len(parts)) if sum(each) == leaves
                )
            for each in budgets:
                below = sum(
                    self.best(part, depth - 1, budget) for part, budget in zip(parts, each, strict=True)
                )
                yield below + self.penalty * (len(parts) - 1)

    def solve(self, depth: int, leaves: int | None = None) -> float:
        """The least cost of a tree of all rows."""
        rows = tuple(range(len(self.y)))
        return self.best(rows, depth, len(rows) if leaves is None else min(leaves, len(rows)))


def error_matrix(classes: int) -> list[list[float]]:
    """The cost of errors: 1 each."""
    return [[float(c != k) for k in range(classes)] for c in range(classes)]
