"""Collect what a model predicts for some rows, with the true values: all that most parts of a report need.

Everything that predicts can be judged: our estimators, saved and imported models, votes, lists of rules, and the
estimators of scikit-learn. Only a model of a single tree also says in which leaf each row ends.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, TargetError, shown
from branchwork.lazy import cached_property
from branchwork.learn.threads import thread_count
from branchwork.model.model import Model
from branchwork.study.asked import learns_counts
from branchwork.study.containers import check_lengths, rows_of
from branchwork.table import target as targets
from branchwork.table.cells import is_missing
from branchwork.table.frames import as_series, holds_objects
from branchwork.table.target import Classes

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Answers:
    """The true value and the prediction of each row.

    Parameters
    ----------
    labels : the classes of the model, then those that only the rows have; None for numbers.
    truth, said : the true values and the predictions: positions in `labels`, or numbers.
    shares : the probability of each label (rows × labels); None if the model has none.
    weights : the weights of the rows; None means that every row counts once.
    leaves : the leaf of each row; None if the model is not a single tree.
    by_leaf : whether rows of one leaf have the same prediction and the same probabilities.
    """

    labels: tuple[Hashable, ...] | None
    truth: npt.NDArray[Any]
    said: npt.NDArray[Any]
    shares: Floats | None
    weights: Floats | None
    leaves: npt.NDArray[np.int32] | None
    by_leaf: bool

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.truth)

    @cached_property
    def mass(self) -> Floats:
        """How much each row counts."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @property
    def is_wrong(self) -> npt.NDArray[np.bool_]:
        """Whether the class of each row is wrong."""
        return np.asarray(self.truth != self.said)


@dataclass(frozen=True, eq=False)
class Asked:
    """A model and its predictions for some rows.

    Parameters
    ----------
    answers : the predictions.
    X, coded : the rows in the container that they came in, and coded as the model reads them.
    name : the name of the model.
    tree : the model, if it is a single tree.
    n_given, n_without_target, n_weightless : the number of given rows, of rows left out because their target is
        missing, and of rows left out because their weight is 0.
    rows : the positions of the remaining rows among the given ones.
    learned_counts : whether the model minimises the Poisson deviance.
    """

    answers: Answers
    X: Any
    coded: Any
    name: str
    tree: Model | None
    n_given: int
    n_without_target: int
    n_weightless: int
    rows: npt.NDArray[np.intp]
    learned_counts: bool


def predicts_classes(est: Any) -> bool:
    """Return whether a model predicts classes; refuse an object that is not a model."""
    if isinstance(est, type) or not hasattr(est, "predict"):
        raise ParameterError(
            f"est={shown(est)}; expected a fitted estimator or a model, such as bw.TreeClassifier().fit(X, y)."
        )
    if hasattr(est, "labels"):
        return est.labels is not None
    from sklearn.base import is_classifier, is_regressor

    if not is_classifier(est) and not is_regressor(est):
        raise ParameterError(f"est={shown(est)}; expected a classifier or a regressor.")
    return bool(is_classifier(est))


def model_of(est: Any) -> Model | None:
    """Return the trees that an estimator predicts with; None if it uses something else, such as rules."""
    model = est if isinstance(est, Model) else getattr(est, "model_", None)
    return model if isinstance(model, Model) and not hasattr(est, "rules_") else None


def tree_of(est: Any) -> Model | None:
    """Return the model of an estimator, if it is a single tree."""
    model = model_of(est)
    return model if model is not None and model.combine.kind == "single" else None


def ask(est: Any, X: Any, y: Any, sample_weight: Any, n_jobs: int | None) -> Asked:
    """Let a model predict rows whose target is known; rows without target, or without weight, are left out."""
    is_classes = predicts_classes(est)
    n_given = check_lengths(X, y)
    missing = missing_answers(y)
    weights = targets.weights(sample_weight, n_given)
    weightless = np.zeros(n_given, np.bool_) if weights is None else (weights == 0) & ~missing
    rows = np.flatnonzero(~(missing | weightless))
    if not len(rows):
        raise TargetError(
            f"None of the {n_given} rows has both a known answer and a weight above 0, so there is nothing to judge by."
        )
    if len(rows) < n_given:
        X, y = rows_of(X, rows), rows_of(y, rows)
        weights = None if weights is None else weights[rows]
    tree, coded = tree_of(est), _coded(est, X)
    leaves = None if tree is None else tree.apply(coded, n_jobs=thread_count(n_jobs, len(rows)))
    by_leaf = tree is not None and not tree.tree.shares_rows
    if is_classes:
        answers = _of_classes(est, coded, y, weights)
    else:
        said = np.asarray(_plain(est.predict(coded)), np.float64)
        if said.ndim != 1:
            raise ParameterError(
                f"est={shown(est)} predicts {said.shape[1]} numbers per row; expected a model of one target."
            )
        answers = Answers(None, targets.values(y).values, said, None, weights, None, False)
    return Asked(
        replace(answers, leaves=leaves, by_leaf=by_leaf),
        X,
        coded,
        type(est).__name__ if not isinstance(est, Model) else _name_of(est),
        tree,
        n_given,
        int(missing.sum()),
        int(weightless.sum()),
        rows,
        not is_classes and _learned_counts(est),
    )


def _learned_counts(est: Any) -> bool:
    model = model_of(est)
    if model is None:
        return learns_counts(est)
    return model.recipe.get("criterion") is not None and model.criterion.of_counts


def _coded(est: Any, X: Any) -> Any:
    """Return rows coded as our model reads them, so that it can be used several times and warns once."""
    if isinstance(est, Model):
        return est.table(X)
    return X if model_of(est) is None else est._coded(X)


def _name_of(model: Model) -> str:
    """Return the name of a model: the library that it came from, or the name of its recipe."""
    library, name = model.recipe.get("library"), model.recipe.get("name")
    return f"model of {library}" if library not in (None, "branchwork") else str(name or "model")


def missing_answers(y: Any) -> npt.NDArray[np.bool_]:
    """Return whether the target of each row is missing."""
    if isinstance(y, np.ndarray) and y.dtype.kind in "iubUS":
        return np.zeros(len(y), np.bool_)
    if isinstance(y, np.ndarray) and y.dtype.kind == "f":
        return np.isnan(y)
    series = as_series(y)
    if series is not None and not holds_objects(series):
        missing = series.is_null() | series.is_nan() if series.dtype.is_float() else series.is_null()
        return np.asarray(missing.to_numpy(), np.bool_)
    return np.fromiter((is_missing(cell) for cell in y), np.bool_, len(y))


def _of_classes(est: Any, X: Any, y: Any, weights: Floats | None) -> Answers:
    truth, known = targets.classes(y), _known(est)
    said = _said(est, X)
    labels = joined(known or said.labels, said.forget_undeclared().labels, truth.labels)
    shares = _shares(est, X, len(known), len(labels)) if known else None
    return Answers(labels, in_labels(truth, labels), in_labels(said, labels), shares, weights, None, False)


def _said(est: Any, X: Any) -> Classes:
    """Return the classes that a model predicts; our models have them as codes."""
    model = model_of(est)
    if model is not None and model.labels is not None:
        return Classes(model.decisions(X).astype(np.int32), model.labels)
    return targets.classes(_plain(est.predict(X)))


def _plain(predicted: Any) -> Any:
    """Return predictions as an array of one dimension; CatBoost, for example, returns a column."""
    array = np.asarray(predicted)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _known(est: Any) -> tuple[Hashable, ...]:
    """Return the classes of a model, in the order of its probabilities."""
    found = getattr(est, "classes_", None)
    if found is None and hasattr(est, "labels"):
        found = est.classes
    return () if found is None else tuple(np.asarray(found).tolist())


def _shares(est: Any, X: Any, known: int, labels: int) -> Floats | None:
    """Return the probability of each label; labels that the model does not know have probability 0."""
    if not hasattr(est, "predict_proba"):
        return None
    said = np.asarray(est.predict_proba(X), np.float64)
    found = np.zeros((len(said), labels))
    found[:, :known] = said
    return found


def joined(*several: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return all labels, each once, in order of appearance.

    >>> joined(("b", "a"), ("a", "c"))
    ('b', 'a', 'c')
    """
    return tuple(dict.fromkeys(label for labels in several for label in labels))


def in_labels(target: Classes, labels: Sequence[Hashable]) -> Codes:
    """Return the class of each row as a position in `labels`."""
    place = {label: k for k, label in enumerate(labels)}
    return np.array([place.get(label, -1) for label in target.labels], np.intp)[target.codes]
