"""The tables that rpart is compared on.

    names()            all of them
    read("made_kyphosis")   Table: columns, target, rows (None = missing cell)
    csv(table)         the same as R reads it

Tables of classes are those of C4.5 and J48 again (`../j48/tables.py`); the rest is made here, from nothing but
`random.Random(seed).random()`, which Python promises never to change. Five of them look like the tables that
come with rpart: the same kinds of columns, about as many rows, holes in the same places, other numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agree.c45_outputs import Column
from agree.j48 import tables as j48_tables

REUSED = ["c45_labor", "c45_vote", "c45_hypothyroid", "c45_glass", "c45_iris", "soybean", "penguins", "zoo"]
REUSED += ["audiology", *(f"mixed{seed:03}" for seed in (0, 5, 6, 8, 10, 15, 16, 18, 20, 25))]
RANDOM_CLASSES = [f"random{seed:03}" for seed in range(0, 150, 2)]
RANDOM_NUMBERS = [f"numbers{seed:03}" for seed in [*range(60), 147]]


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    cells: tuple[tuple[float | str | None, ...], ...]  # row by row
    target: tuple[Any, ...]
    classes: tuple[str, ...] | None  # None: the target is a number

    def column(self, j: int) -> list[float | str | None]:
        return [row[j] for row in self.cells]


def names() -> list[str]:
    return [*REUSED, *MADE, *RANDOM_CLASSES, *RANDOM_NUMBERS]


def read(name: str) -> Table:
    if name in MADE:
        return MADE[name](name)
    if name.startswith("numbers"):
        return random_numbers(name, int(name.removeprefix("numbers")))
    given = j48_tables.read(name)
    present = tuple(label for label in given.classes if label in given.labels)
    return Table(name, given.columns, given.cells, given.labels, present)


def csv(table: Table) -> str:
    """Columns x1, x2, … and y: numbers, and positions of values and classes counted from 1; NA is missing."""
    places = [
        None if column.values is None else {value: k + 1 for k, value in enumerate(column.values)}
        for column in table.columns
    ]
    lines = [",".join([*(f"x{j + 1}" for j in range(len(places))), "y"])]
    for row, answer in zip(table.cells, table.target, strict=True):
        cells = [
            "NA" if cell is None else repr(cell) if place is None else str(place[cell])
            for cell, place in zip(row, places, strict=True)
        ]
        label = repr(answer) if table.classes is None else str(table.classes.index(answer) + 1)
        lines.append(",".join([*cells, label]))
    return "\n".join([*lines, ""])


# ------------------------------------------------------------------------------------------------- look-alikes


class Maker:
    """Numbers from one seed."""

    def __init__(self, seed: int) -> None:
        self.next = random.Random(seed).random

    def whole(self, low: int, high: int) -> int:
        return low + int(self.next() * (high + 1 - low))

    def pick(self, choices: Any) -> Any:
        return choices[int(self.next() * len(choices))]

    def bell(self) -> float:
        return sum(self.next() for _ in range(12)) - 6

    def hole(self, share: float, cell: Any) -> Any:
        return None if self.next() < share else cell


def made_kyphosis(name: str) -> Table:
    """81 children: age in months, vertebrae operated on, and the first of them."""
    make, rows, target = Maker(1), [], []
    for _ in range(81):
        age, number, start = make.whole(1, 206), make.whole(2, 10), make.whole(1, 18)
        risk = 0.75 if start < 9 and 30 < age < 160 else 0.3 if number > 5 and start < 14 else 0.06
        rows.append((float(age), float(number), float(start)))
        target.append("present" if make.next() < risk else "absent")
    columns = (Column("Age"), Column("Number"), Column("Start"))
    return Table(name, columns, tuple(rows), tuple(target), ("absent", "present"))


COUNTRIES = (
    "Brazil",
    "England",
    "France",
    "Germany",
    "Japan",
    "Japan/USA",
    "Korea",
    "Mexico",
    "Sweden",
    "USA",
)
TYPES = ("Compact", "Large", "Medium", "Small", "Sporty", "Van")


def a_car(make: Maker) -> tuple[str, str, float, float, float, float]:
    """Country, type, reliability, price, weight and mileage of a car."""
    country, kind = make.pick(COUNTRIES + ("USA", "Japan") * 5), make.pick(TYPES)
    weight = {"Small": 2300, "Sporty": 2800, "Compact": 2800}.get(kind, 3400) + 60 * round(4 * make.bell())
    price = round(weight * 5.5 + 1500 * make.bell() + (2500 if country in ("Germany", "Sweden") else 0))
    mileage = round(47 - weight / 125 + (1 if country.startswith("Japan") else 0) + make.bell())
    reliability = min(5, max(1, round((4.2 if country.startswith("Japan") else 2.3) + make.bell())))
    return country, kind, float(reliability), float(price), float(weight), float(mileage)


def made_car_test_frame(name: str) -> Table:
    """60 cars: mileage from price, country, reliability (some unknown), type, weight and two more."""
    make, rows, target = Maker(2), [], []
    for _ in range(60):
        country, kind, reliability, price, weight, mileage = a_car(make)
        size = round(weight / 18 + 18 * make.bell())
        power = round(weight / 24 + 20 * make.bell())
        rows.append(
            (price, country, make.hole(0.18, reliability), kind, weight, float(size), float(power)),
        )
        target.append(mileage)
    columns = (
        *(Column("Price"), Column("Country", COUNTRIES), Column("Reliability"), Column("Type", TYPES)),
        *(Column("Weight"), Column("Disp."), Column("HP")),
    )
    return Table(name, columns, tuple(rows), tuple(target), None)


def made_cu_summary(name: str) -> Table:
    """117 cars: price from country, reliability, mileage and type, with many unknown cells."""
    make, rows, target = Maker(3), [], []
    for _ in range(117):
        country, kind, reliability, price, _, mileage = a_car(make)
        rows.append((country, make.hole(0.27, reliability), make.hole(0.49, mileage), kind))
        target.append(price)
    columns = (Column("Country", COUNTRIES), Column("Reliability"), Column("Mileage"), Column("Type", TYPES))
    return Table(name, columns, tuple(rows), tuple(target), None)


def made_cu_reliability(name: str) -> Table:
    """The same cars: the class of reliability, five of them, from the other columns. Ten countries are grouped."""
    make, rows, target = Maker(3), [], []
    for _ in range(117):
        country, kind, reliability, price, _, mileage = a_car(make)
        rows.append((country, make.hole(0.1, price), make.hole(0.49, mileage), make.hole(0.1, kind)))
        target.append(f"r{reliability:.0f}")
    columns = (Column("Country", COUNTRIES), Column("Price"), Column("Mileage"), Column("Type", TYPES))
    return Table(name, columns, tuple(rows), tuple(target), ("r1", "r2", "r3", "r4", "r5"))


def made_stagec(name: str) -> Table:
    """146 patients: progression from age, therapy, flow cytometry, grade, Gleason score and ploidy."""
    make, rows, target = Maker(4), [], []
    ploidies = ("aneuploid", "diploid", "tetraploid")
    for _ in range(146):
        grade, ploidy = make.pick([1, 2, 2, 2, 3, 3, 3, 3, 4]), make.pick(ploidies)
        g2 = round({"diploid": 9, "tetraploid": 32, "aneuploid": 16}[ploidy] + 4 * make.bell(), 2)
        gleason = float(min(10, max(3, round(2 * grade + make.bell()))))
        risk = 0.08 + 0.16 * (grade - 1) + (0.15 if ploidy != "diploid" else 0)
        cells = (float(make.whole(47, 75)), make.hole(0.02, float(make.whole(1, 2))))
        rows.append((*cells, make.hole(0.05, g2), float(grade), make.hole(0.03, gleason), ploidy))
        target.append("progressed" if make.next() < risk else "no")
    columns = (
        *(Column("age"), Column("eet"), Column("g2"), Column("grade"), Column("gleason")),
        Column("ploidy", ploidies),
    )
    return Table(name, columns, tuple(rows), tuple(target), ("no", "progressed"))


def made_solder(name: str) -> Table:
    """360 boards in a balanced design: skips, which are counts, from five nominal columns."""
    make, rows, target = Maker(5), [], []
    masks, pads = ("A1.5", "A3", "B3", "B6"), ("D4", "D6", "D7", "L4", "L6", "L7", "L8", "L9", "W4", "W9")
    for mask in masks:
        for opening in ("L", "M", "S"):
            for pad in pads:
                for solder, panel in (("Thick", "1"), ("Thin", "2"), ("Thin", "3")):
                    mean = {"A1.5": 1, "A3": 2, "B3": 5, "B6": 11}[mask] * {"L": 0.4, "M": 0.6, "S": 1.8}[
                        opening
                    ]
                    mean *= {"Thick": 0.6, "Thin": 1.4}[solder] * (0.6 if pad in ("L8", "W9") else 1)
                    rows.append((opening, solder, mask, pad, panel))
                    target.append(float(poisson(make, mean)))
    columns = (
        *(Column("Opening", ("L", "M", "S")), Column("Solder", ("Thick", "Thin")), Column("Mask", masks)),
        *(Column("PadType", pads), Column("Panel", ("1", "2", "3"))),
    )
    return Table(name, columns, tuple(rows), tuple(target), None)


def poisson(make: Maker, mean: float) -> int:
    """A count: arrivals within one unit of time, with waits that are sums of uniform numbers."""
    count, left = 0, mean
    while (left := left - 2 * make.next()) > 0:
        count += 1
    return count


def random_numbers(name: str, seed: int) -> Table:
    """One random table with a number to predict.

    The last digit of the seed says what is special: 0, 1 nothing; 2, 3 a tenth, a third of the cells missing;
    4 few values; 5 every column twice, with holes; 6 counts; 7 counts with holes; 8 nominal columns only;
    9 rows whose cells are all missing.
    """
    make, special = Maker(10_000 + seed), seed % 10
    n_rows, n_columns = make.whole(30, 160), make.whole(2, 6)
    holes = {2: 0.1, 3: 0.35, 5: 0.2, 7: 0.2, 8: 0.1, 9: 0.25}.get(special, 0.0)
    kinds = [make.next() < 0.35 or special == 8 for _ in range(n_columns)]
    columns = [
        Column(f"c{j}", tuple("abcdefgh"[: make.whole(2, 7)]) if nominal else None)
        for j, nominal in enumerate(kinds)
    ]
    rows, target = [], []
    for k in range(n_rows):
        row: list[Any] = [
            round(8 * make.next()) / 2
            if special == 4 and column.values is None
            else round(100 * make.next(), 2)
            if column.values is None
            else make.pick(column.values)
            for column in columns
        ]
        signal = sum(
            ("abcdefgh".index(cell) * 3 % 5 if isinstance(cell, str) else cell / 20) / (j + 1)
            for j, cell in enumerate(row)
        )
        number = signal * 2 + make.bell()
        target.append(float(poisson(make, max(0.1, signal))) if special in (6, 7) else round(number, 3))
        if special == 5:
            row += row
        blank = special == 9 and k % 9 == 0
        rows.append(tuple(None if blank or make.next() < holes else cell for cell in row))
    if special == 5:
        columns += [Column(f"{column.name}_again", column.values) for column in columns]
    return Table(name, tuple(columns), tuple(rows), tuple(target), None)


MADE: dict[str, Callable[[str], Table]] = {
    made.__name__: made
    for made in (
        *(made_kyphosis, made_car_test_frame, made_cu_summary, made_cu_reliability),
        *(made_stagec, made_solder),
    )
}
