"""Split an error into bias, variance and noise, by learning many models from different training sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ParameterError, shown
from branchwork.grow.checks import whole_number
from branchwork.learn.threads import in_threads, thread_count
from branchwork.study.asked import bar, check_estimator, seed_of
from branchwork.study.bias_parts import Correction, domingos, kohavi_wolpert, shares_of, squared_parts
from branchwork.study.bias_result import BiasVariance, BiasVarianceSweep
from branchwork.study.containers import Rows, check_lengths, n_rows_of
from branchwork.study.curve_values import checked_values
from branchwork.study.sources import Coder, Learned, Sweep, check_sweep, source_of
from branchwork.study.splitting import split

Sampler = Callable[[int, np.random.Generator], tuple[Any, Any]]
Truth = Callable[[Any], Any]
Method = Literal["kohavi_wolpert", "domingos"]
Draw = Literal["subset", "bootstrap"]
Floats = npt.NDArray[np.float64]

BATCH = 8
"""The number of training sets of a sampler that are kept at once, per thread."""
QUERY_SHARE = 0.25
"""With given data, the share of query rows, unless `n_test` gives their number."""


def bias_variance(
    est: Any,
    sampler: Sampler | None = None,
    *,
    data: tuple[Any, Any] | None = None,
    n_train: int | None = None,
    n_repeats: int = 100,
    at: Any = None,
    n_test: int | None = None,
    truth: Truth | None = None,
    draw: Draw = "subset",
    method: Method = "kohavi_wolpert",
    correction: Correction = "none",
    over: str | None = None,
    values: Sequence[Any] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> BiasVariance | BiasVarianceSweep:
    """Split the error of an estimator into bias, variance and noise.

    The estimator learns from `n_repeats` training sets. Bias is the error of the mean (or the vote) of all its
    models, variance is how much single models differ from it, and noise is what no model can know. By default the parts
    add up to the error.

    Parameters
    ----------
    est : an estimator, not fitted; classifiers are judged by 0–1 loss, regressors by squared error.
    sampler : a function (n, rng) that draws n rows and returns (X, y). `rng` is a NumPy generator.
    data : rows (X, y) instead of a sampler. They are split once into a pool and query rows; each repeat draws
        `n_train` rows of the pool.
    n_train : rows of each training set; by default 100 with a sampler, and half the pool with data.
    n_repeats : the number of training sets.
    at : query rows: X alone (then `truth` is needed) or a pair (X, y). None: `n_test` rows of sampler or data.
    n_test : number of query rows; by default 1000 of a sampler, and a quarter of the data.
    truth : a function that returns E[y | x] for rows X or, for classes, their probabilities (n × K), in sorted order of
        the labels. Without it, noise cannot be separated from bias. The samplers of this package bring their own.
    draw : with data, "subset" draws rows without replacement, "bootstrap" with.
    method : for 0–1 loss, "kohavi_wolpert" or "domingos".
    correction : "none": the parts add up to the error; "both": unbiased estimates for few repeats, which add up as
        well; "weka": as Weka's BVDecompose, whose parts do not add up (classes only).
    over, values : a setting of the estimator, and its values, for each of which the error is split; returns a
        BiasVarianceSweep.
    random_state : seed of all draws. Every value uses the same training sets.
    n_jobs : number of threads; -1 means all. The result does not depend on it.
    verbose : show a progress bar.

    >>> import branchwork as bw
    >>> waves = bw.study.WaveSampler(noise=0.3)
    >>> found = bw.study.bias_variance(bw.TreeRegressor(max_depth=2), waves, n_train=50, n_repeats=50)
    >>> print(found)
    bias²      0.0256
    variance   0.0589
    noise      0.0900
    error      0.1745  (50 models, 1000 query rows, squared error)
    >>> bool(abs(found.bias2 + found.variance + found.noise - found.error) < 1e-12)
    True
    """
    asked = _Asked(est, sampler, data, n_train, n_repeats, at, n_test, truth, draw, method, correction)
    asked.check()
    seed, threads = seed_of(random_state), thread_count(n_jobs)
    sweep = Sweep(est) if over is None else Sweep(est, over, checked_values(over, _given(over, values)))
    if over is None and values is not None:
        raise ParameterError("values were given without over, the setting that takes them.")
    with bar(verbose, n_repeats, f"{type(est).__name__}, {n_repeats} training sets") as done:
        query, found = asked.learned(sweep, seed, threads, done)
    results = [
        asked.taken_apart(query, np.stack([one.answers[v] for one in found]))
        for v in range(len(sweep.values))
    ]
    if over is None:
        return results[0]
    leaves = np.mean([one.leaves for one in found], axis=0)
    return BiasVarianceSweep(type(est).__name__, over, sweep.values, tuple(results), leaves)


def _given(over: str, values: Sequence[Any] | None) -> Sequence[Any]:
    if values is None:
        raise ParameterError(f"over={over!r}: which values? Give values=[…].")
    return values


@dataclass(frozen=True, eq=False)
class Query:
    """The rows that all models predict, and what is known about the truth there.

    Parameters
    ----------
    X : the rows.
    coder : numbers of the labels.
    expected : E[t | x], or probabilities of classes (rows × classes); for a single known target, itself, or 0 and 1.
    noise : variance of a numeric target around `expected`; None if it is not known.
    truth_is_known : whether `expected` comes from a `truth`.
    """

    X: Any
    coder: Coder
    expected: Floats
    noise: Floats | None
    truth_is_known: bool


@dataclass(frozen=True, eq=False)
class _Asked:
    """The parameters of a decomposition."""

    est: Any
    sampler: Sampler | None
    data: tuple[Any, Any] | None
    n_train: int | None
    n_repeats: int
    at: Any
    n_test: int | None
    truth: Truth | None
    draw: Draw
    method: Method
    correction: Correction

    @property
    def is_classes(self) -> bool:
        return check_estimator(self.est)

    def check(self) -> None:
        """Refuse parameters that do not fit together."""
        if (self.sampler is None) == (self.data is None):
            raise ParameterError("Give a sampler, or data=(X, y), and not both.")
        if self.sampler is not None and not callable(self.sampler):
            raise ParameterError(
                f"sampler={shown(self.sampler)}; expected a function (n, rng) that returns (X, y)."
            )
        whole_number("n_repeats", self.n_repeats, low=2)
        whole_number("n_train", self.n_train, low=1, none=True)
        whole_number("n_test", self.n_test, low=1, none=True)
        for name, kinds in (("draw", Draw), ("method", Method), ("correction", Correction)):
            if getattr(self, name) not in get_args(kinds):
                allowed = " or ".join(map(repr, get_args(kinds)))
                raise ParameterError(f"{name}={shown(getattr(self, name))}; expected {allowed}.")
        if self.correction == "weka" and not self.is_classes:
            raise ParameterError("correction='weka' is about 0–1 loss, but this estimator predicts numbers.")
        if self.correction != "none" and self.method == "domingos":
            raise ParameterError("Domingos' parts have no correction; take correction='none'.")
        if self.draw == "bootstrap" and self.data is None:
            raise ParameterError("draw='bootstrap' is for data=(X, y); a sampler draws new rows.")
        if self.at is not None and self.n_test is not None:
            raise ParameterError("at gives the query rows, so n_test does not count them; give one of both.")

    # ---- learning

    def learned(
        self, sweep: Sweep, seed: int, threads: int, done: Callable[[int], None]
    ) -> tuple[Query, list[Learned]]:
        """Return the query rows, and what the models of every training set predict for them."""
        if self.data is not None:
            return self._from_data(sweep, seed, threads, done)
        streams = np.random.SeedSequence(seed).spawn(self.n_repeats + 1)
        coder = Coder(self.is_classes)
        n_train = 100 if self.n_train is None else self.n_train
        query = self._query(coder, lambda: self._sample(self.n_test or 1000, streams[-1]))
        every = np.arange(n_train)

        def one(drawn: tuple[Any, Any]) -> Learned:
            return next(iter(source_of(sweep, *drawn, coder).learned([every], [query.X])))

        found: list[Learned] = []
        while (
            len(found) < self.n_repeats
        ):  # samplers are called here, in order; threads learn from what they drew
            batch = [self._sample(n_train, stream) for stream in streams[len(found) : -1][: BATCH * threads]]
            if not found:
                check_sweep(sweep, *batch[0])
            for _, y in batch:
                coder.code(y)  # number all labels before threads need the numbers
            found += in_threads(one, batch, n_jobs=threads)
            done(len(found))
        return query, found

    def _sample(self, n: int, stream: np.random.SeedSequence) -> tuple[Any, Any]:
        """Draw rows, and refuse a result that is not a table of that many rows."""
        assert self.sampler is not None
        drawn = self.sampler(n, np.random.default_rng(stream))
        if not isinstance(drawn, tuple | list) or len(drawn) != 2:
            raise DataError(f"The sampler returned {shown(drawn, 60)}; expected a pair (X, y).")
        X, y = drawn
        shape = getattr(X, "shape", None)
        if shape is not None and len(shape) != 2:
            raise DataError(
                f"The sampler returned X of shape {tuple(shape)}; expected {n} rows and some columns."
            )
        sizes = n_rows_of(X), len(y) if hasattr(y, "__len__") else n_rows_of(y)
        if sizes != (n, n):
            raise DataError(
                f"The sampler was asked for {n} rows, but returned {sizes[0]} rows of X and {sizes[1]} of y."
            )
        return X, y

    def _from_data(
        self, sweep: Sweep, seed: int, threads: int, done: Callable[[int], None]
    ) -> tuple[Query, list[Learned]]:
        """Split the rows into a pool and query rows; draw every training set from the pool, which is sorted once."""
        if not isinstance(self.data, tuple) or len(self.data) != 2:
            raise ParameterError(f"data={shown(self.data, 60)}; expected a pair (X, y).")
        rows = check_lengths(*self.data)
        if rows < 4:
            raise DataError(f"data has {rows} rows; at least 4 are needed to make a pool and query rows.")
        coder = Coder(self.is_classes)
        coder.code(self.data[1])
        pool_X, pool_y = self.data
        if self.at is None:
            parts = split(*self.data, validation=0, test=self.n_test or QUERY_SHARE, seed=seed)
            assert parts.test is not None
            (pool_X, pool_y), asked = parts.train, parts.test
            query = self._query(coder, lambda: tuple(asked))
        else:
            query = self._query(coder, lambda: ())
        pool = n_rows_of(pool_X)
        size = pool // 2 if self.n_train is None else self.n_train
        if not 1 <= size <= pool:
            raise ParameterError(f"n_train={size}; expected a number from 1 to {pool}, the rows of the pool.")
        check_sweep(sweep, pool_X, pool_y)
        samples = [
            _drawn(self.draw, pool, size, stream)
            for stream in np.random.SeedSequence(seed).spawn(self.n_repeats)
        ]
        found = []
        for one in source_of(sweep, pool_X, pool_y, coder, threads).learned(samples, [query.X]):
            found.append(one)
            done(len(found))
        return query, found

    # ---- what is asked about

    def _query(self, coder: Coder, drawn: Callable[[], tuple[Any, ...]]) -> Query:
        """Return the query rows with what is known about the truth."""
        truth = self.truth if self.truth is not None else getattr(self.sampler, "truth", None)
        if isinstance(self.at, tuple) and len(self.at) == 2:
            X, y = self.at
            check_lengths(X, y)
        elif self.at is not None:
            X, y = self.at, None
            if truth is None:
                raise ParameterError("at has rows without their targets: give at=(X, y), or truth.")
        else:
            X, y = drawn()
        if truth is None:
            return Query(X, coder, self._known(coder, y), None, False)
        expected = np.asarray(truth(X), np.float64)
        rows = n_rows_of(X)
        if self.is_classes:
            if expected.ndim != 2 or len(expected) != rows:
                raise DataError(
                    f"truth returned an array of shape {expected.shape}; expected {rows} rows, with a probability for "
                    "each class."
                )
            if (expected < 0).any() or not np.allclose(expected.sum(axis=1), 1):
                raise DataError("truth: the probabilities of a row must add up to 1.")
            return Query(X, coder, expected, None, True)
        if expected.shape != (rows,):
            raise DataError(
                f"truth returned an array of shape {expected.shape}; expected one number for each row."
            )
        spread = getattr(self.sampler, "noise_at", None)
        if spread is not None and self.truth is None:
            noise: Floats | None = np.asarray(spread(X), np.float64)
        else:
            noise = None if y is None else (coder.code(y) - expected) ** 2
        return Query(X, coder, expected, noise, True)

    def _known(self, coder: Coder, y: Any) -> Floats:
        """Return the one target that is known at each query row, as a number."""
        return np.asarray(coder.code(y), np.float64)

    # ---- taking apart

    def taken_apart(self, query: Query, answers: npt.NDArray[Any]) -> BiasVariance:
        """Return the parts of the error at every query point."""
        if not self.is_classes:
            parts = squared_parts(answers, query.expected, query.noise, self.correction)
            return BiasVariance(parts, answers, query.expected, None, "squared error", self.correction)
        labels, answers = _in_order(query.coder.labels, answers)
        truth = self._probabilities(query, labels)
        shares = shares_of(answers, len(labels))
        if self.method == "domingos":
            parts = domingos(shares, truth, query.truth_is_known)
        else:
            parts = kohavi_wolpert(shares, truth, len(answers), self.correction, query.truth_is_known)
        loss = "0–1 loss" if self.method == "kohavi_wolpert" else "0–1 loss, Domingos"
        return BiasVariance(parts, answers, truth, labels, loss, self.correction)

    def _probabilities(self, query: Query, labels: tuple[Any, ...]) -> Floats:
        """Return the true probabilities in the order of the labels."""
        if not query.truth_is_known:
            known = [query.coder.labels[code] for code in query.expected.astype(np.intp).tolist()]
            return np.eye(len(labels))[[labels.index(label) for label in known]]
        if query.expected.shape[1] != len(labels):
            raise DataError(
                f"truth returned probabilities of {query.expected.shape[1]} classes, but {len(labels)} labels were "
                f"drawn: {', '.join(map(repr, labels[:10]))}. Both must be the same, in sorted order."
            )
        return query.expected


def _in_order(labels: tuple[Any, ...], answers: npt.NDArray[Any]) -> tuple[tuple[Any, ...], npt.NDArray[Any]]:
    """Return the sorted labels, and the predictions as positions among them."""
    order = sorted(range(len(labels)), key=lambda k: labels[k])
    place = np.empty(len(labels), np.intp)
    place[order] = np.arange(len(labels))
    return tuple(labels[k] for k in order), place[answers]


def _drawn(draw: Draw, pool: int, size: int, stream: np.random.SeedSequence) -> Rows:
    rng = np.random.default_rng(stream)
    return rng.integers(pool, size=size) if draw == "bootstrap" else rng.permutation(pool)[:size]
