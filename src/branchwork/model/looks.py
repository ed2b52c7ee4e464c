"""The methods that show a model. Loaded models and those of other libraries have them like fitted estimators.

Views, rules and exporters depend on models, not the other way round, so each method imports its view when it is called.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from branchwork.errors import DataError, ParameterError
from branchwork.table.target import Classes

if TYPE_CHECKING:
    from branchwork.model.diversity import Diversity
    from branchwork.model.model import Model
    from branchwork.rules.rule_list import RuleList
    from branchwork.table.table import Table
    from branchwork.table.target import Target
    from branchwork.tree.ledger import Page
    from branchwork.view.arrange import Orientation
    from branchwork.view.cards import Compact
    from branchwork.view.ensemble_why import EnsembleWhy
    from branchwork.view.html import Start
    from branchwork.view.palette import ThemeName
    from branchwork.view.pieces import Svg
    from branchwork.view.why import Why
    from branchwork.view.working import Style, Working


def path_and_rows(path: Any, X: Any, y: Any) -> tuple[Any, Any, Any]:
    """Interpret the arguments of `to_html` and `to_svg`: (path, X, y), or (X, y) without a path."""
    if path is not None and not isinstance(path, str | os.PathLike):
        if y is not None:
            raise ParameterError(
                f"path={type(path).__name__}; expected a file name before X and y, as in to_html(path, X, y)."
            )
        path, X, y = None, path, X
    if (X is None) != (y is None):
        raise ParameterError("To show data, both X and y are needed.")
    return path, X, y


class Looks:
    """The methods that show a model of one tree; of several trees, take `model.member(k)`."""

    @property
    def _model(self) -> Model:
        return cast("Model", self)

    def __repr__(self) -> str:
        """Show what the model predicts, from which features, and how large it is."""
        from branchwork.view.model_view import model_text

        return model_text(self._model)

    def _repr_html_(self) -> str:
        from branchwork.view.model_view import model_html

        model = self._model
        return model_html(model, model.target or "Model")

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as a nested plain dictionary."""
        from branchwork.model.describe import to_dict

        return to_dict(self._model)

    def to_text(
        self,
        *,
        max_depth: int | None = None,
        color: bool | None = None,
        full: bool = False,
        width: int | None = None,
    ) -> str:
        """Return the tree as text, one line per node.

        `full` shows every category of a group and all digits; `width` is the maximum length of lines (None: no limit).
        """
        from branchwork.view.text import to_text

        return to_text(self._model, max_depth=max_depth, color=color, full=full, width=width)

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
        """Draw the tree as SVG: return the text, or write it to `path`; `to_svg(X, y)` adds histograms of rows."""
        from branchwork.files import save_text
        from branchwork.view.svg import to_svg

        path, X, y = path_and_rows(path, X, y)
        model = self._model
        data = None if X is None else (model.table(X), model.target_of(y, sample_weight))
        drawn = to_svg(
            model,
            max_depth=max_depth,
            theme=theme,
            highlight=highlight,
            data=data,
            orientation=orientation,
            compact=compact,
        )
        return drawn if path is None else save_text(path, drawn)

    def to_dot(
        self,
        *,
        max_depth: int | None = None,
        orientation: Orientation = "TB",
        compact: Compact = False,
    ) -> str:
        """Return the tree in the language of Graphviz."""
        from branchwork.view.dot import to_dot

        return to_dot(self._model, max_depth=max_depth, orientation=orientation, compact=compact)

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
        """Return the tree, or the overview of many trees, as one page for a browser, or write it to `path`.

        `title` is the title of the page; None: the name of what the model predicts, or "Tree". With rows, as in
        `to_html(X, y)` or `to_html(path, X, y)`, the page of a tree has a histogram for each node and, if they are the
        training rows, the gain of every threshold. The overview of many trees has histograms in the trees that it
        opens, and says how the trees differ on the rows. No row is stored. `orientation` is how a tree is drawn at
        first: "TB" from top to bottom, "LR" from left to right. `start="steps"` opens the page with the growth of the
        tree, step by step.
        """
        from branchwork.files import save_text
        from branchwork.view.ensemble_page import ensemble_page
        from branchwork.view.html import to_html

        model = self._model
        path, X, y = path_and_rows(path, X, y)
        if start not in ("tree", "steps"):
            raise ParameterError(f"start={start!r} is not known. Expected 'tree' or 'steps'.")
        self._check_rows(X)
        data = None if X is None else (model.table(X), model.target_of(y, sample_weight))
        if model.combine.kind == "single":
            name = title or model.target or "Tree"
            text = to_html(
                model,
                unit=model.unit,
                title=name,
                orientation=orientation,
                data=data,
                pages=None if data is None else self._pages(*data),
                start=start,
            )
        else:
            if start != "tree":
                raise ParameterError(
                    "start is for the page of one tree: take model.member(0).to_html(start='steps'), say."
                )
            text = ensemble_page(
                model,
                title=title or model.target or "Ensemble",
                diversity=None if data is None else self.diversity(*data),
                orientation=orientation,
                data=data,
            )
        return text if path is None else save_text(path, text)

    def widget(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        tree: int = 0,
        title: str | None = None,
    ) -> Any:
        """Return the tree, or one of many trees, as a widget of a notebook; with rows it has their histograms.

        `selected` is the node that is selected, and may be set. It needs anywidget: pip install "branchwork[notebook]".
        """
        from branchwork.view.widget import to_widget

        _, X, y = path_and_rows(None, X, y)
        self._check_rows(X)
        model = self._model if self._model.combine.kind == "single" else self._model.member(tree)
        data = None if X is None else (model.table(X), model.target_of(y, sample_weight))
        pages = None if data is None else model._pages(*data)
        return to_widget(
            model, unit=model.unit, title=title or model.target or "Tree", data=data, pages=pages
        )

    def _check_rows(self, X: Any) -> None:
        """Refuse rows for trees that do not answer alone."""
        if self._model.combine.kind == "sum" and X is not None:
            raise ParameterError(
                "The trees of a sum add up and do not answer y alone, so they can show no rows. Leave out X and y."
            )

    def _pages(self, table: Table, target: Target) -> dict[int, Page]:
        """Compute the working of the largest nodes from rows; none if these are not the training rows."""
        from branchwork.learn.handed_back import largest_pages

        if table.n_rows != len(target):
            raise DataError(f"X has {table.n_rows} rows, but y has {len(target)}. Every row needs one.")
        return largest_pages(self._model, table, target)

    def why(self, row: Any, *, want: Any = None, fixed: Iterable[str] = ()) -> Why | EnsembleWhy:
        """Explain the prediction for one row: the path, and the nearest change of it; for many trees, their votes."""
        from branchwork.view.ensemble_why import ensemble_why
        from branchwork.view.why import why

        if self._model.combine.kind == "single":
            return why(self._model, row, want=want, fixed=fixed)
        if want is not None or fixed:
            name = "fixed" if want is None else "want"
            raise ParameterError(
                f"{name}= is for a single tree: take model.member(0).why(row, {name}=...), say."
            )
        return ensemble_why(self._model, row)

    def diversity(self, X: Any, y: Any) -> Diversity:
        """Return how the trees of an ensemble differ on some rows: disagreement, strength and correlation."""
        from branchwork.model.diversity import diversity_of_classes, diversity_of_numbers

        model = self._model
        if model.combine.kind == "sum":
            raise ParameterError(
                "The trees of a sum do not predict on their own, so they cannot be compared."
            )
        table, target = model.table(X), model.target_of(y)
        if table.n_rows != len(target):
            raise DataError(f"X has {table.n_rows} rows, but y has {len(target)}.")
        if isinstance(target, Classes):
            said = np.stack([model.decisions_of(tree, table) for tree in model.trees])
            return diversity_of_classes(said, target.codes, model.decisions(table), len(target.labels))
        answers = np.stack([model.outputs_of(tree, table)[:, 0] for tree in model.trees])
        return diversity_of_numbers(answers, target.values, model.outputs(table)[:, 0])

    def rules(self, *, simplify: bool = False) -> RuleList:
        """Return the tree as rules, one for each leaf."""
        from branchwork.rules.extract import extract

        return extract(self._model, simplify=simplify)

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

        This is the same as `working` of an estimator. But a model does not store the class weights, priors or losses of
        its training. If there were any, give the weight that each row had as `sample_weight`.
        """
        from branchwork.learn.handed_back import page_from_rows
        from branchwork.view.working import check_options, kept_page, working

        model = self._model
        if style not in ("table", "lecture"):
            raise ParameterError(f"style={style!r} is not known. Expected 'table' or 'lecture'.")
        check_options(node, model.tree.n_nodes, top, cuts, X is not None)
        if X is None and y is None:
            page = kept_page(model, node)
        elif X is None or y is None:
            given, absent = ("X", "y") if y is None else ("y", "X")
            raise ParameterError(f"{given} was given without {absent}; the working needs both.")
        else:
            page = page_from_rows(model, node, model.table(X), model.target_of(y, sample_weight))
        return working(model, node, page, model.unit, style, top=top, cuts=cuts)

    def export(self, language: str, **options: Any) -> str | bytes:
        """Write the model as a program, or in a form that other programs read (docs/guide/export.md)."""
        from branchwork.export import export

        return export(self._model, language, **options)
