"""Choose the settings that `tune` tries by default: they depend on the number of rows, never on their target.

trees       depth × leaf size × pruning strength
forests     depth × leaf size
optimal     depth × penalty of a leaf
C4.5        confidence × leaf size
CHAID       depth × level of significance
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.study.sources import check_setting

Grid = dict[str, tuple[Any, ...]]
Setting = dict[str, Any]

DEPTHS: Final = (1, 2, 3, 4, 6, 8, 12, None)
DEPTHS_OF_FORESTS: Final = (4, 8, 16, None)
DEPTHS_OF_CHAID: Final = (1, 2, 3, None)
LEVELS_OF_CHAID: Final = (0.01, 0.05, 0.1)
LEAF_SIZES: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500)
STRENGTHS: Final = (0.0, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1)
"""Pruning strengths as shares of the impurity of all rows, and penalties of optimal trees as shares of all weight."""
CONFIDENCES: Final = (0.01, 0.05, 0.1, 0.25, 0.5)
SMALLEST_SHARE: Final = 20
"""Usual leaf sizes are at most the number of rows divided by this."""


def usual_grid(est: Any, rows: int, impurity: float | None) -> Grid:
    """Return the usual values of the usual settings of an estimator.

    Parameters
    ----------
    rows : the number of rows of the smallest training part.
    impurity : the impurity of all rows, by the criterion of the estimator; None if trees cannot be pruned by impurity.
    """
    known = est.get_params(deep=False)
    sizes = tuple(size for size in LEAF_SIZES if size == 1 or size * SMALLEST_SHARE <= rows)
    if "leaf_penalty" in known:
        return {"max_depth": tuple(range(_deepest(est) + 1)), "leaf_penalty": STRENGTHS}
    if "confidence" in known and "min_cases" in known:
        cases = tuple(size for size in sizes if size >= 2) or (2,)
        return {"confidence": CONFIDENCES, "min_cases": cases}
    if "alpha_split" in known:
        return {"max_depth": DEPTHS_OF_CHAID, "alpha_split": LEVELS_OF_CHAID}
    if "n_estimators" in known:
        if "min_samples_leaf" not in known:
            raise ParameterError(
                f"{type(est).__name__} has no usual settings to try; give some, as in "
                "grid={'n_estimators': [10, 100]}."
            )
        return {"max_depth": DEPTHS_OF_FORESTS, "min_samples_leaf": sizes[:4]}
    if "max_depth" not in known:
        raise ParameterError(
            f"{type(est).__name__} has no usual settings to try; give some: grid={{'…': [1, 2, 3]}}."
        )
    found: Grid = {"max_depth": DEPTHS}
    if "min_samples_leaf" in known:
        found["min_samples_leaf"] = sizes
    if impurity is not None:
        found["ccp_alpha"] = tuple(share * impurity for share in STRENGTHS)
    return found


def _deepest(est: Any) -> int:
    if est.max_depth is None:
        raise ParameterError(
            "max_depth=None: an optimal tree is tuned up to a depth. Set max_depth=3, say, or give grid={…}."
        )
    return int(est.max_depth)


def checked_grid(est: Any, grid: Any) -> Grid:
    """Check a given grid: values of settings by their names, each value once."""
    if not isinstance(grid, Mapping) or not grid:
        raise ParameterError(
            f"grid={shown(grid, 60)}; expected values of settings by name, as in {{'max_depth': [2, 4, None]}}."
        )
    found: Grid = {}
    for name, values in grid.items():
        check_setting(est, name, "grid")
        if (
            isinstance(values, str | bytes)
            or not isinstance(values, Sequence | np.ndarray)
            or not len(values)
        ):
            raise ParameterError(f"grid[{name!r}]={shown(values, 60)}; expected a list of values.")
        plain = [value.item() if isinstance(value, np.generic) else value for value in values]
        found[name] = tuple(dict.fromkeys(plain))
    return found


def settings_of(grid: Grid) -> tuple[Setting, ...]:
    """Return every combination of the values of a grid, the last setting varying fastest.

    >>> settings_of({"max_depth": (1, None), "min_samples_leaf": (1, 5)})[1]
    {'max_depth': 1, 'min_samples_leaf': 5}
    """
    return tuple(dict(zip(grid, values, strict=True)) for values in product(*grid.values()))
