"""The tables that J48 is compared on.

    names()             all of them
    read("random017")   Table: columns, classes, rows (None = unknown cell)
    asked(table)        some of its rows, once as they are and once with holes: to ask for probabilities
    arff(table)         the same as Weka reads it

Four kinds: those stored for C4.5 (`../c45/tables.zip`; here "c45_labor" and so on), seven real ones more
(`tables.zip`), random ones (here and in `mixed.py`), and a few made by hand, each to show one rule. Random tables are
made from nothing but `random.Random(seed).random()`, which Python promises never to change.
"""

from __future__ import annotations

import random
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from agree import c45_outputs
from agree.c45_outputs import Column, Table, cell_of
from agree.j48.mixed import MixedTable

ARCHIVE = Path(__file__).parent / "tables.zip"
N_RANDOM = 160
N_MIXED = 40
MOST_ASKED = 30


def names() -> list[str]:
    random_names = [f"random{seed:03}" for seed in range(N_RANDOM)]
    random_names += [f"mixed{seed:03}" for seed in range(N_MIXED)]
    return [f"c45_{name}" for name in c45_outputs.names()] + stored() + [*BY_HAND] + random_names


def stored() -> list[str]:
    with zipfile.ZipFile(ARCHIVE) as archive:
        return sorted(name.removesuffix(".arff") for name in archive.namelist())


def read(name: str) -> Table:
    if name.startswith("c45_"):
        return c45_outputs.read_table(name.removeprefix("c45_"))
    if name.startswith("random"):
        return RandomTable(int(name.removeprefix("random"))).table()
    if name.startswith("mixed"):
        return MixedTable(int(name.removeprefix("mixed"))).table()
    if name in BY_HAND:
        return BY_HAND[name](name)
    with zipfile.ZipFile(ARCHIVE) as archive:
        return parse_arff(name, archive.read(f"{name}.arff").decode("utf-8"))


def asked(table: Table) -> Table:
    """Up to 30 rows, evenly spaced; then the same rows with every fifth cell unknown."""
    places = range(0, len(table.cells), -(-len(table.cells) // MOST_ASKED))
    rows = [table.cells[i] for i in places]
    holes = [
        tuple(None if (7 * i + 13 * j) % 5 == 0 else cell for j, cell in enumerate(row))
        for i, row in enumerate(rows)
    ]
    labels = tuple(table.labels[i] for i in places)
    return replace(table, cells=(*rows, *holes), labels=labels + labels)


# ------------------------------------------------------------------------------------------------------ ARFF

ATTRIBUTE = re.compile(r"@attribute '(?P<name>[^']+)' (?:numeric|\{(?P<values>.*)\})")


def arff(table: Table) -> str:
    columns = [*table.columns, Column("class", table.classes)]
    head = [f"@attribute '{column.name}' {kind_of(column)}" for column in columns]
    rows = [
        ",".join(map(text_of, (*cells, label)))
        for cells, label in zip(table.cells, table.labels, strict=True)
    ]
    return "\n".join([f"@relation {table.name}", *head, "@data", *rows, ""])


def kind_of(column: Column) -> str:
    return "numeric" if column.values is None else "{" + ",".join(map(text_of, column.values)) + "}"


def text_of(cell: float | str | None) -> str:
    if cell is None:
        return "?"
    return f"'{cell}'" if isinstance(cell, str) else repr(cell)


def parse_arff(name: str, text: str) -> Table:
    """Read what arff() wrote."""
    head, _, data = text.partition("@data\n")
    columns = []
    for found in ATTRIBUTE.finditer(head):
        values = found["values"]
        columns.append(Column(found["name"], None if values is None else tuple(values[1:-1].split("','"))))
    *columns, target = columns
    rows = [line.split(",") for line in data.splitlines()]
    cells = [
        tuple(cell_of(text.strip("'"), column) for text, column in zip(row, columns, strict=False))
        for row in rows
    ]
    labels = tuple(row[-1].strip("'") for row in rows)
    return Table(name, tuple(columns), target.values or (), tuple(cells), labels)


# ---------------------------------------------------------------------------------------------------- random


class RandomTable:
    """One random table: 2 to 8 columns, 2 to 5 classes that follow two of them, with noise.

    It has 8 to 200 rows; 600 to 1200 under the seeds 150 to 159. The last digit of the seed says what is special:
    0, 1 nothing; 2, 3 a fifth, half of the cells unknown; 4 only numbers of few values; 5 every column twice,
    the second time mirrored; 6 numbers about 1e-5 apart; 7 nominal columns of many values; 8 declared classes
    and values that no row has; 9 coarse numbers with unknown cells, so that shares add up to round numbers.
    """

    def __init__(self, seed: int) -> None:
        self.next = random.Random(seed).random
        self.seed = seed
        self.special = seed % 10
        large = 150 <= seed < 160
        self.rows = self.whole(600, 1200) if large else self.whole(8, self.pick([20, 60, 200]))
        self.unknown = {2: 0.2, 3: 0.5, 9: 0.15}.get(self.special, self.pick([0.0, 0.0, 0.05]))

    def whole(self, low: int, high: int) -> int:
        return low + int(self.next() * (high + 1 - low))

    def pick(self, choices: list[Any]) -> Any:
        return choices[int(self.next() * len(choices))]

    def table(self) -> Table:
        made = [self.column(j) for j in range(self.whole(2, 8))]
        if self.special == 5:
            made += [self.mirrored(*pair) for pair in made]
        classes = tuple("pqrst"[: self.whole(2, 5)])
        labels = self.labels(made[0][1], made[-1][1], classes)
        if self.special == 8:
            classes = ("none", *classes, "never")
        cells = [[None if self.next() < self.unknown else cell for cell in cells] for _, cells in made]
        columns = tuple(column for column, _ in made)
        rows = tuple(zip(*cells, strict=True))
        return Table(f"random{self.seed:03}", columns, classes, rows, labels)

    def column(self, j: int) -> tuple[Column, list[float] | list[str]]:
        numeric = self.special in (4, 6, 9) or (self.special != 7 and self.next() < 0.5)
        if numeric:
            number = self.number()
            return Column(f"x{j}"), [number() for _ in range(self.rows)]
        most = 6 if self.special != 7 else max(2, self.rows // 2)
        values = tuple(f"v{k}" for k in range(self.whole(1, most)))
        cells = [self.pick([*values]) for _ in range(self.rows)]
        return Column(f"n{j}", (*values, "never") if self.special == 8 else values), cells

    def number(self) -> Callable[[], float]:
        """A way to draw numbers of one kind."""
        if self.special == 6:
            step = self.pick([1e-5, 4e-6, 3e-7])
            return lambda: 1 + step * self.whole(0, 40)
        if self.special in (4, 9):
            high = self.whole(1, 9)
            return lambda: float(self.whole(0, high))
        digits, scale = self.pick([0, 1, 2, 4, 15]), self.pick([1.0, 20.0, 1e6])
        return lambda: round(scale * (self.next() - 0.3), digits)

    @staticmethod
    def mirrored(column: Column, cells: list) -> tuple[Column, list]:
        name = f"m{column.name}"
        if column.values is None:
            return Column(name), [-cell for cell in cells]
        return Column(name, column.values[::-1]), cells

    def labels(self, first: list, last: list, classes: tuple[str, ...]) -> tuple[str, ...]:
        """A class from the ranks of two cells; every so often any class."""
        rank = [{cell: k for k, cell in enumerate(sorted(set(cells)))} for cells in (first, last)]
        noise = self.pick([0.0, 0.1, 0.4, 1.0])
        labels = []
        for a, b in zip(first, last, strict=True):
            place = rank[0][a] / len(rank[0]) + rank[1][b] / len(rank[1])
            ruled = classes[int(place / 2 * len(classes))]
            labels.append(self.pick([*classes]) if self.next() < noise else ruled)
        return tuple(labels)


# --------------------------------------------------------------------------------------------------- by hand

AB = ("a", "b")


def even_shares(name: str) -> Table:
    """Below v0 the two classes weigh 1 + 3 × .4 both, added up in another order."""
    known = ["v0", "v3", None, None, None, None, None, "v3", None, "v0", "v4"]
    values = ("v0", "v1", "v2", "v3", "v4")
    return Table(name, (Column("n", values),), tuple("pqr"), tuple((v,) for v in known), tuple("ppqqppqrpqq"))


def close_values(name: str) -> Table:
    """Two values less than 1e-6 apart below the cut, the smaller in the first row."""
    cells = [(x,) for x in [1.0000004, 1.0000012] * 2 + [2.0] * 4]
    return Table(name, (Column("x"),), tuple("pq"), tuple(cells), tuple("ppppqqqq"))


def rare_value(name: str) -> Table:
    """A value with 2 of 40 000 rows: the split's information is below 1e-3."""
    cells = [("b",)] * 2 + [("a",)] * 39_998
    return Table(name, (Column("n", AB),), tuple("pq"), tuple(cells), tuple("q" * 12 + "p" * 39_988))


def many_cases(name: str) -> Table:
    """27 rows of 1 000 are of class q: fewer than 30, more than 25."""
    cells = [(float(i),) for i in range(1000)]
    return Table(name, (Column("x"),), tuple("pq"), tuple(cells), tuple("q" * 27 + "p" * 973))


def small_shares(name: str) -> Table:
    """Six rows, unknown in the first column, come to the small branch with 9 / 10 009 of their weight each."""
    small = [(2, 1), (2, 4), (2, 1), (2, 0), (3, 1), (3, 0), (0, 3), (3, 3), (4, 1)]
    known = [("a", float(x), float(y)) for x, y in small]
    unknown = [(None, *known[i][1:]) for i in (0, 1, 2, 4, 5, 7)]
    labels = "pqqppqpqp" + "pqqpqq" + "z" * 10_000
    cells = (*known, *unknown, *[("b", None, None)] * 10_000)
    return Table(name, (Column("n", AB), Column("x"), Column("y")), tuple("pqz"), cells, tuple(labels))


BY_HAND: dict[str, Callable[[str], Table]] = {
    made.__name__: made for made in (even_shares, close_values, rare_value, many_cases, small_shares)
}
