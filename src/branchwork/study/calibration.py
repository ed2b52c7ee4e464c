"""Calibrate a fitted model: copy it with probabilities that are corrected by other rows.

A single tree gives every row of a leaf the same probabilities, so only these need to be corrected. Each leaf gets the
class shares of the given rows that end in it, shrunk towards its shares in training if the rows are few,

    p_c = (n_c + m · t_c) / (n + m)        n_c, n: given rows of class c, and all, in the leaf
                                           t_c: share of class c in training, itself shrunk towards the whole table
                                           m: how many rows the training shares count for, chosen by leave-one-out

The copy is an ordinary tree, which can be drawn, saved and exported. For all other models scikit-learn's
`CalibratedClassifierCV` fits a curve.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.model.model import Model
from branchwork.study.report_answers import Floats, ask, predicts_classes, tree_of
from branchwork.study.report_drift import arrivals, in_nodes
from branchwork.study.report_scores import EPSILON

Method = Literal["leaves", "sigmoid", "isotonic"]

STRENGTHS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
"""How many rows the training shares of a leaf may count for."""


def calibrate(est: Any, X: Any, y: Any, *, method: Method | None = None) -> Any:
    """Return a copy of a fitted classifier whose probabilities are corrected by rows that it was not trained on.

    Judge the copy on yet other rows: on the given rows it looks better than it is.

    Parameters
    ----------
    est : a fitted classifier, or a model of a single tree.
    X, y : the rows and their classes; rows without a class are left out.
    method : "leaves" (single trees; the copy is a tree, too), "sigmoid" or "isotonic" (scikit-learn's
        CalibratedClassifierCV around the model). None: "leaves" for a single tree, otherwise "sigmoid".

    >>> import branchwork as bw
    >>> X, y = bw.study.CheckerboardSampler()(1200, seed=1)
    >>> tree = bw.TreeClassifier().fit(X[:400], y[:400])
    >>> better = bw.study.calibrate(tree, X[400:800], y[400:800])
    >>> [round(bw.study.report(one, X[800:], y[800:])["log_loss"].value, 2) for one in (tree, better)]
    [6.58, 0.44]
    """
    if not predicts_classes(est):
        raise ParameterError(
            f"est={shown(est)} predicts numbers; expected a classifier, which has probabilities."
        )
    tree = tree_of(est)
    chosen = method or ("sigmoid" if tree is None else "leaves")
    if chosen not in get_args(Method):
        raise ParameterError(
            f"method={shown(method)}; expected None or one of {', '.join(map(repr, get_args(Method)))}."
        )
    if chosen == "leaves":
        if tree is None:
            raise ParameterError(
                f"method='leaves' is for single trees; {type(est).__name__} is not one. Take 'sigmoid' or 'isotonic'."
            )
        return _by_leaves(est, tree, X, y)
    return _by_curve(est, X, y, chosen)


def _by_curve(est: Any, X: Any, y: Any, method: str) -> Any:
    if not hasattr(est, "get_params"):
        raise ParameterError(
            f"method={method!r} is for estimators with scikit-learn's interface; {type(est).__name__} is not one. "
            "A model of a single tree takes 'leaves'."
        )
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator

    return CalibratedClassifierCV(FrozenEstimator(est), method=method).fit(X, y)


def _by_leaves(est: Any, model: Model, X: Any, y: Any) -> Any:
    """Return the tree, or the estimator that has it, with other probabilities."""
    asked = ask(est, X, y, None, None)
    assert model.labels is not None and asked.answers.labels is not None
    place = {label: k for k, label in enumerate(model.labels)}
    known = np.array([place.get(label, -1) for label in asked.answers.labels], np.intp)[asked.answers.truth]
    if (known < 0).any():
        row = int(asked.rows[np.flatnonzero(known < 0)[0]])
        label = asked.answers.labels[int(asked.answers.truth[np.flatnonzero(known < 0)[0]])]
        raise ParameterError(
            f"y, row {row}: {label!r} is not a class of the tree, so no leaf can give it a probability. "
            "Leave such rows out."
        )
    found = in_nodes(model, arrivals(model, asked.coded, 1), known, len(model.labels))
    assert found.classes is not None
    base = _training_shares(model)
    strength = min(STRENGTHS, key=lambda m: _left_out_loss(model, found.classes, base, m))
    value = (found.classes + strength * base) / (found.rows[:, None] + strength)
    tree = model.tree.replace(value=value)
    return est._with_tree(tree) if hasattr(est, "_with_tree") else replace(model, trees=(tree,))


def _training_shares(model: Model) -> Floats:
    """Return the shares of the classes in training, with the shares of the whole table as one more row of each node."""
    tree = model.tree
    if tree.distribution is None or not tree.distribution[0].sum() > 0:
        return tree.value
    whole = tree.distribution[0] / tree.distribution[0].sum()
    total = tree.distribution.sum(axis=1, keepdims=True)
    return np.asarray((tree.distribution + whole) / (total + 1))


def _left_out_loss(model: Model, counts: Floats | None, base: Floats, strength: float) -> float:
    """Return the log loss of the rows, each judged by the probabilities that all others give its leaf."""
    assert counts is not None
    leaves = model.tree.feature < 0
    own, prior = counts[leaves], base[leaves]
    others = np.maximum(own.sum(axis=1, keepdims=True) - 1, 0.0)
    shares = (np.maximum(own - 1, 0.0) + strength * prior) / (others + strength)
    return float(-(own * np.log(np.maximum(shares, EPSILON))).sum())
