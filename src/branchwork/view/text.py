"""A tree as text: one line a node, readable at a glance.

all rows                       14 rows  Yes 9 (64%)  No 5 (36%)
├─ Outlook = Overcast → Yes     4 rows  Yes 4 (100%)
├─ Outlook = Rain               5 rows  Yes 3 (60%)  No 2 (40%)
│  ├─ Wind = Strong → No        2 rows  No 2 (100%)
…
"""

from __future__ import annotations

from dataclasses import dataclass

from branchwork.model.model import Model
from branchwork.tree.arrive import shown_split
from branchwork.tree.walk import preorder
from branchwork.view.honest_words import honest_note
from branchwork.view.terminal import harmless, paint, wants_colour
from branchwork.view.words import answer, check_depth, facts, missing_note

DEEPEST_INDENT = 40
"""Deeper nodes are not indented further; they carry their depth instead, so that a chain stays printable."""
WIDEST_LEFT = 60


@dataclass(frozen=True)
class _Line:
    branch: str  # box drawing
    condition: str
    answer: str
    facts: str

    @property
    def width(self) -> int:
        return len(self.branch) + len(self.condition) + len(self.answer)


def to_text(
    model: Model, *, max_depth: int | None = None, color: bool | None = None, full: bool = False
) -> str:
    """Print a tree.

    Parameters
    ----------
    max_depth : show nodes down to this depth; a line says how many are hidden.
    color : True, False, or None: colours if standard output is a terminal and NO_COLOR is not set.
    full : name every category of a group; otherwise of more than four the first three.
    """
    check_depth(max_depth)
    colour = wants_colour() if color is None else color
    lines = _lines(model, max_depth, full)
    width = min(WIDEST_LEFT, max(line.width for line in lines))
    digits = max(len(str(n_rows)) for n_rows in model.tree.n_rows.tolist())
    return "\n".join(_render(line, width, digits, colour) for line in lines)


def _render(line: _Line, width: int, digits: int, colour: bool) -> str:
    left = (
        paint(line.branch, "dim", colour=colour)
        + line.condition
        + paint(line.answer, "bold", "green", colour=colour)
        + " " * max(0, width - line.width)
    )
    if not line.facts:
        return left.rstrip()
    count, rest = line.facts.split(" ", 1)
    return f"{left}  {paint(f'{count.rjust(digits)} {rest}', 'cyan', colour=colour)}"


def _lines(model: Model, max_depth: int | None, full: bool) -> list[_Line]:
    tree = model.tree
    lines: list[_Line] = []
    indent: dict[int, str] = {0: ""}  # of a node's children
    branch = {0: ""}
    condition = {0: "all rows"}
    for node in preorder(tree):
        depth = int(tree.depths[node])
        if max_depth is not None and depth > max_depth:
            continue
        told = f" → {answer(model, node)}" if tree.is_leaf(node) else ""
        note = "; ".join(filter(None, (honest_note(model, node), missing_note(model, node))))
        known = facts(model, node) + (f"  ({note})" if note else "")
        lines.append(_Line(branch.pop(node), condition.pop(node), told, known))
        children = tree.children(node)
        if not children:
            continue
        own = indent.pop(node)
        if max_depth is not None and depth == max_depth:
            lines.append(_Line(f"{own}└─ ", f"… {_hidden(model, node)} nodes below", "", ""))
            continue
        texts = shown_split(tree, model.schema, node).branches(model.schema, full=full)
        for k, (child, text) in enumerate(zip(children, texts, strict=True)):
            last = k == len(children) - 1
            deep = depth + 1 > DEEPEST_INDENT
            branch[child] = f"{own}[depth {depth + 1}] " if deep else own + ("└─ " if last else "├─ ")
            indent[child] = own if deep else own + ("   " if last else "│  ")
            condition[child] = harmless(text)
    return lines


def _hidden(model: Model, node: int) -> int:
    return sum(1 for _ in preorder(model.tree, node)) - 1
