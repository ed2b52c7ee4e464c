"""Describe a split in words: small views of one node of a tree."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from branchwork.table.schema import Column, Schema, category_key
from branchwork.tree.tree import Tree

MOST_SHOWN = 4
"""The largest number of categories of one group that are spelled out."""
DIGITS = 4
"""Significant digits of a number that is shown, unless others are asked for."""
UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"))
"""Large numbers are shown in these (tera, giga, mega)."""
LARGEST = 1e15
"""From here on numbers are shown as powers of ten."""
SMALLEST_FLOAT32 = 2.0**-149


@dataclass(frozen=True)
class Threshold:
    """A numeric test: `<= cut`, `> cut`, and perhaps a branch for missing cells.

    In every kind of split, `missing` has the branches, counted from the first, whose description says "or missing".
    """

    feature: int
    cut: float
    has_missing_branch: bool
    missing: tuple[int, ...] = ()

    def with_missing(self, missing: tuple[int, ...]) -> Threshold:
        """Return the split with other branches named as those of missing cells."""
        return replace(self, missing=missing)

    def describe(self, schema: Schema) -> str:
        """Return the test in words: "Milk <= 0.45"."""
        name = schema[self.feature].name
        return (
            f"{name} is known" if math.isinf(self.cut) and self.cut > 0 else f"{name} <= {number(self.cut)}"
        )

    def branches(self, schema: Schema, *, full: bool = False) -> list[str]:
        """Return each branch's condition in words; `full` matters only for categories."""
        name, cut = schema[self.feature].name, number(self.cut)
        if math.isinf(self.cut) and self.cut > 0 and not self.has_missing_branch:
            return [f"{name} is known", f"{name} is missing"]
        conditions = with_missing([f"{name} <= {cut}", f"{name} > {cut}"], self.missing)
        return [*conditions, f"{name} is missing"] if self.has_missing_branch else conditions


@dataclass(frozen=True)
class Intervals:
    """A numeric test with several intervals.

    A last bound of infinity means that the last branch is for missing cells.
    """

    feature: int
    bounds: tuple[float, ...]
    missing: tuple[int, ...] = ()

    def with_missing(self, missing: tuple[int, ...]) -> Intervals:
        """Return the split with other branches named as those of missing cells."""
        return replace(self, missing=missing)

    @property
    def has_missing_branch(self) -> bool:
        """Whether the last branch is for missing cells alone."""
        return self.bounds[-1] == math.inf

    def describe(self, schema: Schema) -> str:
        """Return the test in words: "age <= 20 | 20 to 35 | > 35"."""
        bounds = self._finite()
        inner = [f"{low} to {high}" for low, high in pairwise(bounds)]
        parts = with_missing([f"<= {bounds[0]}", *inner, f"> {bounds[-1]}"], self.missing)
        return f"{schema[self.feature].name} {_side_by_side([*parts, *self._missing('missing')])}"

    def branches(self, schema: Schema, *, full: bool = False) -> list[str]:
        """Return each branch's condition in words: "age <= 20", "20 < age <= 35", "age > 35"."""
        name, bounds = schema[self.feature].name, self._finite()
        inner = [f"{low} < {name} <= {high}" for low, high in pairwise(bounds)]
        conditions = [f"{name} <= {bounds[0]}", *inner, f"{name} > {bounds[-1]}"]
        return [*with_missing(conditions, self.missing), *self._missing(f"{name} is missing")]

    def _finite(self) -> list[str]:
        return [number(bound) for bound in (self.bounds[:-1] if self.has_missing_branch else self.bounds)]

    def _missing(self, text: str) -> list[str]:
        return [text] if self.has_missing_branch else []


@dataclass(frozen=True)
class Lookup:
    """A nominal test: a group of categories for each branch; an empty group is the branch for missing cells.

    `never` has the branches with an empty group that are not for missing cells: no category that can arrive takes them.
    """

    feature: int
    groups: tuple[tuple[Hashable, ...], ...]
    missing: tuple[int, ...] = ()
    never: tuple[int, ...] = ()

    def shown(self, schema: Schema) -> list[tuple[Hashable, ...]]:
        """Return the groups for display: the rare categories are one item, "other (12 values)"."""
        return [rare_together(group, schema[self.feature]) for group in self.groups]

    def describe(self, schema: Schema) -> str:
        """Return the test in words: "Outlook = Overcast | Rain | Sunny"."""
        groups = with_missing([group_text(group) for group in self.shown(schema)], self._named())
        shown = [
            text if group else "nothing" if k in self.never else "missing"
            for k, (text, group) in enumerate(zip(groups, self.groups, strict=True))
        ]
        return f"{schema[self.feature].name} = {_side_by_side(shown)}"

    def branches(self, schema: Schema, *, full: bool = False) -> list[str]:
        """Return each branch's condition in words; `full` spells out every category."""
        name = schema[self.feature].name
        conditions = [
            in_group(name, group, full=full)
            if group
            else f"no known value of {name}"
            if k in self.never
            else f"{name} is missing"
            for k, group in enumerate(self.groups if full else self.shown(schema))
        ]
        return with_missing(conditions, self._named())

    def _named(self) -> tuple[int, ...]:
        """Return the branches that missing cells share with categories."""
        return tuple(k for k in self.missing if self.groups[k])


def or_missing(condition: str, *, among_others: bool = False) -> str:
    """Return a condition that a missing cell also meets; "or missing" is in brackets if other conditions follow.

    >>> or_missing("age <= 30"), or_missing("age <= 30", among_others=True)
    ('age <= 30 or missing', 'age <= 30 (or missing)')
    """
    return f"{condition} (or missing)" if among_others else f"{condition} or missing"


def with_missing(conditions: list[str], branches: tuple[int, ...]) -> list[str]:
    """Return the conditions of branches, with "or missing" on some of them."""
    return [or_missing(text) if k in branches else text for k, text in enumerate(conditions)]


def in_group(name: str, group: tuple[Hashable, ...], *, full: bool = False) -> str:
    """Return the condition that some categories meet: "Outlook = Rain", "Outlook in {Rain, Sunny}"."""
    if len(group) == 1:
        return f"{name} = {category(group[0])}"
    return f"{name} in {{{group_text(group, full=full)}}}"


def _side_by_side(parts: list[str]) -> str:
    """Return the outcomes of a test; if there are many, only the first."""
    return " | ".join(parts if len(parts) <= 6 else [*parts[:5], f"… {len(parts) - 5} more"])


def group_text(group: tuple[Hashable, ...], *, full: bool = False) -> str:
    """Return a list of categories; if there are many, only the first, unless all are asked for.

    >>> group_text(("a", "b")), group_text(("a, b",)), group_text(("a, b", "c")), group_text(tuple(range(100)))
    ('a, b', 'a, b', "'a, b', c", '0, 1, 2, … 97 more')
    """
    last = group[-1:] if group and isinstance(group[-1], Other) else ()
    named, most = group[: len(group) - len(last)], MOST_SHOWN - len(last)
    shown = named if full or len(named) <= most else named[: most - 1]
    more = [f"… {len(named) - len(shown)} more"] if len(shown) < len(named) else []
    text = category if len(group) == 1 else listed_category
    return ", ".join([*map(text, shown), *more, *map(category, last)])


@dataclass(frozen=True)
class Other:
    """Stands for the rare categories of a group, and holds their number."""

    count: int

    def __str__(self) -> str:
        """Return "other (12 values)"."""
        return f"other ({self.count} values)"


def rare_together(group: tuple[Hashable, ...], column: Column) -> tuple[Hashable, ...]:
    """Return a group of categories with the rare ones of the column as one item, which comes last.

    >>> column = Column("x", "nominal", ("a", "b", "c"), rare=(0, 2))
    >>> group_text(rare_together(("a", "b", "c"), column))
    'b, other (2 values)'
    """
    if not column.rare:
        return group
    kept = tuple(value for value in group if category_key(value) not in column.rare_values)
    count = len(group) - len(kept)
    return (*kept, Other(count)) if count > 1 else group


Split = Threshold | Intervals | Lookup


def split_of(tree: Tree, schema: Schema, node: int) -> Split:
    """Return the split at an inner node with every category of its lookup; `arrive.shown_split` leaves some out."""
    feature = int(tree.feature[node])
    if not schema[feature].is_nominal:
        begin = int(tree.lookup[node])
        if begin >= 0:
            bounds = tree.bounds[begin : begin + int(tree.n_children[node]) - 1]
            return Intervals(feature, tuple(bounds.tolist()))
        return Threshold(feature, float(tree.cut[node]), bool(tree.n_children[node] == 3))
    groups: list[list[Hashable]] = [[] for _ in tree.children(node)]
    offset = int(tree.lookup[node]) + 1
    for code, value in enumerate(schema[feature].categories):
        # If surrogates decide, a category absent from the node is in no group.
        if tree.pool[offset + code] >= 0:
            groups[tree.pool[offset + code]].append(value)
    return Lookup(feature, tuple(tuple(group) for group in groups))


def number(x: float) -> str:
    """Return a number for display, to ten digits; `to_dict` has all of them.

    >>> number(4175.0), number(0.44999999999999996), number(2.5), number(1.7500000596046448)
    ('4175', '0.45', '2.5', '1.75')
    """
    if math.isfinite(x) and x == int(x) and abs(x) < 1e15:
        return str(int(x))
    shown = f"{x:.10g}"
    below = None if float(shown) == x else _float32_below(x)
    return shown if below is None else _shortest(below)


def _shortest(x: np.float32) -> str:
    """Return a float32 number with as few digits as tell it from its neighbours; `str` depends on NumPy's version."""
    if x == 0 or 1e-4 <= abs(x) < 1e16:
        return np.format_float_positional(x, trim="-")
    return np.format_float_scientific(x, trim="-", exp_digits=2)


def _float32_below(x: float) -> np.float32 | None:
    """Return the lower neighbour if a number is the middle between two float32 numbers, or the double just below it.

    Other libraries round cells to float32, and their cuts are such middles. For float32 cells, `<=` the lower
    neighbour is the same test, and it has fewer digits.
    """
    if x == SMALLEST_FLOAT32 / 2:
        return np.float32(0)
    for middle in (x, math.nextafter(x, math.inf)):
        share, exponent = math.frexp(middle)
        steps = share * 2**25  # a float32 has 24 bits
        if steps % 2 == 1 and abs(exponent) < 120:
            return np.float32(math.ldexp(steps - 1, exponent - 25))
    return None


def rounded(x: float, digits: int | None = DIGITS) -> str:
    """Return a number as it is shown to people: to four digits, and from a million on in millions.

    Digits before the point are not rounded away below a million. `digits=None` gives all of them.

    >>> rounded(0.123456789), rounded(12345.6), rounded(15915334.3626), rounded(0.00012344), rounded(1e20)
    ('0.1235', '12346', '15.92 M', '0.0001234', '1e+20')
    >>> rounded(15915334.3626, digits=None), rounded(2.0, digits=None)
    ('15915334.3626', '2')
    """
    if digits is None:
        return str(int(x)) if math.isfinite(x) and x == int(x) and abs(x) < LARGEST else repr(float(x))
    short = float(f"{x:.{digits}g}")
    if not 10**digits <= abs(short) < LARGEST:
        return number(short)
    for size, unit in UNITS:
        if abs(short) >= size:
            return f"{number(float(f'{x / size:.{digits}g}'))} {unit}"
    return f"{x:.0f}"


def answer_text(target: str | None, text: str) -> str:
    """Return an answer together with the name of what is predicted, if it has one.

    >>> answer_text("survived", "yes"), answer_text(None, "yes")
    ('survived: yes', 'yes')
    """
    return text if target is None else f"{harmless(target)}: {text}"


def class_share(label: str, count: str, share: str) -> str:
    """Return how often a class occurs. The colon keeps a label that is a number apart from its count.

    >>> class_share("0", "809", "62%")
    '0: 809 (62%)'
    """
    return f"{label}: {count} ({share})"


def category(value: Hashable) -> str:
    """Return a category for display: text as it is, but empty or blank text in quotes.

    >>> category("Sunny"), category(""), category(True)
    ('Sunny', "''", 'True')
    """
    if isinstance(value, str):
        return value if value.strip() == value and value else repr(value)
    return str(value)


def listed_category(value: Hashable) -> str:
    """Return a category for a list. Text that holds a comma or a brace is quoted, so that it reads as one category.

    >>> listed_category("Sunny"), listed_category("Bath, Somerset")
    ('Sunny', "'Bath, Somerset'")
    """
    text = category(value)
    is_unclear = isinstance(value, str) and text == value and any(sign in text for sign in ",{}")
    return repr(value) if is_unclear else text


def harmless(text: str) -> str:
    """Return text of unknown origin with its control characters escaped.

    >>> harmless("a\\x1b[31mb\\nc")
    'a\\\\x1b[31mb\\\\nc'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
