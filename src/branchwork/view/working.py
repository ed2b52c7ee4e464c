"""The working of a split as a table: every candidate with its numbers, and why it won or lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from branchwork.errors import MissingExtraError
from branchwork.measure.chance import p_of_chi_square, p_of_f
from branchwork.model.model import Model
from branchwork.tree.ledger import Candidate, Page, reason
from branchwork.tree.split import number
from branchwork.tree.tree import STOP_REASONS
from branchwork.view.blocks import Block, Grid, Mark, Sentence, Title
from branchwork.view.candidate_split import split_of_candidate
from branchwork.view.curve import GainCurve, curve_of
from branchwork.view.digits import measured, settled, shortened
from branchwork.view.lecture import lecture
from branchwork.view.terminal import harmless, wants_colour
from branchwork.view.words import size
from branchwork.view.working_formats import to_html, to_latex, to_markdown, to_rich, to_text

if TYPE_CHECKING:
    import pandas
    from rich.console import RenderableType

Style = Literal["table", "lecture"]

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
    "not_told": "",
    "split": "",
}

RAISED = (
    "Pruning moved this split up: it was chosen for fewer rows than the node has now, so it has no working."
)
WIDEST_CELL = 100
IMPURITIES = ("before", "remainder", "gain", "gain_ratio")
"""What is measured as the node's impurity is; the others are numbers of their own kind."""

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
"""Of the table that is shown."""

KEYS = ("feature", "test", "n", *COLUMNS[2:], "reason")
"""Of the rows as data."""


@dataclass(frozen=True, repr=False)
class Working:
    """The candidates of one node, and the arithmetic behind them.

    Prints as a table, or as a lecture if that was asked for; `to_text`, `to_markdown`, `to_latex` and `to_html` write
    the same in their formats. `to_dict()` and `to_frame()` give the rows of the table as data, whatever the style.
    """

    node: int
    n: float
    size: str
    unit: str
    before: float
    stop: str
    rows: tuple[dict[str, Any], ...]
    best_cuts: tuple[float | None, ...] = ()
    lecture: tuple[Block, ...] = ()

    def to_dict(self) -> list[dict[str, Any]]:
        """Rows with feature, test, n, before, remainder, gain, split_info, gain_ratio, verdict, reason.

        Where there was a test: chi2 (classes) or f (numbers), p_value and, of CHAID, adjusted_p; otherwise None.
        A numeric feature whose training data were handed back also has cuts: every cut with its gain (of C4.5, before
        the price that the best one pays).
        """
        return [dict(row) for row in self.rows]

    def to_frame(self) -> pandas.DataFrame:
        """Return the rows as a pandas data frame, without the single cuts."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError("Working.to_frame()", "pandas") from None
        return pandas.DataFrame(
            [[row[name] for name in KEYS] for row in self.rows], columns=list(KEYS)
        ).infer_objects()

    def to_text(self, *, color: bool | None = None) -> str:
        """Write it for a terminal."""
        return to_text(self._blocks(), colour=wants_colour() if color is None else color)

    def to_markdown(self) -> str:
        """Write it in Markdown; formulas of a lecture are TeX between double dollars."""
        return to_markdown(self._blocks())

    def to_latex(self) -> str:
        """Write it in LaTeX, with a plain tabular; formulas of a lecture need the package amsmath.

        Names in other letters than Latin ones need LuaLaTeX or XeLaTeX, and a font that has them.
        """
        return to_latex(self._blocks())

    def to_html(self) -> str:
        """Write it as a piece of HTML; formulas of a lecture are MathML, which browsers show by themselves."""
        return to_html(self._blocks())

    def curve(self, feature: str) -> GainCurve:
        """Return the gain at every cut of a numeric feature; the training data must have been handed back.

        >>> import branchwork as bw
        >>> data = bw.datasets.load("vegetation")
        >>> tree = bw.ID3Classifier().fit(data.X, data.y)
        >>> tree.working(0, X=data.X, y=data.y).curve("ELEVATION").best_cut
        4175.0
        """
        return curve_of(self.rows, self.best_cuts, feature, node=self.node, unit=self.unit)

    def __str__(self) -> str:
        """Print it."""
        return self.to_text()

    def __repr__(self) -> str:
        """Print it without colours."""
        return self.to_text(color=False)

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return self.to_html()

    def __rich__(self) -> RenderableType:
        """Show it with `rich.print`."""
        return to_rich(self._blocks())

    def _blocks(self) -> list[Block]:
        blocks: list[Block] = [Title(f"Node {self.node}: {self.size}, {self.unit} {measured(self.before)}")]
        if self.stop != "split":
            blocks.append(Sentence(f"It is {STOPPED[self.stop]}."))
        if self.lecture:
            blocks.extend(self.lecture)
        elif self.rows:
            blocks.append(self._grid())
        elif self.stop == "split":
            blocks.append(Sentence(RAISED))
        return blocks

    def _grid(self) -> Grid:
        shown = [
            name
            for name in COLUMNS
            if name in ("feature", "test", "verdict") or any(row[name] is not None for row in self.rows)
        ]
        lines: list[tuple[str, ...]] = []
        marks: list[Mark] = []
        for row in self.rows:
            lines.append(tuple(_cell(name, row) for name in shown))
            marks.append("chosen" if row["verdict"] == "chosen" else "")
            for cut in row.get("cuts", ()):
                lines.append(tuple(_cut_cell(name, row, cut) for name in shown))
                marks.append("detail")
        header = tuple(name.replace("_", " ") for name in shown)
        return Grid(header, tuple(lines), tuple(marks), frozenset({0, 1, len(shown) - 1}))


def _cell(name: str, row: dict[str, Any]) -> str:
    value = row[name]
    if value is None:
        return "–"
    if name == "verdict":
        return "chosen" if value == "chosen" else str(row["reason"])
    if name in ("p_value", "adjusted_p"):
        return f"{value:.3g}"
    return (
        shortened(harmless(value), WIDEST_CELL) if isinstance(value, str) else measured(number_of(name, row))
    )


def number_of(name: str, row: dict[str, Any]) -> float:
    """A number of a row, or 0 where it is only rounding."""
    return settled(row[name], row["before"] if name in IMPURITIES else 1.0)


def _cut_cell(name: str, row: dict[str, Any], cut: dict[str, Any]) -> str:
    if name == "feature":
        return "  cut"
    return _cell(name, {**row, **cut}) if name in cut else ""


def working(
    model: Model,
    node: int,
    page: Page | None,
    unit: str,
    style: Style = "table",
    *,
    data_given: bool = False,
) -> Working:
    """Make the working of a node from its page of the ledger (None: the node was never looked at)."""
    tree = model.tree
    before, n = float(tree.impurity[node]), float(tree.weight[node])
    page = page and Page(node, tuple(_with_p_value(model, candidate) for candidate in page.candidates))
    candidates = page.candidates if page else ()
    return Working(
        node,
        n,
        size(tree, node),
        unit,
        before,
        STOP_REASONS[tree.stop[node]],
        tuple(_row(model, candidate, before, n) for candidate in candidates),
        tuple(candidate.cut for candidate in candidates),
        lecture(model, node, page, data_given=data_given) if style == "lecture" else (),
    )


def _row(model: Model, candidate: Candidate, before: float, n: float) -> dict[str, Any]:
    column = model.schema[candidate.feature]
    gain = candidate.gain
    row: dict[str, Any] = {
        "feature": column.name,
        "test": None if gain is None else split_of_candidate(candidate, column).describe(model.schema),
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
        "reason": reason(candidate.verdict, model.recipe["criterion"]),
    }
    if candidate.cuts:
        row["cuts"] = [
            {
                "test": f"{column.name} <= {number(cut.cut)}",
                "cut": cut.cut,
                "gain": cut.gain,
                "remainder": max(0.0, before - cut.gain),
                "left": cut.left,
                "right": cut.right,
                "missing": cut.missing,
            }
            for cut in candidate.cuts
        ]
    return row


def _with_p_value(model: Model, candidate: Candidate) -> Candidate:
    """The candidate with the p-value of the statistic that the ledger kept."""
    if candidate.statistic is None or candidate.freedom is None:
        return candidate
    if model.labels is None:
        return replace(candidate, p_value=p_of_f(candidate.statistic, *candidate.freedom))
    return replace(candidate, p_value=p_of_chi_square(candidate.statistic, candidate.freedom[0]))
