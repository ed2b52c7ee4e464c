"""A model as one Java class: a nested class `Row` with one field per column, `predict(Row)` and `predictProba(Row)`.

A method of Java may have 64 KB, and a class 65 535 constants. So beyond a certain size, parts, tables and categories
are distributed over nested classes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from branchwork.errors import ParameterError
from branchwork.export.branches import is_wide, pieces
from branchwork.export.constants import exact_double, keys, labels, on_unknown, purpose, refused, rows_of
from branchwork.export.lines import INDENT, Syntax, Writer, remark
from branchwork.export.names import identifier
from branchwork.export.parts import Limits, Plan, plan
from branchwork.export.program import SHARED, Ask, Field, Program, program
from branchwork.model.model import Model
from branchwork.rules.rule_list import RuleList
from branchwork.tree.outputs import TIE

LIMITS = Limits(depth=20, tests=200)
MOST_BRANCHES = 1500
"""The largest number of branches of one step, which is one method."""
MOST_COLUMNS = 4000
"""The largest number of tested columns, which one constructor reads."""
LONGEST_METHOD = 65_000
"""The largest size of a method in bytes; Java allows 65 535."""
A_PIECE, A_SHARED_PIECE, A_SHARE = 14, 28, 12
"""Upper bounds in bytes: to compare a code and return; to compare it, jump far and push a place; to push a place with
a share."""
PARTS_A_CLASS = 16
INLINE = 400
"""The largest number of values of a table that is written into the class itself."""
VALUES_A_CLASS = 2000
LONGEST_LITERAL = 10_000
"""The longest string literal in letters; each may take six of the 65 535 bytes of a constant."""
TYPES = {"number": "Double", "text": "String", "truth": "Boolean", "mixed": "Object"}
"""The Java type of each type of cell."""
TAKEN = re.compile(
    r"Row|Cells|Waiting|String|Double|Boolean|Integer|Number|Object|Math|System|Illegal.*|java"
    r"|(Parts|Codes|Classes|Labels|Decisions|Starts|Outputs?|Base|Order)\d+(_\d+)?"
)
"""Names of classes that the file already uses."""


@dataclass(frozen=True)
class _Java(Syntax):
    one_of: str = "\"{letters}\".charAt({place}) == '1'"
    let_number: str = "final double "
    minus_infinity: str = "Double.NEGATIVE_INFINITY"
    wait: str = "waiting.push({place}, {share});"


def write(model: Model | RuleList, *, name: str = "Tree") -> str:
    """Write a model as one class for Java 11 or later, in plain ASCII.

    Parameters
    ----------
    name : the name of the class, and so of its file: `Tree.java`.

    The fields of `Tree.Row` are Double, String or Boolean, and Object if categories are of several types. null and NaN
    are missing. `Tree.predict(row)` returns the label in its own type, or the number. `Tree.predictProba(row)` is in
    the order of `Tree.CLASSES`. A refused category raises an IllegalArgumentException.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> text = write(bw.ID3Classifier().fit(tennis.X, tennis.y).model_)
    >>> [line.strip() for line in text.splitlines() if line.strip().startswith("public static String")]
    ['public static String predict(Row row) {']
    """
    if identifier(name) != name or TAKEN.fullmatch(name):
        raise ParameterError(f"name={name!r} cannot be the name of a class; expected a name such as 'Tree'.")
    made = plan(program(model), LIMITS)
    _check(made)
    return _File(made, name).text()


def _check(made: Plan) -> None:
    if len(made.reads) > MOST_COLUMNS:
        raise ParameterError(
            f"The model uses {len(made.reads)} columns; a Java method can read {MOST_COLUMNS}. Export to another "
            "language."
        )
    asks = [step for steps in made.program.trees for step in steps if isinstance(step, Ask)]
    most = max(asks, key=lambda ask: len(ask.children), default=None)
    if most is not None and len(most.children) > MOST_BRANCHES:
        raise ParameterError(
            f"A node that tests {made.program.fields[most.field].name!r} has {len(most.children)} branches; a Java "
            f"method has room for {MOST_BRANCHES}. Grow the tree with nominal='subset', or export to another language."
        )
    for ask in filter(is_wide, asks):
        if _length(ask, made.program) > LONGEST_METHOD:
            raise ParameterError(
                f"A node that tests {made.program.fields[ask.field].name!r} has so many categories, in "
                f"{len(ask.children)} branches, that it is too long for a Java method. Export to another language."
            )


def _length(ask: Ask, given: Program) -> int:
    """Return an upper bound for the bytes of a wide step, which is written as a binary search."""
    found = pieces(ask, given.fields)
    if not given.shares_rows:
        return A_PIECE * len(found)
    every_way = sum(piece.child == SHARED for piece in found) + (ask.child_of is None)
    return A_SHARED_PIECE * len(found) + A_SHARE * every_way * len(ask.children)


class _File:
    """The class of a plan."""

    def __init__(self, made: Plan, name: str) -> None:
        self.made, self.name = made, name
        self.program = made.program
        self.fields = [self.program.fields[k] for k in made.reads]
        self.width = len(made.answers[0].outputs)
        self.shares = self.program.shares_rows

    def text(self) -> str:
        sections = [
            self._row(),
            *self._labels(),
            *self._public(),
            *(self._sum() if self.made.sums else []),
            *self._walk(),
            *self._reading(),
            *self._tables(),
            *self._parts(),
        ]
        inside = "\n\n".join(
            "\n".join(f"{INDENT}{line}".rstrip() for line in section) for section in sections
        )
        return f"{self._head()}\npublic final class {self.name} {{\n{inside}\n}}\n"

    def _head(self) -> str:
        classes = self.program.labels is not None
        what = "the class" if classes else "the number"
        lines = [
            purpose(self.program),
            "",
            f"Fill a {self.name}.Row; {self.name}.predict(row) is {what} of it.",
        ]
        if classes:
            lines.append(
                f"predictProba(row): the probability of each of {self.name}.CLASSES, in their order."
            )
        lines += ["", "null and NaN are missing values."]
        lines += on_unknown(self.program)
        return "\n".join(f"// {line}".rstrip() for line in lines)

    def _row(self) -> list[str]:
        members = [
            f"{INDENT}public {TYPES[field.type]} {field.identifier};{_told(field)}"
            for field in self.program.fields
        ]
        private = [f"private {self.name}() {{", "}", ""]
        return [*private, "/** One row. */", "public static final class Row {", *members, "}"]

    def _labels(self) -> list[list[str]]:
        if self.program.labels is None:
            return []
        values = labels(self.made)
        self.kind, literals = _typed(values)
        found = _table("public", "CLASSES", self.kind, literals[: self.made.n_classes])
        if self.made.n_classes < len(values):
            found += _table("private", "LABELS", self.kind, literals)
        return found

    def _public(self) -> list[list[str]]:
        made = self.made
        leaf = f"answer({made.starts[0]}, new Cells(row))"
        if self.program.labels is None:
            value = "outputs(new Cells(row))[0]" if made.sums else f"OUTPUTS[{leaf}]"
            return [_block("public static double predict(Row row)", f"return {value};")]
        names = "CLASSES" if made.n_classes == len(made.labels) else "LABELS"
        decision = "likeliest(outputs(new Cells(row)))" if made.sums else f"DECISIONS[{leaf}]"
        if made.sums:
            lines = [f"return java.util.Arrays.copyOf(outputs(new Cells(row)), {made.n_classes});"]
        else:
            lines = [
                f"final int start = {self.width} * {leaf};",
                f"return java.util.Arrays.copyOfRange(OUTPUTS, start, start + {made.n_classes});",
            ]
        return [
            _block(f"public static {self.kind} predict(Row row)", f"return {names}[{decision}];"),
            _block("public static double[] predictProba(Row row)", *lines),
        ]

    def _sum(self) -> list[list[str]]:
        made, combine = self.made, self.program.combine
        if self.shares:
            one = ["final double[] own = ofTree(STARTS[tree], cell);"]
            value = "own[{}]"
        else:
            one = [f"final int start = {self.width} * answer(STARTS[tree], cell);"]
            value = "OUTPUTS[start + {}]"
        if made.output:
            add = f"total[OUTPUT[tree]] += {value.format(0)};"
        else:
            add = f"for (int k = 0; k < {self.width}; ++k) total[k] += {value.format('k')};"
        lines = [
            f"final double[] total = {'BASE.clone()' if made.base else f'new double[{self.width}]'};",
            "for (int tree = 0; tree < STARTS.length; ++tree) {",
            *(INDENT + line for line in [*one, add]),
            "}",
            *self._linked(combine.link if combine.kind == "sum" else combine.kind),
        ]
        found = [_block("private static double[] outputs(Cells cell)", *lines)]
        if made.base:
            found += _table("private", "BASE", "double", list(map(_number, made.base)))
        if made.labels:
            found.append(_block("private static int likeliest(double[] outputs)", *_LIKELIEST))
            found += _table("private", "ORDER", "int", list(map(str, made.order)))
        return found

    def _linked(self, link: str) -> list[str]:
        each = "for (int k = 0; k < total.length; ++k) total[k]"
        if link == "mean":
            return [f"{each} /= {len(self.program.trees)};", "return total;"]
        if link == "exp":
            return [f"{each} = Math.exp(total[k]);", "return total;"]
        if link == "softmax":
            return [
                "double most = total[0];",
                "for (double value : total) most = Math.max(most, value);",
                f"{each} = Math.exp(total[k] - most);",
                "double whole = 0;",
                "for (double value : total) whole += value;",
                f"{each} /= whole;",
                "return total;",
            ]
        if link == "logistic":
            chances = "1 - chance, chance" if self.made.order == (0, 1) else "chance, 1 - chance"
            return [
                "final double chance = 1 / (1 + Math.exp(-total[0]));",
                f"return new double[] {{{chances}}};",
            ]
        return ["return total;"]

    def _walk(self) -> list[list[str]]:
        """Return the loop over parts, and the dispatch to a part: to its class, and there to its method."""
        count = -(-len(self.made.parts) // PARTS_A_CLASS)
        if self.shares:
            loop = _MIX.replace("WIDTH", str(self.width)).split("\n")
            go = "private static void go(int part, Cells cell, double share, Waiting waiting)"
            call = "Parts{}.go(part, cell, share, waiting);"
            found = [_WAITING.split("\n"), loop]
        else:
            found = [_ANSWER.split("\n") if count else _NOTHING.split("\n")]
            go, call = "private static int go(int part, Cells cell)", "Parts{}.go(part, cell);"
        if count == 0:
            return found
        return [*found, _switch(go, f"part / {PARTS_A_CLASS}", range(count), call, returns=not self.shares)]

    def _reading(self) -> list[list[str]]:
        members = [f"final {'int' if f.is_nominal else 'double'} {f.identifier};" for f in self.fields]
        nominal = [field for field in self.fields if field.is_nominal]
        sets = [f"{f.identifier} = {_read(f, nominal)};" for f in self.fields]
        made = _block("Cells(Row row)", *sets)
        found = [_block("private static final class Cells", *members, *([""] if members else []), *made)]
        if len(nominal) < len(self.fields):
            found.append(_NUMBER.split("\n"))
        if nominal:
            strange = _REFUSED if refused(self.program) else ["return found == null ? -2 : found;"]
            found.append(_block(*_CODE, *strange))
        for number, field in enumerate(nominal):
            found += _codes(number, field)
        return found

    def _tables(self) -> list[list[str]]:
        made = self.made
        found: list[list[str]] = []
        if made.sums:
            found += _table("private", "STARTS", "int", list(map(str, made.starts)))
            found += _table("private", "OUTPUT", "int", list(map(str, made.output))) if made.output else []
        elif made.labels:
            decisions = [str(answer.decision) for answer in made.answers]
            found += _table("private", "DECISIONS", "int", decisions)
        outputs = [_number(value) for answer in made.answers for value in answer.outputs]
        return found + _table("private", "OUTPUTS", "double", outputs)

    def _parts(self) -> list[list[str]]:
        writer = Writer(self.made, _Java())
        if self.shares:
            kind, arguments, given = (
                "void",
                "Cells cell, double share, Waiting waiting",
                "(cell, share, waiting);",
            )
        else:
            kind, arguments, given = "int", "Cells cell", "(cell);"
        found = []
        for begin in range(0, len(self.made.parts), PARTS_A_CLASS):
            numbers = range(begin, min(begin + PARTS_A_CLASS, len(self.made.parts)))
            go = f"static {kind} go(int part, {arguments})"
            lines = _switch(go, "part", numbers, "part{}" + given, returns=not self.shares)
            for number in numbers:
                body = writer.body(self.made.parts[number])
                lines += ["", *_block(f"private static {kind} part{number}({arguments})", *body)]
            found.append(_block(f"private static final class Parts{begin // PARTS_A_CLASS}", *lines))
        return found


_ANSWER = """\
private static int answer(int place, Cells cell) {
    while (place < 0) place = go(-1 - place, cell);
    return place;
}"""
_NOTHING = """\
private static int answer(int place, Cells cell) {
    return place;
}"""
_MIX = """\
private static double[] ofTree(int start, Cells cell) {
    final double[] outputs = new double[WIDTH];
    final Waiting waiting = new Waiting();
    waiting.push(start, 1);
    while (waiting.count > 0) {
        final int place = waiting.place[--waiting.count];
        final double share = waiting.share[waiting.count];
        if (place < 0) go(-1 - place, cell, share, waiting);
        else for (int k = 0; k < WIDTH; ++k) outputs[k] += OUTPUTS[WIDTH * place + k] * share;
    }
    return outputs;
}"""
_WAITING = """\
private static final class Waiting {
    int count;
    int[] place = new int[16];
    double[] share = new double[16];

    void push(int at, double part) {
        if (count == place.length) {
            place = java.util.Arrays.copyOf(place, 2 * count);
            share = java.util.Arrays.copyOf(share, 2 * count);
        }
        place[count] = at;
        share[count++] = part;
    }
}"""
_LIKELIEST = (
    "double most = outputs[0];",
    "for (double value : outputs) most = Math.max(most, value);",
    "int k = 0;",
    f"while (outputs[ORDER[k]] < most - {TIE!r}) ++k;",
    "return ORDER[k];",
)
_NUMBER = """\
private static double number(Double value) {
    return value == null ? Double.NaN : value;
}"""
_CODE = (
    "private static int code(Object value, java.util.Map<Object, Integer> codes)",
    "Object key = value;",
    "if (value instanceof Number) {",
    f"{INDENT}final double number = ((Number) value).doubleValue() + 0.0;  // both zeros are one",
    f"{INDENT}if (number != number) return -1;",
    f"{INDENT}key = number;",
    "}",
    "if (key == null) return -1;",
    "final Integer found = codes.get(key);",
)
_REFUSED = (
    'if (found == null) throw new IllegalArgumentException("category " + value + " was not in the training table");',
    "return found;",
)


def _codes(number: int, field: Field) -> list[list[str]]:
    """Return the codes of a column as a map that is filled by several classes, each with a part of them."""
    puts = [f"codes.put({_key(value, field)}, {code});" for value, code in keys(field)]
    chunks = [puts[k : k + VALUES_A_CLASS // 2] for k in range(0, len(puts), VALUES_A_CLASS // 2)]
    made = "final java.util.Map<Object, Integer> codes = new java.util.HashMap<>();"
    calls = [f"Codes{number}_{k}.put(codes);" for k in range(len(chunks))]
    declared = f"private static final java.util.Map<Object, Integer> codes__{number} = codes{number}();"
    filled = _block(
        f"private static java.util.Map<Object, Integer> codes{number}()", made, *calls, "return codes;"
    )
    found = [[f"{declared}  // {remark(field.name)}".rstrip(" /")], filled]
    for k, chunk in enumerate(chunks):
        put = _block("static void put(java.util.Map<Object, Integer> codes)", *chunk)
        found.append(_block(f"private static final class Codes{number}_{k}", *put))
    return found


def _read(field: Field, nominal: list[Field]) -> str:
    """Return the code that reads a value. No column is called `codes__0`: identifiers have no double underscores."""
    cell = f"row.{field.identifier}"
    return f"code({cell}, codes__{nominal.index(field)})" if field.is_nominal else f"number({cell})"


def _key(value: Hashable, field: Field) -> str:
    if isinstance(value, str | bool):
        return _literal(value)
    return _number(exact_double(value, f"A category of column {field.name!r}") + 0.0)


def _typed(values: list[Hashable]) -> tuple[str, list[str]]:
    """Return the type of the labels, and each label as a literal."""
    kinds = {type(value) for value in values}
    integers = [value for value in values if isinstance(value, int)]
    if kinds == {str} or kinds == {bool}:
        return ("String" if kinds == {str} else "boolean"), [_literal(value) for value in values]
    if kinds == {int} and all(-(2**31) <= value < 2**31 for value in integers):
        return "int", list(map(str, integers))
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in integers):
        return "long", [f"{value}L" for value in integers]
    if kinds == {float}:
        return "double", [_literal(value) for value in values]
    return "Object", [_literal(value) for value in values]


def _literal(value: Hashable) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value}L" if abs(value) < 2**63 else f'new java.math.BigInteger("{value}")'
    assert isinstance(value, float)
    return _number(value)


def _text(text: str) -> str:
    """Return a string literal. A text that is too long for one is concatenated. JSON's escapes are also Java's."""
    pieces = [text[k : k + LONGEST_LITERAL] for k in range(0, len(text), LONGEST_LITERAL)] or [""]
    literals = ", ".join(json.dumps(piece) for piece in pieces)
    return literals if len(pieces) == 1 else f'String.join("", {literals})'


def _number(x: float) -> str:
    if x - x == 0:
        return repr(x)
    return "Double.NaN" if x != x else f"Double.{'POSITIVE' if x > 0 else 'NEGATIVE'}_INFINITY"


def _table(access: str, name: str, kind: str, values: Sequence[str]) -> list[list[str]]:
    """Return a table of values: in place if it is short, otherwise assembled from tables in classes of their own."""
    declared = f"{access} static final {kind}[] {name}"
    if len(values) <= INLINE:
        return [[f"{declared} = {{", *(INDENT + line for line in rows_of(list(values))), "};"]]
    found, copies = [], []
    for number, begin in enumerate(range(0, len(values), VALUES_A_CLASS)):
        chunk = list(values[begin : begin + VALUES_A_CLASS])
        own = f"{name.title()}{number}"
        copies.append(f"System.arraycopy({own}.VALUES, 0, all, {begin}, {len(chunk)});")
        lines = [f"static final {kind}[] VALUES = {{", *(INDENT + line for line in rows_of(chunk)), "};"]
        found.append(_block(f"private static final class {own}", *lines))
    method = f"all{name.title()}()"
    made = f"final {kind}[] all = new {kind}[{len(values)}];"
    joined = _block(f"private static {kind}[] {method}", made, *copies, "return all;")
    return [[f"{declared} = {method};"], joined, *found]


def _switch(opened: str, on: str, numbers: range, call: str, *, returns: bool) -> list[str]:
    cases = []
    for number in numbers:
        called = call.format(number)
        cases.append(f"case {number}: return {called}" if returns else f"case {number}: {called} break;")
    last = "default: throw new IllegalStateException();"
    return _block(opened, f"switch ({on}) {{", *(INDENT + line for line in [*cases, last]), "}")


def _block(opened: str, *lines: str) -> list[str]:
    return [f"{opened} {{", *(INDENT + line if line else "" for line in lines), "}"]


def _told(field: Field) -> str:
    told = remark(field.name)
    return f"  // {told}" if told.strip() and told != field.identifier else ""
