"""Describe the columns of a table: names, kinds and categories. A schema is part of every model."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from branchwork.errors import DataError, did_you_mean
from branchwork.lazy import cached_property
from branchwork.table.shown import first_lines, html_table
from branchwork.table.text_table import terminal_width
from branchwork.table.wide_text import cut

MOST_IN_NOTEBOOK = 100
"""Columns that a notebook shows of a schema."""

Kind = Literal["numeric", "nominal"]


@dataclass(frozen=True)
class Column:
    """One column.

    Parameters
    ----------
    name : its name; columns of an unnamed table are called x0, x1, …
    kind : "numeric" (compared with cuts) or "nominal" (looked up by category).
    categories : the values of a nominal column: in declared order if the container declares one (pandas
        category, polars Enum, Arrow dictionary, ARFF, .names), otherwise sorted. Ties go to the earlier category.
    declared : whether the container declared the categories, so that a category without rows still counts.
    rare : the codes of categories that a learner saw as one level, "other" (table/levels.py); usually none.
    """

    name: str
    kind: Kind
    categories: tuple[Hashable, ...] = ()
    declared: bool = False
    rare: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in ("numeric", "nominal"):
            raise DataError(
                f"Column {self.name!r} is of kind {self.kind!r}; expected 'numeric' or 'nominal'."
            )

    def __repr__(self) -> str:
        """Show the name, the kind and the first categories."""
        if not self.is_nominal:
            return f"Column({self.name!r}, 'numeric')"
        shown = ", ".join(map(repr, self.categories[:6]))
        more = f", … {len(self.categories)} in all" if len(self.categories) > 6 else ""
        return f"Column({self.name!r}, 'nominal', ({shown}{more}))"

    @property
    def is_nominal(self) -> bool:
        """Whether cells are categories."""
        return self.kind == "nominal"

    @property
    def n_levels(self) -> int:
        """The number of categories as a learner counts them: all rare ones together are one."""
        return len(self.categories) - len(self.rare) + bool(self.rare)

    @cached_property
    def rare_values(self) -> frozenset[Hashable]:
        """The keys (`category_key`) of the rare categories."""
        return frozenset(category_key(self.categories[code]) for code in self.rare)

    @cached_property
    def code_of(self) -> dict[Hashable, int]:
        """The code of each category.

        True and "true" are the same value if the column has only one of the two spellings.
        """
        codes = {category_key(category): code for code, category in enumerate(self.categories)}
        for code, category in enumerate(self.categories):
            for spelling in _other_spellings(category):
                codes.setdefault(category_key(spelling), code)
        return codes


def category_key(value: Hashable) -> Hashable:
    """Return a dictionary key that tells True from 1 and 1.0, which are equal in Python but different categories."""
    return ("bool", value) if isinstance(value, bool) else value


def repeated_name(name: str) -> str:
    """Return the message for two columns with the same name."""
    return f"Column name {name!r} occurs more than once. Every column needs a name of its own."


def no_such_column(name: str, names: Sequence[str]) -> str:
    """Return the message for a name that no column has."""
    known = ", ".join(map(repr, names[:12])) + (", …" if len(names) > 12 else "")
    return f"There is no column {name!r}.{did_you_mean(name, names)} The table has {known}."


def _other_spellings(category: Hashable) -> tuple[Hashable, ...]:
    if isinstance(category, bool):
        return (str(category), str(category).lower())
    if isinstance(category, str) and category.lower() in ("true", "false"):
        return (category.lower() == "true",)
    return ()


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order.

    >>> schema = Schema((Column("age", "numeric"), Column("wind", "nominal", ("strong", "weak"))))
    >>> schema.names
    ('age', 'wind')
    >>> schema.index("wind")
    1
    """

    columns: tuple[Column, ...]
    named: bool = True  # False if the table had no names, so that x0, x1, … were made up

    def __post_init__(self) -> None:
        """Refuse two columns of one name."""
        seen: set[str] = set()
        for column in self.columns:
            if column.name in seen:
                raise DataError(repeated_name(column.name))
            seen.add(column.name)

    def __str__(self) -> str:
        """Show a line for each column; in a terminal no wider than it is."""
        count = f"{len(self.columns)} column{'s' * (len(self.columns) != 1)}"
        lines, room = [f"  {column!r}" for column in self.columns], terminal_width()
        return "\n".join(
            [f"Schema of {count}", *(line if room is None else cut(line, room) for line in lines)]
        )

    def __repr__(self) -> str:
        """Show the first columns."""
        return first_lines(str(self))

    def _repr_html_(self) -> str:
        """Show the columns as a table in a notebook."""
        rows = []
        for column in self.columns[:MOST_IN_NOTEBOOK]:
            shown = ", ".join(map(str, column.categories[:12]))
            more = f", … {len(column.categories)} in all" if len(column.categories) > 12 else ""
            rows.append([column.name, column.kind, shown + more])
        hidden = len(self.columns) - MOST_IN_NOTEBOOK
        note = f"… {hidden} more columns; print() shows them all." if hidden > 0 else ""
        return html_table(["column", "kind", "categories"], rows, words=range(3), note=note)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        """Iterate over the columns."""
        return iter(self.columns)

    def __getitem__(self, index: int) -> Column:
        """Return the column at a position."""
        return self.columns[index]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether every column is numeric."""
        return not any(column.is_nominal for column in self.columns)

    @cached_property
    def most_categories(self) -> int:
        """The largest number of categories of a column; 0: every column is numeric."""
        return max((0, *self.levels))

    @cached_property
    def has_rare(self) -> bool:
        """Whether some column has rare categories."""
        return any(column.rare for column in self.columns)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The number of categories of each column; -1: numeric."""
        return tuple(len(column.categories) if column.is_nominal else -1 for column in self.columns)

    @cached_property
    def _position_of(self) -> dict[str, int]:
        return {column.name: position for position, column in enumerate(self.columns)}

    def index(self, name: str) -> int:
        """Return the position of a column; the error about an unknown name suggests a similar one."""
        try:
            return self._position_of[name]
        except KeyError:
            raise DataError(no_such_column(name, self.names)) from None

    def with_column(self, index: int, column: Column) -> Schema:
        """Return a schema with one column replaced."""
        columns = list(self.columns)
        columns[index] = column
        return replace(self, columns=tuple(columns))
