"""The working of a split as a table: every candidate with its numbers, and why it won or lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from branchwork.errors import MissingExtraError, ParameterError
from branchwork.model.model import Model
from branchwork.table.shown import first_lines
from branchwork.tree.ledger import HandedIn, Page
from branchwork.tree.tree import STOP_REASONS
from branchwork.view.blocks import Block, Grid, Mark, Sentence, Title
from branchwork.view.candidate_row import (
    KEYS,
    best_first,
    cell,
    cut_cell,
    cuts_of,
    row_of,
    short_verdict,
    shown_columns,
)
from branchwork.view.curve import GainCurve, curve_of
from branchwork.view.digits import measured
from branchwork.view.honest_words import OF_CHOOSER, honest_sentences, is_honest
from branchwork.view.lecture import lecture
from branchwork.view.proof_words import proof_sentences
from branchwork.view.terminal import terminal_width, wants_colour
from branchwork.view.words import size, size_of
from branchwork.view.working_formats import to_html, to_latex, to_markdown, to_rich, to_text

if TYPE_CHECKING:
    import pandas
    from rich.console import RenderableType

Style = Literal["table", "lecture"]

LEAST_TELLING = ("before", "split info", "chi2", "f", "remainder", "p value", "penalty", "known")
"""Columns that a narrow terminal leaves out first: "before" stands above the table, others follow from what is left."""

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
    "Pruning has raised a subtree to this node. The working that growth kept is of other rows; with the training data "
    "handed back, working({node}, X=X, y=y) is of those that reach the node now."
)
CHOSEN_ELSEWHERE = (
    "The tree's split was chosen on other rows, in a lower node, before pruning raised it to this one."
)


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
    lecture: tuple[Block, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: int = 0
    target: str | None = None
    by_ratio: bool = False
    _curves: dict[str, dict[str, Any]] = field(default_factory=dict)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return one dictionary per candidate.

        Impurities are per row that the candidate is judged by: before − remainder = gain. `known` is the share of the
        node's n rows that it is judged by, below 1 where missing values are left out; `penalty` is what C4.5 deducts
        for the number of cuts tried; `net_gain` = known · gain − penalty is what the choice compares. `split_info` and
        `gain_ratio` = net_gain / split_info are there if the gain is in bits. Where there was a test: chi2 (classes)
        or f (numbers), p_value and, for CHAID, adjusted_p. What there is not, or what a model file does not tell, is
        None. verdict is a word, reason a sentence. With `cuts=True` a numeric feature also has cuts: every cut with
        its gain.
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

    def to_text(self, *, color: bool | None = None, width: int | None = None) -> str:
        """Write it as text. In a narrow `width`, columns that tell least are left out; None: lines of any length."""
        return to_text(self._blocks(), colour=wants_colour() if color is None else color, width=width)

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
        return curve_of(self._curves, feature, node=self.node, unit=self.unit)

    def __str__(self) -> str:
        """Print it; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the first lines, without colours."""
        return first_lines(self.to_text(color=False, width=terminal_width()))

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return self.to_html()

    def __rich__(self) -> RenderableType:
        """Show it with `rich.print`."""
        return to_rich(self._blocks())

    def _blocks(self) -> list[Block]:
        of_target = "" if self.target is None else f" of {self.target}"
        before = f"{self.unit}{of_target} {measured(self.before)}"
        blocks: list[Block] = [Title(f"Node {self.node}: {self.size}, {before}")]
        if self.stop != "split":
            blocks.append(Sentence(f"It is {STOPPED[self.stop]}."))
        blocks.extend(Sentence(note) for note in self.notes)
        if self.lecture:
            blocks.extend(self.lecture)
        elif self.rows:
            blocks.append(self._grid())
        if self.left_out:
            more = "1 more feature" if self.left_out == 1 else f"{self.left_out} more features"
            blocks.append(Sentence(f"… and {more}, which are worse or have no split."))
        return blocks

    def _grid(self) -> Grid:
        shown = shown_columns(list(self.rows))
        lines: list[tuple[str, ...]] = []
        short: list[tuple[str, ...]] = []
        marks: list[Mark] = []
        for row in self.rows:
            lines.append(tuple(cell(name, row) for name in shown))
            short.append((*lines[-1][:-1], short_verdict(row["verdict"], by_ratio=self.by_ratio)))
            marks.append("chosen" if row["verdict"] == "chosen" else "")
            for cut in row.get("cuts", ()):
                lines.append(tuple(cut_cell(name, row, cut) for name in shown))
                short.append(lines[-1])
                marks.append("detail")
        header = tuple(name.replace("_", " ") for name in shown)
        words = frozenset({0, 1, len(shown) - 1})
        return Grid(header, tuple(lines), tuple(marks), words, self._spare, tuple(short))

    @property
    def _spare(self) -> tuple[str, ...]:
        """The columns that a narrow terminal leaves out, the first one first; never what decides."""
        if self.by_ratio:
            return (*LEAST_TELLING, "gain", "net gain")
        nets = ("gain",) if any(row["net_gain"] != row["gain"] for row in self.rows) else ()
        return (*LEAST_TELLING, "gain ratio", *nets)


def working(
    model: Model,
    node: int,
    page: Page | None,
    unit: str,
    style: Style = "table",
    *,
    top: int | None = None,
    cuts: bool = False,
) -> Working:
    """Make the working of a node from its page (None: growth never looked at the node).

    Parameters
    ----------
    top : keep only this many candidates, the chosen one first, then by what they gain; None: all, in column order.
    cuts : list every cut of the numeric features? The page must have been computed from rows that were handed in.
    """
    tree, given = model.tree, page.handed_in if page else None
    n, before = float(tree.weight[node]), float(tree.impurity[node])
    shown_size = size(tree, node)
    if given is not None and not given.of_training:
        n, before = given.rows.weight, given.rows.impurity
        shown_size = size_of(given.n_rows, n)
    candidates = page.candidates if page else ()
    rows = [row_of(model, candidate, before, n) for candidate in candidates]
    curves = {}
    for candidate, row in zip(candidates, rows, strict=True):
        listed = cuts_of(model, candidate, row)
        if row["feature"] not in curves:
            curves[row["feature"]] = {**row, "cuts": listed, "best_cut": candidate.cut}
        if cuts and listed:
            row["cuts"] = listed
    kept = best_first(model, rows)[:top] if top is not None else list(range(len(rows)))
    shown = None if page is None else Page(node, tuple(candidates[k] for k in kept), given)
    return Working(
        node,
        n,
        shown_size,
        unit,
        before,
        STOP_REASONS[tree.stop[node]],
        tuple(rows[k] for k in kept),
        lecture(model, node, shown, all_candidates=candidates) if style == "lecture" else (),
        tuple(_notes(model, node, page, shown_size)),
        len({row["feature"] for row in rows} - {rows[k]["feature"] for k in kept}),
        model.target,
        model.criterion.by_ratio,
        curves,
    )


def _notes(model: Model, node: int, page: Page | None, shown_size: str) -> list[str]:
    tree, given = model.tree, page.handed_in if page else None
    notes = proof_sentences(model.proof, node) if given is None or given.of_training else []
    if given is not None and given.chose:
        return [OF_CHOOSER]
    notes = [*honest_sentences(model), *notes]
    if given is None:
        is_raised = page is None and tree.ledger is not None and not tree.is_leaf(node)
        return [*notes, RAISED.format(node=node)] if is_raised else notes
    if not given.of_training:
        notes.append(
            _of_other_rows(given, shown_size, size(tree, node, one="training row", many="training rows"))
        )
    elif page is not None and any(one.verdict == "tree_split" for one in page.candidates):
        notes.append(CHOSEN_ELSEWHERE)
    return notes


def _of_other_rows(given: HandedIn, shown_size: str, of_training: str) -> str:
    if not given.rows.weight > 0:
        return f"None of the rows given reach this node; it has {of_training}."
    return f"Computed on the {shown_size} given, not on the {of_training}."


def kept_page(model: Model, node: int) -> Page | None:
    """The page of a node as growth left it; None: growth did not look for a split there."""
    ledger = model.tree.ledger
    if ledger is not None:
        return ledger.page(node)
    if "library" in model.recipe:
        raise ParameterError("This model has no working: the tree was not grown here.")
    why = "it grew to more than 1 000 nodes, perhaps before it was pruned"
    if is_honest(model.recipe):
        why = "an honest tree has the numbers of other rows than those that chose its splits"
    if model.recipe.get("optimal") is not None:
        why = "an optimal tree keeps it only if the table is small"
    raise ParameterError(
        f"The working of this tree was not kept: {why}. Hand "
        f"back the training data: working({node}, X=X, y=y)."
    )


def check_options(node: int, n_nodes: int, top: int | None, cuts: bool, data_given: bool) -> None:
    """Refuse a node that is not there, and options that mean nothing."""
    if isinstance(node, bool) or not isinstance(node, int | np.integer) or not 0 <= node < n_nodes:
        raise ParameterError(f"node={node!r}; the tree has nodes 0 to {n_nodes - 1}.")
    if top is not None and (isinstance(top, bool) or not isinstance(top, int | np.integer) or top < 1):
        raise ParameterError(
            f"top={top!r}; expected a whole number of at least 1, or None for all candidates."
        )
    if cuts and not data_given:
        raise ParameterError(
            f"cuts=True needs the training data: working({node}, X=X, y=y, cuts=True). A tree keeps only the best cut."
        )
