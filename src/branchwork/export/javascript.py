"""A model as a JavaScript module: `predict(row)` and `predictProba(row)`, for browsers and Node."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from branchwork.export.constants import exact_double, keys, labels, on_unknown, purpose, refused, rows_of
from branchwork.export.lines import INDENT, Syntax, Writer
from branchwork.export.parts import Limits, Plan, plan
from branchwork.export.program import Field, program
from branchwork.model.model import Model
from branchwork.rules.rule_list import RuleList
from branchwork.tree.outputs import TIE

LIMITS = Limits(depth=20, tests=400)
LARGEST_INTEGER = 2**53
"""Integers up to this are exact as numbers; a larger label becomes a BigInt."""


@dataclass(frozen=True)
class _JavaScript(Syntax):
    equal: str = "==="
    one_of: str = "\"{letters}\"[{place}] === '1'"
    let_number: str = "const "
    let_way: str = "let "
    minus_infinity: str = "-Infinity"
    wait: str = "waiting.push([{place}, {share}]);"


def write(model: Model | RuleList) -> str:
    """Write a model as an ES module in plain ASCII.

    `predict(row)` takes an object with a property for each column. null, undefined, NaN and absent properties are
    missing. `predictProba(row)` returns an array in the order of `CLASSES`.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> text = write(bw.ID3Classifier().fit(tennis.X, tennis.y).model_)
    >>> [line for line in text.splitlines() if line.startswith("export")]
    ['export const CLASSES = [', 'export function predict(row) {', 'export function predictProba(row) {']
    """
    made = plan(program(model), LIMITS)
    sections = [
        _head(made),
        *_labels(made),
        *_public(made),
        *(_summed(made) if made.sums else [_ANSWER]),
        *_reading(made),
        *_parts(made),
        *_tables(made),
    ]
    return "\n\n".join(sections) + "\n"


def _head(made: Plan) -> str:
    classes = made.program.labels is not None
    what = "the class" if classes else "the number"
    lines = [
        purpose(made.program),
        "",
        f"predict(row): {what} of a row, an object with a property for each column.",
    ]
    if classes:
        lines.append("predictProba(row): an array, the probability of each of CLASSES, in their order.")
    lines += ["", "null, undefined, NaN and absent properties are missing values."]
    lines += on_unknown(made.program)
    return "\n".join(f"// {line}".rstrip() for line in lines)


def _labels(made: Plan) -> list[str]:
    if made.program.labels is None:
        return []
    values = [_label(value) for value in labels(made)]
    classes = _array("export const CLASSES", values[: made.n_classes])
    return [classes] if made.n_classes == len(values) else [classes, _array("const LABELS", values)]


def _public(made: Plan) -> list[str]:
    leaf = "answer(START, read(row))"
    if made.program.labels is None:
        return [_function("export function predict(row)", f"return {_outputs(made, leaf)}[0];")]
    names = "CLASSES" if made.n_classes == len(made.labels) else "LABELS"
    decision = "likeliest(outputs(row))" if made.sums else f"DECISIONS[{leaf}]"
    return [
        _function("export function predict(row)", f"return {names}[{decision}];"),
        _function(
            "export function predictProba(row)", f"return {_outputs(made, leaf)}.slice(0, {made.n_classes});"
        ),
    ]


def _outputs(made: Plan, leaf: str) -> str:
    return "outputs(row)" if made.sums else f"OUTPUTS[{leaf}]"


def _summed(made: Plan) -> list[str]:
    combine, width = made.program.combine, len(made.answers[0].outputs)
    base = made.base or (0.0,) * width
    if made.output:
        add = "total[OUTPUT[tree]] += ofTree(start, cell)[0];"
    else:
        add = "ofTree(start, cell).forEach((value, k) => { total[k] += value; });"
    lines = [
        "const cell = read(row);",
        f"const total = [{', '.join(map(_number, base))}];",
        f"STARTS.forEach((start{', tree' if made.output else ''}) => {{",
        f"{INDENT}{add}",
        "});",
        *_linked(made, combine.link if combine.kind == "sum" else combine.kind),
    ]
    found = [
        _function("function outputs(row)", *lines),
        _mix(width) if made.program.shares_rows else _OF_TREE,
    ]
    if made.program.labels is not None:
        order = f"[{', '.join(map(str, made.order))}]"
        found.append(_LIKELIEST.replace("ORDER", order))
    return found


def _linked(made: Plan, link: str) -> list[str]:
    if link == "mean":
        return [f"return total.map((value) => value / {len(made.program.trees)});"]
    if link == "exp":
        return ["return total.map(Math.exp);"]
    if link == "softmax":
        return [
            "const most = total.reduce((a, b) => Math.max(a, b));",
            "const parts = total.map((value) => Math.exp(value - most));",
            "const whole = parts.reduce((a, b) => a + b);",
            "return parts.map((part) => part / whole);",
        ]
    if link == "logistic":
        chances = "[1 - chance, chance]" if made.order == (0, 1) else "[chance, 1 - chance]"
        return ["const chance = 1 / (1 + Math.exp(-total[0]));", f"return {chances};"]
    return ["return total;"]


_ANSWER = """\
function answer(place, cell) {
    while (place < 0) place = PARTS[-1 - place](cell);
    return place;
}"""
_OF_TREE = """\
function ofTree(place, cell) {
    while (place < 0) place = PARTS[-1 - place](cell);
    return OUTPUTS[place];
}"""
_LIKELIEST = f"""\
function likeliest(outputs) {{
    const enough = outputs.reduce((a, b) => Math.max(a, b)) - {TIE!r};
    return ORDER.find((k) => outputs[k] >= enough);
}}"""


def _mix(width: int) -> str:
    return f"""\
function ofTree(start, cell) {{
    const outputs = new Array({width}).fill(0);
    const waiting = [[start, 1]];
    while (waiting.length > 0) {{
        const [place, share] = waiting.pop();
        if (place < 0) PARTS[-1 - place](cell, share, waiting);
        else OUTPUTS[place].forEach((value, k) => {{ outputs[k] += value * share; }});
    }}
    return outputs;
}}"""


def _reading(made: Plan) -> list[str]:
    fields = [made.program.fields[k] for k in made.reads]
    nominal = [field for field in fields if field.is_nominal]
    cells = [f"{INDENT}{field.identifier}: {_read(field)}," for field in fields]
    found = [_function("function read(row)", "return {", *cells, "};"), _OWN] if fields else [_READ_NOTHING]
    if len(nominal) < len(fields):
        found.append(_NUMBER)
    if nominal:
        found.append(_CODE.replace("STRANGE", _REFUSED if refused(made.program) else _TAKEN))
    return [*found, *map(_codes, nominal)]


def _read(field: Field) -> str:
    cell = f"own(row, {_text(field.name)})"
    return f"code({cell}, {field.identifier}_codes)" if field.is_nominal else f"number({cell})"


_READ_NOTHING = "function read() {\n    return null;\n}"
_OWN = """\
function own(row, name) {
    return Object.prototype.hasOwnProperty.call(row, name) ? row[name] : undefined;
}"""
_NUMBER = """\
function number(value) {
    if (value === null || value === undefined) return NaN;
    if (typeof value === "number" || typeof value === "bigint") return Number(value);
    throw new TypeError("expected a number, found " + String(value));
}"""
_CODE = """\
function code(value, codes) {
    if (value === null || value === undefined || Number.isNaN(value)) return -1;
    const found = codes.get(typeof value === "bigint" ? Number(value) : value);
STRANGE
}"""
_TAKEN = "    return found === undefined ? -2 : found;"
_REFUSED = """\
    if (found === undefined) throw new RangeError("category " + String(value) + " was not in the training table");
    return found;"""


def _codes(field: Field) -> str:
    pairs = [f"[{_key(value, field)}, {code}]" for value, code in keys(field)]
    return _array(f"const {field.identifier}_codes", pairs, "new Map([", "]);")


def _key(value: Hashable, field: Field) -> str:
    if isinstance(value, str | bool):
        return _label(value)
    return _number(exact_double(value, f"A category of column {field.name!r}"))


def _parts(made: Plan) -> list[str]:
    writer = Writer(made, _JavaScript())
    arguments = "cell, share, waiting" if made.program.shares_rows else "cell"
    return [
        _function(f"function part{number}({arguments})", *writer.body(part))
        for number, part in enumerate(made.parts)
    ]


def _tables(made: Plan) -> list[str]:
    found = [_array("const PARTS", [f"part{number}" for number in range(len(made.parts))])]
    if made.sums:
        found.append(_array("const STARTS", map(str, made.starts)))
        found += [_array("const OUTPUT", map(str, made.output))] if made.output else []
    else:
        found.append(f"const START = {made.starts[0]};")
        if made.labels:
            found.append(_array("const DECISIONS", [str(answer.decision) for answer in made.answers]))
    outputs = [f"[{', '.join(map(_number, answer.outputs))}]" for answer in made.answers]
    return [*found, _array("const OUTPUTS", outputs)]


def _function(opened: str, *lines: str) -> str:
    return "\n".join([f"{opened} {{", *(INDENT + line for line in lines), "}"])


def _array(declared: str, values: Iterable[str], opened: str = "[", closed: str = "];") -> str:
    return "\n".join([f"{declared} = {opened}", *(INDENT + line for line in rows_of(list(values))), closed])


def _label(value: Hashable) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) <= LARGEST_INTEGER else f"{value}n"
    assert isinstance(value, float)
    return _number(value)


def _text(text: str) -> str:
    """Return a string literal that cannot end a script element."""
    return json.dumps(text).replace("<", "\\u003c")


def _number(x: float) -> str:
    return repr(x) if x - x == 0 else "NaN" if x != x else "Infinity" if x > 0 else "-Infinity"
