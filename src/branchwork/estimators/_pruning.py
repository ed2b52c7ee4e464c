"""Pruning, in the estimators' manners: a fitted copy comes back, the given one stays as it is."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np

from branchwork.errors import ParameterError
from branchwork.estimators._copying import of_one_fit
from branchwork.estimators._fitted import FittedTree
from branchwork.learn.prune_model import both_given, prune_model
from branchwork.learn.single import without_weightless_rows
from branchwork.prune.methods import LabelledRows, Outcome
from branchwork.prune.path import PruningPath, path_of
from branchwork.prune.simplify import simplify
from branchwork.tree.reshape import collapse
from branchwork.tree.tree import Tree


class Prunes(FittedTree):
    """What a single tree can do about its size."""

    @of_one_fit
    def prune(
        self, method: str, X: Any = None, y: Any = None, *, sample_weight: Any = None, **options: Any
    ) -> Self:
        """Return a pruned, fitted copy.

        Parameters
        ----------
        method : "reduced_error" (X, y: rows that did not grow the tree; or, with folds=10, the training data, which
            cross-validation judges; order="bottom_up" or "greedy"), "error_based"
            (confidence=0.25; with the training data as X, y branches may also be raised), "pessimistic",
            "minimum_error" (m=2), "mdl", "significance" (max_p_value=0.05), "cost_complexity" (alpha=0, what a leaf
            must save to stay, with risk="impurity" or "errors"; or the training data as X, y, with folds=10 and
            choose="min" or "1se": cross-validation finds alpha).
        X, y, sample_weight : the rows that a method asks for.
        options : the method's own.

        >>> import branchwork as bw
        >>> import numpy as np
        >>> noise = np.random.default_rng(0)
        >>> X, y = noise.random((200, 3)), noise.integers(0, 2, 200)
        >>> tree = bw.TreeClassifier().fit(X, y)
        >>> tree.get_n_leaves(), tree.prune("pessimistic").get_n_leaves()
        (72, 31)
        """
        outcome = self._pruned(method, self._rows(X, y, sample_weight), options)
        return self._with_tree(outcome.tree)

    @of_one_fit
    def pruning_path(
        self,
        method: str,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        **options: Any,
    ) -> PruningPath:
        """Return the trees on the way, with sizes and errors, and the evidence at every node.

        X_val and y_val are rows to measure the trees on; where a method prunes by held-out rows, these are measured on
        unless others are given.
        """
        rows = self._rows(X, y, sample_weight)
        outcome = self._pruned(method, rows, options)
        validation = self._rows(X_val, y_val, None, names=("X_val", "y_val"))
        if validation is None and method == "reduced_error" and "folds" not in options:
            validation = rows
        return path_of(method, outcome, validation)

    @of_one_fit
    def snip(self, nodes: int | Iterable[int]) -> Self:
        """Return a fitted copy in which these nodes are leaves."""
        tree = self.tree_
        chosen = [nodes] if isinstance(nodes, int | np.integer) else list(nodes)
        leaves = np.zeros(tree.n_nodes, bool)
        for node in chosen:
            if (
                isinstance(node, bool)
                or not isinstance(node, int | np.integer)
                or not 0 <= node < tree.n_nodes
            ):
                raise ParameterError(
                    f"node {node!r} is not in the tree; it has nodes 0 to {tree.n_nodes - 1}."
                )
            leaves[node] = True
        return self._with_tree(collapse(tree, leaves))

    @of_one_fit
    def simplify(self) -> Self:
        """Return a fitted copy in which sibling leaves with the same answer are one; every prediction stays."""
        return self._with_tree(simplify(self.tree_))

    # ---- how

    def _pruned(self, method: str, rows: LabelledRows | None, options: dict[str, Any]) -> Outcome:
        return prune_model(self.model_, method, rows, options)

    def _rows(
        self, X: Any, y: Any, sample_weight: Any, names: tuple[str, str] = ("X", "y")
    ) -> LabelledRows | None:
        """Rows handed over, in the model's own categories and labels."""
        self.tree_  # noqa: B018  # fitted?
        if not both_given(X, y, names):
            return None
        return without_weightless_rows(self._coded(X), self._retarget(y, sample_weight))

    def _with_tree(self, tree: Tree) -> Self:
        other = copy.copy(self)
        other.model_ = replace(self.model_, trees=(tree,), proof=None)
        return other
