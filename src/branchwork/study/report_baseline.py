"""Compute the baseline of a report: the most frequent class or the mean of the training rows.

The training rows may be given. Otherwise the root of a tree has their classes, or their mean. Other models know nothing
about their training; then the test rows give the baseline, which makes it slightly too good.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from branchwork.model.model import Model
from branchwork.study.containers import rows_of
from branchwork.study.report_answers import Answers, Floats, in_labels, joined, missing_answers
from branchwork.study.report_scores import constant
from branchwork.table import target as targets
from branchwork.tree.split import rounded

Source = Literal["training", "test"]


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


def reference(answers: Answers, y_train: Any, tree: Model | None) -> Reference:
    """Return the baseline for these rows."""
    if answers.labels is None:
        mean, source = _mean(answers, y_train, tree)
        return Reference(mean, replace(answers, said=np.full(len(answers), mean), leaves=None), source)
    masses, source = _masses(answers, y_train, tree)
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


def _mean(answers: Answers, y_train: Any, tree: Model | None) -> tuple[float, Source]:
    if y_train is not None:
        return float(targets.values(_known(y_train)).values.mean()), "training"
    if tree is not None and tree.tree.n_rows[0] > 0:
        return float(tree.tree.value[0, 0]), "training"
    return float(np.average(answers.truth, weights=answers.weights)), "test"


def _masses(answers: Answers, y_train: Any, tree: Model | None) -> tuple[Floats, Source]:
    """Return how often each label occurs."""
    labels = answers.labels or ()
    if y_train is not None:
        target = targets.classes(_known(y_train))
        codes = in_labels(target, joined(labels, target.labels))
        return np.bincount(codes, minlength=len(labels))[: len(labels)].astype(np.float64), "training"
    if tree is not None and tree.labels is not None and counts_rows(tree):
        assert tree.tree.distribution is not None
        place = {label: k for k, label in enumerate(labels)}
        found = np.zeros(len(labels))
        for label, mass in zip(tree.labels, tree.tree.distribution[0].tolist(), strict=True):
            if label in place:
                found[place[label]] = mass
        return found, "training"
    return np.bincount(answers.truth, answers.weights, len(labels)).astype(np.float64), "test"


def _known(y: Any) -> Any:
    missing = missing_answers(y)
    return rows_of(y, np.flatnonzero(~missing)) if missing.any() else y


def counts_rows(model: Model) -> bool:
    """Return whether the class counts of a tree are numbers of rows, not changed by class weights or priors."""
    tree = model.tree
    if tree.distribution is None or tree.n_rows[0] == 0:
        return False
    root = tree.distribution[0]
    return bool(root.sum() == tree.n_rows[0] and (root == np.rint(root)).all())
