"""Measure the errors of all settings of a grid on folds, in the fastest way that is possible.

one tree for all depths and pruning strengths     single trees                       study/tuning_trees.py
one forest for all depths                         forests: nodes draw by place       study/tuning_forests.py
one search for all depths                         optimal trees                      study/tuning_optimal.py
one fit per setting                               everything else                    study/tuning_fits.py
"""

from __future__ import annotations

from typing import Any

from branchwork.study.sources import Coder
from branchwork.study.tuning_fits import FitTrials, Trials
from branchwork.study.tuning_forests import ForestTrials, draws_by_place
from branchwork.study.tuning_grid import Grid
from branchwork.study.tuning_optimal import OptimalTrials, one_search_is_enough
from branchwork.study.tuning_trees import tree_trials
from branchwork.table.adapt import to_table


def trials_of(est: Any, X: Any, y: Any, grid: Grid, coder: Coder, n_jobs: int, weights: Any = None) -> Trials:
    """Return the fastest way to measure the settings of a grid."""
    if set(grid) == {"max_depth", "leaf_penalty"} and one_search_is_enough(est) and weights is None:
        return OptimalTrials(est, to_table(X, est.categorical_features), est._target(y, None), grid, n_jobs)
    trees = tree_trials(est, X, y, grid, coder, n_jobs, weights)
    if trees is not None:
        return trees
    way = ForestTrials if "max_depth" in grid and draws_by_place(est) else FitTrials
    return way(est, X, y, grid, coder, n_jobs, weights)
