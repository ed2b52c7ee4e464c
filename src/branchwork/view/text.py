"""A tree as text: one line for each node, readable at a glance.

PlayTennis: No, Yes
all rows                                   14 rows  Yes: 9 (64%)  No: 5 (36%)
├─ Outlook = Overcast → PlayTennis: Yes     4 rows  Yes: 4 (100%)
├─ Outlook = Rain                           5 rows  Yes: 3 (60%)  No: 2 (40%)
│  ├─ Wind = Strong → PlayTennis: No        2 rows  No: 2 (100%)
…

On a terminal with colours, each class has a dot in the colour that it has in pictures. Where the terminal is too narrow
for a line, what is said last of the node is left out, then the name of what is predicted, and then condition and answer
are cut. Deep nodes are indented less far.
"""

from __future__ import annotations

from dataclasses import dataclass

from branchwork.model.model import Model
from branchwork.table.wide_text import cells, cut, right
from branchwork.tree.arrive import shown_split
from branchwork.tree.split import DIGITS, answer_text
from branchwork.tree.walk import preorder
from branchwork.view.dots import Dot, dots_of, heading_of
from branchwork.view.honest_words import honest_note
from branchwork.view.terminal import harmless, paint, wants_colour
from branchwork.view.words import (
    CLASSES_SHOWN,
    answer,
    check_depth,
    heaviest,
    is_empty,
    missing_note,
    more_facts,
    share_text,
    size,
)

DEEPEST_INDENT = 40
"""Deeper nodes are not indented further; they carry their depth instead, so that a chain stays printable."""
WIDEST_LEFT = 60
NARROWEST_LEFT = 24
"""What is said of a node begins no further left than this, however narrow the terminal is."""
LEAST_CONDITION = 16
"""Cells of a condition that is cut, as long as the answer can be cut instead."""
BESIDE_INDENT = 30
"""Cells that a terminal keeps for condition and answer beside the indent of the deepest node."""


@dataclass(frozen=True)
class _Line:
    """The line of a node: box drawing, condition, answer with its dot, rows, their weight, and what else is said.

    `label` is the answer without the name of what is predicted.
    """

    branch: str
    condition: str
    answer: str = ""
    label: str = ""
    dot: str = ""
    count: str = ""
    weight: str = ""
    facts: tuple[tuple[str, str], ...] = ()  # dot and text

    @property
    def width(self) -> int:
        return sum(map(cells, (self.branch, self.condition, self.answer))) + 2 * bool(self.dot)


def to_text(
    model: Model,
    *,
    max_depth: int | None = None,
    color: bool | None = None,
    full: bool = False,
    width: int | None = None,
) -> str:
    """Print a tree.

    Parameters
    ----------
    max_depth : show nodes down to this depth; a line says how many are hidden.
    color : True, False, or None: colours if standard output is a terminal and NO_COLOR is not set.
    full : name every category of a group, and all digits of numbers; otherwise of more than four categories the first
        three, and four digits.
    width : the columns that lines may take; None: any number.
    """
    check_depth(max_depth)
    colour = wants_colour() if color is None else color
    dot = dots_of(model, colour=colour)
    lines = _lines(model, max_depth, full, dot, width)
    heading = heading_of(model, dot, width)
    digits = max(cells(line.count.split(" ", 1)[0]) for line in lines)
    place = min(_widest_left(lines, digits, width), max(line.width for line in lines))
    shown = [_render(line, place, digits, colour, width) for line in lines]
    return "\n".join(shown if heading is None else [heading, *shown])


def _widest_left(lines: list[_Line], digits: int, width: int | None) -> int:
    """Return how wide conditions and answers may be before rows are told: there must be room for one class, too."""
    if width is None:
        return WIDEST_LEFT
    firsts = (2 + cells(fact) + 2 * bool(dot) for line in lines for dot, fact in line.facts[:1])
    told = 2 + digits + len(" rows") + max(firsts, default=0)
    return max(NARROWEST_LEFT, min(WIDEST_LEFT, width - told))


def _render(line: _Line, place: int, digits: int, colour: bool, width: int | None) -> str:
    number, _, unit = line.count.partition(" ")
    count = f"{right(number, digits)} {unit}" if line.count else ""
    room = None if width is None else width - (cells(count) + 2 if count else 0)
    branch, condition, answer = line.branch, line.condition, line.answer
    if room is not None and line.width > room:
        condition, answer = _cut(line, room - cells(branch) - 2 * bool(line.dot))
    text = paint(branch, "dim", colour=colour) + condition
    text += _answered(answer, line.dot, colour)
    used = cells(branch + condition + answer) + 2 * bool(line.dot)
    if not count or (width is not None and used + 2 + cells(count) > width):
        return text.rstrip()
    text += " " * max(0, place - used)
    used = max(place, used) + 2 + cells(count)
    first = max((2 + cells(fact) + 2 * bool(dot) for dot, fact in line.facts[:1]), default=0)
    if width is None or used + cells(line.weight) + first <= width:  # a class is worth more than the weight
        count, used = count + line.weight, used + cells(line.weight)
    said = [f"  {paint(count, 'cyan', colour=colour)}"]
    for dot, fact in line.facts:
        used += 2 + cells(fact) + 2 * bool(dot)
        if width is not None and used > width:
            break
        said.append(f"  {dot}{paint(fact, 'cyan', colour=colour)}")
    return text + "".join(said)


def _cut(line: _Line, room: int) -> tuple[str, str]:
    """Return the condition and the answer of a line in this many cells: the answer stays as long as it can."""
    least = min(LEAST_CONDITION, cells(line.condition))
    answer = line.answer if cells(line.answer) + least <= room else line.label
    answer = cut(answer, max(room - least, room // 2))
    return cut(line.condition, room - cells(answer)), answer


def _answered(answer: str, dot: str, colour: bool) -> str:
    """Return the answer of a leaf; its dot stands before the name of what is predicted."""
    if not answer:
        return ""
    arrow, said = answer[:3], answer[3:]
    return paint(arrow, "dim", colour=colour) + dot + paint(said, "bold", colour=colour)


def _lines(model: Model, max_depth: int | None, full: bool, dot: Dot, width: int | None) -> list[_Line]:
    tree = model.tree
    deepest = DEEPEST_INDENT if width is None else min(DEEPEST_INDENT, (width - BESIDE_INDENT) // 3)
    lines: list[_Line] = []
    indent: dict[int, str] = {0: ""}  # of a node's children
    branch = {0: ""}
    condition = {0: "all rows"}
    for node in preorder(tree):
        depth = int(tree.depths[node])
        if max_depth is not None and depth > max_depth:
            continue
        lines.append(_line(model, node, branch.pop(node), condition.pop(node), full, dot))
        children = tree.children(node)
        if not children:
            continue
        own = indent.pop(node)
        if max_depth is not None and depth == max_depth:
            lines.append(_Line(f"{own}└─ ", f"… {_hidden(model, node)} nodes below"))
            continue
        texts = shown_split(tree, model.schema, node).branches(model.schema, full=full)
        for k, (child, text) in enumerate(zip(children, texts, strict=True)):
            last = k == len(children) - 1
            deep = depth + 1 > deepest
            branch[child] = f"{own}[depth {depth + 1}] " if deep else own + ("└─ " if last else "├─ ")
            indent[child] = own if deep else own + ("   " if last else "│  ")
            condition[child] = harmless(text)
    return lines


def _line(model: Model, node: int, branch: str, condition: str, full: bool, dot: Dot) -> _Line:
    tree, digits = model.tree, None if full else DIGITS
    note = "; ".join(filter(None, (honest_note(model, node), missing_note(model, node))))
    facts = [*_facts(model, node, digits, dot), *([("", f"({note})")] if note else [])]
    count, bracket, weight = size(tree, node, one="row ").partition(" (")
    weight = bracket + weight
    if not tree.is_leaf(node):
        return _Line(branch, condition, count=count, weight=weight, facts=tuple(facts))
    label = answer(model, node, digits)
    said = f" → {answer_text(model.target, label)}"
    own = "" if model.labels is None else dot(int(tree.decision[node]))
    return _Line(branch, condition, said, f" → {label}", own, count, weight, tuple(facts))


def _facts(model: Model, node: int, digits: int | None, dot: Dot) -> list[tuple[str, str]]:
    """Return what is said of a node beside its size, each with a dot where it is about a class."""
    if model.labels is None or is_empty(model.tree, node):
        return [("", text) for text in more_facts(model, node, digits)]
    shown, more = heaviest(model, node, CLASSES_SHOWN)
    found = [(dot(c), share_text(model, node, c)) for c in shown]
    return [*found, ("", f"… {more} more")] if more else found


def _hidden(model: Model, node: int) -> int:
    return sum(1 for _ in preorder(model.tree, node)) - 1
