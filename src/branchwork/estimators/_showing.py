"""Looking at a fitted tree: as text, as a picture, as data, as rules, and the working of its nodes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast, overload

from sklearn.utils.validation import check_is_fitted

from branchwork.errors import ParameterError
from branchwork.estimators._fitted import FittedTree
from branchwork.grow.checks import one_of
from branchwork.rules.rule_list import RuleList
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.view.html import to_frame
from branchwork.view.palette import ThemeName
from branchwork.view.pieces import Svg
from branchwork.view.why import Why
from branchwork.view.widget import to_widget
from branchwork.view.working import Style, Working

LARGEST_SHOWN = 1000
"""Nodes of a tree that a notebook shows by itself; larger ones have to_html() and widget()."""


class Shows(FittedTree):
    """How a single tree is looked at."""

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as a nested plain dictionary."""
        check_is_fitted(self)
        return self.model_.to_dict()

    def to_text(self, *, max_depth: int | None = None, color: bool | None = None, full: bool = False) -> str:
        """Return the tree as text, one line per node; `full` names every category of a group."""
        check_is_fitted(self)
        return self.model_.to_text(max_depth=max_depth, color=color, full=full)

    def to_svg(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        max_depth: int | None = None,
        theme: ThemeName = "light",
        highlight: int | None = None,
    ) -> Svg:
        """Draw the tree: an SVG picture as text, which needs nothing but a browser. A notebook shows it.

        Parameters
        ----------
        X, y, sample_weight : rows, perhaps those of training: each node then has a histogram of the column it asks
            for, or of a numeric target.
        max_depth : draw nodes down to this depth. None: as deep as about 200 nodes allow; a line says what is left out.
        theme : "light", "dark", or "auto": what the reader's system asks for.
        highlight : a node; the way to it is drawn strong. `apply` tells the leaf of a row.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> picture = bw.ID3Classifier().fit(tennis.X, tennis.y).to_svg()
        >>> picture[:4], ">Outlook<" in picture
        ('<svg', True)
        """
        check_is_fitted(self)
        table = None if X is None else self._coded(X)
        target = None if y is None else self._retarget(y, sample_weight)
        return self.model_.to_svg(table, target, max_depth=max_depth, theme=theme, highlight=highlight)

    def to_dot(self, *, max_depth: int | None = None) -> str:
        """Return the tree in the language of Graphviz; a dashed edge is one that missing values take."""
        check_is_fitted(self)
        return self.model_.to_dot(max_depth=max_depth)

    def why(self, row: Any, *, want: Any = None) -> Why:
        """Explain the answer for one row: the way to it, the splits that nearly won, and the nearest other answer.

        Parameters
        ----------
        row : a mapping of column to value, values in column order, a pandas Series, or a table with one row.
        want : the answer that a change should lead to: a label, or (lowest, highest) of a number; None: any other one.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
        >>> found = tree.why({"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"})
        >>> found.prediction, found.to_dict()["counterfactual"]["row"]["Wind"]
        ('Yes', 'Strong')
        """
        check_is_fitted(self)
        return cast(Why, self.model_.why(row, want=want))

    @overload
    def to_html(self, path: None = None, *, title: str | None = None) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path: ...

    def to_html(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> str | Path:
        """Return the tree as one page to look at in a browser; it needs no network and nothing beside it.

        Parameters
        ----------
        path : where to write the page; then the path is returned. None: the page is returned as text.
        title : what the page is called; None: the name of the estimator.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> page = bw.ID3Classifier().fit(tennis.X, tennis.y).to_html(title="Tennis")
        >>> "<title>Tennis</title>" in page
        True
        """
        check_is_fitted(self)
        return self.model_.to_html(path, title=title or type(self).__name__)

    def widget(self, *, title: str | None = None) -> Any:
        """Return the tree as a widget of a notebook; `selected` is the node that is selected, and may be set.

        It needs anywidget: pip install "branchwork[notebook]".
        """
        check_is_fitted(self)
        return to_widget(self.model_, unit=self.model_.unit, title=title or type(self).__name__)

    def _repr_html_inner(self) -> str:
        """Show a fitted tree in a notebook as its page; scikit-learn asks here for the HTML."""
        if self._fits_a_notebook():
            return to_frame(self.model_, unit=self.model_.unit, title=type(self).__name__)
        return str(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Show the same where a notebook asks for several forms at once."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle and self._fits_a_notebook():
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def _fits_a_notebook(self) -> bool:
        """Whether there is a tree, and not one so large that it would swell every notebook it is shown in."""
        return "model_" in vars(self) and self.model_.tree.n_nodes <= LARGEST_SHOWN

    def rules(self, *, simplify: bool = False) -> RuleList:
        """Return the tree as rules, one for each leaf; they predict what the tree predicts.

        `simplify` merges conditions on one feature on the way, as `RuleList.simplify()` does afterwards.
        """
        check_is_fitted(self)
        return self.model_.rules(simplify=simplify)

    def export(self, language: str, **options: Any) -> str | bytes:
        """Write the tree as a program, or in a form that other programs read.

        Parameters
        ----------
        language : "python", "c", "javascript", "java", "sql", "onnx", "pmml", "json", "markdown", "latex" or
            "questionnaire", a page that asks one question at a time.
        options : of the language (docs/guide/export.md).
        """
        check_is_fitted(self)
        return self.model_.export(language, **options)

    def working(
        self,
        node: int = 0,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        style: Style = "table",
        top: int | None = None,
        cuts: bool = False,
    ) -> Working:
        """Show the working of a node: every feature's best candidate, its numbers, and why it won or lost.

        The tree keeps the working of its nodes, unless it grew to more than 1 000 of them. Rows that are handed in are
        sent down the tree, and the working is computed from those that reach the node. If they are the training data,
        it is the working that the split was chosen by. If they are others, a sentence says so, and the tree's split is
        shown beside the split that is best on these rows.

        Parameters
        ----------
        node : the node; ids are those of `to_dict()` and `apply`.
        X, y, sample_weight : rows, above all the training data. `curve(feature)` then has the gain of every cut.
        style : "table", or "lecture": the arithmetic written out as on a blackboard, with the node's own numbers; the
            branches of all features, not only of the chosen one, if rows are handed in.
        top : show only this many candidates, the chosen one first, then by what they gain; None: all, in column order.
        cuts : list every cut of each numeric feature too? This needs X and y.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
        >>> lecture = tree.working(0, tennis.X, tennis.y, style="lecture").to_text()
        >>> print([line for line in lecture.splitlines() if "Gain(Outlook)" in line][0])
          Gain(Outlook) = 0.9403 − 0.6935 = 0.2467
        """
        check_is_fitted(self)
        one_of("style", style, Style)
        rows = (None, None) if X is None and y is None else self._handed_in(X, y, sample_weight)
        return self.model_.working(node, *rows, style=style, top=top, cuts=cuts)

    def _handed_in(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Target]:
        """Rows in the model's own categories and labels, by the weights of training."""
        if X is None or y is None:
            given, absent = ("X", "y") if y is None else ("y", "X")
            raise ParameterError(f"{given} was given without {absent}; the working needs both.")
        return self._coded(X), self._retarget(y, sample_weight)
