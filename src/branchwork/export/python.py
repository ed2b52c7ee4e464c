"""A model as a Python module: `predict(row)` and `predict_proba(row)`, with only the standard library."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from branchwork.export.constants import keys, labels, on_unknown, purpose, refused, rows_of
from branchwork.export.lines import INDENT, Syntax, Writer
from branchwork.export.parts import Limits, Plan, plan
from branchwork.export.program import Field, program
from branchwork.model.model import Model
from branchwork.rules.rule_list import RuleList
from branchwork.tree.outputs import TIE

LIMITS = Limits(depth=16, tests=400)


@dataclass(frozen=True)
class _Python(Syntax):
    either: str = " or "
    both: str = " and "
    one_of: str = '"{letters}"[{place}] == "1"'
    minus_infinity: str = 'float("-inf")'
    wait: str = "waiting.append(({place}, {share}))"

    def if_(self, test: str) -> str:
        return f"if {test}:"

    def elif_(self, test: str) -> str:
        return f"elif {test}:"

    def else_(self) -> str:
        return "else:"

    def end(self) -> list[str]:
        return []

    def declared(self, name: str) -> list[str]:
        return []

    def set_way(self, name: str, way: int) -> str:
        return f"{name} = {way}"

    def share(self, name: str, test: str, if_so: str, otherwise: str) -> str:
        return f"{name} = {if_so} if {test} else {otherwise}"

    def answer(self, place: int) -> str:
        return f"return {place}"

    def comment(self, text: str) -> str:
        return f"  # {text}" if text.strip() else ""


def write(model: Model | RuleList) -> str:
    """Write a model as a module for Python 3.8 or later.

    `predict(row)` takes a mapping of column name to value. None and NaN are missing. `predict_proba(row)` returns a
    list in the order of `CLASSES`. The text is plain ASCII.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> names = {}
    >>> exec(write(bw.ID3Classifier().fit(tennis.X, tennis.y).model_), names)
    >>> names["predict"]({"Outlook": "Sunny", "Humidity": "High", "Wind": "Weak"}), names["CLASSES"]
    ('No', ('No', 'Yes'))
    """
    made = plan(program(model), LIMITS)
    sections = [
        _head(made),
        _public(made),
        _summed(made) if made.sums else _single(made),
        _reading(made),
        _parts(made),
        _tables(made),
    ]
    return "\n\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _head(made: Plan) -> list[str]:
    classes = made.program.labels is not None
    what = "the class" if classes else "the number"
    lines = [
        f'"""{purpose(made.program)} It needs nothing but Python 3.8 or later.',
        "",
        f"predict(row): {what} of a row, which is a mapping of column name to value.",
    ]
    if classes:
        lines.append("predict_proba(row): a list, the probability of each of CLASSES, in their order.")
    lines += ["", "None and NaN are missing values."]
    lines += [*on_unknown(made.program), '"""']
    if made.program.combine.link != "identity":
        lines += ["", "import math"]
    if classes:
        values = labels(made)
        lines += ["", *_tuple("CLASSES", [ascii(label) for label in values[: made.n_classes]])]
        if made.n_classes < len(values):
            lines += _tuple("_LABELS", [ascii(label) for label in values])
    return lines


def _public(made: Plan) -> list[str]:
    if made.program.labels is None:
        answer = "_outputs(row)[0]" if made.sums else "_OUTPUTS[_answer(_START, _read(row))][0]"
        return ["def predict(row):", f'{INDENT}"""Return the number of a row."""', f"{INDENT}return {answer}"]
    names = "CLASSES" if made.n_classes == len(made.labels) else "_LABELS"
    decision = "_likeliest(_outputs(row))" if made.sums else "_DECISIONS[_answer(_START, _read(row))]"
    outputs = "_outputs(row)" if made.sums else "_OUTPUTS[_answer(_START, _read(row))]"
    return [
        "def predict(row):",
        f'{INDENT}"""Return the class of a row."""',
        f"{INDENT}return {names}[{decision}]",
        "",
        "",
        "def predict_proba(row):",
        f'{INDENT}"""Return the probability of each of CLASSES, as a list."""',
        f"{INDENT}return list({outputs}[:{made.n_classes}])",
    ]


def _single(made: Plan) -> list[str]:
    return """\
def _answer(place, cell):
    while place < 0:
        place = _PARTS[~place](cell)
    return place""".splitlines()


def _summed(made: Plan) -> list[str]:
    width = len(made.answers[0].outputs)
    lines = ["def _outputs(row):", f"{INDENT}cell = _read(row)"]
    base = list(made.base) if made.base else [0.0] * width
    lines.append(f"{INDENT}total = [{', '.join(map(repr, base))}]")
    if made.output:
        lines += [
            f"{INDENT}for start, k in zip(_STARTS, _OUTPUT):",
            f"{INDENT * 2}total[k] += _of_tree(start, cell)[0]",
        ]
    else:
        lines += [
            f"{INDENT}for start in _STARTS:",
            f"{INDENT * 2}for k, value in enumerate(_of_tree(start, cell)):",
            f"{INDENT * 3}total[k] += value",
        ]
    lines += [*_linked(made), "", "", *_of_tree(made, width)]
    if made.program.labels is not None:
        lines += [
            *("", ""),
            "def _likeliest(outputs):",
            f"{INDENT}enough = max(outputs) - {TIE!r}",
            f"{INDENT}return next(k for k in {_values(list(map(str, made.order)))} if outputs[k] >= enough)",
        ]
    return lines


def _linked(made: Plan) -> list[str]:
    combine = made.program.combine
    if combine.kind == "mean":
        return [f"{INDENT}return [value / {len(made.program.trees)} for value in total]"]
    if combine.link == "identity":
        return [f"{INDENT}return total"]
    exp = [*("", ""), "def _exp(x):", f"{INDENT}return math.exp(x) if x < 709 else _huge_exp(x)"]
    exp += [
        *("", ""),
        "def _huge_exp(x):",
        f"{INDENT}try:",
        f"{INDENT * 2}return math.exp(x)",
        f"{INDENT}except OverflowError:",
        f"{INDENT * 2}return math.inf",
    ]
    if combine.link == "exp":
        return [f"{INDENT}return [_exp(value) for value in total]", *exp]
    if combine.link == "softmax":
        return [
            f"{INDENT}most = max(total)",
            f"{INDENT}parts = [_exp(value - most) for value in total]",
            f"{INDENT}return [part / sum(parts) for part in parts]",
            *exp,
        ]
    chances = ["1 - chance", "chance"] if made.order == (0, 1) else ["chance", "1 - chance"]
    return [
        f"{INDENT}chance = 1 / (1 + _exp(-total[0]))",
        f"{INDENT}return [{', '.join(chances)}]",
        *exp,
    ]


def _of_tree(made: Plan, width: int) -> list[str]:
    if not made.program.shares_rows:
        return ["def _of_tree(place, cell):", *_single(made)[1:-1], f"{INDENT}return _OUTPUTS[place]"]
    return f"""\
def _of_tree(start, cell):
    outputs = [0.0] * {width}
    waiting = [(start, 1.0)]
    while waiting:
        place, share = waiting.pop()
        if place < 0:
            _PARTS[~place](cell, share, waiting)
            continue
        for k, value in enumerate(_OUTPUTS[place]):
            outputs[k] += value * share
    return outputs""".splitlines()


def _reading(made: Plan) -> list[str]:
    fields = [made.program.fields[k] for k in made.reads]
    if not fields:
        return ["def _read(row):", f"{INDENT}return None"]
    slots = _indented(_tuple("__slots__", [f'"{field.identifier}"' for field in fields]))
    lines = ["class _Cells:", *slots, "", ""]
    lines += ["def _read(row):", f"{INDENT}cell = _Cells()"]
    for field in fields:
        cell = f"row[{field.name!a}]"
        value = f"_code({cell}, _{field.identifier}_codes)" if field.is_nominal else f"_number({cell})"
        lines.append(f"{INDENT}cell.{field.identifier} = {value}")
    lines.append(f"{INDENT}return cell")
    if any(not field.is_nominal for field in fields):
        lines += ["", "", *_NUMBER]
    if any(field.is_nominal for field in fields):
        lines += ["", "", *_CODE, *(_REFUSED if refused(made.program) else _TAKEN)]
    for field in fields:
        lines += _codes(field)
    return lines


_NUMBER = """\
def _number(value):
    if value is None:
        return float("nan")
    if isinstance(value, (str, bytes)):
        raise TypeError("expected a number, found %r" % (value,))
    return float(value)""".splitlines()
_CODE = """\
def _code(value, codes):
    if value is None or value != value:
        return -1
    if type(value).__name__ in ("bool", "bool_"):
        value = ("truth", bool(value))""".splitlines()
_TAKEN = ["    return codes.get(value, -2)"]
_REFUSED = """\
    if value not in codes:
        raise ValueError("category %r was not in the training table" % (value,))
    return codes[value]""".splitlines()


def _codes(field: Field) -> list[str]:
    if not field.is_nominal:
        return []
    pairs = [f"{_key(value)}: {code}" for value, code in keys(field)]
    return [*("", ""), f"_{field.identifier}_codes = {{", *_indented(rows_of(pairs)), "}"]


def _key(value: Hashable) -> str:
    return f'("truth", {value})' if isinstance(value, bool) else ascii(value)


def _parts(made: Plan) -> list[str]:
    writer = Writer(made, _Python())
    arguments = "cell, share, waiting" if made.program.shares_rows else "cell"
    lines: list[str] = []
    for number, part in enumerate(made.parts):
        lines += [*(["", ""] if number else []), f"def _part_{number}({arguments}):"]
        lines += _indented(writer.body(part))
    return lines


def _tables(made: Plan) -> list[str]:
    lines = _tuple("_PARTS", [f"_part_{number}" for number in range(len(made.parts))])
    if made.sums:
        lines += _tuple("_STARTS", list(map(str, made.starts)))
        lines += _tuple("_OUTPUT", list(map(str, made.output))) if made.output else []
    else:
        lines.append(f"_START = {made.starts[0]}")
        if made.labels:
            lines += _tuple("_DECISIONS", [str(answer.decision) for answer in made.answers])
    outputs = [_values(list(map(_number, answer.outputs))) for answer in made.answers]
    return lines + _tuple("_OUTPUTS", outputs)


def _number(x: float) -> str:
    return repr(x) if x - x == 0 else f'float("{x}")'


def _tuple(name: str, values: list[str]) -> list[str]:
    if sum(map(len, values)) < 80:
        return [f"{name} = {_values(values)}"]
    return [f"{name} = (", *_indented(rows_of(values)), ")"]


def _values(values: list[str]) -> str:
    return f"({', '.join(values)}{',' * (len(values) == 1)})"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"{INDENT}{line}" for line in lines]
