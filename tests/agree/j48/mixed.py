"""Random tables of other shapes than `RandomTable`'s: more classes, lopsided values, ties, holes that tell something.

Classes are 3 to 9, some of them rare; they follow a small hidden tree. The last digit of the seed says what is special:
0 nothing; 1 very few rows; 2 every row three times, with other classes; 3 columns that are nearly always unknown, or
always; 4 cells are unknown in some classes only; 5 numbers of two or three values; 6 nominal columns only, one value of
each very common; 7 large and small numbers; 8 copies of columns under other names; 9 rows without a known cell.
"""

from __future__ import annotations

import random
from typing import Any

from agree.c45_outputs import Column, Table

Cells = list[float] | list[str]


class MixedTable:
    """One such table, from one seed."""

    def __init__(self, seed: int) -> None:
        self.next = random.Random(500_000 + seed).random
        self.seed = seed
        self.special = seed % 10
        self.rows = self.whole(5, 14) if self.special == 1 else self.whole(20, self.pick([50, 150, 400]))

    def whole(self, low: int, high: int) -> int:
        return low + int(self.next() * (high + 1 - low))

    def pick(self, choices: list[Any]) -> Any:
        return choices[int(self.next() * len(choices))]

    def lopsided(self, choices: tuple[str, ...], keep: float) -> str:
        """The first of them most often, every further one more rarely."""
        for choice in choices[:-1]:
            if self.next() < keep:
                return choice
        return choices[-1]

    def table(self) -> Table:
        made = [self.column(j) for j in range(self.whole(1, 10))]
        if self.special == 8:
            made += [(Column(f"again_{column.name}", column.values), cells) for column, cells in made]
        if self.special == 2:
            made = [(column, [cell for cell in cells for _ in range(3)]) for column, cells in made]
            self.rows *= 3
        classes = tuple("pqrstuvwx"[: self.whole(3, 9)])
        labels = self.labels(made, classes)
        blanked = [self.blanked(cells, labels, classes) for _, cells in made]
        if self.special == 9:
            blanked = [[None if i % 7 == 0 else cell for i, cell in enumerate(cells)] for cells in blanked]
        columns = tuple(column for column, _ in made)
        rows = tuple(zip(*blanked, strict=True))
        return Table(f"mixed{self.seed:03}", columns, classes, rows, labels)

    def column(self, j: int) -> tuple[Column, Cells]:
        if self.special == 6 or (self.special != 5 and self.next() < 0.5):
            values = tuple(f"v{k}" for k in range(self.whole(2, 9)))
            keep = 0.8 if self.special == 6 else self.pick([0.15, 0.4, 0.7])
            return Column(f"n{j}", values), [self.lopsided(values, keep) for _ in range(self.rows)]
        high = self.whole(1, 2) if self.special == 5 else self.pick([3, 12, 40, 1000])
        scale = self.pick([1e-7, 0.001, 1.0, 1e9]) if self.special == 7 else self.pick([0.1, 0.5, 1.0])
        shift = self.whole(-5, 5)
        return Column(f"x{j}"), [scale * (self.whole(0, high) + shift) for _ in range(self.rows)]

    def labels(self, made: list[tuple[Column, Cells]], classes: tuple[str, ...]) -> tuple[str, ...]:
        """A class from a hidden tree of three tests; every so often a lopsided choice."""
        tests = []
        for _ in range(3):
            cells = self.pick(made)[1]
            tests.append((cells, self.pick(cells)))
        noise, turn = self.pick([0.05, 0.2, 0.5]), self.whole(0, 8)
        labels = []
        for i in range(self.rows):
            place = sum((cells[i] <= pivot) << k for k, (cells, pivot) in enumerate(tests))
            ruled = classes[(place + turn) % len(classes)]
            labels.append(self.lopsided(classes, 0.4) if self.next() < noise else ruled)
        return tuple(labels)

    def blanked(self, cells: Cells, labels: tuple[str, ...], classes: tuple[str, ...]) -> list[Any]:
        """The cells with holes."""
        share = self.pick([0.0, 0.0, 0.1, 0.3])
        if self.special == 3:
            share = self.pick([0.6, 0.9, 1.0])
        if self.special != 4:
            return [None if self.next() < share else cell for cell in cells]
        few = classes[: self.whole(1, 2)]
        return [
            None if label in few and self.next() < 0.6 else cell
            for cell, label in zip(cells, labels, strict=True)
        ]
