"""Compare learners on the same folds, with each other and with a baseline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ParameterError, did_you_mean, shown
from branchwork.learn.threads import thread_count
from branchwork.measure.losses import LossName
from branchwork.study.asked import bar, check_estimator, loss_of, seed_of
from branchwork.study.baseline import Baseline, baseline
from branchwork.study.comparison import BASELINE, Comparison, Standing
from branchwork.study.containers import Rows, check_lengths
from branchwork.study.cross_folds import cross_folds
from branchwork.study.intervals import Estimate, mean_loss
from branchwork.study.sources import Coder, Learned, Source, Sweep, TreeSource, leaves_of, source_of
from branchwork.table import target as targets
from branchwork.table.target import Target

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Contender:
    """One learner of a comparison: how it learns from the training rows of folds, and from all rows.

    `whole` returns the model, and its number of leaves.
    """

    name: str
    source: Source
    whole: Callable[[], tuple[Any, float]]


def compare(
    learners: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    groups: Any = None,
    sample_weight: Any = None,
    loss: LossName | None = None,
    against: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Comparison:
    """Compare learners by cross-validation: errors, paired tests, size and time, out-of-fold predictions.

    All learners use the same folds, and so does the baseline, which always predicts the most frequent class of all
    rows, or their mean. Differences are tested by the corrected resampled t-test of Nadeau and Bengio. The
    trees of Branchwork are grown on one table that is sorted once; folds are rows of it.

    Parameters
    ----------
    learners : estimators of Branchwork or of scikit-learn's kind, not fitted: a list, a list of (name, estimator), or a
        dictionary. All must be classifiers, or all regressors.
    X, y : the rows, in any container that the learners take.
    cv : a number of folds, dealt out class by class without random numbers; the fold of each row; a splitter of
        scikit-learn (KFold, RepeatedStratifiedKFold, GroupKFold, LeaveOneOut, TimeSeriesSplit, …); or pairs of training
        rows and test rows.
    groups : the group of each row, such as the patient it is about: no group is in training and test at once.
    sample_weight : one per row; learners must take it in `fit`, and errors count by it.
    loss : how predicted numbers are judged: by "squared_error", or by "poisson", the mean Poisson deviance, in which a
        rate below a thousandth of the mean counts as that. None: the deviance if all learners minimise it.
    against : the name of the learner that all others are tested against; None means the one with the smallest error.
    random_state : seed of splitters that have none of their own. Learners keep their own.
    n_jobs : number of folds that are worked on at once; -1 means all processors. The result does not depend on it.
        With more than one, the learners themselves use one thread each.
    verbose : show a progress bar.

    >>> import branchwork as bw
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = bw.study.CheckerboardSampler(flip=0.1)(600, seed=0)
    >>> found = bw.compare([bw.TreeClassifier(max_depth=4), bw.StumpClassifier(), KNeighborsClassifier()], X, y)
    >>> found.best
    'TreeClassifier'
    >>> print(found.to_text(time=False).split("Error:")[0])
    learner                error     95% interval        p  p, Holm  worse in  in training  leaves
    ────────────────────  ──────  ───────────────  ───────  ───────  ────────  ───────────  ──────
    baseline              47.00%  43.04% – 51.00%  < 0.001  < 0.001  10 of 10       47.00%       1
    TreeClassifier        14.00%  10.15% – 17.85%                                   11.28%      15
    StumpClassifier       43.17%  39.26% – 47.16%  < 0.001  < 0.001  10 of 10       42.81%       2
    KNeighborsClassifier  15.00%  11.63% – 18.37%    0.656    0.656   5 of 10       11.50%
    <BLANKLINE>
    """
    named = _named(learners)
    kinds = {name: check_estimator(est) for name, est in named.items()}
    if len(set(kinds.values())) > 1:
        one, other = (
            next(name for name, kind in kinds.items() if kind is wanted) for wanted in (True, False)
        )
        raise ParameterError(
            f"learners: {one} predicts classes and {other} predicts numbers; expected learners of one kind."
        )
    is_classes = next(iter(kinds.values()))
    check_lengths(X, y)
    threads, seed = thread_count(n_jobs), seed_of(random_state)
    target: Target = (targets.classes if is_classes else targets.values)(y, sample_weight)
    coder = Coder(is_classes, loss_of(loss, named.values(), target))
    truth = coder.code(y)
    parts = cross_folds(cv, y, truth, groups, is_classes, seed)
    contenders = [
        Contender(
            name,
            source_of(Sweep(est), X, y, coder, threads, weights=sample_weight),
            lambda est=est: _fitted(est, X, y, sample_weight),  # type: ignore[misc]
        )
        for name, est in named.items()
    ]
    _share_sorting([one.source for one in contenders])
    with bar(verbose, (len(contenders) + 1) * len(parts), "compare") as done:
        return contest(
            contenders,
            X,
            target,
            parts,
            coder=coder,
            truth=truth,
            against=against,
            are_independent=groups is None,
            progress=done,
        )


def _share_sorting(sources: Sequence[Source]) -> None:
    """Let all trees that see the same columns use one sorted table; `prepared` is a cached property."""
    sorted_once: dict[str, Any] = {}
    for source in sources:
        if isinstance(source, TreeSource) and source.members.recipe.search.cuts != "random":
            columns = repr(source.sweep.est.categorical_features)
            if columns not in sorted_once:
                sorted_once[columns] = source.members.prepared
            source.members.__dict__["prepared"] = sorted_once[columns]


def contest(
    contenders: Sequence[Contender],
    X: Any,
    target: Target,
    parts: list[tuple[Rows, Rows]],
    *,
    coder: Coder,
    truth: npt.NDArray[Any],
    against: str | None = None,
    are_independent: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Let all learners learn from the training rows of every fold, and predict all rows.

    Parameters
    ----------
    X, target : the rows.
    coder, truth : the numbers of the labels, and the target as such numbers.
    are_independent : whether rows are, and not only groups of them.
    progress : is called with the number of finished models.
    """
    names = [BASELINE, *(one.name for one in contenders)]
    if against is not None and against not in names:
        raise ParameterError(
            f"against={shown(against)}: no learner has this name.{did_you_mean(str(against), names)} There are "
            f"{', '.join(names)}."
        )
    weights = np.ones(len(target)) if target.weights is None else np.asarray(target.weights, np.float64)
    sizes = np.array([weights[test].sum() for _, test in parts])
    if not (sizes > 0).all():
        raise DataError(f"sample_weight: the test rows of fold {int(np.argmin(sizes))} have no weight.")
    always = Contender(BASELINE, _BaselineSource(target, coder), lambda: (baseline(target, coder.loss), 1.0))
    standings = []
    samples = [train for train, _ in parts]
    for k, contender in enumerate([always, *contenders]):
        tested, trained, said = [], [], []
        for learned, (train, test) in zip(contender.source.learned(samples, [X]), parts, strict=True):
            loss = coder.loss.of_rows(learned.answers[0], truth)
            tested.append(float(np.average(loss[test], weights=weights[test])))
            trained.append(float(np.average(loss[train], weights=weights[train])))
            said.append(learned.answers[0][test])
            if progress is not None:
                progress(k * len(parts) + len(said))
        start = time.perf_counter()
        model, leaves = contender.whole()
        seconds = time.perf_counter() - start
        answers = np.concatenate(said)
        standings.append(
            Standing(contender.name, np.array(tested), np.array(trained), leaves, seconds, answers, model)
        )
    tested_rows = np.concatenate([test for _, test in parts])
    rows, of_row, times = np.unique(tested_rows, return_inverse=True, return_counts=True)

    def by_rows(said: npt.NDArray[Any]) -> Estimate:
        """Return the mean loss of a learner; a row that was tested several times counts once."""
        loss = np.bincount(of_row, coder.loss.of_rows(said, truth[tested_rows])) / times
        return mean_loss(loss, weights[rows], are_shares=coder.is_classes)

    return Comparison(
        tuple(standings),
        sizes,
        float(np.mean([len(test) / len(train) for train, test in parts])),
        coder.loss,
        coder.labels if coder.is_classes else None,
        tested_rows,
        np.repeat(np.arange(len(parts)), [len(test) for _, test in parts]),
        truth,
        tuple(by_rows(one.answers) for one in standings) if are_independent else None,
        against,
    )


@dataclass(frozen=True, eq=False)
class _BaselineSource:
    """Always predicts the most frequent class of all rows, or their mean (docs/decisions/0038)."""

    target: Target
    coder: Coder

    def learned(self, samples: Sequence[Rows], queries: Sequence[Any]) -> Iterator[Learned]:
        always: Baseline = baseline(self.target)
        said = self.coder.codes_of([always.prediction])[0] if self.coder.is_classes else always.prediction
        for _ in samples:
            yield Learned(np.full((1, len(self.target)), said), np.ones(1))


def _fitted(est: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, float]:
    from sklearn.base import clone

    own = clone(est)
    own = own.fit(X, y) if sample_weight is None else own.fit(X, y, sample_weight=sample_weight)
    return own, leaves_of(own)


def _named(learners: Any) -> dict[str, Any]:
    """Return the learners by name. A learner without a name gets that of its class, the second one with a number."""
    if isinstance(learners, Mapping):
        pairs: list[Any] = list(learners.items())
    elif isinstance(learners, list | tuple):
        pairs = [one if isinstance(one, tuple) and len(one) == 2 else (None, one) for one in learners]
    else:
        raise ParameterError(
            f"learners={shown(learners, 60)}; expected a list of estimators, of (name, estimator), or a dictionary."
        )
    if not pairs:
        raise ParameterError("learners is empty; expected at least one estimator.")
    found: dict[str, Any] = {}
    for given, est in pairs:
        name = type(est).__name__ if given is None else str(given)
        if given is not None and (name in found or name == BASELINE):
            raise ParameterError(
                f"learners: {name!r} is the name of two of them; every learner needs its own."
            )
        count = 1
        while (own := name if count == 1 else f"{name} ({count})") in found:
            count += 1
        found[own] = est
    return found
