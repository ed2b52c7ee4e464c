"""The working of a split as a table: every candidate with its numbers, and why it won or lost."""

from __future__ import annotations

import html
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from branchwork.model.model import Model
from branchwork.table.schema import Column
from branchwork.tree.ledger import REASONS, Candidate, Page
from branchwork.tree.split import Intervals, Lookup, Threshold, number
from branchwork.tree.tree import STOP_REASONS
from branchwork.view.terminal import harmless, paint, wants_colour

STOPPED = {
    "pure": "a leaf because all its rows have the same target",
    "max_depth": "a leaf because it is as deep as max_depth allows",
    "too_few_rows": "a leaf because it has too few rows to split",
    "no_candidate": "a leaf because no column parts its rows",
    "no_gain": "a leaf because no split gains anything",
    "empty": "an empty branch: a leaf that answers as its parent does",
    "small_gain": "a leaf because no split gains as much as was asked for",
    "max_leaf_nodes": "a leaf because the tree has as many leaves as max_leaf_nodes allows",
    "collapsed": "a leaf because the splits below it made no fewer errors",
    "pruned": "a leaf because what was below it has been pruned",
    "not_significant": "a leaf because no split is significant",
    "no_progress": "a leaf because its split made no fewer errors on the validation rows",
    "split": "",
}

WIDEST_CELL = 100

COLUMNS = (
    "feature",
    "test",
    "before",
    "remainder",
    "gain",
    "split_info",
    "gain_ratio",
    "chi2",
    "f",
    "p_value",
    "adjusted_p",
    "verdict",
)


@dataclass(frozen=True)
class Working:
    """The candidates of one node. Prints as a table; `to_dict()` gives its rows as plain data."""

    node: int
    n: float
    unit: str
    before: float
    stop: str
    rows: tuple[dict[str, Any], ...]

    def to_dict(self) -> list[dict[str, Any]]:
        """Rows with feature, test, n, before, remainder, gain, split_info, gain_ratio, verdict, reason.

        Where there was a test: chi2 (classes) or f (numbers), p_value and, of CHAID, adjusted_p; otherwise None.
        A numeric feature whose training data were handed back also has cuts: every cut with its gain.
        """
        return [dict(row) for row in self.rows]

    def to_text(self, *, color: bool | None = None) -> str:
        """The table as text."""
        colour = wants_colour() if color is None else color
        title = f"Node {self.node}: {number(self.n)} rows, {self.unit} {self.before:.4f}"
        lines = [paint(title, "bold", colour=colour)]
        if self.stop != "split":
            lines.append(f"It is {STOPPED[self.stop]}.")
        if self.rows:
            lines.extend(self._table(colour))
        return "\n".join(lines)

    def __str__(self) -> str:
        """Print as a table."""
        return self.to_text()

    def __repr__(self) -> str:
        """Print as a table."""
        return self.to_text(color=False)

    def _repr_html_(self) -> str:
        """Show as a table in a notebook."""
        header, *body = self._cells()
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>" for cells in body
        )
        caption = f"Node {self.node}: {number(self.n)} rows, {self.unit} {self.before:.4f}"
        title = f"<caption>{html.escape(caption)}</caption>"
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def _shown(self) -> list[str]:
        return [
            name
            for name in COLUMNS
            if name in ("feature", "test", "verdict") or any(row[name] is not None for row in self.rows)
        ]

    def _cells(self) -> list[list[str]]:
        shown = self._shown()
        lines = [[name.replace("_", " ") for name in shown]]
        for row in self.rows:
            lines.append([_cell(name, row) for name in shown])
            lines.extend(
                [
                    [
                        "  cut" if name == "feature" else _cell(name, {**row, **cut}) if name in cut else ""
                        for name in shown
                    ]
                    for cut in row.get("cuts", ())
                ]
            )
        return lines

    def _table(self, colour: bool) -> list[str]:
        cells = self._cells()
        widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
        left = {0, 1, len(widths) - 1}
        lines = []
        for line in cells:
            text = "  ".join(
                cell.ljust(width) if k in left else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            style = "green" if line[-1].startswith("chosen") else "dim" if line[-1] == "" else ""
            lines.append(paint(text, style, colour=colour and bool(style)))
        lines.insert(1, "  ".join("─" * width for width in widths))
        return lines


def shortened(text: str) -> str:
    """Text that fits into a table."""
    return text if len(text) <= WIDEST_CELL else text[: WIDEST_CELL - 1] + "…"


def _cell(name: str, row: dict[str, Any]) -> str:
    value = row[name]
    if value is None:
        return "–"
    if name == "verdict":
        return "chosen" if value == "chosen" else str(row["reason"])
    if name in ("p_value", "adjusted_p"):
        return f"{value:.3g}"
    return f"{value:.4f}" if isinstance(value, float) else shortened(harmless(str(value)))


def working(model: Model, node: int, page: Page | None, unit: str) -> Working:
    """Make the working of a node from its page of the ledger (None: the node was never looked at)."""
    tree = model.tree
    before, n = float(tree.impurity[node]), float(tree.weight[node])
    rows = tuple(_row(model, candidate, before, n) for candidate in page.candidates) if page else ()
    return Working(node, n, unit, before, STOP_REASONS[tree.stop[node]], rows)


def _row(model: Model, candidate: Candidate, before: float, n: float) -> dict[str, Any]:
    column = model.schema[candidate.feature]
    gain = candidate.gain
    row: dict[str, Any] = {
        "feature": column.name,
        "test": _test(model, candidate, column),
        "n": n,
        "before": before,
        "remainder": None if gain is None else max(0.0, before - gain),
        "gain": gain,
        "split_info": candidate.split_info,
        "gain_ratio": candidate.gain_ratio,
        "chi2": None if model.labels is None else candidate.statistic,
        "f": candidate.statistic if model.labels is None else None,
        "p_value": candidate.p_value,
        "adjusted_p": candidate.adjusted_p,
        "verdict": candidate.verdict,
        "reason": REASONS[candidate.verdict],
    }
    if candidate.cuts:
        row["cuts"] = [
            {
                "test": f"{column.name} <= {number(cut.cut)}",
                "cut": cut.cut,
                "gain": cut.gain,
                "remainder": before - cut.gain,
                "left": cut.left,
                "right": cut.right,
                "missing": cut.missing,
            }
            for cut in candidate.cuts
        ]
    return row


def _test(model: Model, candidate: Candidate, column: Column) -> str | None:
    if candidate.gain is None:
        return None
    if candidate.parts is not None and column.is_nominal:
        return Lookup(candidate.feature, _grouped(column, candidate.parts)).describe(model.schema)
    if candidate.parts is not None and candidate.cut is None:
        return Intervals(candidate.feature, candidate.parts).describe(model.schema)
    if candidate.cut is not None:
        return Threshold(candidate.feature, candidate.cut, False).describe(model.schema)
    if candidate.sides is not None:
        groups = tuple(
            tuple(value for value, at in zip(column.categories, candidate.sides, strict=True) if at == side)
            for side in range(max(1, *candidate.sides) + 1)
        )
        return Lookup(candidate.feature, groups).describe(model.schema)
    return Lookup(candidate.feature, tuple((category,) for category in column.categories)).describe(
        model.schema
    )


def _grouped(column: Column, parts: tuple[float, ...]) -> tuple[tuple[Hashable, ...], ...]:
    """Categories of each group; a group of missing cells alone is empty."""
    return tuple(
        tuple(value for value, at in zip(column.categories, parts, strict=False) if at == group)
        for group in range(int(max(parts)) + 1)
    )
