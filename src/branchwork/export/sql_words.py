"""The vocabulary of SQL, and where the dialects differ. Everything is a sqlglot tree; only this file uses sqlglot.

A value is missing if it is NULL or NaN. What NaN does in a comparison depends on the dialect:

    duckdb, postgres    NaN is a value, equal to itself and greater than all others: x > 3 holds for it
    bigquery            no comparison holds for it
    sqlite              there is none: it is stored as NULL

So numbers are read as doubles, and each test here says whether it holds for known or for missing values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from branchwork.errors import MissingExtraError, ParameterError
from branchwork.export.program import Field

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

Dialect = Literal["duckdb", "sqlite", "postgres", "bigquery"]
DIALECTS: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres", "bigquery")

Row = Sequence["Expr"]

LARGEST_EXPONENT = 709.78
"""The largest exponent of e; PostgreSQL and BigQuery stop with an error beyond it."""
SMALLEST_EXPONENT = -708.0
MOST_TOGETHER = 25
"""Longer sums are written as sums of sums, because SQLite and DuckDB allow expressions only 1000 deep."""
NAMELESS: tuple[Dialect, ...] = ("duckdb", "postgres", "bigquery")
"""Dialects in which a name must not be empty."""
CASELESS: tuple[Dialect, ...] = ("duckdb", "sqlite", "bigquery")
"""Dialects in which x and X are the same column, even if quoted."""
MERGING: tuple[Dialect, ...] = ("sqlite", "postgres")
"""Dialects that merge an inner query into the outer one: its expressions replace their names and are computed again for
each use. A LIMIT in the inner query prevents it."""
LINE_BREAK = "__SQLGLOT__LB__"
"""sqlglot's placeholder for a line break in a text while it formats SQL; in a text, it would become a line break."""


class Words:
    """SQL of one dialect, about the columns of one model.

    Parameters
    ----------
    dialect : "duckdb", "sqlite", "postgres" or "bigquery".
    fields : the columns of the model.
    names : the names of columns in the database, if they differ.
    table : the table of the columns; None: whatever the expression is used on.
    """

    def __init__(
        self, dialect: Dialect, fields: Sequence[Field], names: Mapping[str, str], table: str | None
    ) -> None:
        try:
            from sqlglot import expressions
        except ImportError:
            raise MissingExtraError("Export to SQL", "sqlglot", "sql") from None
        self.exp: Any = expressions
        self.dialect = dialect
        self.fields = fields
        self.names = names
        self.table = table
        self._taken = [name.casefold() for name in (*(f.name for f in fields), *names.values(), table or "")]
        self._is_laid_out = True
        self._cells: dict[int, str | None] = {}
        self._compares_numbers = [_are_doubles(field) for field in fields]

    def fresh(self, name: str) -> str:
        """Return a name that no name of the user begins with."""
        while any(taken.startswith(name) for taken in self._taken):
            name = f"_{name}"
        return name

    # ---- names and values

    def name(self, name: str) -> Expr:
        """Return a quoted name."""
        if "\0" in name:
            raise ParameterError(f"A name in SQL cannot contain a NUL character: {name!r}.")
        self._is_laid_out &= LINE_BREAK not in name
        if not name and self.dialect in NAMELESS:
            raise ParameterError(
                f"{self.dialect} has no columns with an empty name. Give its name in the database: columns={{'': …}}."
            )
        return self.exp.Identifier(this=name, quoted=True)  # type: ignore[no-any-return]

    def column(self, field: int) -> Expr:
        """Return a column of the model as it is in the table."""
        return self.of(self.table, self._column_name(field))

    def _column_name(self, field: int) -> str:
        given = self.fields[field].name
        return self.names.get(given, given)

    def check_names(self, fields: Iterable[int]) -> None:
        """Refuse columns that the dialect treats as the same."""
        seen: dict[bytes, str] = {}
        for name in {self._column_name(field): None for field in fields}:
            same = name.encode(errors="surrogatepass").lower()  # for ASCII letters only, as databases do
            if self.dialect in CASELESS and same in seen:
                raise ParameterError(
                    f"{self.dialect} treats the columns {seen[same]!r} and {name!r} as the same. Give their names "
                    f"in the database: columns={{{name!r}: …}}."
                )
            seen[same] = name

    def of(self, source: str | None, name: str) -> Expr:
        """Return a column of a table or of an inner query."""
        table = None if source is None else self.name(source)
        return self.exp.Column(this=self.name(name), table=table)  # type: ignore[no-any-return]

    def text(self, text: str) -> Expr:
        """Return a quoted text."""
        if "\0" in text:
            raise ParameterError(f"A text in SQL cannot contain a NUL character: {text!r}.")
        self._is_laid_out &= LINE_BREAK not in text
        return self.exp.Literal(this=text, is_string=True)  # type: ignore[no-any-return]

    def integer(self, k: int) -> Expr:
        """Return an integer."""
        return self._negated(str(abs(k)), k < 0)

    def number(self, x: float) -> Expr:
        """Return a double that is read back exactly."""
        if not math.isfinite(x):
            return self._not_finite(x)
        negative = math.copysign(1, x) < 0
        if self.dialect == "sqlite":
            return self._number_for_sqlite(abs(x), negative)
        digits = repr(abs(float(x)))
        if self.dialect == "duckdb" and "e" not in digits:
            digits = f"{digits}e0"  # without it, it would be a DECIMAL
        literal = self._negated(digits, negative)
        return self.double(literal) if self.dialect == "postgres" else literal

    def _not_finite(self, x: float) -> Expr:
        if self.dialect == "sqlite":
            return self._negated("9e999", x < 0)
        return self.double(self.text("NaN" if x != x else "Infinity" if x > 0 else "-Infinity"))

    def _number_for_sqlite(self, x: float, negative: bool) -> Expr:
        """SQLite reads digits with a small error, so they must not be near the middle of two doubles."""
        if 0 < x < 1e-290:  # below, it loses bits; an integer that is divided by powers of two loses none
            whole, halvings = x, 0
            while whole != int(whole):
                whole, halvings = math.ldexp(whole, 1), halvings + 1
            parts = [self._negated(f"{int(whole)}.0", negative)]
            parts += [self._negated(f"{2**62}.0", False)] * (halvings // 62)
            parts += [self._negated(f"{2 ** (halvings % 62)}.0", False)]
            return self.exp.Paren(this=self._chain(self._over, parts))  # type: ignore[no-any-return]
        digits = repr(x)
        if x > 1e290 or abs(Fraction(digits) - Fraction(x)) > Fraction(math.ulp(x)) * Fraction(49, 100):
            digits = f"{x:.17e}"
        return self._negated(digits, negative)

    def _negated(self, digits: str, negative: bool) -> Expr:
        literal = self.exp.Literal(this=digits, is_string=False)
        return self.exp.Neg(this=literal) if negative else literal  # type: ignore[no-any-return]

    def labels(self, labels: Sequence[Hashable]) -> list[Expr]:
        """Return labels in their own type; as text if they have several, or are integers that SQL does not have."""
        made = self.label_maker(labels)
        return [made(label) for label in labels]

    def label_maker(self, labels: Sequence[Hashable]) -> Callable[[Any], Expr]:
        """Return a function that makes a value of a label, in a type that all labels have."""
        types = {type(label) for label in labels}
        if types == {bool}:
            return lambda label: self.truth(bool(label))
        if types == {int} and all(abs(int(label)) < 2**63 for label in labels):  # type: ignore[call-overload]
            return lambda label: self.integer(int(label))
        if types <= {int, float} and all(map(_is_double, labels)):
            return lambda label: self.number(float(label))
        return lambda label: self.text(str(label))

    def truth(self, value: bool) -> Expr:
        """Return TRUE or FALSE; in SQLite 1 or 0."""
        return self.exp.Boolean(this=value)  # type: ignore[no-any-return]

    def null(self, type_name: Literal["DOUBLE", "TEXT"] | None = None) -> Expr:
        """Return NULL; in a table BigQuery needs its type."""
        if type_name is None or self.dialect != "bigquery":
            return self.exp.Null()  # type: ignore[no-any-return]
        return self.exp.Cast(this=self.exp.Null(), to=self._type(type_name))  # type: ignore[no-any-return]

    def double(self, value: Expr) -> Expr:
        """Return a value as a double."""
        return self.exp.Cast(this=value, to=self._type("DOUBLE"))  # type: ignore[no-any-return]

    def _type(self, name: Literal["DOUBLE", "TEXT"]) -> Expr:
        """Return a type, made by hand: `DataType.build` parses its name, which takes longer than everything else."""
        return self.exp.DataType(this=self.exp.DataType.Type[name], nested=False)  # type: ignore[no-any-return]

    # ---- cells

    def cell(self, field: int) -> Expr:
        """Return the value of a column as it is compared: as a double, or as text letter by letter.

        It is written once per column and then reused, unless its name has a line break: sqlglot would treat that as
        one of its own and indent what follows.
        """
        if field not in self._cells:
            made = self._made_cell(field).sql(self.dialect)
            self._cells[field] = None if "\n" in made else made
        text = self._cells[field]
        return self._made_cell(field) if text is None else self.exp.Var(this=text)

    def _made_cell(self, field: int) -> Expr:
        if self.compares_numbers(field):
            return self.double(self.column(field))
        as_text = self.exp.Cast(this=self.column(field), to=self._type("TEXT"))
        if self.dialect == "bigquery":
            return self.exp.Collate(this=as_text, expression=self.text(""))  # type: ignore[no-any-return]
        plain = self.exp.Var(this="BINARY") if self.dialect == "sqlite" else self.name("C")
        return self.exp.Collate(this=as_text, expression=plain)  # type: ignore[no-any-return]

    def compares_numbers(self, field: int) -> bool:
        """Return whether the values of a column are numbers, or categories that doubles can tell apart."""
        return self._compares_numbers[field]

    def spellings(self, field: int, code: int) -> list[Expr]:
        """Return what a value of a category may look like."""
        category = self.fields[field].categories[code]
        if self.compares_numbers(field):
            return [self.number(float(category))]  # type: ignore[arg-type]
        return [self.text(spelling) for spelling in self._texts(field, code)]

    def _texts(self, field: int, code: int) -> list[str]:
        category = self.fields[field].categories[code]
        if isinstance(category, bool):
            as_number = [str(int(category))] if self.dialect == "sqlite" else []
            return [*as_number, str(category).lower(), str(category)]
        if isinstance(category, float) and category.is_integer():
            return [str(int(category)), str(category)]
        return [str(category)]

    def check_spellings(self, field: int) -> None:
        """Refuse categories that a column of SQL cannot tell apart."""
        own = self.fields[field]
        if self.compares_numbers(field):
            return
        seen: dict[str, Hashable] = {}
        for code, category in enumerate(own.categories):
            for text in self._texts(field, code):
                if text in seen:
                    raise ParameterError(
                        f"Column {own.name!r} has the categories {seen[text]!r} and {category!r}, which are the same "
                        f"text in SQL."
                    )
                seen[text] = category

    def missing(self, field: int) -> Expr:
        """The value is missing."""
        null = self.is_null(self.column(field))
        if self.dialect == "sqlite" or not self.compares_numbers(field):
            return null
        return self.any_of([null, self._is_nan(field)])

    def known(self, field: int) -> Expr:
        """The value is known."""
        if self.dialect == "sqlite" or not self.compares_numbers(field):
            return self.exp.Not(this=self.is_null(self.column(field)))  # type: ignore[no-any-return]
        if self.dialect == "postgres":
            return self.differ(self.cell(field), self.number(math.nan))
        return self.exp.Not(this=self._is_nan(field))  # type: ignore[no-any-return]

    def _is_nan(self, field: int) -> Expr:
        if self.dialect == "postgres":
            return self.equal(self.cell(field), self.number(math.nan))
        return self.exp.IsNan(this=self.cell(field))  # type: ignore[no-any-return]

    def at_most(self, field: int, cut: float) -> Expr:
        """A known number up to a threshold."""
        return self.exp.LTE(this=self.cell(field), expression=self.number(cut))  # type: ignore[no-any-return]

    def above(self, field: int, cut: float) -> Expr:
        """A known number above a threshold."""
        is_above = self._greater(field, cut)
        if self.dialect in ("sqlite", "bigquery"):
            return is_above
        return self.all_of([is_above, self.known(field)])

    def above_or_missing(self, field: int, cut: float) -> Expr:
        """A number above a threshold, or a missing one."""
        if self.dialect == "bigquery":
            return self.any_of([self._greater(field, cut), self.missing(field)])
        is_null = self.is_null(self.column(field))
        return self.any_of([self._greater(field, cut), is_null])  # NaN is greater, too

    def _greater(self, field: int, cut: float) -> Expr:
        return self.greater(self.cell(field), self.number(cut))

    def between(self, field: int, low: float, high: float) -> Expr:
        """A known number above `low` and up to `high`."""
        return self.all_of([self._greater(field, low), self.at_most(field, high)])

    def one_of(self, field: int, codes: Iterable[int]) -> Expr:
        """A value that is one of these categories."""
        values = [value for code in codes for value in self.spellings(field, code)]
        if len(values) == 1:
            return self.equal(self.cell(field), values[0])
        return self.exp.In(this=self.cell(field), expressions=values)  # type: ignore[no-any-return]

    def none_of(self, field: int, codes: Iterable[int]) -> Expr:
        """A known value that is none of these categories."""
        is_one = self.one_of(field, codes)
        is_same = isinstance(is_one, self.exp.EQ)
        is_other = self.differ(is_one.this, is_one.expression) if is_same else self.exp.Not(this=is_one)
        if self.compares_numbers(field) and self.dialect != "sqlite":
            return self.all_of([is_other, self.known(field)])
        return is_other

    # ---- sentences

    def is_null(self, value: Expr) -> Expr:
        """It is NULL."""
        return self.exp.Is(this=value, expression=self.null())  # type: ignore[no-any-return]

    def unless_null(self, condition: Expr) -> Expr:
        """A condition that holds, or is NULL."""
        return self.call("COALESCE", condition, self.truth(True))

    def differ(self, left: Expr, right: Expr) -> Expr:
        """The two values are not equal."""
        return self.exp.NEQ(this=left, expression=right)  # type: ignore[no-any-return]

    def greater(self, left: Expr, right: Expr) -> Expr:
        """Left is greater."""
        return self.exp.GT(this=left, expression=right)  # type: ignore[no-any-return]

    def equal(self, left: Expr, right: Expr) -> Expr:
        """They are equal."""
        return self.exp.EQ(this=left, expression=right)  # type: ignore[no-any-return]

    def all_of(self, parts: Sequence[Expr]) -> Expr:
        """All hold."""
        wrapped = [self.exp.Paren(this=part) if isinstance(part, self.exp.Or) else part for part in parts]
        return self._grouped(self.exp.And, wrapped)

    def any_of(self, parts: Sequence[Expr]) -> Expr:
        """One of them holds."""
        return self._grouped(self.exp.Or, parts)

    def case(self, pairs: Iterable[tuple[Expr, Expr]], otherwise: Expr) -> Expr:
        """Return the value of the first condition that holds."""
        ifs = [self.exp.If(this=condition, true=value) for condition, value in pairs]
        return self.exp.Case(ifs=ifs, default=otherwise) if ifs else otherwise

    def guarded(self, wrong: Sequence[Expr], value: Expr) -> Expr:
        """A value, or NULL if something is wrong."""
        return self.case([(self.any_of(wrong), self.null())], value) if wrong else value

    def wrapped(self, value: Expr) -> Expr:
        """A value in parentheses."""
        return self.exp.Paren(this=value)  # type: ignore[no-any-return]

    def total(self, terms: Sequence[Expr]) -> Expr:
        """A sum, however long."""
        return self._grouped(self.exp.Add, terms)

    def product(self, factors: Sequence[Expr]) -> Expr:
        """A product; factors are no sums."""
        return self._grouped(self.exp.Mul, factors)

    def ratio(self, above: Expr, below: Expr) -> Expr:
        """A quotient."""
        return self._over(this=self.exp.Paren(this=above), expression=self.exp.Paren(this=below))

    def difference(self, left: Expr, right: Expr) -> Expr:
        """Left minus right, which is a single value."""
        return self.exp.Sub(this=left, expression=right)  # type: ignore[no-any-return]

    def minus(self, value: Expr) -> Expr:
        """The negative of a single value."""
        return self.exp.Neg(this=value)  # type: ignore[no-any-return]

    def at_least(self, left: Expr, right: Expr) -> Expr:
        """Left is as great as right."""
        return self.exp.GTE(this=left, expression=right)  # type: ignore[no-any-return]

    def largest(self, values: Sequence[Expr]) -> Expr:
        """The greatest of values."""
        level = list(values)
        while len(level) > 1:
            groups = [level[k : k + MOST_TOGETHER] for k in range(0, len(level), MOST_TOGETHER)]
            name = "MAX" if self.dialect == "sqlite" else "GREATEST"
            level = [self.call(name, *group) if len(group) > 1 else group[0] for group in groups]
        return level[0]

    def exponential(self, x: Expr) -> Expr:
        """e to the power of x, a short expression; beyond the range of a double it is infinite, or 0."""
        too_large = self.greater(x.copy(), self.number(LARGEST_EXPONENT))
        too_small = self.greater(self.number(SMALLEST_EXPONENT), x.copy())
        infinite, nothing = self.number(math.inf), self.number(0.0)
        return self.case([(too_large, infinite), (too_small, nothing)], self.call("EXP", x))

    def call(self, function: str, *values: Expr) -> Expr:
        """A function that all dialects have."""
        return self.exp.Anonymous(this=function, expressions=list(values))  # type: ignore[no-any-return]

    def _over(self, this: Expr, expression: Expr) -> Expr:
        return self.exp.Div(this=this, expression=expression, typed=True, safe=False)  # type: ignore[no-any-return]

    def _grouped(self, kind: Any, parts: Sequence[Expr]) -> Expr:
        level = list(parts)
        while len(level) > MOST_TOGETHER:
            groups = [level[k : k + MOST_TOGETHER] for k in range(0, len(level), MOST_TOGETHER)]
            level = [self.exp.Paren(this=self._chain(kind, group)) for group in groups]
        return self._chain(kind, level)

    def _chain(self, kind: Any, parts: Sequence[Expr]) -> Expr:
        chained = parts[0]
        for part in parts[1:]:
            chained = kind(this=chained, expression=part)
        return chained

    # ---- queries

    def named(self, value: Expr, name: str) -> Expr:
        """A value with a name of its own."""
        return self.exp.Alias(this=value, alias=self.name(name))  # type: ignore[no-any-return]

    def select(self, values: Sequence[Expr], *sources: Expr, where: Expr | None = None) -> Expr:
        """A query of some sources side by side."""
        query = self.exp.Select(expressions=list(values))
        if sources:
            joins = [self.exp.Join(this=source, kind="CROSS") for source in sources[1:]]
            query.set("from_", self.exp.From(this=sources[0]))
            query.set("joins", joins)
        if where is not None:
            query.set("where", self.exp.Where(this=where))
        return query  # type: ignore[no-any-return]

    def inner(self, query: Expr, alias: str | None = None) -> Expr:
        """A query in parentheses: a single value, or a source with a name."""
        named = None if alias is None else self.exp.TableAlias(this=self.name(alias))
        return self.exp.Subquery(this=query, alias=named)  # type: ignore[no-any-return]

    def one_row(self, query: Expr) -> Expr:
        """A query that has one row, worked out once."""
        if self.dialect in MERGING:
            query.set("limit", self.exp.Limit(expression=self.integer(1)))
        return query

    def source(self, names: Sequence[str]) -> Expr:
        """A table by its name, which may be inside others: database, schema, table."""
        of = dict(zip(("catalog", "db", "this")[-len(names) :], map(self.name, names), strict=True))
        return self.exp.Table(**of)  # type: ignore[no-any-return]

    def star(self, table: str) -> Expr:
        """All columns of a table."""
        return self.exp.Column(this=self.exp.Star(), table=self.name(table))  # type: ignore[no-any-return]

    def with_values(self, query: Expr, name: str, columns: Sequence[str], rows: Iterable[Row]) -> Expr:
        """A query that begins with a table of values."""
        listed = [self.exp.Tuple(expressions=list(row)) for row in rows]
        names = [self.name(column) for column in columns]
        if self.dialect == "bigquery":  # has no VALUES; sqlglot makes an array of structs of it
            alias = self.exp.TableAlias(this=self.name(f"{name}_rows"), columns=names)
            body = self.select([self.exp.Star()], self.exp.Values(expressions=listed, alias=alias))
            given = self.exp.TableAlias(this=self.name(name))
        else:
            body = self.exp.Values(expressions=listed)
            given = self.exp.TableAlias(this=self.name(name), columns=names)
        query.set("with_", self.exp.With(expressions=[self.exp.CTE(this=body, alias=given)]))
        return query

    def written(self, parts: Sequence[Expr]) -> str:
        """Return expressions as SQL, separated by commas."""
        return ",\n".join(part.sql(self.dialect, pretty=self._is_laid_out, copy=False) for part in parts)


def _are_doubles(field: Field) -> bool:
    """Return whether values can be compared as doubles. From 2**53 on, an integer near a category may round to it."""
    categories = field.categories
    return field.type == "number" and all(abs(c) < 2**53 or isinstance(c, float) for c in categories)  # type: ignore[arg-type]


def _is_double(label: Any) -> bool:
    """Return whether a number is one that a double holds."""
    try:
        return bool(float(label) == label)
    except OverflowError:
        return False
