"""Compute the baseline of a report: the most frequent class or the mean of the training rows.

The training rows may be given. Otherwise the root of a tree has their classes, or their mean. Other models know nothing
about their training; then the test rows give the baseline, which makes it slightly too good.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from branchwork.model.model import Model
from branchwork.study.report_answers import Answers, Floats
from branchwork.study.report_scores import constant
from branchwork.tree.split import rounded
from branchwork.tree.tree import Tree

Source = Literal["training", "test"]
ROUNDING = 1e-9
"""Weights of classes are multiplied in and divided out again: as a share of all rows, sums are this exact."""


@dataclass(frozen=True, eq=False)
class Reference:
    """A constant prediction.

    Parameters
    ----------
    prediction : the class or the number.
    answers : that prediction for every row, with the shares of the classes as probabilities.
    source : the rows that the prediction comes from.
    """

    prediction: Any
    answers: Answers
    source: Source

    @property
    def words(self) -> str:
        """What the baseline does, in a sentence."""
        which = "the training rows" if self.source == "training" else "the test rows"
        if self.answers.labels is None:
            return f"always predict {rounded(self.prediction)}, the mean of {which}"
        return f"always predict {self.prediction!r}, the most frequent class of {which}"


def reference(answers: Answers, trained: Answers | None, tree: Model | None) -> Reference:
    """Return the baseline for these rows; `trained` are the training rows, if they are given."""
    if answers.labels is None:
        mean, source = _mean(answers, trained, tree)
        return Reference(mean, replace(answers, said=np.full(len(answers), mean), leaves=None), source)
    masses, source = _masses(answers, trained, tree)
    mode = int(np.argmax(masses))
    return Reference(
        answers.labels[mode],
        replace(
            constant(answers, masses / masses.sum(), mode),
            leaves=np.zeros(len(answers), np.int32),
            by_leaf=True,
        ),
        source,
    )


def _mean(answers: Answers, trained: Answers | None, tree: Model | None) -> tuple[float, Source]:
    if trained is not None:
        return float(np.average(trained.truth, weights=trained.weights)), "training"
    if tree is not None and tree.tree.n_rows[0] > 0:
        return float(tree.tree.value[0, 0]), "training"
    return float(np.average(answers.truth, weights=answers.weights)), "test"


def _masses(answers: Answers, trained: Answers | None, tree: Model | None) -> tuple[Floats, Source]:
    """Return how often each label occurs."""
    labels = answers.labels or ()
    if trained is not None:
        known = np.bincount(trained.truth, trained.weights, len(trained.labels or ())).tolist()
        mass_of = dict(zip(trained.labels or (), known, strict=True))
        return np.array([float(mass_of.get(label, 0.0)) for label in labels]), "training"
    in_nodes = None if tree is None or tree.labels is None else class_rows(tree)
    if in_nodes is not None and tree is not None:
        place = {label: k for k, label in enumerate(labels)}
        found = np.zeros(len(labels))
        for label, mass in zip(tree.labels or (), in_nodes[0].tolist(), strict=True):
            if label in place:
                found[place[label]] = mass
        return found, "training"
    return np.bincount(answers.truth, answers.weights, len(labels)).astype(np.float64), "test"


def class_rows(model: Model) -> Floats | None:
    """Return the training rows of each class in each node; None if they are not known, because rows had weights."""
    found, tree = model.class_samples, model.tree
    if found is None or not weighs_rows(tree, found.sum(axis=1)):
        return None
    whole = np.rint(found)
    found = np.where(np.abs(found - whole) <= ROUNDING * tree.n_rows[0], whole, found)
    return found if (found[0] == whole[0]).all() else None


def weighs_rows(tree: Tree, weight: Floats) -> bool:
    """Return whether the weight of each node is its number of rows; parts of shared rows are only added at the root."""
    n_rows = tree.n_rows[:1] if tree.shares_rows else tree.n_rows
    near = np.abs(weight[: len(n_rows)] - n_rows) <= ROUNDING * n_rows[0]
    return bool(n_rows[0] > 0 and near.all())
