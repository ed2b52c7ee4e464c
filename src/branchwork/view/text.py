"""A tree as text: one line a node, readable at a glance.

all rows                       14 rows  Yes 9 (64%)  No 5 (36%)
├─ Outlook = Overcast → Yes     4 rows  Yes 4 (100%)
├─ Outlook = Rain               5 rows  Yes 3 (60%)  No 2 (40%)
│  ├─ Wind = Strong → No        2 rows  No 2 (100%)
…
"""

from __future__ import annotations

from dataclasses import dataclass

from branchwork.model.describe import prediction
from branchwork.model.model import Model
from branchwork.tree.split import category, number, split_of
from branchwork.tree.walk import preorder
from branchwork.view.terminal import harmless, paint, wants_colour

DEEPEST_INDENT = 40
"""Deeper nodes are not indented further; they carry their depth instead, so that a chain stays printable."""
WIDEST_LEFT = 60
CLASSES_SHOWN = 4


@dataclass(frozen=True)
class _Line:
    branch: str  # box drawing
    condition: str
    answer: str
    facts: str

    @property
    def width(self) -> int:
        return len(self.branch) + len(self.condition) + len(self.answer)


def to_text(model: Model, *, max_depth: int | None = None, color: bool | None = None) -> str:
    """Print a tree.

    Parameters
    ----------
    max_depth : show nodes down to this depth; a line says how many are hidden.
    color : True, False, or None: colours if standard output is a terminal and NO_COLOR is not set.
    """
    colour = wants_colour() if color is None else color
    lines = _lines(model, max_depth)
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


def _lines(model: Model, max_depth: int | None) -> list[_Line]:
    tree = model.tree
    lines: list[_Line] = []
    indent: dict[int, str] = {0: ""}  # of a node's children
    branch = {0: ""}
    condition = {0: "all rows"}
    for node in preorder(tree):
        depth = int(tree.depths[node])
        if max_depth is not None and depth > max_depth:
            continue
        answer = f" → {answer_of(model, node)}" if tree.is_leaf(node) else ""
        lines.append(_Line(branch.pop(node), condition.pop(node), answer, facts(model, node)))
        children = tree.children(node)
        if not children:
            continue
        own = indent.pop(node)
        if max_depth is not None and depth == max_depth:
            lines.append(_Line(f"{own}└─ ", f"… {_hidden(model, node)} nodes below", "", ""))
            continue
        for k, (child, text) in enumerate(
            zip(children, split_of(tree, model.schema, node).branches(model.schema), strict=True)
        ):
            last = k == len(children) - 1
            deep = depth + 1 > DEEPEST_INDENT
            branch[child] = f"{own}[depth {depth + 1}] " if deep else own + ("└─ " if last else "├─ ")
            indent[child] = own if deep else own + ("   " if last else "│  ")
            condition[child] = harmless(text)
    return lines


def _hidden(model: Model, node: int) -> int:
    return sum(1 for _ in preorder(model.tree, node)) - 1


def answer_of(model: Model, node: int) -> str:
    """What a node answers, in words."""
    answer = prediction(model, node)
    return f"{answer:.6g}" if model.labels is None else harmless(category(answer))


def facts(model: Model, node: int) -> str:
    """How many rows a node has, and their classes, or their mean and standard deviation."""
    tree = model.tree
    weight, n_rows = float(tree.weight[node]), int(tree.n_rows[node])
    size = f"{n_rows} row{'s' if n_rows != 1 else ' '}" + (
        f" (weight {weight:g})" if weight != n_rows else ""
    )
    if n_rows == 0:
        return f"{size}  as its parent"
    if model.labels is None or tree.distribution is None:
        variance = 0.0 if tree.variance is None else float(tree.variance[node])
        return f"{size}  mean {tree.value[node, 0]:.6g}  sd {variance**0.5:.4g}"
    counts = tree.distribution[node]
    order = sorted(range(len(counts)), key=lambda c: -counts[c])
    present = [c for c in order if counts[c] > 0]
    shares = [
        f"{harmless(category(model.labels[c]))} {number(round(float(counts[c]), 2))} ({percent(tree.value[node, c])})"
        for c in present[:CLASSES_SHOWN]
    ]
    more = f"  … {len(present) - CLASSES_SHOWN} more" if len(present) > CLASSES_SHOWN else ""
    return f"{size}  {'  '.join(shares)}{more}"


def percent(share: float) -> str:
    """A share without pretending: 99.97 % is not 100 %."""
    text = f"{share:.0%}"
    return text if text not in ("0%", "100%") or share in (0, 1) else f"{share:.2%}"
