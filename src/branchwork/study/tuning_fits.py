"""Measure the errors of all settings of a grid by one fit for each, and define what all ways to measure share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from branchwork.errors import BranchworkWarning
from branchwork.lazy import cached_property
from branchwork.learn.threads import in_threads, one_thread_each
from branchwork.study.containers import Rows, rows_of
from branchwork.study.sources import Coder, leaves_of
from branchwork.study.tuning_grid import Grid, Setting, settings_of
from branchwork.table.adapt import to_table

Floats = npt.NDArray[np.float64]
Part = tuple[Rows, Rows]
Done = Callable[[int], None]


class Measured(NamedTuple):
    """Mean loss on the test rows, and number of leaves, for each setting."""

    loss: Floats
    leaves: Floats


class Trials(Protocol):
    """A way to measure all settings of a grid."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """All settings, in the order of the grid."""

    @property
    def n_steps(self) -> int:
        """Steps of the progress bar for each part."""

    def measured(self, parts: Sequence[Part], done: Done) -> list[Measured]:
        """Learn from the training rows of each part, and measure the loss on its test rows."""


def fitted_with(est: Any, setting: Setting, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Fit an estimator with a setting; a single tree is pruned by ccp_alpha after growth."""
    from sklearn.base import clone

    own, known = clone(est), est.get_params()
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    own = own.set_params(**{name: value for name, value in setting.items() if name in known}).fit(
        X, y, **weights
    )
    if "ccp_alpha" in setting and "ccp_alpha" not in known:
        return own.prune("cost_complexity", alpha=setting["ccp_alpha"])
    return own


@dataclass(frozen=True, eq=False)
class FitTrials:
    """Any estimator: one fit for each setting and part."""

    est: Any
    X: Any
    y: Any
    grid: Grid
    coder: Coder
    n_jobs: int = 1
    weights: Any = None

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """All settings, in the order of the grid."""
        return settings_of(self.grid)

    @property
    def n_steps(self) -> int:
        """One fit for each setting."""
        return len(self.settings)

    @cached_property
    def _rows(self) -> tuple[Any, npt.NDArray[Any]]:
        takes_tables = hasattr(type(self.est), "_target")
        return to_table(self.X) if takes_tables else self.X, self.coder.code(self.y)

    def measured(self, parts: Sequence[Part], done: Done) -> list[Measured]:
        """Fit every setting on the training rows of each part."""
        self._rows  # noqa: B018  # made before threads ask for it
        found = []
        for count, one in enumerate(in_threads(self._one, parts, n_jobs=self.n_jobs), 1):
            found.append(one)
            done(count * self.n_steps)
        return found

    def _one(self, part: Part) -> Measured:
        with one_thread_each(self.n_jobs), warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchworkWarning)  # a part may lack a class or a category
            numbers = [self._tried(one, *part) for one in self.settings]
        return Measured(*np.array(numbers).T)

    def _fitted(self, setting: Setting, train: Rows) -> Any:
        weights = None if self.weights is None else np.asarray(self.weights)[train]
        return fitted_with(self.est, setting, rows_of(self._rows[0], train), rows_of(self.y, train), weights)

    def _tried(self, setting: Setting, train: Rows, test: Rows) -> tuple[float, float]:
        X, truth = self._rows
        est = self._fitted(setting, train)
        said = self.coder.code(est.predict(rows_of(X, test)))
        return float(self._mean(self.coder.loss.of_rows(said, truth[test]), test)), leaves_of(est)

    def _mean(self, loss: Floats, test: Rows) -> Any:
        """Return the mean loss of test rows, by their weights."""
        return np.average(
            loss, axis=-1, weights=None if self.weights is None else np.asarray(self.weights)[test]
        )
