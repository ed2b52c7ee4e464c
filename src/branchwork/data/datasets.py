"""The lecture tables, bundled: small enough to work through by hand."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from random import Random
from typing import Any

from branchwork.errors import ParameterError, did_you_mean
from branchwork.table.adapt import to_table
from branchwork.table.named_list import NamedList
from branchwork.table.table import Table


@dataclass(frozen=True)
class About:
    """One bundled table: its file, its target, columns that are no features, and what it shows."""

    stem: str
    target: str
    drop: tuple[str, ...]
    numeric_target: bool
    text: str


_TABLES = (
    About(
        "playtennis_mitchell14",
        "PlayTennis",
        ("Day",),
        False,
        "Fourteen days and whether tennis was played (Mitchell 1997).",
    ),
    About(
        "playtennis_excerpt8",
        "Play Tennis?",
        (),
        False,
        "Eight days of the tennis table, with a constant column.",
    ),
    About(
        "restaurant_russell_norvig12",
        "WillWait",
        ("Example",),
        False,
        "Twelve visits: wait for a table? (Russell and Norvig). 'None' in Pat is a value.",
    ),
    About("spam6", "CLASS", ("ID",), False, "Six e-mails, spam or ham."),
    About(
        "vegetation7",
        "VEGETATION",
        ("ID",),
        False,
        "Seven places: stream, slope, elevation, and what grows there.",
    ),
    About("bike_rentals12", "RENTALS", ("ID",), True, "Twelve days of bike rentals by season and work day."),
    About(
        "food_allergy5_sixfoods",
        "Sick?",
        (),
        False,
        "Five days of eating six foods, and whether one got sick.",
    ),
    About(
        "food_allergy6_egg_milk_fish",
        "Sick?",
        (),
        False,
        "Six days: egg, milk, fish, and whether one got sick.",
    ),
    About(
        "food_allergy11_egg_milk",
        "Sick?",
        (),
        False,
        "Eleven days of egg and milk: greedy growth by accuracy, split by split.",
    ),
    About(
        "food_allergy11_milk_sorted_bonus",
        "Sick?",
        (),
        False,
        "Eleven days sorted by milk: a stump by running counts.",
    ),
    About("iris7", "Species", ("i",), False, "Seven irises."),
    About(
        "iris7_predictions", "y", ("i",), False, "Seven irises, and what two hand-written trees say of them."
    ),
    About(
        "rain_cloud_counts",
        "Y",
        (),
        False,
        "Rain and clouds: a joint distribution as counts of a hundred days.",
    ),
)

_ALIASES = {
    "play_tennis": "playtennis_mitchell14",
    "tennis": "playtennis_mitchell14",
    "restaurant": "restaurant_russell_norvig12",
    "spam": "spam6",
    "vegetation": "vegetation7",
    "bike_rentals": "bike_rentals12",
    "food_allergy": "food_allergy11_egg_milk",
    "food_journal": "food_allergy6_egg_milk_fish",
    "food_allergy5": "food_allergy5_sixfoods",
    "food_allergy6": "food_allergy6_egg_milk_fish",
    "food_allergy11": "food_allergy11_egg_milk",
    "milk_sorted": "food_allergy11_milk_sorted_bonus",
    "rain_cloud": "rain_cloud_counts",
}


@dataclass(frozen=True)
class Dataset:
    """A bundled table: X takes part in every `fit`; y is a list of labels or numbers that knows the target's name."""

    X: Table
    y: NamedList
    target: str
    about: str

    def __repr__(self) -> str:
        """Say what the table is about, how large it is, and what is to be predicted."""
        names = ", ".join(self.X.schema.names[:8]) + (", …" if len(self.X.schema) > 8 else "")
        size = f"{self.X.n_rows} rows × {len(self.X.schema)} columns: {names}"
        return f"Dataset: {self.about}\n  X: {size}\n  y: {self.target}, {self._values()}"

    def _repr_html_(self) -> str:
        """Show the first rows with the target in a notebook."""
        name = self.target
        while name in self.X.schema.names:
            name += "'"
        numeric = all(isinstance(value, float) for value in self.y)
        shown = to_table({name: self.y} if numeric else {name: [str(value) for value in self.y]})
        columns = {column: self.X.column(column) for column in self.X.schema.names}
        whole = to_table({**columns, name: shown.column(name)})
        return (
            f"<p>{escape(self.about)} The target is {escape(self.target)}: {escape(self._values())}.</p>"
            + (whole._repr_html_())
        )

    def _values(self) -> str:
        counts = Counter(self.y)
        if len(counts) > 6:
            return f"{len(counts)} different values"
        return ", ".join(f"{label}: {count}" for label, count in sorted(counts.items(), key=str))


def names() -> list[str]:
    """Every name that `load` knows."""
    return sorted([*_ALIASES, *(about.stem for about in _TABLES)])


def short_names() -> list[str]:
    """One name of each table, the shortest that says what it is: the first alias, or the stem of its file."""
    first = {stem: alias for alias, stem in reversed(_ALIASES.items())}
    return [first.get(about.stem, about.stem) for about in _TABLES]


def load(name: str) -> Dataset:
    """Load a bundled table by its file stem or a short name.

    >>> load("play_tennis").X
    Table(14 rows × 4 columns: Outlook, Temperature, Humidity, Wind)
    >>> load("play_tennis").y[:3]
    ['No', 'No', 'Yes']
    """
    stem = _ALIASES.get(name, name)
    about = next((about for about in _TABLES if about.stem == stem), None)
    if about is None:
        raise ParameterError(
            f"There is no bundled table {name!r}.{did_you_mean(name, names())} There are {', '.join(names())}."
        )
    text = (files("branchwork.data") / "lectures" / f"{stem}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    table = to_table({name: _numbers_or_text([row[j] for row in rows]) for j, name in enumerate(header)})
    y = table.column(about.target)
    if not about.numeric_target:
        labels = (int(one) if isinstance(one, float) and one.is_integer() else one for one in y)
        y = NamedList(about.target, labels)
    return Dataset(table.drop([about.target, *about.drop]), y, about.target, about.text)


def milk_allergy(rows: int = 200, *, seed: int = 0) -> Dataset:
    """Make days on which greedy growth suspects the wrong food.

    One gets sick exactly when diet coke and mentos meet, which is rare. Milk was drunk on most of those days, and on
    few others, so of all single foods it looks guiltiest. Greedy growth splits by milk first and then needs the other
    two foods on both sides; the smallest tree asks for the pair alone, and has three leaves.

    >>> days = milk_allergy()
    >>> days.X
    Table(200 rows × 4 columns: Milk, Egg, Diet coke, Mentos)
    >>> days.y.count("sick")
    34
    """
    draw = Random(seed)
    foods: dict[str, list[str]] = {"Milk": [], "Egg": [], "Diet coke": [], "Mentos": []}
    sick = []
    for _ in range(rows):
        coke, mentos = draw.random() < 0.4, draw.random() < 0.4
        both = coke and mentos
        milk, egg = draw.random() < (0.9 if both else 0.1), draw.random() < 0.5
        for name, eaten in zip(foods, (milk, egg, coke, mentos), strict=True):
            foods[name].append("yes" if eaten else "no")
        sick.append("sick" if both else "well")
    about = "Generated days: diet coke and mentos together make sick, and milk looks guilty."
    return Dataset(to_table(foods), NamedList("Sick?", sick), "Sick?", about)


def _numbers_or_text(cells: list[str]) -> list[Any]:
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        return list(cells)
