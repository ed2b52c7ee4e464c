"""What an estimator brings along for everything that works on its fitted tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from branchwork.grow.recipe import Recipe
from branchwork.model.model import Model
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.tree import Tree


class FittedTree(ABC):
    """A model, the recipe it was grown by, and the way rows come in."""

    model_: Model

    @property
    @abstractmethod
    def tree_(self) -> Tree:
        """The tree."""

    @abstractmethod
    def _recipe(self) -> Recipe:
        """How it was grown."""

    @abstractmethod
    def _coded(self, X: Any) -> Table:
        """Any container, coded by the model's schema."""

    @abstractmethod
    def _retarget(self, y: Any, sample_weight: Any) -> Target:
        """A target in the model's own labels."""
