"""Compute the risk of every node of a tree: what its prediction costs on the training rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.learn.costs import Costs
from branchwork.measure.criteria import criterion_of
from branchwork.prune.evidence import training_errors
from branchwork.table.target import Classes, Target
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judge:
    """How predictions are made and judged: losses of classes, squared errors, or Poisson deviance with shrunken rates.

    Parameters
    ----------
    criterion : the criterion of the recipe.
    costs : the priors and losses of classes.
    shrink : the coefficient of variation of the prior of rates; with 0, rates are means.
    as_rpart : in cross-validation, read a loss matrix with truth and prediction exchanged, as rpart does.
    """

    criterion: object
    costs: Costs | None = None
    shrink: float = 0.0
    as_rpart: bool = False

    @property
    def _of_counts(self) -> bool:
        return criterion_of(self.criterion).of_counts

    def answered(self, tree: Tree, target: Target) -> Tree:
        """Return the tree with the predictions that the losses or the shrinkage require."""
        if isinstance(target, Classes):
            return tree if self.costs is None else _with_costs(tree, target, self.costs)
        if not self._of_counts or self.shrink == 0:
            return tree
        events = tree.value[:, 0] * tree.weight
        strength = 1 / self.shrink**2
        rate = (events + strength) / (tree.weight + strength / float(tree.value[0, 0]))
        return tree.replace(value=rate[:, None])

    def risk(self, tree: Tree, answered: Tree, target: Target) -> Floats:
        """Return the risk of every node. `tree` is the grown tree, `answered` has the final predictions."""
        if isinstance(target, Classes):
            assert tree.distribution is not None
            if self.costs is None:
                largest = tree.distribution.argmax(axis=1)  # of few columns, faster to find than `max`
                return np.asarray(tree.weight - tree.distribution[np.arange(tree.n_nodes), largest])
            losses = self.costs.losses(_counts(tree, target))
            return np.asarray(losses[np.arange(tree.n_nodes), answered.decision])
        if not self._of_counts:
            return training_errors(tree).as_leaf
        mean, rate = tree.value[:, 0], answered.value[:, 0]
        gap = np.log(np.where(mean > 0, rate / np.where(mean > 0, mean, 1), 1))
        return tree.weight * np.asarray(tree.impurity + 2 * (rate - mean - mean * gap))

    def losses_of(self, answered: Tree, truth: Floats, nodes: npt.NDArray[np.intp]) -> Floats:
        """Return what the prediction of a node costs per sample of a row, for some rows of numbers and their nodes."""
        rate = answered.value[nodes, 0]
        if not self._of_counts:
            return np.asarray((truth - rate) ** 2)
        ratio = np.where(truth > 0, truth / np.where(rate > 0, rate, 1e-300), 1)
        return np.asarray(2 * (rate - truth + truth * np.log(ratio)))

    def losses_of_counts(self, answered: Tree, counts: Floats) -> tuple[Floats, Floats]:
        """Return the sum of losses, and of squared losses, of so many samples of each class in every node."""
        decided = answered.decision
        if self.costs is None:
            wrong = counts.sum(axis=1) - counts[np.arange(len(counts)), decided]
            return wrong, wrong
        loss = self.costs.loss if self.as_rpart else self.costs.loss.T
        of_class = loss[decided] * self.costs.risk
        return (counts * of_class).sum(axis=1), (counts * of_class**2).sum(axis=1)


def _counts(tree: Tree, target: Classes) -> Floats:
    """Return the samples of each class in every node."""
    assert tree.distribution is not None
    return np.asarray(tree.distribution / (1.0 if target.class_weights is None else target.class_weights))


def _with_costs(tree: Tree, target: Classes, costs: Costs) -> Tree:
    counts = _counts(tree, target)
    masses = costs.masses(counts)
    total = masses.sum(axis=1, keepdims=True)
    value = masses / np.where(total > 0, total, 1)
    return tree.replace(value=value, answer=costs.decided(counts).astype(np.int32))


def sample_weights(target: Target) -> Floats:
    """Return the samples of each row: its weight without the class weight."""
    weights = target.sample_weights
    return np.ones(len(target)) if weights is None else weights
