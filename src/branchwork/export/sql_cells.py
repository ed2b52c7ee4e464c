"""Values that an inner query reads once, so that every test of them is short.

    SELECT CASE WHEN NOT ISNAN("age") THEN "age" ELSE NULL END AS "cell_0",          a number, or NULL
           CASE WHEN "wind" IS NULL THEN -1 WHEN "wind" = 'calm' THEN 0 … END AS "cell_3"     a code

A model that shares rows tests each value many times. Categories are codes here, in the order of the column; -1 is a
missing value and -2 an unseen category. A set of codes is written as runs (2 <= c AND c <= 5) and never as a list,
because DuckDB makes a join of every list, and a model has hundreds of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from branchwork.export.branches import runs
from branchwork.export.sql_words import Words
from branchwork.table.table import MISSING, UNSEEN

if TYPE_CHECKING:
    from sqlglot.expressions import Expr


class CellWords(Words):
    """SQL about values that an inner query has read. Its name is `source_name`, its columns `cell_0`, `cell_1`, …"""

    def __init__(self, plain: Words) -> None:
        super().__init__(plain.dialect, plain.fields, plain.names, plain.table)
        self.plain = plain
        self.source_name = plain.fresh("cells")

    def read(self, fields: Iterable[int]) -> Expr:
        """Return the inner query."""
        return self.one_row(self.select([self.named(self._read(field), f"cell_{field}") for field in fields]))

    def _read(self, field: int) -> Expr:
        plain = self.plain
        if not self.fields[field].is_nominal:
            return plain.case([(plain.known(field), plain.cell(field))], plain.null())
        places = [
            (plain.one_of(field, [code]), plain.integer(code))
            for code in range(len(self.fields[field].categories))
        ]
        pairs = [(plain.missing(field), plain.integer(MISSING)), *places]
        return plain.case(pairs, plain.integer(UNSEEN))

    def column(self, field: int) -> Expr:
        """Return what was read of a column."""
        return self.of(self.source_name, f"cell_{field}")

    def cell(self, field: int) -> Expr:
        """Return what was read of a column: a double, or a code."""
        return self.column(field)

    def missing(self, field: int) -> Expr:
        """The value is missing."""
        if self.fields[field].is_nominal:
            return self.equal(self.cell(field), self.integer(MISSING))
        return self.is_null(self.cell(field))

    def known(self, field: int) -> Expr:
        """The value is known."""
        if self.fields[field].is_nominal:
            return self.differ(self.cell(field), self.integer(MISSING))
        return self.exp.Not(this=self.is_null(self.cell(field)))  # type: ignore[no-any-return]

    def above(self, field: int, cut: float) -> Expr:
        """A known number above a threshold."""
        return self.greater(self.cell(field), self.number(cut))

    def above_or_missing(self, field: int, cut: float) -> Expr:
        """A number above a threshold, or a missing one."""
        return self.any_of([self.above(field, cut), self.missing(field)])

    def one_of(self, field: int, codes: Iterable[int]) -> Expr:
        """A value that is one of these categories."""
        return self.any_of([self._run(field, *run) for run in runs(codes)])

    def none_of(self, field: int, codes: Iterable[int]) -> Expr:
        """A known value that is none of these categories."""
        every = range(len(self.fields[field].categories))
        return self.one_of(field, {UNSEEN, *every} - set(codes))

    def _run(self, field: int, first: int, last: int) -> Expr:
        if first == last:
            return self.equal(self.cell(field), self.integer(first))
        low = self.at_least(self.cell(field), self.integer(first))
        return self.all_of([low, self.at_least(self.integer(last), self.cell(field))])
