"""Draw tables whose truth is known, with the smallest error that any model can have on them.

A sampler is any function `sampler(n, rng) → (X, y)`. These two also know the truth behind their rows, so that bias,
variance and noise can be separated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, shown
from branchwork.grow.checks import whole_number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WaveSampler:
    """Numbers: a wave over the first feature, y = sin(2πx) + noise, with x from 0 to 1.

    Parameters
    ----------
    noise : standard deviation of the noise; the Bayes error, in squared error, is its square.
    n_features : the number of features; those after the first have nothing to do with y.

    >>> sampler = WaveSampler(noise=0.5)
    >>> X, y = sampler(3, seed=0)
    >>> X.shape, y.shape, sampler.bayes_error
    ((3, 1), (3,), 0.25)
    """

    noise: float = 0.3
    n_features: int = 1

    def __post_init__(self) -> None:
        if not self.noise >= 0:
            raise ParameterError(f"noise={shown(self.noise)}; expected a standard deviation of at least 0.")
        whole_number("n_features", self.n_features, low=1)

    def __call__(
        self, n: int, rng: np.random.Generator | None = None, *, seed: int | None = None
    ) -> tuple[Floats, Floats]:
        """Draw n rows, with a random number generator or a seed."""
        rng = generator(rng, seed)
        X = rng.random((n, self.n_features))
        return X, self.truth(X) + self.noise * rng.standard_normal(n)

    def truth(self, X: npt.ArrayLike) -> Floats:
        """Return E[y | x] for each row."""
        return np.asarray(np.sin(2 * np.pi * np.asarray(X, np.float64)[:, 0]))

    def noise_at(self, X: npt.ArrayLike) -> Floats:
        """Return the variance of y around the truth for each row."""
        return np.full(len(np.asarray(X)), self.noise**2)

    @property
    def bayes_error(self) -> float:
        """The smallest mean squared error that any model can have."""
        return self.noise**2


@dataclass(frozen=True)
class CheckerboardSampler:
    """Classes: "black" or "white", as on a board of squares, but some labels are wrong.

    Parameters
    ----------
    flip : the share of rows with the wrong label, at most 1/2; it is the Bayes error.
    squares : squares on each side of the board.
    n_features : the number of features; those after the first two have nothing to do with y.

    >>> sampler = CheckerboardSampler(flip=0.1)
    >>> X, y = sampler(4, seed=0)
    >>> y.tolist()
    ['white', 'black', 'black', 'black']
    >>> sampler.truth([[0.1, 0.1]]).tolist()
    [[0.9, 0.1]]
    """

    flip: float = 0.1
    squares: int = 3
    n_features: int = 2

    labels = ("black", "white")

    def __post_init__(self) -> None:
        if not 0 <= self.flip <= 0.5:
            raise ParameterError(f"flip={shown(self.flip)}; expected a share from 0 to 0.5.")
        whole_number("squares", self.squares, low=1)
        whole_number("n_features", self.n_features, low=2)

    def __call__(
        self, n: int, rng: np.random.Generator | None = None, *, seed: int | None = None
    ) -> tuple[Floats, npt.NDArray[np.str_]]:
        """Draw n rows, with a random number generator or a seed."""
        rng = generator(rng, seed)
        X = rng.random((n, self.n_features))
        flipped = rng.random(n) < self.flip
        return X, np.array(self.labels)[self._colour(X) ^ flipped.astype(int)]

    def _colour(self, X: npt.ArrayLike) -> npt.NDArray[np.int64]:
        cells = np.floor(np.asarray(X, np.float64)[:, :2] * self.squares).astype(np.int64)
        return np.asarray(cells.sum(axis=1) % 2)

    def truth(self, X: npt.ArrayLike) -> Floats:
        """Return the probabilities of "black" and "white" for each row."""
        white = np.where(self._colour(X) == 1, 1 - self.flip, self.flip)
        return np.column_stack([1 - white, white])

    @property
    def bayes_error(self) -> float:
        """The smallest error rate that any model can have."""
        return self.flip


def generator(rng: np.random.Generator | None, seed: int | None) -> np.random.Generator:
    """Return the generator given, or a fresh one for a seed."""
    if (rng is None) == (seed is None):
        raise ParameterError("A sampler needs a generator (rng) or a seed, and not both.")
    return np.random.default_rng(seed) if rng is None else rng
