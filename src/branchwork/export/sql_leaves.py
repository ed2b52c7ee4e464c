"""A model as a table of its leaves, and the sum of the leaves that a row reaches.

    leaf  low_1  high_1  missing_1  taken_2  part_2  …  answer
       3   NULL     2.0        0.0     1p011    0.25  …     'a'
       4    2.0    NULL        1.0     NULL      1.0  …     'b'

`taken_2` has a letter for each kind of value (sql_boxes.py): '0' the row does not reach the leaf, '1' it does, 'p'
only the share `part_2` of it does. Each row knows the position of its letter. NULL means no requirement. Rows shared
by weight need the same sum in the CASE form, where it is written out with one term per leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from branchwork.errors import ParameterError
from branchwork.export.program import Ask, Leaf, Program
from branchwork.export.sql_boxes import (
    MOST_COLUMNS,
    PART,
    YES,
    Boxes,
    Key,
    LeafBox,
    Places,
    Range,
    Requirement,
    is_free,
    lowest,
)
from branchwork.export.sql_cells import CellWords
from branchwork.export.sql_tests import answer, category_condition, number_condition
from branchwork.export.sql_words import Words

if TYPE_CHECKING:
    from sqlglot.expressions import Expr


class LeafTable:
    """The table of leaves, and how a row finds its own.

    Parameters
    ----------
    words : the dialect.
    found : the leaves.
    answers : what each leaf answers, by column.
    """

    def __init__(self, words: Words, found: Boxes, answers: dict[str, Callable[[LeafBox], Expr]]) -> None:
        self.words = words
        self.found = found
        self.answers = answers
        self.name = words.fresh("leaves")
        self.cells = words.fresh("cells")
        self._columns = {
            name: column for k, key in enumerate(found.keys, 1) for name, column in self._of_key(k, key)
        }
        self.columns = ("tree", "leaf", *self._columns, *answers)
        if len(self.columns) > MOST_COLUMNS:
            raise ParameterError(
                f"The table of leaves would have {len(self.columns)} columns; databases allow {MOST_COLUMNS}. "
                f"Use form='case'."
            )

    def rows(self) -> list[list[Expr]]:
        """Return the rows of the table, one per leaf."""
        return [
            [
                self.words.integer(box.tree),
                self.words.integer(box.at),
                *(column(box) for column in self._columns.values()),
                *(column(box) for column in self.answers.values()),
            ]
            for box in self.found.listed
        ]

    def query(self, values: Sequence[Expr]) -> Expr:
        """Return values of the leaves that a row reaches."""
        words, keys = self.words, list(enumerate(self.found.keys, 1))
        leaves = words.source([self.name])
        if not keys:
            return words.select(values, leaves)
        cells = [words.named(self._cell(key), f"{self.cells}_{k}") for k, key in keys]
        tests = [self._test(k, key) for k, key in keys]
        row = words.inner(words.one_row(words.select(cells)), self.cells)
        return words.select(values, row, leaves, where=words.all_of(tests))

    def part(self) -> Expr | None:
        """Return how much of a row reaches a leaf; None: always all of it."""
        factors = [self._part(k, key) for k, key in enumerate(self.found.keys, 1) if self.found.parts(key)]
        return self.words.product(factors) if factors else None

    def column(self, name: str) -> Expr:
        """Return a column of the table."""
        return self.words.of(self.name, name)

    # ---- one key

    def _is_number(self, key: Key) -> bool:
        return not key.is_answer and not self.found.given.fields[key.field].is_nominal

    def _of_key(self, k: int, key: Key) -> list[tuple[str, Callable[[LeafBox], Expr]]]:
        words = self.words
        if self._is_number(key):
            made: dict[str, Callable[[Range], float | None]] = {
                f"low_{k}": lowest,
                f"high_{k}": lambda own: own.high,
                f"missing_{k}": lambda own: own.missing,
            }
            return [
                (name, lambda box, get=get: _or_null(words, get(box.requirements.get(key, Range()))))  # type: ignore[misc]
                for name, get in made.items()
                if any(get(box.requirements.get(key, Range())) is not None for box in self.found.listed)  # type: ignore[arg-type]
            ]
        columns: list[tuple[str, Callable[[LeafBox], Expr]]] = [
            (f"taken_{k}", lambda box: self._letters(box.requirements.get(key)))
        ]
        if self.found.parts(key):
            columns.append((f"part_{k}", lambda box: words.number(_part_of(box.requirements.get(key)))))
        return columns

    def _letters(self, requirement: Requirement | None) -> Expr:
        if is_free(requirement) or not isinstance(requirement, Places):
            return self.words.null("TEXT")
        return self.words.text(requirement.taken)

    def _own(self, k: int) -> Expr:
        return self.words.of(self.cells, f"{self.cells}_{k}")

    def _cell(self, key: Key) -> Expr:
        """Return what a row is compared with: its number, or the position of its letter."""
        words, given = self.words, self.found.given
        if key.is_answer:
            return words.total([answer(words, asking(given, key)), words.integer(2)])
        if self._is_number(key):
            return words.case([(words.known(key.field), words.cell(key.field))], words.null())
        places = [
            (words.one_of(key.field, [code]), words.integer(code + 3))
            for code in range(len(given.fields[key.field].categories))
        ]
        return words.case([(words.missing(key.field), words.integer(1)), *places], words.integer(2))

    def _letter(self, k: int) -> Expr:
        return self.words.call("SUBSTR", self.column(f"taken_{k}"), self._own(k), self.words.integer(1))

    def _test(self, k: int, key: Key) -> Expr:
        words = self.words
        if not self._is_number(key):
            return words.unless_null(words.differ(self._letter(k), words.text("0")))
        bounds = []
        if f"low_{k}" in self._columns:
            bounds.append(words.unless_null(words.greater(self._own(k), self.column(f"low_{k}"))))
        if f"high_{k}" in self._columns:
            bounds.append(words.unless_null(words.at_least(self.column(f"high_{k}"), self._own(k))))
        comes = words.greater(self.column(f"missing_{k}"), words.number(0.0))
        inside = words.all_of(bounds) if bounds else words.truth(True)
        return words.case([(words.is_null(self._own(k)), comes)], inside)

    def _part(self, k: int, key: Key) -> Expr:
        words = self.words
        if self._is_number(key):
            return words.case([(words.is_null(self._own(k)), self.column(f"missing_{k}"))], words.number(1.0))
        is_part = words.equal(self._letter(k), words.text(PART))
        return words.case([(is_part, self.column(f"part_{k}"))], words.number(1.0))


def asking(given: Program, key: Key) -> Ask:
    """Return the step whose answer is a key."""
    step = given.trees[key.tree][key.step]
    assert isinstance(step, Ask)
    return step


class LeafSums:
    """Sums over the leaves of trees. An inner query computes each requirement once, as a factor for many leaves.

    The query of the factors has the name of the inner query of values, and passes the values on. So a value has the
    same name for the factors and for whatever is computed from them.
    """

    def __init__(self, words: CellWords, found: Boxes) -> None:
        self.words = words
        self.found = found
        self.name = words.fresh("factor")
        self._place: dict[tuple[Key, Requirement], int] = {}

    def of_tree(self, tree: int, value: Callable[[Leaf], float]) -> Expr:
        """Return the sum of what leaves answer, weighted by the share of the row that reaches them."""
        words = self.words
        terms = [
            words.product([words.number(value(box.leaf)), *map(self._factor, box.requirements.items())])
            for box in self.found.of_tree[tree]
            if value(box.leaf) != 0
        ]
        return words.wrapped(words.total(terms)) if terms else words.number(0.0)

    def source(self) -> Expr:
        """Return the inner query."""
        if len(self._place) > MOST_COLUMNS:
            raise ParameterError(
                f"Rows shared by weight need {len(self._place)} factors here; databases allow {MOST_COLUMNS} columns. "
                f"Use form='leaves'."
            )
        words, asked = self.words, self.found.given.asked
        made = [_factor(words, self.found.given, key, own) for key, own in self._place]
        named = [words.named(value, f"{self.name}_{k}") for k, value in enumerate(made)]
        cells = [words.named(words.cell(field), f"cell_{field}") for field in asked]
        read = words.inner(words.read(asked), words.source_name)
        return words.inner(words.one_row(words.select([*cells, *named], read)), words.source_name)

    def _factor(self, requirement: tuple[Key, Requirement]) -> Expr:
        k = self._place.setdefault(requirement, len(self._place))
        return self.words.of(self.words.source_name, f"{self.name}_{k}")


def _factor(words: Words, given: Program, key: Key, own: Requirement) -> Expr:
    """Return the share of a row that a requirement lets through."""
    nothing, all_of_it = words.number(0.0), words.number(1.0)
    missing: Expr | None
    if key.is_answer:
        assert isinstance(own, Places)
        kinds = [(kind - 1, letter) for kind, letter in enumerate(own.taken)]
        step = asking(given, key)
        pairs = [
            (
                words.equal(answer(words, step), words.integer(kind)),
                all_of_it.copy() if letter == YES else words.number(own.part),
            )
            for kind, letter in kinds
            if letter != "0"
        ]
        return words.case(pairs, nothing)
    if isinstance(own, Range):
        in_part = 0 < own.missing < 1
        inside = number_condition(words, key.field, own.low, own.high, own.is_open, own.missing == 1)
        missing = words.missing(key.field)
    else:
        in_part = PART in own.taken and own.part > 0
        inside, missing = (_taken_as(words, key.field, own, letter) for letter in (YES, PART))
    pairs = [] if inside is None else [(inside, all_of_it)]
    if in_part and missing is not None:
        pairs.append((missing, words.number(own.part)))
    return words.case(pairs, nothing)


def _taken_as(words: Words, field: int, own: Places, letter: str) -> Expr | None:
    """Return the values that pass as a whole, or in part."""
    codes = [code for code, taken in enumerate(own.taken[2:]) if taken == letter]
    return category_condition(words, field, codes, own.taken[1] == letter, own.taken[0] == letter)


def _or_null(words: Words, x: float | None) -> Expr:
    return words.null("DOUBLE") if x is None else words.number(x)


def _part_of(requirement: Requirement | None) -> float:
    return 1.0 if requirement is None else requirement.part
