"""What every ensemble of trees shares: its members, and looking at them."""

from __future__ import annotations

import os
from abc import abstractmethod
from pathlib import Path
from typing import Any, overload

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from branchwork.errors import ParameterError, shown
from branchwork.estimators._base import TreeClassifierFace, TreeEstimator, TreeRegressorFace
from branchwork.estimators._copying import of_one_fit
from branchwork.estimators._notebook import ShowsInNotebook
from branchwork.estimators._parameters import check_parameters
from branchwork.estimators._predicting import one_column
from branchwork.estimators._resampled import only_grows
from branchwork.estimators._tuning import Tunes
from branchwork.estimators.rules import RuleListClassifier
from branchwork.files import save_text
from branchwork.grow.recipe import Recipe
from branchwork.learn.members import LearnAlone
from branchwork.model.diversity import Diversity
from branchwork.model.looks import path_and_rows
from branchwork.model.model import Model
from branchwork.table.schema import Schema
from branchwork.table.target import Classes, Target
from branchwork.tree.tree import Tree
from branchwork.view.arrange import Orientation
from branchwork.view.ensemble_page import ensemble_page
from branchwork.view.ensemble_why import EnsembleWhy, ensemble_why


class TreeEnsemble(ShowsInNotebook, Tunes):
    """Many trees that answer together."""

    @abstractmethod
    def _member(self) -> TreeEstimator:
        """Return the estimator that each tree could have come from, not fitted."""

    @property
    def trees_(self) -> tuple[Tree, ...]:
        """The trees, in the order in which they were grown."""
        check_is_fitted(self)
        return self.model_.trees

    @property
    @of_one_fit
    def estimators_(self) -> list[TreeEstimator]:
        """The trees as fitted estimators: each can be looked at, explained, pruned and exported by itself."""
        check_is_fitted(self)
        return [self._as_estimator(k) for k in range(len(self.model_.trees))]

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.trees_)

    @of_one_fit
    def __getitem__(self, k: int) -> TreeEstimator:
        """Return one of the trees as a fitted estimator."""
        return self._as_estimator(range(len(self.trees_))[k])

    # ---- looking

    @of_one_fit
    def diversity(self, X: Any, y: Any) -> Diversity:
        """Return how the trees differ on some rows: disagreement of every two, strength and correlation.

        Rows that the trees were grown on make them look stronger than they are; take rows that were held out.
        """
        check_is_fitted(self)
        return self.model_.diversity(self._coded(X), one_column(y, type(self).__name__))

    def why(self, row: Any) -> EnsembleWhy:
        """Explain the answer for one row: the votes of the trees, those that disagree, and the path in any of them."""
        check_is_fitted(self)
        return ensemble_why(self.model_, row)

    def export(self, language: str, **options: Any) -> str | bytes:
        """Write the ensemble as a program, or in a form that other programs read (docs/guide/export.md)."""
        check_is_fitted(self)
        return self.model_.export(language, **options)

    @overload
    def to_html(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        title: str | None = None,
        row: Any = None,
        orientation: Orientation = "TB",
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
        row: Any = None,
        orientation: Orientation = "TB",
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
        row: Any = None,
        orientation: Orientation = "TB",
    ) -> str | Path:
        """Return an overview of the ensemble as one page to look at in a browser.

        It has small pictures of the trees, which open the trees themselves, the error against the number of trees,
        importances, the features that split first, and the sizes of the trees.

        Parameters
        ----------
        path : where to write the page; then the path is returned. None: the page is returned as text.
        X, y : rows, as `to_html(X, y)` or `to_html(path, X, y)`, best those that were held out: the page then says how
            the trees differ on them, and the trees that it opens have a histogram for each node. No row is stored.
        sample_weight : the weights of these rows in the histograms.
        title : what the page is called; None: the name of the estimator.
        row : one row; the page then also shows the votes for it.
        orientation : how the trees are drawn that the page opens: "TB" from the top down, "LR" from left to right.
        """
        check_is_fitted(self)
        path, X, y = path_and_rows(path, X, y)
        text = ensemble_page(
            self.model_,
            title=title or type(self).__name__,
            diversity=None if X is None else self.diversity(X, y),
            why=None if row is None else self.why(row),
            orientation=orientation,
            data=None if X is None else (self._coded(X), self._retarget(y, sample_weight)),
        )
        return text if path is None else save_text(path, text)

    @of_one_fit
    def widget(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        tree: int = 0,
        title: str | None = None,
    ) -> Any:
        """Return one of the trees as a widget of a notebook; `to_html` has an overview of all.

        Parameters
        ----------
        X, y, sample_weight : rows to show in the widget: a histogram for each node.
        tree : which of the trees.
        title : what the widget is called; None: the name of the estimator and the number of the tree.
        """
        check_is_fitted(self)
        name = title or f"{type(self).__name__}, tree {tree}"
        return self[tree].widget(X, y, sample_weight, title=name)

    def _as_estimator(self, k: int) -> TreeEstimator:
        member = self._member()
        names = ("n_features_in_", "feature_names_in_", "classes_")
        fitted = {name: getattr(self, name) for name in names if hasattr(self, name)}
        settings = {"model_": self.model_.member(k), "_settings": member.get_params(deep=False)}
        member.__dict__.update(fitted | settings)
        return member

    def _fitted(self, model: Model, schema: Schema, y: Any) -> dict[str, Any]:
        """Return what every fitted ensemble has, by name."""
        fitted = {
            "model_": model,
            "_settings": self.get_params(deep=False),
            "n_features_in_": len(schema),
            **self._adopt_labels(model, y),
        }
        return fitted | ({"feature_names_in_": np.array(schema.names, dtype=object)} if schema.named else {})


def checked_member(name: str, given: Any, classes: bool, default: TreeEstimator) -> TreeEstimator:
    """Return a copy of the estimator of the members; refuse what is no single tree for this kind of target."""
    if given is None:
        return default
    wanted = TreeClassifierFace if classes else TreeRegressorFace
    if not isinstance(given, wanted) or isinstance(given, RuleListClassifier):
        kind = "a classifier" if classes else "a regressor"
        raise ParameterError(
            f"estimator={shown(given)}; {name} takes {kind} of Branchwork that grows a single tree, such as "
            f"{type(default).__name__}(), or None. For other learners take "
            f"{'VoteClassifier' if classes else 'VoteRegressor'}."
        )
    member: TreeEstimator = clone(given)
    check_parameters(member)
    return member


def learns_alone(member: TreeEstimator, recipe: Recipe, n_jobs: int) -> LearnAlone | None:
    """Return the function that learns one tree from the rows of a sample; None: `grow_many` does."""
    if only_grows(member, recipe):
        return None
    if recipe.honest is not None:
        raise ParameterError(
            "estimator: honest=True with pruning, priors, losses, cp, xval or style is not for members of an ensemble, "
            "whose samples have copies of rows. Take honest=False, or leave the others out."
        )
    levels_done = recipe.replace(search=recipe.search.replace(min_category_rows=None, max_levels=None))

    def learn(table: Any, target: Target, _: Any) -> Tree:
        model, _, _ = member._learn(table, target, levels_done, n_jobs, None, None)
        return model.trees[0]

    return learn


def n_classes_of(target: Target) -> int:
    """Return the number of classes that have rows."""
    return int(np.count_nonzero(target.counts)) if isinstance(target, Classes) else 0
