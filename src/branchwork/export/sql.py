"""A model as SQL: an expression for each row of a table, or a whole statement.

    form "case"      CASE WHEN … END (sql_case.py); rows shared by weight are a sum over leaves
    form "leaves"    a table of leaves, and a query for those that a row reaches (sql_leaves.py)

Outputs of several leaves or trees are added in an inner query. What is computed from them, a link or the most likely
class, is a query around it. NULL and NaN are missing values. If `handle_unknown` is "error", a row gets NULL if a
tested column has an unseen category.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from branchwork.errors import ParameterError, did_you_mean
from branchwork.export.names import identifiers
from branchwork.export.program import SHARED, Ask, Leaf, Program, program
from branchwork.export.sql_boxes import LeafBox, boxes
from branchwork.export.sql_case import case_of, is_readable
from branchwork.export.sql_cells import CellWords
from branchwork.export.sql_leaves import LeafSums, LeafTable
from branchwork.export.sql_tests import conditions, unseen
from branchwork.export.sql_words import DIALECTS, Dialect, Words
from branchwork.model.model import Model
from branchwork.rules.rule_list import RuleList
from branchwork.tree.outputs import TIE

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

Form = Literal["case", "leaves"]

MOST_NAMES = 3
"""The largest number of parts of the name of a table: database, schema, table."""


def write(
    model: Model | RuleList,
    *,
    dialect: Dialect = "duckdb",
    form: Form = "case",
    table: str | Sequence[str] | None = None,
    proba: bool = False,
    name: str = "prediction",
    columns: Mapping[str, str] | None = None,
) -> str:
    """Write a model as SQL.

    Parameters
    ----------
    dialect : "duckdb", "sqlite", "postgres" or "bigquery".
    form : "case", one expression, or "leaves", a table of leaves that rows are compared with.
    table : the table to select from, which makes it a statement with all columns of the table and the prediction. A
        qualified name is a sequence (schema, table). Without a table, the result is an expression for a SELECT.
    proba : add a column for each class, in the order of `classes`. The prediction then also has a name, and the columns
        are separated by commas.
    name : the name of the prediction.
    columns : the names of columns in the database, if they differ from those in the model.

    >>> import branchwork as bw
    >>> stump = bw.StumpClassifier().fit({"age": [10.0, 12.0, 30.0, 31.0]}, ["child", "child", "adult", "adult"])
    >>> print(write(stump.model_))
    CASE
      WHEN CAST("age" AS DOUBLE) <= 21.0e0 OR "age" IS NULL OR ISNAN(CAST("age" AS DOUBLE))
      THEN 'child'
      ELSE 'adult'
    END
    """
    _check(model, dialect, form, proba, columns)
    inside = _place(table)
    given = program(model)
    words = Words(dialect, given.fields, columns or {}, inside[-1] if inside else None)
    words.check_names(given.asked)
    for field in given.asked:
        words.check_spellings(field)
    kind = _RuleWriter if isinstance(model, RuleList) else _CaseWriter if form == "case" else _LeafWriter
    writer = kind(words, given, proba, bool(inside))
    values = writer.values()
    if given.handle_unknown == "error":
        values = [words.guarded(unseen(words, given), value) for value in values]
    if proba:
        assert given.labels is not None
        shown = identifiers(f"probability_{given.labels[k]}" for k in given.class_order)
        values = [words.named(v, own) for v, own in zip(values, [name, *shown], strict=True)]
    if not inside:
        return words.written(values)
    if not proba:
        values = [words.named(values[0], name)]
    statement = words.select([words.star(inside[-1]), *values], words.source(inside))
    return words.written([writer.statement(statement)])


def _check(
    model: Model | RuleList, dialect: str, form: str, proba: bool, columns: Mapping[str, str] | None
) -> None:
    for option, value, known in (("dialect", dialect, DIALECTS), ("form", form, get_args(Form))):
        if value not in known:
            listed = ", ".join(map(repr, known))
            hint = did_you_mean(str(value), known)
            raise ParameterError(f"{option}={value!r}.{hint} Expected one of {listed}.")
    if form == "leaves" and isinstance(model, RuleList):
        raise ParameterError(
            "form='leaves' is for trees; a list of rules is a CASE with a WHEN for each rule."
        )
    if proba and model.labels is None:
        raise ParameterError("proba=True: this model predicts numbers; it has no classes.")
    for column in columns or {}:
        model.schema.index(column)


def _place(table: str | Sequence[str] | None) -> list[str]:
    """Return the names of a table from the outermost to its own; none if there is no table."""
    if table is None:
        return []
    names = [table] if isinstance(table, str) else list(table)
    if not 1 <= len(names) <= MOST_NAMES or not all(names):
        raise ParameterError(
            f"table={table!r}. Expected a name, or up to {MOST_NAMES} of them: database, schema, table."
        )
    return names


class _Writer(ABC):
    """What both forms have in common: outputs that are sums, and what is computed from them."""

    def __init__(self, words: Words, given: Program, proba: bool, in_statement: bool) -> None:
        self.words = words
        self.given = given
        self.proba = proba
        self.in_statement = in_statement
        self.output = words.fresh("output")
        self.adds = given.combine.kind != "single" or given.shares_rows
        self._label = words.label_maker(given.labels or ())

    @property
    def n_sums(self) -> int:
        """Return how many outputs there are before the link."""
        if self.given.combine.kind == "sum":
            return len(self.given.combine.base)
        return 1 if self.given.labels is None else len(self.given.labels)

    def values(self) -> list[Expr]:
        """Return the prediction, and the probability of each class if wanted."""
        wanted = self.given.class_order if self.proba else ()
        if self.adds:
            return [self.decided(), *(self.of_sums(k) for k in wanted)]
        return [self.of_leaf(None), *(self.of_leaf(k) for k in wanted)]

    @abstractmethod
    def of_leaf(self, output: int | None) -> Expr:
        """Return what the leaf of a row answers: its decision or an output."""

    @abstractmethod
    def sums(self) -> Expr:
        """Return a query with one row: the outputs before the link."""

    def statement(self, select: Expr) -> Expr:
        """Return the whole statement."""
        return select

    def said(self, leaf: Leaf, output: int | None) -> Expr:
        """Return the decision of a leaf, or an output, as a value."""
        if output is None and self.given.labels is not None:
            return self._label(self.given.labels[leaf.decision])
        return self.words.number(leaf.outputs[output or 0])

    # ---- of sums

    def of_sums(self, k: int) -> Expr:
        """Return one output."""
        query, count = self.linked(self.sums())
        return self._value(query, self._names(count)[k])

    def decided(self) -> Expr:
        """Return the number; or the first label whose output equals the largest."""
        if self.given.labels is None:
            return self.of_sums(0)
        words = self.words
        labels = words.labels(self.given.labels)
        if len(labels) == 1:
            return labels[0]
        query, count = self.linked(self.sums())
        *outputs, largest = self._names(count + 1)
        enough = words.difference(largest, words.number(TIE))
        pairs = [
            (words.at_least(output, enough.copy()), label)
            for output, label in zip(outputs, labels, strict=True)
        ]
        return self._value(
            self._with_one_more(query, count, words.largest), words.case(pairs[:-1], labels[-1])
        )

    def linked(self, query: Expr) -> tuple[Expr, int]:
        """Return a query with the outputs after the link, and their number."""
        words, link, count = self.words, self.given.combine.link, self.n_sums
        if link == "exp":
            return self._around(query, [words.exponential(output) for output in self._names(count)]), count
        if link == "logistic":
            (output,) = self._names(1)
            query = self._around(query, [words.exponential(words.minus(output))])
            one, chance = words.number(1.0), [self._chance(), self._chance()]
            return self._around(query, [words.difference(one, chance[0]), chance[1]]), 2
        if link == "softmax":
            query = self._with_one_more(query, count, words.largest)
            *outputs, largest = self._names(count + 1)
            query = self._around(query, [words.difference(output, largest.copy()) for output in outputs])
            query = self._around(query, [words.exponential(output) for output in self._names(count)])
            query = self._with_one_more(query, count, words.total)
            *outputs, total = self._names(count + 1)
            return self._around(query, [words.ratio(output, total.copy()) for output in outputs]), count
        return query, count

    def _chance(self) -> Expr:
        (odds_against,) = self._names(1)
        one = self.words.number(1.0)
        return self.words.ratio(one, self.words.total([one.copy(), odds_against]))

    def _value(self, query: Expr, made: Expr) -> Expr:
        """Return a value that is computed from the outputs of a query."""
        return self.words.inner(self.words.select([made], self._source(query)))

    def _around(self, query: Expr, outputs: Sequence[Expr]) -> Expr:
        return self.words.select(self.numbered(outputs), self._source(query))

    def _with_one_more(self, query: Expr, count: int, made: Callable[[list[Expr]], Expr]) -> Expr:
        """Return the outputs, and one more that is computed from all of them: once, however many need it."""
        return self._around(query, [*self._names(count), made(self._names(count))])

    def _source(self, query: Expr) -> Expr:
        return self.words.inner(self.words.one_row(query), f"{self.output}s")

    def _names(self, count: int) -> list[Expr]:
        return [self.words.of(f"{self.output}s", f"{self.output}_{k}") for k in range(count)]

    def numbered(self, outputs: Sequence[Expr]) -> list[Expr]:
        """Return the outputs with their names."""
        return [self.words.named(value, f"{self.output}_{k}") for k, value in enumerate(outputs)]

    def finished(self, output: int, trees: list[Expr]) -> Expr:
        """Combine the trees' contributions to an output; the link comes later."""
        combine, words = self.given.combine, self.words
        if combine.kind == "sum":
            return words.total([words.number(combine.base[output]), *trees])
        if combine.kind == "mean":
            return words.ratio(words.total(trees), words.number(float(len(self.given.trees))))
        return trees[0]


class _CaseWriter(_Writer):
    """Trees as CASE; trees that share rows as sums of their leaves."""

    def of_leaf(self, output: int | None) -> Expr:
        return case_of(self.words, self.given.trees[0], lambda leaf: self.said(leaf, output))

    def sums(self) -> Expr:
        words: Words = self.words
        shared = None
        if self.given.shares_rows:
            words = CellWords(self.words)
            shared = LeafSums(words, boxes(self.given))
        outputs = [self._sum(words, output, shared) for output in range(self.n_sums)]
        return self.words.select(self.numbered(outputs), *([shared.source()] if shared else []))

    def _sum(self, words: Words, output: int, shared: LeafSums | None) -> Expr:
        speaks_for = self.given.combine.output
        trees = [
            self._tree(words, k, output if speaks_for is None else 0, shared)
            for k in range(len(self.given.trees))
            if speaks_for is None or speaks_for[k] == output
        ]
        return self.finished(output, trees)

    def _tree(self, words: Words, k: int, output: int, shared: LeafSums | None) -> Expr:
        """Return what a tree answers: the one leaf of a row, or for a shared row all leaves by weight."""
        steps = self.given.trees[k]
        asks = [step for step in steps if isinstance(step, Ask)]
        if shared is None or not any(step.missing == SHARED for step in asks):
            return case_of(words, steps, lambda leaf: words.number(leaf.outputs[output]))
        every_leaf = shared.of_tree(k, lambda leaf: leaf.outputs[output])
        if any(step.substitutes for step in asks) or not is_readable(words.dialect, steps):
            return every_leaf
        one_way = case_of(words, steps, lambda leaf: words.number(leaf.outputs[output]))
        return words.call("COALESCE", one_way, every_leaf)


class _RuleWriter(_CaseWriter):
    """Rules as one CASE with a WHEN for each."""

    def of_leaf(self, output: int | None) -> Expr:
        pairs: list[tuple[Expr, Expr]] = []
        asked: list[Expr | None] = []  # the conditions of a rule; None never holds
        for at, step in enumerate(self.given.trees[0]):
            if isinstance(step, Ask):
                asked.append(conditions(self.words, step)[step.children.index(at + 1)])
                continue
            if not asked:
                break
            holds = [one for one in asked if one is not None]
            if len(holds) == len(asked):
                pairs.append((self.words.all_of(holds), self.said(step, output)))
            asked = []
        assert isinstance(step, Leaf), "the default is the last step"
        return self.words.case(pairs, self.said(step, output))


class _LeafWriter(_Writer):
    """The leaves of all trees in one table."""

    def __init__(self, words: Words, given: Program, proba: bool, in_statement: bool) -> None:
        super().__init__(words, given, proba, in_statement)
        answers: dict[str, Callable[[LeafBox], Expr]] = {}
        if not self.adds:
            answers["answer"] = lambda box: self.said(box.leaf, None)
        if self.adds or proba:
            for k in range(self.n_sums):
                answers[f"output_{k}"] = lambda box, k=k: self.words.number(self._output(box, k))  # type: ignore[misc]
        self.leaves = LeafTable(words, boxes(given), answers)

    def statement(self, select: Expr) -> Expr:
        return self._with_leaves(select)

    def of_leaf(self, output: int | None) -> Expr:
        column = self.leaves.column("answer" if output is None else f"output_{output}")
        query = self.leaves.query([column])
        return self.words.inner(query if self.in_statement else self._with_leaves(query))

    def sums(self) -> Expr:
        query = self.leaves.query(self.numbered([self._sum(output) for output in range(self.n_sums)]))
        return query if self.in_statement else self._with_leaves(query)

    def _sum(self, output: int) -> Expr:
        part, value = self.leaves.part(), self.leaves.column(f"output_{output}")
        term = value if part is None else self.words.product([value, part])
        return self.finished(output, [self.words.call("SUM", term)])

    def _output(self, box: LeafBox, output: int) -> float:
        speaks_for = self.given.combine.output
        if speaks_for is None:
            return box.leaf.outputs[output]
        return box.leaf.outputs[0] if speaks_for[box.tree] == output else 0.0

    def _with_leaves(self, query: Expr) -> Expr:
        return self.words.with_values(query, self.leaves.name, self.leaves.columns, self.leaves.rows())
