"""What an estimator brings along for everything that works on its fitted tree."""

from __future__ import annotations

from abc import abstractmethod

from branchwork.estimators._predicting import PredictsByTrees
from branchwork.grow.recipe import Recipe
from branchwork.tree.tree import Tree


class FittedTree(PredictsByTrees):
    """A model of one tree, and the recipe it was grown by."""

    @property
    @abstractmethod
    def tree_(self) -> Tree:
        """The tree."""

    @abstractmethod
    def _recipe(self) -> Recipe:
        """How it was grown."""
