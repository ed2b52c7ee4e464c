"""A model as one C99 file: a struct with one field per column, and functions that predict for it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from branchwork.errors import ParameterError
from branchwork.export.constants import exact_double, keys, labels, on_unknown, purpose, refused, rows_of
from branchwork.export.lines import INDENT, LONGEST_TEXT, Syntax, Writer, remark
from branchwork.export.names import identifier
from branchwork.export.parts import Limits, Plan, most_waiting, plan
from branchwork.export.program import Field, program
from branchwork.model.model import Model
from branchwork.rules.rule_list import RuleList
from branchwork.tree.outputs import TIE

LIMITS = Limits(depth=20, tests=4000)
TYPES = {"number": "double ", "text": "const char *", "truth": "int ", "mixed": "const char *"}
"""The C type of each type of cell."""


@dataclass(frozen=True)
class _C(Syntax):
    numeric_cell: str = "cell->"
    nominal_cell: str = "cell->"


def write(model: Model | RuleList, *, name: str = "tree") -> str:
    """Write a model as one file of C99 in plain ASCII.

    Parameters
    ----------
    name : the prefix of every name in the file: `struct tree_row`, `tree_predict`, `tree_predict_proba`.

    Numbers are double (NaN: missing), text is `const char *` in UTF-8 (NULL: missing), and booleans are int (-1:
    missing). Categories of several types are text. `tree_predict` returns a position in `tree_labels`, or the number.
    If a category is refused, it returns -1, or NaN.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> text = write(bw.ID3Classifier().fit(tennis.X, tennis.y).model_)
    >>> [line for line in text.splitlines() if line.startswith("int")][0]
    'int tree_predict(const struct tree_row *row);'
    """
    if identifier(name) != name:
        raise ParameterError(f"name={name!r}; expected letters, digits and _, such as {identifier(name)!r}.")
    made = plan(program(model), LIMITS)
    return _File(made, name).text()


class _File:
    """The file of a plan. In the templates below, `@` stands for its name."""

    def __init__(self, made: Plan, name: str) -> None:
        self.made, self.name = made, name
        self.program = made.program
        self.fields = [self.program.fields[k] for k in made.reads]
        self.codes = any(field.is_nominal for field in self.fields)
        self.cells = "@_cells" if self.codes else "@_row"
        self.width = len(made.answers[0].outputs)
        self.regression = self.program.labels is None
        self.n_outputs = 2 if self.program.combine.link == "logistic" else max(self.width, len(made.base))

    def text(self) -> str:
        sections = [
            self._row(),
            self._declared(),
            self._labels(),
            *self._lookups(),
            *(self._keys(field) for field in self.fields if field.is_nominal),
            self._reading(),
            self._tables(),
            self._stack(),
            *self._parts(),
            self._walk(),
            self._sum() if self.made.sums else [],
            self._public(),
        ]
        text = "\n\n".join("\n".join(section) for section in sections if section)
        includes = [name for name, words in _HEADERS.items() if any(word in text for word in words)]
        head = [*self._head(), *(f"#include <{name}>" for name in includes)]
        return "\n".join(head) + f"\n\n{text}\n"

    def _named(self, text: str) -> list[str]:
        """Return lines with `@` replaced by the name of the file."""
        return text.replace("@", self.name).strip("\n").split("\n")

    def _head(self) -> list[str]:
        answer = "@_predict(&row)" if self.regression else "@_labels[@_predict(&row)]"
        lines = [
            f"/* {purpose(self.program)}",
            " *",
            f" * Fill a struct @_row; {answer} is its answer.",
        ]
        if not self.regression:
            lines += [
                " * @_predict_proba(&row, p) writes the probability of each of the first @_N_CLASSES labels to p,",
                " * and returns 0.",
            ]
        lines.append(
            " * Missing cells are NaN, NULL, or -1 for truth. Compile without -ffast-math: NaN must be NaN."
        )
        lines += [f" * Text is UTF-8. {told}" for told in on_unknown(self.program)]
        if refused(self.program):
            answers = "@_predict is NaN" if self.regression else "@_predict and @_predict_proba are -1"
            lines.append(f" * Then {answers}.")
        return self._named("\n".join([*lines, " */"]))

    def _row(self) -> list[str]:
        members = [
            f"{INDENT}{TYPES[field.type]}{field.identifier};{_told(field)}" for field in self.program.fields
        ]
        return [*self._named("struct @_row {"), *members, "};"]

    def _lookups(self) -> list[list[str]]:
        own = {field.type for field in self.fields if field.is_nominal}
        of_text = [self._named(_FIND_TEXT)] if own & {"text", "mixed"} else []
        return [*of_text, *([self._named(_FIND_NUMBER)] if "number" in own else [])]

    def _declared(self) -> list[str]:
        if self.regression:
            return self._named("double @_predict(const struct @_row *row);")
        count = f"enum {{ @_N_CLASSES = {self.made.n_classes} }};"
        return self._named(f"""
{count}
int @_predict(const struct @_row *row);
int @_predict_proba(const struct @_row *row, double *probabilities);""")

    def _labels(self) -> list[str]:
        if self.regression:
            return []
        values = labels(self.made)
        kinds = {type(value) for value in values}
        if kinds == {bool}:
            return self._array("const int @_labels", [str(int(bool(value))) for value in values])
        numbers = [value for value in values if isinstance(value, int | float)]
        if kinds == {int} and all(-(2**63) < value < 2**63 for value in numbers):
            return self._array("const long long @_labels", [f"{value}LL" for value in numbers])
        if kinds == {float}:
            return self._array("const double @_labels", list(map(_number, numbers)))
        return self._array("const char *const @_labels", [_text(str(value), "A label") for value in values])

    def _array(self, declared: str, values: Sequence[str], size: str = "]") -> list[str]:
        lines = [f"{INDENT}{line}" for line in rows_of(list(values))]
        return [*self._named(f"{declared}[{size} = {{"), *lines, "};"]

    def _keys(self, field: Field) -> list[str]:
        """Return the sorted keys of a column, for a binary search."""
        if field.type == "truth":
            return []
        found = _number_keys(field) if field.type == "number" else _text_keys(field)
        kind = "@_number_key" if field.type == "number" else "@_text_key"
        return self._array(f"static const struct {kind} @_{field.identifier}_keys", found)

    def _reading(self) -> list[str]:
        if not self.codes:
            return []
        members = [f"{INDENT}{'int' if f.is_nominal else 'double'} {f.identifier};" for f in self.fields]
        lines = [*self._named("struct @_cells {"), *members, "};", ""]
        lines += self._named("static int @_read(const struct @_row *row, struct @_cells *cell) {")
        lines += [f"{INDENT}cell->{f.identifier} = {self._read(f)};" for f in self.fields]
        if refused(self.program):
            tests = [f"cell->{field.identifier} == -2" for field in self.fields if field.is_nominal]
            lines += [f"{INDENT}if ({test}) return -1;" for test in tests]
        return [*lines, f"{INDENT}return 0;", "}"]

    def _read(self, field: Field) -> str:
        cell = f"row->{field.identifier}"
        if not field.is_nominal:
            return cell
        if field.type == "truth":
            code = {value: code for code, value in enumerate(field.categories)}
            return f"{cell} < 0 ? -1 : {cell} ? {code.get(True, -2)} : {code.get(False, -2)}"
        kind = "number" if field.type == "number" else "text"
        table = f"{self.name}_{field.identifier}_keys"
        return f"{self.name}_find_{kind}({cell}, {table}, sizeof {table} / sizeof {table}[0])"

    def _tables(self) -> list[str]:
        lines: list[str] = []
        if not self.regression and not self.made.sums:
            decisions = [str(answer.decision) for answer in self.made.answers]
            lines += [*self._array("static const int @_decisions", decisions), ""]
        outputs = [f"{{{', '.join(map(_number, answer.outputs))}}}" for answer in self.made.answers]
        return lines + self._array("static const double @_outputs", outputs, f"][{self.width}]")

    def _stack(self) -> list[str]:
        if not self.program.shares_rows:
            return []
        return self._named(_STACK.replace("SIZE", str(most_waiting(self.made))))

    def _parts(self) -> list[list[str]]:
        writer = Writer(self.made, _C(wait=f"{self.name}_wait(waiting, {{place}}, {{share}});"))
        shared = self.program.shares_rows
        sections = []
        for number, part in enumerate(self.made.parts):
            body = writer.body(part)
            uses = any("cell->" in line for line in body)
            if shared:
                more, kind = f", double share, struct {self.name}_waiting *waiting", "void"
            else:
                more, kind = "", "int"
            opened = f"static {kind} @_part_{number}(const struct {self.cells} *cell{more}) {{"
            unused = [] if uses else [f"{INDENT}(void)cell;"]
            sections.append([*self._named(opened), *unused, *(INDENT + line for line in body), "}"])
        return sections

    def _walk(self) -> list[str]:
        """Return the loop over parts, which ends at one answer, or at the outputs of a tree."""
        shares = self.program.shares_rows
        pointers = [f"{self.name}_part_{number}" for number in range(len(self.made.parts))]
        lines: list[str] = []
        if pointers:
            kind, more = ("void", ", double, struct @_waiting *") if shares else ("int", "")
            lines = self._array(
                f"static {kind} (*const @_parts", pointers, f"])(const struct {self.cells} *{more})"
            )
            lines.append("")
        text = _MIX if shares else _ONE if pointers else _NOTHING
        text = text.replace("CELLS", self.cells).replace("WIDTH", str(self.width))
        return [*lines, *self._named(text)]

    def _sum(self) -> list[str]:
        made, combine = self.made, self.program.combine
        count = len(made.program.trees)
        base = made.base or (0.0,) * self.width
        lines = self._array("static const int @_starts", list(map(str, made.starts)))
        if made.output:
            lines += self._array("static const int @_output", list(map(str, made.output)))
            add = "total[@_output[tree]] += outputs[0];"
        else:
            add = f"for (int k = 0; k < {self.width}; ++k) total[k] += outputs[k];"
        outputs = (
            "double outputs[WIDTH];\n        @_of_tree(@_starts[tree], cell, outputs);"
            if self.program.shares_rows
            else "const double *outputs = @_outputs[@_answer(@_starts[tree], cell)];"
        )
        start = "\n".join(f"    total[{k}] = {_number(value)};" for k, value in enumerate(base))
        link = _LINKS[combine.link] if combine.kind == "sum" else ""
        if combine.kind == "mean":
            link = f"    for (int k = 0; k < WIDTH; ++k) total[k] /= {count};"
        if combine.link == "logistic":
            link = link.replace("SECOND", str(made.order[1])).replace("FIRST", str(made.order[0]))
        text = _SUM.replace("LINK\n", f"{link}\n" if link else "").replace("START", start)
        text = text.replace("ADD", add).replace("OUTPUTS", outputs).replace("COUNT", str(count))
        text = text.replace("WIDTH", str(len(base))).replace("CELLS", self.cells)
        lines += ["", *self._named(text)]
        if not self.regression:
            order = self._array("static const int @_order", list(map(str, made.order)))
            lines += ["", *order, "", *self._named(_LIKELIEST.replace("COUNT", str(len(made.labels))))]
        return lines

    def _public(self) -> list[str]:
        bad = "NAN" if self.regression else "-1"
        if self.codes:
            failed = f"if (@_read(row, &cells) != 0) return {bad};"
            if not refused(self.program):
                failed = "@_read(row, &cells);"
            read, cell = f"    struct @_cells cells;\n    {failed}\n", "&cells"
        else:
            read, cell = "", "row"
        start = self.made.starts[0]
        if not self.made.sums:
            leaf = f"@_answer({start}, {cell})"
            if self.regression:
                return self._named(
                    _PREDICT_NUMBER.replace("READ", read).replace("VALUE", f"@_outputs[{leaf}][0]")
                )
            text = _PREDICT_CLASS.replace("VALUE", f"@_decisions[{leaf}]")
            text = text.replace("OUTPUTS", f"    const double *outputs = @_outputs[{leaf}];")
        else:
            total = f"    double outputs[{self.n_outputs}];\n"
            read = total + read + f"    @_sum({cell}, outputs);\n"
            if self.regression:
                return self._named(_PREDICT_NUMBER.replace("READ", read).replace("VALUE", "outputs[0]"))
            text = _PREDICT_CLASS.replace("VALUE", "@_likeliest(outputs)").replace("OUTPUTS\n", "")
        return self._named(text.replace("READ", read))


_HEADERS = {
    "math.h": ("exp(", "INFINITY", "NAN"),
    "stddef.h": ("size_t", "NULL"),
    "string.h": ("strcmp(",),
}
"""The words that need each header."""
_FIND_TEXT = """
struct @_text_key {
    const char *text;
    int code;
};

static int @_find_text(const char *text, const struct @_text_key *keys, size_t count) {
    size_t low = 0, high = count;
    if (text == NULL) return -1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(text, keys[middle].text);
        if (order == 0) return keys[middle].code;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return -2;
}"""
_FIND_NUMBER = """
struct @_number_key {
    double number;
    int code;
};

static int @_find_number(double number, const struct @_number_key *keys, size_t count) {
    size_t low = 0, high = count;
    if (number != number) return -1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (number == keys[middle].number) return keys[middle].code;
        if (number < keys[middle].number) high = middle;
        else low = middle + 1;
    }
    return -2;
}"""
_STACK = """
struct @_waiting {
    int count;
    int place[SIZE];
    double share[SIZE];
};

static void @_wait(struct @_waiting *waiting, int place, double share) {
    waiting->place[waiting->count] = place;
    waiting->share[waiting->count++] = share;
}"""
_ONE = """
static int @_answer(int place, const struct CELLS *cell) {
    while (place < 0) place = @_parts[-1 - place](cell);
    return place;
}"""
_NOTHING = """
static int @_answer(int place, const struct CELLS *cell) {
    (void)cell;
    return place;
}"""
_MIX = """
static void @_of_tree(int start, const struct CELLS *cell, double *outputs) {
    struct @_waiting waiting;
    waiting.count = 0;
    for (int k = 0; k < WIDTH; ++k) outputs[k] = 0;
    @_wait(&waiting, start, 1);
    while (waiting.count > 0) {
        const int place = waiting.place[--waiting.count];
        const double share = waiting.share[waiting.count];
        if (place < 0)
            @_parts[-1 - place](cell, share, &waiting);
        else
            for (int k = 0; k < WIDTH; ++k) outputs[k] += @_outputs[place][k] * share;
    }
}"""
_SUM = """
static void @_sum(const struct CELLS *cell, double *total) {
START
    for (int tree = 0; tree < COUNT; ++tree) {
        OUTPUTS
        ADD
    }
LINK
}"""
_LINKS = {
    "identity": "",
    "exp": "    for (int k = 0; k < WIDTH; ++k) total[k] = exp(total[k]);",
    "softmax": """\
    double most = total[0], whole = 0;
    for (int k = 1; k < WIDTH; ++k) most = total[k] > most ? total[k] : most;
    for (int k = 0; k < WIDTH; ++k) whole += total[k] = exp(total[k] - most);
    for (int k = 0; k < WIDTH; ++k) total[k] /= whole;""",
    "logistic": """\
    const double chance = 1 / (1 + exp(-total[0]));
    total[FIRST] = 1 - chance;
    total[SECOND] = chance;""",
}
_LIKELIEST = f"""
static int @_likeliest(const double *outputs) {{
    double most = outputs[0];
    int k = 0;
    for (int k = 1; k < COUNT; ++k) most = outputs[k] > most ? outputs[k] : most;
    while (outputs[@_order[k]] < most - {TIE!r}) ++k;
    return @_order[k];
}}"""
_PREDICT_NUMBER = """
double @_predict(const struct @_row *row) {
READ    return VALUE;
}"""
_PREDICT_CLASS = """
int @_predict(const struct @_row *row) {
READ    return VALUE;
}

int @_predict_proba(const struct @_row *row, double *probabilities) {
READOUTPUTS
    for (int k = 0; k < @_N_CLASSES; ++k) probabilities[k] = outputs[k];
    return 0;
}"""


def _told(field: Field) -> str:
    told = remark(field.name)
    return f"  // {told}" if told.strip() and told != field.identifier else ""


def _number(x: float) -> str:
    if x - x == 0:
        return repr(x)
    return "NAN" if x != x else "INFINITY" if x > 0 else "-INFINITY"


def _number_keys(field: Field) -> list[str]:
    found = sorted(
        (exact_double(value, f"A category of column {field.name!r}"), code) for value, code in keys(field)
    )
    return [f"{{{_number(value)}, {code}}}" for value, code in found]


def _text_keys(field: Field) -> list[str]:
    """Return the keys sorted by their bytes. A boolean among other categories is True or true, False or false."""
    found: dict[bytes, int] = {}
    for value, code in keys(field):
        if isinstance(value, bool) and field.type == "text":
            continue
        text = _spelled(value).encode("utf-8", "surrogatepass")
        if found.setdefault(text, code) != code:
            raise ParameterError(
                f"Two categories of column {field.name!r} are both {_spelled(value)!r} as text, so C cannot tell them "
                "apart."
            )
    what = f"A category of column {field.name!r}"
    return [f"{{{_bytes(text, what)}, {code}}}" for text, code in sorted(found.items())]


def _spelled(value: Hashable) -> str:
    return value if isinstance(value, str) else str(value)


def _text(text: str, what: str) -> str:
    return _bytes(text.encode("utf-8", "surrogatepass"), what)


def _bytes(text: bytes, what: str) -> str:
    """Return a string literal of plain ASCII: no trigraphs, and escapes that end by themselves."""
    if 0 in text:
        raise ParameterError(f"{what} contains a NUL character, which ends a text in C.")
    if len(text) > LONGEST_TEXT:
        return f"(const char[]){{{', '.join(str(b - 256 if b > 127 else b) for b in text)}, 0}}"
    return f'"{"".join(map(_letter, text))}"'


def _letter(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}"
