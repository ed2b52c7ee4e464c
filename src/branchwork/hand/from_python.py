"""Read what `export("python")` writes into nodes. The program is parsed, and never run.

A chain of `if`, `elif` and `else` about one cell is one question. For numbers, the branches follow from the tests; for
categories, they are found by trying every code:

    if cell.age <= 20:               bounds (20, 35) · children a, b, c · missing → child 1
        a
    elif cell.age > 35:
        c
    else:  # or missing
        b
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from branchwork.errors import ParameterError
from branchwork.hand.nodes import Answer, Node, Question
from branchwork.hand.python_tests import (
    cell_of,
    chain_of,
    constant,
    holds,
    is_known,
    is_number,
    limit_of,
    place_of,
    wrong,
)
from branchwork.table.schema import Schema, category_key
from branchwork.table.table import MISSING, UNSEEN

FEWEST_HALVED = 9
"""Questions with at least this many branches are written by halving: tests of one cell inside each other."""


@dataclass(frozen=True)
class Reading:
    """The result of reading a program.

    Parameters
    ----------
    nodes : its questions and answers.
    labels : the labels by position; None if the program predicts numbers.
    n_classes : how many of the labels are classes of predict_proba.
    refuses_unknown : whether it refuses a category that it does not know.
    """

    nodes: list[Node]
    labels: tuple[Hashable, ...] | None
    n_classes: int
    refuses_unknown: bool


class _Field(NamedTuple):
    """A cell of the program: its feature, and the code in the schema of each code of the program; None for numbers."""

    feature: int
    codes: dict[int, int] | None
    n_codes: int


class _Halved(NamedTuple):
    """A question that was written by halving: codes or limits and where they lead, and where missing cells go."""

    cell: str
    pieces: list[tuple[float, int]]
    missing: int | None


def nodes_from_python(text: str, schema: Schema) -> Reading:
    """Read an exported program of one tree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of strange escapes in text that nobody will run
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ParameterError(f"The text is neither a printed tree nor a Python program: {error}.") from None
    return _Reader(module, schema).reading()


class _Reader:
    """The parts of one program."""

    def __init__(self, module: ast.Module, schema: Schema) -> None:
        self.schema = schema
        self.functions = {one.name: one for one in module.body if isinstance(one, ast.FunctionDef)}
        self.names = {
            one.targets[0].id: one.value
            for one in module.body
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
        }
        if "predict" not in self.functions or "_OUTPUTS" not in self.names:
            raise wrong('it has no predict and no _OUTPUTS, so export("python") did not write it')
        if "_START" not in self.names:
            raise wrong(
                "it adds up several trees, or the shares of rows with missing cells. Only programs of one tree in "
                "which every row ends in one leaf are read; bw.save and bw.load keep any model"
            )
        self.outputs: tuple[tuple[float, ...], ...] = self._value("_OUTPUTS")
        self.labels = self._value("_LABELS" if "_LABELS" in self.names else "CLASSES", None)
        self.decisions: tuple[int, ...] = self._value("_DECISIONS", ())
        self._check_answers()
        self.fields = {}
        for statement in self._function("_read").body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
                self.fields[statement.targets[0].attr] = self._field(statement.value)
        self.nodes: list[Node] = []
        self.used: set[int] = set()

    def _check_answers(self) -> None:
        """Refuse answers, labels and decisions that do not fit together."""
        labels = self.labels
        if labels is not None:
            plain = isinstance(labels, tuple) and all(type(one) in (str, bool, int, float) for one in labels)
            first = self._value("CLASSES")
            if not plain or len(set(labels)) < len(labels) or first != labels[: len(first)] or not first:
                raise wrong("CLASSES and _LABELS are not different labels")
        outputs, width = self.outputs, 1 if labels is None else len(labels)
        fits = isinstance(outputs, tuple) and all(
            isinstance(one, tuple) and len(one) == width and all(map(is_number, one)) for one in outputs
        )
        if not fits:
            raise wrong(f"_OUTPUTS must have {width} number{'s' * (width > 1)} in each line")
        decided = isinstance(self.decisions, tuple) and all(
            type(one) is int and 0 <= one < width for one in self.decisions
        )
        if labels is not None and (not decided or len(self.decisions) != len(outputs)):
            raise wrong("_DECISIONS must have the position of a label for each of _OUTPUTS")

    def reading(self) -> Reading:
        """Read everything."""
        waiting: list[tuple[Any, int]] = [(self._value("_START"), -1)]
        while waiting:
            item, parent = waiting.pop()
            if parent >= 0:
                asker = self.nodes[parent]
                assert isinstance(asker, Question)
                asker.children.append(len(self.nodes))
            item = self._followed(item)
            if isinstance(item, Answer):
                self.nodes.append(item)
                continue
            question, branches = self._question(item)
            waiting += [(branch, len(self.nodes)) for branch in reversed(branches)]
            self.nodes.append(question)
        code = self.functions.get("_code")
        refuses = code is not None and any(isinstance(one, ast.Raise) for one in ast.walk(code))
        n_classes = 0 if self.labels is None else len(self._value("CLASSES"))
        return Reading(self.nodes, self.labels, n_classes, refuses)

    def _followed(self, item: Any) -> Answer | ast.If:
        """Follow parts until there is a question or an answer; `item` is a place, or the body of a branch."""
        while True:
            if isinstance(item, list):
                (statement, *more) = item
                if isinstance(statement, ast.If) and not more:
                    return statement
                if more or not isinstance(statement, ast.Return) or statement.value is None:
                    raise wrong(
                        "surrogates decide where missing cells go, which no hand-written tree can say. bw.save and "
                        "bw.load keep any model"
                    )
                item = constant(statement.value)
            if not isinstance(item, int):
                raise wrong(f"{item!r} is not a place in the program")
            if item >= 0:
                return self._answer(item)
            if ~item in self.used:
                raise wrong("several ways lead to one place, as in a list of rules; only trees are read")
            self.used.add(~item)
            item = self._function(f"_part_{~item}").body

    def _answer(self, place: int) -> Answer:
        if place >= len(self.outputs):
            raise wrong(f"there is no answer {place}")
        outputs = tuple(float(one) for one in self.outputs[place])
        if self.labels is None:
            return Answer(outputs[0], outputs)
        return Answer(self.labels[self.decisions[place]], outputs)

    # ---- questions

    def _question(self, chain: ast.If) -> tuple[Question, list[Any]]:
        halved = self._halved(chain)
        if halved is not None:
            return self._of_halved(halved)
        tests, bodies = chain_of(chain)
        cell = cell_of(tests[0])
        field = self._known(cell)
        if any(cell_of(test) != cell for test in tests):
            raise wrong(f"line {chain.lineno} asks for several cells at once")
        if field.codes is None:
            return _of_numbers(field.feature, tests, bodies)
        goes = {
            code: next((k for k, test in enumerate(tests) if holds(test, code)), len(tests))
            for code in range(UNSEEN, field.n_codes)
        }
        return self._of_codes(field, goes, bodies)

    def _of_codes(self, field: _Field, goes: dict[int, int], bodies: list[Any]) -> tuple[Question, list[Any]]:
        """Return a question about categories; branches stand in the order of their first category."""
        assert field.codes is not None
        child_of = [goes[UNSEEN]] * len(self.schema[field.feature].categories)
        for theirs, ours in field.codes.items():
            child_of[ours] = goes[theirs]
        seen = dict.fromkeys([*child_of, goes[MISSING], goes[UNSEEN]])
        place = {branch: k for k, branch in enumerate(seen)}
        question = Question(
            field.feature,
            child_of=tuple(place[child] for child in child_of),
            missing=place[goes[MISSING]],
            unseen=None if goes[UNSEEN] == goes[MISSING] else place[goes[UNSEEN]],
        )
        return question, [bodies[branch] for branch in seen]

    def _halved(self, chain: ast.If) -> _Halved | None:
        """Return a question that was written by halving, or None if this one was not."""
        cell, missing = cell_of(chain.test), None
        start: list[ast.stmt] = [chain]
        if self._known(cell).codes is None and not is_known(chain.test):
            return None
        if is_known(chain.test):
            if not isinstance(chain.body[0], ast.If) or cell_of(chain.body[0].test) != cell:
                return None
            missing, start = place_of(chain.orelse), chain.body
            if missing is None:
                return None
        pieces: list[tuple[float, int]] = []
        waiting: list[tuple[Any, float]] = [(start, math.inf)]
        while waiting:
            body, upto = waiting.pop()
            if (place := place_of(body)) is not None:
                pieces.append((upto, place))
                continue
            if len(body) != 1 or not isinstance(body[0], ast.If):
                return None
            inner = body[0]
            limit = limit_of(inner.test, ast.LtE)
            if limit is None or cell_of(inner.test) != cell or not inner.orelse:
                return None
            waiting += [(inner.orelse, upto), (inner.body, limit)]
        return _Halved(cell, pieces, missing) if len(pieces) >= FEWEST_HALVED else None

    def _of_halved(self, halved: _Halved) -> tuple[Question, list[Any]]:
        field = self._known(halved.cell)
        places = [place for _, place in halved.pieces]
        if field.codes is not None:
            branches = list(dict.fromkeys(places))
            goes = {
                code: branches.index(next(place for upto, place in halved.pieces if code <= upto))
                for code in range(UNSEEN, field.n_codes)
            }
            return self._of_codes(field, goes, list(branches))
        bounds = tuple(upto for upto, _ in halved.pieces[:-1])
        if halved.missing in places:
            return Question(field.feature, bounds=bounds, missing=places.index(halved.missing)), list(places)
        return Question(field.feature, bounds=bounds, missing=len(places)), [*places, halved.missing]

    # ---- what stands around the parts

    def _known(self, cell: str) -> _Field:
        if cell not in self.fields:
            raise wrong(f"it asks for cell.{cell}, which it does not read")
        return self.fields[cell]

    def _field(self, call: ast.expr) -> _Field:
        """Read `_number(row['name'])` or `_code(row['name'], _name_codes)`."""
        if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.Subscript):
            raise wrong("_read does not look as it should")
        feature = self.schema.index(constant(call.args[0].slice))
        column = self.schema[feature]
        if column.is_nominal != (len(call.args) == 2):
            found, wanted = ("categories", "numbers") if column.is_nominal else ("numbers", "categories")
            raise wrong(f"column {column.name!r} has {found} in the table, and {wanted} in the program")
        if len(call.args) == 1:
            return _Field(feature, None, 0)
        codes: dict[int, int] = {}
        table = self.names.get(getattr(call.args[1], "id", ""))
        if not isinstance(table, ast.Dict):
            raise wrong(f"the categories of column {column.name!r} are missing")
        given = [(constant(key), constant(code)) for key, code in zip(table.keys, table.values, strict=True)]
        for key, code in given:
            if type(code) is not int or code < 0:
                raise wrong(f"{code!r} is no code of a category of column {column.name!r}")
            value = key[1] if isinstance(key, tuple) else key
            ours = column.code_of.get(category_key(value))
            if ours is None:
                raise wrong(
                    f"column {column.name!r} of the table has no category {value!r}, which the program knows"
                )
            codes.setdefault(code, ours)
        return _Field(feature, codes, 1 + max(codes, default=-1))

    def _value(self, name: str, *default: Any) -> Any:
        if name in self.names:
            return constant(self.names[name])
        if default:
            return default[0]
        raise wrong(f"{name} is missing")

    def _function(self, name: str) -> ast.FunctionDef:
        if name not in self.functions:
            raise wrong(f"{name} is missing")
        return self.functions[name]


def _of_numbers(feature: int, tests: list[ast.expr], bodies: list[Any]) -> tuple[Question, list[Any]]:
    """Return a question about a number from a chain of tests; the rest goes last, and so do missing cells."""
    if len(tests) == 1 and is_known(tests[0]):
        return Question(feature, missing=1), bodies
    below = [
        (limit, body)
        for test, body in zip(tests, bodies, strict=False)
        if (limit := limit_of(test, ast.LtE)) is not None
    ]
    above = [
        (limit, body)
        for test, body in zip(tests, bodies, strict=False)
        if (limit := limit_of(test, ast.Gt)) is not None
    ]
    if len(below) + len(above) != len(tests):
        raise wrong(f"line {tests[0].lineno} compares a number in another way than <= and >")
    limits = tuple(limit for limit, _ in below)
    if len(above) == 1 and below and above[0][0] == below[-1][0]:
        children = [*(body for _, body in below), above[0][1], bodies[-1]]
        return Question(feature, bounds=limits, missing=len(children) - 1), children
    above.reverse()
    bounds = (*limits, *(limit for limit, _ in above))
    children = [*(body for _, body in below), bodies[-1], *(body for _, body in above)]
    return Question(feature, bounds=bounds, missing=len(below)), children
