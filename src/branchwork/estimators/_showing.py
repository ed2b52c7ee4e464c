"""Looking at a fitted tree: as text, as a picture, as data, as rules, and the working of its nodes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast, overload

from sklearn.utils.validation import check_is_fitted

from branchwork.errors import ParameterError
from branchwork.estimators._copying import of_one_fit
from branchwork.estimators._fitted import FittedTree
from branchwork.estimators._notebook import ShowsInNotebook
from branchwork.grow.checks import one_of
from branchwork.model.looks import path_and_rows
from branchwork.rules.rule_list import RuleList
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.view.arrange import Orientation
from branchwork.view.cards import Compact
from branchwork.view.html import Start
from branchwork.view.palette import ThemeName
from branchwork.view.pieces import Svg
from branchwork.view.why import Why
from branchwork.view.working import Style, Working


class Shows(ShowsInNotebook, FittedTree):
    """How a single tree is looked at."""

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as a nested plain dictionary."""
        check_is_fitted(self)
        return self.model_.to_dict()

    def to_text(
        self,
        *,
        max_depth: int | None = None,
        color: bool | None = None,
        full: bool = False,
        width: int | None = None,
    ) -> str:
        """Return the tree as text, one line per node.

        Parameters
        ----------
        max_depth : show nodes down to this depth; a line says how many are hidden.
        color : True, False, or None: colours if standard output is a terminal and NO_COLOR is not set.
        full : name every category of a group, and all digits of numbers.
        width : the columns that lines may take; None: any number.
        """
        check_is_fitted(self)
        return self.model_.to_text(max_depth=max_depth, color=color, full=full, width=width)

    @overload
    def to_svg(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        max_depth: int | None = None,
        theme: ThemeName = "auto",
        highlight: int | None = None,
        orientation: Orientation = "TB",
        compact: Compact = False,
    ) -> Path: ...

    @overload
    def to_svg(
        self,
        path: Any = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        max_depth: int | None = None,
        theme: ThemeName = "auto",
        highlight: int | None = None,
        orientation: Orientation = "TB",
        compact: Compact = False,
    ) -> Svg: ...

    @of_one_fit
    def to_svg(
        self,
        path: Any = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        max_depth: int | None = None,
        theme: ThemeName = "auto",
        highlight: int | None = None,
        orientation: Orientation = "TB",
        compact: Compact = False,
    ) -> Svg | Path:
        """Draw the tree: an SVG picture as text, which needs nothing but a browser. A notebook shows it.

        Parameters
        ----------
        path : where to write the picture; then the path is returned. None: the picture is returned as text.
        X, y, sample_weight : rows, perhaps those of training, as `to_svg(X, y)` or `to_svg(path, X, y)`: each node then
            has a histogram of the column it asks for, or of a numeric target.
        max_depth : draw nodes down to this depth. None: as deep as about 200 nodes allow, or 1 000 where the picture
            is compact; a line says what is left out.
        theme : "light", "dark", or "auto": what the reader's system or notebook asks for.
        highlight : a node; the way to it is drawn strong. `apply` tells the leaf of a row.
        orientation : "TB", from top to bottom, or "LR", from left to right, which suits deep trees.
        compact : True or "lines": one line for each node; "marks": a coloured mark for each node, without words.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> picture = bw.ID3Classifier().fit(tennis.X, tennis.y).to_svg()
        >>> picture[:4], ">Outlook<" in picture
        ('<svg', True)
        """
        check_is_fitted(self)
        path, X, y = path_and_rows(path, X, y)
        table = None if X is None else self._coded(X)
        target = None if y is None else self._retarget(y, sample_weight)
        drawn: Svg | Path = self.model_.to_svg(
            path,
            table,
            target,
            max_depth=max_depth,
            theme=theme,
            highlight=highlight,
            orientation=orientation,
            compact=compact,
        )
        return drawn

    def to_dot(
        self,
        *,
        max_depth: int | None = None,
        orientation: Orientation = "TB",
        compact: Compact = False,
    ) -> str:
        """Return the tree in the language of Graphviz; a dashed edge is one that missing values take.

        Parameters
        ----------
        max_depth : write nodes down to this depth. None: as deep as about 200 nodes allow, or 1 000 compact ones.
        orientation : "TB", from top to bottom, or "LR", from left to right.
        compact : True or "lines": only the title of each node; "marks": points without words.
        """
        check_is_fitted(self)
        return self.model_.to_dot(max_depth=max_depth, orientation=orientation, compact=compact)

    def why(self, row: Any, *, want: Any = None, fixed: Iterable[str] = ()) -> Why:
        """Explain the answer for one row: the way to it, the splits that nearly won, and the nearest other answer.

        Parameters
        ----------
        row : a mapping of column to value, values in column order, a pandas Series, or a table with one row.
        want : the answer that a change should lead to: a label, or (lowest, highest) of a number; None: any other one.
        fixed : the names of the features that cannot change, such as the month or the sex of a person.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
        >>> found = tree.why({"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"})
        >>> found.prediction, found.to_dict()["counterfactual"]["row"]["Wind"]
        ('Yes', 'Strong')
        """
        check_is_fitted(self)
        return cast(Why, self.model_.why(row, want=want, fixed=fixed))

    @overload
    def to_html(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        title: str | None = None,
        orientation: Orientation = "TB",
        start: Start = "tree",
    ) -> Path: ...

    @overload
    def to_html(
        self,
        path: Any = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        title: str | None = None,
        orientation: Orientation = "TB",
        start: Start = "tree",
    ) -> str: ...

    @of_one_fit
    def to_html(
        self,
        path: Any = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        title: str | None = None,
        orientation: Orientation = "TB",
        start: Start = "tree",
    ) -> str | Path:
        """Return the tree as one page to look at in a browser; it needs no network and nothing beside it.

        Parameters
        ----------
        path : where to write the page; then the path is returned. None: the page is returned as text.
        X, y : rows to show on the page, as `to_html(X, y)` or `to_html(path, X, y)`: a histogram for each node. With
            the rows that the tree was grown on, the page also has the gain of every threshold and the children that
            each candidate would have made. No row is stored in the page.
        sample_weight : the weights of these rows.
        title : what the page is called; None: the name of the estimator.
        orientation : how the tree is drawn at first: "TB" from the top down, "LR" from left to right. A button on the
            page turns it.
        start : what the page opens with: "tree", or "steps", the growth of the tree step by step.

        >>> import branchwork as bw
        >>> tennis = bw.datasets.load("play_tennis")
        >>> tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
        >>> "<title>Tennis</title>" in tree.to_html(tennis.X, tennis.y, title="Tennis")
        True
        """
        check_is_fitted(self)
        path, X, y = path_and_rows(path, X, y)
        table = None if X is None else self._coded(X)
        target = None if y is None else self._retarget(y, sample_weight)
        page: str | Path = self.model_.to_html(
            path,
            table,
            target,
            title=title or type(self).__name__,
            orientation=orientation,
            start=start,
        )
        return page

    @of_one_fit
    def widget(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, title: str | None = None
    ) -> Any:
        """Return the tree as a widget of a notebook; `selected` is the node that is selected, and may be set.

        It needs anywidget: pip install "branchwork[notebook]".

        Parameters
        ----------
        X, y, sample_weight : rows to show in the widget, as in `to_html`: a histogram for each node.
        title : what the widget is called; None: the name of the estimator.
        """
        check_is_fitted(self)
        _, X, y = path_and_rows(None, X, y)
        table = None if X is None else self._coded(X)
        target = None if y is None else self._retarget(y, sample_weight)
        return self.model_.widget(table, target, title=title or type(self).__name__)

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

    @of_one_fit
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
