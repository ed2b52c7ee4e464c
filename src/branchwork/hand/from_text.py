"""Read what `to_text()` prints into nodes.

Play: No, Yes
all rows                             14 rows  Yes: 9 (64%)  No: 5 (36%)
├─ Outlook = Overcast → Play: Yes     4 rows  Yes: 4 (100%)
├─ Outlook = Rain                     5 rows  Yes: 3 (60%)  No: 2 (40%)
│  ├─ Wind = Strong → Play: No        2 rows  No: 2 (100%)

The first line is there only if what is predicted has a name, which then stands before every answer.
Conditions and answers are read, and the numbers of rows are not: rows that are handed in are counted anew. Names,
categories and labels may hold anything, so they are found by comparing the line with those that there are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from branchwork.errors import ParameterError
from branchwork.hand.nodes import Answer, Node, Question
from branchwork.table.schema import Schema
from branchwork.tree.split import UNITS as LARGE_UNITS
from branchwork.tree.split import category, harmless, listed_category

DOT = re.compile(r"\x1b\[38;[0-9;]*m.\x1b\[0m ")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ROOT = "all rows"
UNITS = ("│  ", "   ")
ENDS = ("├─ ", "└─ ")
DEEP = re.compile(r"\[depth (\d+)\] ")
NUMBER = r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf)"
ARROW = " → "
ROWS = re.compile(r"\s{2,}\s*(?:\d+ rows?\b|weight -?[\d.e+]+).*$", re.DOTALL)
"""The numbers of rows at the end of a line, after two blanks."""
OF_CLASSES = re.compile(r" \(\d+%\)|\(<1%\)|\(>99%\)")


@dataclass(frozen=True)
class _Condition:
    """The condition of a branch: categories, or numbers between bounds; with neither, "is missing" or "is known"."""

    feature: int
    codes: tuple[int, ...] | None = None
    above: float | None = None
    upto: float | None = None
    missing: bool = False
    only_missing: bool = False


class _Line(NamedTuple):
    number: int
    depth: int
    condition: _Condition | None
    says: str | None


class PrintedTree(NamedTuple):
    """A printed tree: its nodes, whether it is one of classes (None: it does not tell), and what it predicts."""

    nodes: list[Node]
    of_classes: bool | None
    target: str | None


def is_printed(text: str) -> bool:
    """Return whether text is a printed tree rather than a program: one of its first two lines is that of the root."""
    first = [line for line in COLOUR.sub("", text).splitlines() if line.strip()][:2]
    return any(line.lstrip().startswith(ROOT) for line in first)


def nodes_from_text(text: str, schema: Schema, labels: tuple[Hashable, ...] | None) -> PrintedTree:
    """Read a printed tree."""
    text = COLOUR.sub("", DOT.sub("", text))
    written = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    has_heading = len(written) > 1 and written[1][1].startswith(ROOT)
    heading = written.pop(0)[1] if has_heading else ""
    lines = [_line(number, line, schema) for number, line in written]
    if not lines or lines[0].depth != 0 or any(line.depth == 0 for line in lines[1:]):
        raise ParameterError(
            'A printed tree begins with the line "all rows", and no other line stands that far left.'
        )
    target = _target_in(heading, [line.says for line in lines if line.says is not None])
    if target is not None:
        lines = [_without_name(line, target) for line in lines]
    children = _children_of(lines)
    first = written[0][1]
    of_classes = True if OF_CLASSES.search(first) else False if re.search(r"  (mean|value) ", first) else None
    read = _reader_of_answers(labels, of_classes)
    nodes: list[Node] = []
    for at, line in enumerate(lines):
        below = children[at]
        if not below:
            if line.says is None:
                raise _wrong(line.number, "it has no branches and no answer (→)")
            nodes.append(Answer(read(line)))
            continue
        if line.says is not None:
            raise _wrong(line.number, "it has an answer (→), and branches below it")
        nodes.append(_question([lines[k] for k in below], below, schema))
    return PrintedTree(nodes, of_classes, target)


def _target_in(heading: str, answers: list[str]) -> str | None:
    """Return the name in the first line of a tree: the longest one that stands before every answer."""
    names = [heading[: place.start()] for place in re.finditer(": ", heading)]
    fitting = [name for name in names if all(one.startswith(f"{name}: ") for one in answers)]
    if heading and not fitting:
        raise ParameterError(
            f"The first line of the printed tree, {heading[:80]!r}, does not name what every answer (→) is about."
        )
    return fitting[-1] if fitting else None


def _without_name(line: _Line, target: str) -> _Line:
    return line if line.says is None else line._replace(says=line.says.removeprefix(f"{target}: "))


def _line(number: int, line: str, schema: Schema) -> _Line:
    if "shared among the branches)" in line or "sent on by surrogates, or with the majority)" in line:
        raise _wrong(
            number,
            "rows with missing cells are shared or sent on by surrogates, and the text does not say how. Use "
            "bw.save and bw.load, or export the tree",
        )
    rest, depth = line, 0
    while rest.startswith(UNITS):
        rest, depth = rest[3:], depth + 1
    if deep := DEEP.match(rest):
        rest, depth = rest[deep.end() :], int(deep.group(1))
    elif rest.startswith(ENDS):
        rest, depth = rest[3:], depth + 1
    elif rest.startswith(ROOT):
        return _Line(number, 0, None, _says(rest.removeprefix(ROOT), number))
    else:
        raise _wrong(number, "expected ├─ or └─")
    if re.match(r"… \d+ nodes below", rest):
        raise _wrong(number, "the text was cut off by max_depth; print the whole tree")
    found = list(_conditions(rest, schema))
    if not found:
        names = ", ".join(map(repr, schema.names[:10]))
        raise _wrong(
            number,
            f"{rest.strip()[:80]!r} is no condition on {names}; groups of categories must be written out, as "
            "to_text(full=True) does",
        )
    condition, after = found[0]
    return _Line(number, depth, condition, _says(after, number))


def _says(after: str, number: int) -> str | None:
    """Return the prediction that follows a condition, or None if there is none."""
    after = ROWS.sub("", after).rstrip()
    if not after:
        return None
    if not after.startswith(ARROW):
        raise _wrong(number, f"{after.strip()[:80]!r} is not understood")
    return after.removeprefix(ARROW)


def _conditions(text: str, schema: Schema) -> Iterable[tuple[_Condition, str]]:
    """Yield the conditions that a line may state, and the rest of the line.

    Longer names come first, because one name may begin with another.
    """
    for feature in sorted(range(len(schema)), key=lambda j: -len(schema[j].name)):
        name = harmless(schema[feature].name)
        if (between := re.match(rf"({NUMBER}) < {re.escape(name)} <= ({NUMBER})", text)) is not None:
            low, high = between.groups()
            yield from _ended(_Condition(feature, above=float(low), upto=float(high)), text[between.end() :])
        if text.startswith(f"no known value of {name}"):
            yield from _ended(_Condition(feature, ()), text.removeprefix(f"no known value of {name}"))
        if not text.startswith(f"{name} "):
            continue
        rest = text[len(name) + 1 :]
        for words, only_missing in (("is missing", True), ("is known", False)):
            if rest.startswith(words):
                whole = _Condition(
                    feature, upto=None if only_missing else math.inf, only_missing=only_missing
                )
                yield from _ended(whole, rest.removeprefix(words))
        if (number := re.match(rf"(<=|>) ({NUMBER})", rest)) is not None:
            limit = float(number.group(2))
            side = (
                _Condition(feature, upto=limit)
                if number.group(1) == "<="
                else _Condition(feature, above=limit)
            )
            yield from _ended(side, rest[number.end() :])
        if schema[feature].is_nominal and rest.startswith(("= ", "in {")):
            yield from _categories(feature, rest, schema)


def _categories(feature: int, rest: str, schema: Schema) -> Iterable[tuple[_Condition, str]]:
    """Yield groups of categories; a longer category first, as one may begin with another."""
    texts = [harmless(category(value)) for value in schema[feature].categories]
    longest = sorted(range(len(texts)), key=lambda code: -len(texts[code]))
    if rest.startswith("= "):
        for code in longest:
            if rest[2:].startswith(texts[code]):
                yield from _ended(_Condition(feature, (code,)), rest[2 + len(texts[code]) :])
        return
    texts = [harmless(listed_category(value)) for value in schema[feature].categories]
    longest = sorted(range(len(texts)), key=lambda code: -len(texts[code]))
    waiting: list[tuple[tuple[int, ...], str]] = [((), rest[4:])]
    while waiting:
        codes, left = waiting.pop()
        if codes and left.startswith("}"):
            yield from _ended(_Condition(feature, codes), left[1:])
            continue
        if codes and not left.startswith(", "):
            continue
        left = left[2:] if codes else left
        some = [code for code in longest if code not in codes and left.startswith(texts[code])]
        waiting += [((*codes, code), left[len(texts[code]) :]) for code in reversed(some)]


def _ended(condition: _Condition, after: str) -> Iterable[tuple[_Condition, str]]:
    """Yield a condition if a line may go on like this."""
    also_missing = after.startswith(" or missing")
    after = after.removeprefix(" or missing")
    if not after.strip() or after.startswith((ARROW, "  ")):
        yield _Condition(**{**vars(condition), "missing": also_missing or condition.only_missing}), after


def _children_of(lines: list[_Line]) -> list[list[int]]:
    """Return the lines of the branches of each line; lines are in preorder."""
    children: list[list[int]] = [[] for _ in lines]
    last = {0: 0}
    for at, line in enumerate(lines[1:], start=1):
        parent = last.get(line.depth - 1)
        if parent is None or lines[at - 1].depth < line.depth - 1:
            raise _wrong(line.number, "it is indented further than a branch of the line before")
        children[parent].append(at)
        last[line.depth] = at
    return children


def _question(branches: list[_Line], places: list[int], schema: Schema) -> Question:
    """Put the branches of one node together."""
    conditions = [line.condition for line in branches if line.condition is not None]
    features = {condition.feature for condition in conditions}
    number = branches[0].number
    if len(branches) < 2 or len(features) != 1:
        raise _wrong(number, "expected two or more branches side by side that ask for the same feature")
    (feature,) = features
    column = schema[feature]
    takes = [k for k, condition in enumerate(conditions) if condition.missing]
    if len(takes) > 1:
        raise _wrong(number, "missing cells take more than one of the branches")
    own = next((k for k, condition in enumerate(conditions) if condition.only_missing), None)
    missing = takes[0] if takes else len(branches) - 1
    if column.is_nominal:
        child_of = [missing] * len(column.categories)
        seen: set[int] = set()
        for k, condition in enumerate(conditions):
            if condition.codes is None and not condition.only_missing:
                raise _wrong(branches[k].number, f"{column.name!r} has categories, not numbers")
            for code in condition.codes or ():
                if code in seen:
                    raise _wrong(branches[k].number, f"{column.categories[code]!r} takes two branches")
                seen.add(code)
                child_of[code] = k
        return Question(feature, child_of=tuple(child_of), missing=missing, children=places)
    known = [condition for condition in conditions if not condition.only_missing]
    if own is not None and own != len(conditions) - 1:
        raise _wrong(number, "the branch of missing cells must be the last")
    bounds = _bounds(known, number)
    return Question(feature, bounds=bounds, missing=missing, children=places)


def _bounds(known: list[_Condition], number: int) -> tuple[float, ...]:
    """Return the bounds between branches of numbers, which follow each other without gaps."""
    if len(known) == 1 and known[0].upto == math.inf:
        return ()
    bounds = [condition.upto for condition in known[:-1]]
    follows = [condition.above for condition in known[1:]]
    if (
        len(known) < 2
        or any(condition.codes is not None for condition in known)
        or known[0].above is not None
        or known[-1].upto is not None
        or bounds != follows
        or None in bounds
    ):
        raise _wrong(number, "the branches of a number must follow each other: <= 2, then > 2")
    return tuple(float(bound) for bound in bounds if bound is not None)


def _reader_of_answers(
    labels: tuple[Hashable, ...] | None, of_classes: bool | None
) -> Callable[[_Line], Hashable]:
    """Return the function that reads a prediction: as one of the labels, as a number, or by its form."""
    texts: dict[str, list[Hashable]] = {}
    of_floats = of_classes is None and all(isinstance(label, float) for label in labels or ())
    for label in labels or ():
        texts.setdefault(harmless(category(label)), []).append(label)

    def read(line: _Line) -> Hashable:
        says = line.says or ""
        if labels is not None and of_classes is not False:
            known = texts.get(says.rstrip(), [])
            if not known and of_floats and re.fullmatch(NUMBER, says):
                return float(says)  # a number that no row has: the tree predicts numbers
            if len(known) != 1:
                found = "two labels look" if known else "no label looks"
                raise _wrong(
                    line.number, f"{found} like {says!r}; the labels are {', '.join(map(repr, labels[:10]))}"
                )
            return known[0]
        if of_classes is False or (of_classes is None and re.fullmatch(NUMBER, says) and "." in says):
            return _number(says, line.number)
        return int(says) if re.fullmatch(r"-?\d{1,15}", says) else says

    return read


def _number(says: str, line: int) -> float:
    """Return a number that may be printed in millions."""
    digits, _, unit = says.partition(" ")
    sizes = {"": 1.0, **{name: size for size, name in LARGE_UNITS}}
    try:
        return float(digits) * sizes[unit]
    except (ValueError, KeyError):
        raise _wrong(line, f"{says!r} is no number") from None


def _wrong(number: int, what: str) -> ParameterError:
    return ParameterError(f"Line {number} of the printed tree: {what}.")
