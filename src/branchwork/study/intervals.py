"""Estimate how far a figure measured on some rows may be from its true value.

    wilson       for a share of rows, such as accuracy or recall: a formula
    bootstrap    for every other figure, such as AUC or log loss: measure it again on rows drawn with replacement

The draws of the bootstrap are keyed (`learn/draws.py`): repeat k draws the same rows for any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, shown
from branchwork.learn.draws import key_of
from branchwork.learn.sampling import Sampling
from branchwork.learn.threads import in_threads

Floats = npt.NDArray[np.float64]
Figures = Callable[[Floats], Floats]
"""A function from how often each row counts to some figures; NaN if a figure is not defined for these rows."""

BOOTSTRAP: Final = 7 << 56
"""The purpose of draws of rows for intervals, so that they differ from the samples that ensembles grow on."""
METHODS = Literal["wilson", "student", "bootstrap"]


@dataclass(frozen=True)
class Estimate:
    """A figure and its interval.

    `value` is NaN if the figure is not defined, such as the precision of a class that is never predicted. `method`
    says where the interval comes from; if it is None, there is no interval, and `low` and `high` are NaN.
    """

    value: float
    low: float
    high: float
    method: METHODS | None = None

    @property
    def is_defined(self) -> bool:
        """Whether there is a figure at all."""
        return not math.isnan(self.value)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; None stands for NaN, which JSON does not have."""
        return {
            name: None if isinstance(part, float) and math.isnan(part) else part
            for name, part in asdict(self).items()
        }


def check_level(name: str, level: Any) -> float:
    """Refuse an invalid confidence level."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise ParameterError(f"{name}={shown(level)}; expected a number between 0 and 1, such as 0.95.")
    return float(level)


def wilson(
    successes: float, total: float, *, level: float = 0.95, effective: float | None = None
) -> Estimate:
    """Return a share with Wilson's score interval, which stays within 0 and 1 and works for 0 and all successes.

    With sample weights, give sums of weights, and as `effective` the number of rows of equal weight that carry as much
    information (`effective_rows`). Without any row the share is NaN, and the interval is everything from 0 to 1.

    >>> found = wilson(8, 10)
    >>> found.value, round(found.low, 4), round(found.high, 4)
    (0.8, 0.4902, 0.9433)
    """
    if not total > 0:
        return Estimate(math.nan, 0.0, 1.0, "wilson")
    share = min(successes / total, 1.0)
    n = total if effective is None else effective
    z = NormalDist().inv_cdf(0.5 + level / 2)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if share == 0 else max(0.0, centre - reach)
    high = 1.0 if share == 1 else min(1.0, centre + reach)
    return Estimate(share, low, high, "wilson")


def effective_rows(weights: Floats) -> float:
    """Return how many rows of equal weight carry as much information as these rows (Kish).

    >>> effective_rows(np.array([1.0, 1.0, 1.0])), round(effective_rows(np.array([1.0, 10.0])), 3)
    (3.0, 1.198)
    """
    total = float(weights.sum())
    return total * total / float((weights * weights).sum()) if total > 0 else 0.0


def weighted_share(mass: Floats, counted: npt.NDArray[np.bool_], *, level: float = 0.95) -> Estimate:
    """Return the share of some rows among all, by weight, with Wilson's interval.

    >>> weighted_share(np.array([1.0, 1.0, 2.0]), np.array([True, False, True])).value
    0.75
    """
    total, found = float(mass.sum()), float(mass[counted].sum())
    return wilson(found, total, level=level, effective=effective_rows(mass))


def mean_loss(losses: Floats, weights: Floats, *, are_shares: bool, level: float = 0.95) -> Estimate:
    """Return the mean loss of independent rows with its interval: Wilson's for shares, otherwise Student's.

    >>> found = mean_loss(np.array([1.0, 2.0, 3.0]), np.ones(3), are_shares=False)
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (2.0, -0.484, 4.484)
    """
    if are_shares:
        total = float(weights.sum())
        return wilson(float(weights @ losses), total, level=level, effective=effective_rows(weights))
    n, mean = effective_rows(weights), float(np.average(losses, weights=weights))
    if n <= 1:
        return Estimate(mean, math.nan, math.nan)
    from scipy.stats import t as student

    variance = float(np.average((losses - mean) ** 2, weights=weights)) * n / (n - 1)
    reach = float(student.ppf(0.5 + level / 2, n - 1)) * math.sqrt(variance / n)
    return Estimate(mean, mean - reach, mean + reach, "student")


def bootstrap(
    figures: Figures,
    rows: int,
    *,
    repeats: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    exact: Floats | None = None,
) -> list[Estimate]:
    """Return figures with percentile intervals of the bootstrap.

    All figures are measured on the same draws. Draws for which a figure is not defined, such as an AUC when only one
    class was drawn, are left out of its interval.

    Parameters
    ----------
    figures : a function from how often each row counts (all ones: the rows as they are) to an array of figures.
    rows : their number.
    repeats : how often rows are drawn; 0 means no interval.
    level : the share of draws whose figures lie in the interval.
    seed : the seed of the draws.
    threads : how many draws are measured at once; the result does not depend on it.
    progress : is called with the number of finished draws.
    exact : the exact figures of the rows, if `figures` is a quick approximation; draws are shifted by the difference.

    >>> values = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    >>> (mean,) = bootstrap(lambda counts: np.array([counts @ values / counts.sum()]), 5, repeats=200)
    >>> mean.value, round(mean.low, 3), round(mean.high, 3)
    (4.0, 2.0, 7.205)
    """
    about = np.asarray(figures(np.ones(rows)), np.float64)
    found = about if exact is None else exact
    if repeats == 0:
        return [Estimate(value, math.nan, math.nan) for value in found.tolist()]
    sampling = Sampling(rows, rows, key_of(seed, BOOTSTRAP))

    def once(repeat: int) -> Floats:
        return np.asarray(figures(sampling.copies(repeat).astype(np.float64)), np.float64)

    drawn = np.empty((repeats, len(found)))
    for repeat, one in enumerate(in_threads(once, range(repeats), n_jobs=threads)):
        drawn[repeat] = one
        if progress is not None:
            progress(repeat + 1)
    if exact is not None:
        drawn += np.where(np.isnan(exact - about), 0.0, exact - about)
    low, high = _percentiles(drawn, level)
    return [Estimate(*each, "bootstrap") for each in zip(found.tolist(), low, high, strict=True)]


def _percentiles(drawn: Floats, level: float) -> tuple[list[float], list[float]]:
    """Return the ends of the middle `level` of each column, ignoring NaN; NaN for a column that has nothing else."""
    ends = np.full((2, drawn.shape[1]), np.nan)
    for k, column in enumerate(drawn.T):
        known = column[~np.isnan(column)]
        if len(known):
            ends[:, k] = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return ends[0].tolist(), ends[1].tolist()
