"""Write notes that a reader of a report should know: rows and parts that were left out, and why."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from branchwork.study.report_answers import Answers, Asked
from branchwork.study.report_baseline import Reference, class_rows, weighs_rows
from branchwork.study.report_drift import known_of
from branchwork.study.report_threshold import Decision
from branchwork.tree.split import category, harmless

MOST_NAMED = 5


def notes_of(
    asked: Asked, trained: Asked | None, base: Reference, positive: Hashable, decision: Decision | None
) -> tuple[str, ...]:
    """Return sentences, the most important first."""
    answers = asked.answers
    found = [*_rows(asked), *_parts(asked, trained), *_labels(answers)]
    if base.source == "test":
        found.append(
            "The baseline comes from the test rows themselves, because nothing is known about training: give "
            "train=(X, y)."
        )
    if trained is not None and trained.answers.labels != answers.labels:
        found.append(
            "Training rows and test rows have different classes, so no figures are shown for training."
        )
    if answers.weights is not None:
        found.append(
            "Rows count by their sample weight. Wilson intervals use the number of rows of equal weight that would "
            "tell as much (Kish). Tests of drift and of subgroups count rows."
        )
    if trained is not None and (trained.answers.weights is None) != (answers.weights is None):
        found.append(
            "Figures of the test count rows by their sample weight, those of training do not, so they cannot be "
            "compared: give train=(X, y, sample_weight)."
            if trained.answers.weights is None
            else "Figures of training count rows by their sample weight, those of the test do not, so they cannot be "
            "compared: give sample_weight, too."
        )
    if decision is not None and decision.threshold is not None:
        found.append(
            f"The best threshold for {_said(positive)} was chosen on these very rows. Expect a little less on others."
        )
    return tuple(found)


def _rows(asked: Asked) -> list[str]:
    found = []
    if asked.n_without_target:
        found.append(
            f"{_rows_of(asked.n_without_target, asked.n_given)} left out: the right answer is missing."
        )
    if asked.n_weightless:
        found.append(f"{_rows_of(asked.n_weightless, asked.n_given)} left out: the sample weight is 0.")
    return found


def _rows_of(count: int, given: int) -> str:
    return f"{count} of {given} rows {'was' if count == 1 else 'were'}"


def _parts(asked: Asked, trained: Asked | None) -> list[str]:
    found = []
    answers, tree = asked.answers, asked.tree
    if tree is None:
        found.append(
            f"{_sentence(asked.name)} is not a single tree, so errors by leaf and drift by node are left out."
            + (
                " bw.from_sklearn makes a tree of a tree of scikit-learn, which has them."
                if asked.name.startswith("DecisionTree")
                else ""
            )
        )
    elif tree.tree.n_rows[0] == 0 and trained is None:
        found.append(
            "The tree does not know how many training rows came to its nodes, so drift is left out: give train=(X, y)."
        )
    elif trained is None and known_of(tree, answers) is None:
        found.append(
            "The tree was trained with weights, and rows with missing cells went down several branches, so the number "
            "of training rows in its nodes is not known. Drift is left out: give train=(X, y)."
        )
    elif trained is None and tree.labels is not None and class_rows(tree) is None:
        found.append(
            "The tree was trained with weights, so its nodes do not tell how many training rows of each class they "
            "had. Drift of classes is left out: give train=(X, y)."
        )
    elif trained is None and tree.labels is None and not weighs_rows(tree.tree, tree.tree.weight):
        found.append(
            "The tree was trained with weights, so its nodes do not tell the mean of their training rows, each counted "
            "once. Drift of the target is left out: give train=(X, y)."
        )
    if tree is not None and tree.tree.shares_rows:
        found.append(
            "Rows with missing cells go down several branches. They count for the leaf that has the largest share."
        )
    if answers.labels is not None and answers.shares is None:
        found.append(
            f"{_sentence(asked.name)} has no predict_proba, so ROC, precision-recall and calibration curves, log "
            "loss, Brier score and thresholds are left out."
        )
    return found


def _labels(answers: Answers) -> list[str]:
    if answers.labels is None:
        return []
    found = []
    counts = np.bincount(answers.truth, minlength=len(answers.labels))
    absent = [label for label, count in zip(answers.labels, counts.tolist(), strict=True) if count == 0]
    if absent:
        found.append(f"No test row is of class {_named(absent)}, so its recall and curves are not known.")
    if answers.shares is not None:
        unknown = [
            label
            for k, label in enumerate(answers.labels)
            if counts[k] and not answers.shares[:, k].any() and not (answers.said == k).any()
        ]
        if unknown:
            found.append(f"The model never gives class {_named(unknown)} any probability.")
        impossible = int(np.count_nonzero(answers.shares[np.arange(len(answers)), answers.truth] <= 0))
        if impossible:
            have = "rows has" if impossible == 1 else "rows have"
            found.append(
                f"{impossible} of {len(answers)} {have} a class to which the model gives probability 0. Log loss "
                "counts 2.2e-16 instead, as scikit-learn does; it says more about that number than about the model."
            )
    return found


def _sentence(name: str) -> str:
    """Return a name in the form that begins a sentence."""
    return f"The {name}" if name.startswith("model") else name


def _named(labels: list[Hashable]) -> str:
    texts = [_said(label) for label in labels[:MOST_NAMED]]
    more = len(labels) - len(texts)
    return " or ".join(texts) + (f" or {more} others" if more else "")


def _said(label: Hashable) -> str:
    return harmless(category(label))
