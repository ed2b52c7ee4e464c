"""Learn AdaBoost: one tree after the other, each giving more weight to the rows that earlier trees got wrong.

    weights      1/n each
    round        a tree is learned on the weighted rows, or on n rows drawn in proportion to the weights;
                 ε is the weight of the rows that it gets wrong
    confidence   ln((1 − ε) / ε), and with SAMME + ln(K − 1): the weight of its vote
    weights      those of wrong rows are multiplied by e^confidence; then all are scaled to sum to 1

SAMME (Zhu and others 2009) and AdaBoost.M1 (Freund and Schapire 1996) differ for more than two classes, and in when
they end. AdaBoost.R2 (Drucker 1997) does the same for numbers: ε is the mean of |error| / largest |error|.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import BoostingWarning, DataError, InterruptedWarning, TargetError, warn
from branchwork.grow.grow import Progress, check_fit
from branchwork.grow.recipe import Recipe
from branchwork.learn.forest import (
    Callback,
    OnInterrupt,
    finished,
    frame_of,
    warn_of_one_answer,
    without_drawn_weights,
)
from branchwork.learn.levels import with_levels
from branchwork.learn.members import LearnAlone, Members
from branchwork.learn.sampling import Sampling
from branchwork.learn.single import without_weightless_rows
from branchwork.model.combine import Combine
from branchwork.model.model import Model
from branchwork.table.conform import HandleUnknown
from branchwork.table.table import Table, read_only
from branchwork.table.target import Classes, Target, Values
from branchwork.tree.tree import Tree

BoostMethod = Literal["weights", "resample"]
Algorithm = Literal["samme", "m1"]
Floats = npt.NDArray[np.float64]

TIE = 1e-12
"""An error this close to that of guessing counts as guessing. After each round the weights make its tree wrong half of
the time, so if the same tree is learned again, its error is one half up to rounding errors.
"""
MOST_DRAWS = 10
"""With resampling, a sample whose tree is perfect, or no better than guessing, is drawn again up to this many times."""


@dataclass(frozen=True)
class BoostPlan:
    """The settings of AdaBoost.

    Parameters
    ----------
    n_rounds : the largest number of trees.
    method : "weights": trees are learned on weighted rows; "resample": on rows drawn in proportion to the weights.
    algorithm : "samme" or "m1"; a numeric target always uses R2.
    learning_rate : every confidence is multiplied by this.
    seed : the seed of the draws.
    """

    n_rounds: int
    method: BoostMethod = "weights"
    algorithm: Algorithm = "samme"
    learning_rate: float = 1.0
    seed: int = 0
    on_interrupt: OnInterrupt = "raise"
    callback: Callback | None = None


@dataclass(frozen=True)
class Judged:
    """The result of a round.

    Parameters
    ----------
    error : the weighted error ε.
    confidence : the confidence of the tree; None if the tree is not kept.
    loss : the loss of each row, from 0 (right) to 1 (wrong); it determines the weights of the next round.
    ends : whether this is the last round.
    """

    error: float
    confidence: float | None
    loss: Floats
    ends: bool = False


def learn_adaboost(
    table: Table,
    target: Target,
    recipe: Recipe,
    plan: BoostPlan,
    *,
    handle_unknown: HandleUnknown = "missing",
    n_jobs: int = 1,
    progress: Progress | None = None,
    alone: LearnAlone | None = None,
) -> Model:
    """Learn the trees one after the other."""
    check_fit(table, target, recipe)
    table, target = without_weightless_rows(table, target)
    if isinstance(target, Classes):  # only classes that occur can be voted for
        target = replace(target, declared=False).forget_undeclared()
    table, seen = with_levels(table, target, recipe)
    warn_of_one_answer(target)
    frame = frame_of(table, target, recipe, Combine("mean"), handle_unknown)
    levels_done = recipe.replace(search=recipe.search.replace(min_category_rows=None, max_levels=None))
    unweighted = without_drawn_weights(target)  # the rounds have their own weights of rows
    members = Members(table.schema, seen, unweighted, levels_done, plan.seed, n_jobs, alone)
    trees, confidences, errors = _rounds(members, table, target, frame, plan, progress)
    combine = (
        Combine("median", weights=tuple(confidences))
        if isinstance(target, Values)
        else Combine(
            "weighted_vote",
            link="samme" if plan.algorithm == "samme" else "softmax",
            weights=tuple(confidences),
        )
    )
    drawn = isinstance(target, Values) or plan.method == "resample"
    return finished(
        replace(frame, combine=combine),
        table,
        target,
        trees,
        "adaboost",
        plan.seed if drawn else None,
        [(k + 1, error) for k, error in enumerate(errors)],
    )


def _rounds(
    members: Members, table: Table, target: Target, frame: Model, plan: BoostPlan, progress: Progress | None
) -> tuple[list[Tree], list[float], list[float]]:
    """Return the trees, with their confidences and errors."""
    trees: list[Tree] = []
    confidences: list[float] = []
    errors: list[float] = []
    judge = judge_of(target, plan.algorithm, plan.learning_rate)
    weights = start_weights(target)
    try:
        for number in range(plan.n_rounds):
            tree, found = _round(members, table, frame, plan, judge, weights, number)
            if found.confidence is None and not trees:
                found = _first(found, target, plan.algorithm)
            if found.confidence is not None:
                trees.append(tree)
                confidences.append(found.confidence)
                errors.append(found.error)
                if plan.callback is not None and plan.callback(number, tree) is True:
                    break
            if found.ends:
                break
            weights = next_weights(weights, found, target, plan.learning_rate)
            if progress is not None:
                progress(number + 1)
    except KeyboardInterrupt:
        if plan.on_interrupt == "raise" or not trees:
            raise
        warn(
            f"Interrupted after {len(errors)} of {plan.n_rounds} rounds; the model has these {len(errors)}.",
            InterruptedWarning,
        )
        trees, confidences = trees[: len(errors)], confidences[: len(errors)]
    return trees, confidences, errors


def _round(
    members: Members,
    table: Table,
    frame: Model,
    plan: BoostPlan,
    judge: Judge,
    weights: Floats,
    number: int,
) -> tuple[Tree, Judged]:
    """Learn the tree of one round and judge it on all rows."""
    resample = plan.method == "resample" or isinstance(members.target, Values)
    for attempt in range(MOST_DRAWS if resample else 1):
        if resample:
            sampling = Sampling(len(weights), len(weights), plan.seed, weights=weights)
            (tree,) = members.grow(number, [sampling.copies(number, attempt)])
        else:
            tree = _on_weighted_rows(members, weights)
        found = judge(answers_of(frame, tree, table, members.n_jobs), weights)
        if not found.ends:
            break
    return tree, found


def _on_weighted_rows(members: Members, weights: Floats) -> Tree:
    """Learn a tree on rows whose weights sum to their number, so that limits on samples keep their meaning."""
    target = members.target
    assert isinstance(target, Classes)
    scaled = weights * (len(weights) / weights.sum())
    if target.class_weights is not None:
        scaled = scaled * target.class_weights[target.codes]
    rows = np.flatnonzero(scaled > 0)  # after many rounds a weight may underflow to 0
    drawn = members.prepared.draw_all() if len(rows) == len(scaled) else members.prepared.draw(rows)
    weighted = replace(target, weights=read_only(scaled))
    return members.weighted(drawn, weighted)


def answers_of(model: Model, tree: Tree, table: Table, n_jobs: int = 1) -> npt.NDArray[Any]:
    """Return what a tree predicts for each row: the position of the label, or the number."""
    if model.labels is None:
        return model.outputs_of(tree, table, n_jobs=n_jobs)[:, 0]
    return model.decisions_of(tree, table, n_jobs=n_jobs)


# ---- the rules

Judge = Callable[[npt.NDArray[Any], Floats], Judged]
"""Judges the predictions of a tree by the weights of the rows."""


def start_weights(target: Target) -> Floats:
    """Return the weights of the first round: 1/n each, or the sample weights; they sum to 1."""
    weights = target.sample_weights
    return np.full(len(target), 1 / len(target)) if weights is None else weights / weights.sum()


def judge_of(target: Target, algorithm: Algorithm, learning_rate: float) -> Judge:
    """Return the rule by which the tree of a round is judged."""
    if isinstance(target, Values):
        return lambda answers, weights: _judge_numbers(answers, target.values, weights, learning_rate)
    codes, n_classes = target.codes, int(np.count_nonzero(target.counts))
    rule = _samme if algorithm == "samme" else _m1

    def judge(answers: npt.NDArray[Any], weights: Floats) -> Judged:
        loss = (answers != codes).astype(np.float64)
        error = float(np.average(loss, weights=weights))
        confidence, ends = rule(error, n_classes)
        if confidence is not None and not ends:
            confidence *= learning_rate
        return Judged(error, confidence, loss, ends)

    return judge


def _samme(error: float, n_classes: int) -> tuple[float | None, bool]:
    """Return the confidence, and whether this is the last round. A perfect tree has confidence 1."""
    if error <= 0:
        return 1.0, True
    if error >= 1 - 1 / n_classes - TIE:
        return None, True
    return math.log((1 - error) / error) + math.log(n_classes - 1), False


def _m1(error: float, n_classes: int) -> tuple[float | None, bool]:
    """Return the same for AdaBoost.M1, which keeps neither a perfect tree nor one that is wrong half of the time."""
    if error <= 0 or error >= 0.5 - TIE:
        return None, True
    return math.log((1 - error) / error), False


def _judge_numbers(answers: Floats, truth: Floats, weights: Floats, learning_rate: float) -> Judged:
    """Judge by AdaBoost.R2 with the linear loss."""
    loss = np.abs(answers - truth)
    largest = float(loss.max())
    if largest > 0:
        loss = loss / largest
    error = float(np.average(loss, weights=weights))
    if error <= 0:
        return Judged(error, 1.0, loss, ends=True)
    if error >= 0.5 - TIE:
        return Judged(error, None, loss, ends=True)
    return Judged(error, learning_rate * math.log((1 - error) / error), loss)


def _first(found: Judged, target: Target, algorithm: Algorithm) -> Judged:
    """Keep the tree of the first round even if a later round would drop it: without it there would be no model."""
    if isinstance(target, Classes) and found.error > 0:
        n_classes = int(np.count_nonzero(target.counts))
        if algorithm == "samme":
            raise TargetError(
                f"The first tree of AdaBoost is worse than random guessing: its weighted error is {found.error:.4g}, "
                f"and with {n_classes} classes it must be below {1 - 1 / n_classes:.4g}. Take a stronger estimator, "
                'such as TreeClassifier(max_depth=3), or algorithm="m1".'
            )
    if found.error > 0:
        warn(
            f"The first tree of AdaBoost has a weighted error of {found.error:.4g}, and it must be below 0.5 to go on. "
            "The model is this tree alone. Take a stronger estimator.",
            BoostingWarning,
        )
    return replace(found, confidence=1.0)


def next_weights(weights: Floats, found: Judged, target: Target, learning_rate: float) -> Floats:
    """Return the weights of the next round: wrong rows count more; they sum to 1."""
    assert found.confidence is not None
    if isinstance(target, Values):
        beta = found.error / (1 - found.error)
        raised = weights * beta ** ((1 - found.loss) * learning_rate)
    else:
        # Scaling right rows down has the same effect as scaling wrong rows up, and it cannot overflow.
        raised = weights * np.exp(found.confidence * (found.loss - 1))
    return np.asarray(raised / raised.sum())


def stage_weights(model: Model, table: Table, target: Target, learning_rate: float) -> Floats:
    """Return the weights that each round began with: (rounds, rows), each row of them summing to 1."""
    weights = start_weights(target)
    algorithm: Algorithm = "samme" if model.combine.link == "samme" else "m1"
    judge = judge_of(target, algorithm, learning_rate)
    found = []
    for k, tree in enumerate(model.trees):
        found.append(weights)
        if k + 1 == len(model.trees):
            break
        judged = judge(answers_of(model, tree, table), weights)
        if judged.confidence is None:
            raise DataError(
                f"On these rows tree {k} has a weighted error of {judged.error:.4g}. AdaBoost would have ended there, "
                "so the later rounds have no weights. Hand in the rows of the fit."
            )
        weights = next_weights(weights, judged, target, learning_rate)
    return np.stack(found)
