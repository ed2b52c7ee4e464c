"""Choose the values of a setting that a curve tries, and order them from the simplest model to the most complex."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from branchwork.errors import DataError, ParameterError, shown
from branchwork.grow.checks import whole_number
from branchwork.prune.cost_complexity import impurity_path
from branchwork.study.nested import largest
from branchwork.table.adapt import to_table
from branchwork.tree.tree import Tree

MOST_VALUES: Final = 25
"""The largest number of values that a curve tries by default."""
LARGER_IS_SIMPLER: Final = (
    "min_samples_leaf",
    "min_samples_split",
    "ccp_alpha",
    "k",
    "min_cases",
    "n_neighbors",
)
CONFIDENCES: Final = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
TREES: Final = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 70, 100)
SHARES: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def usual_values(est: Any, over: str, X: Any, y: Any, rows: int) -> tuple[Any, ...]:
    """Return the values to try if none are given; `rows` is the size of the smallest training part."""
    if over == "confidence":
        return CONFIDENCES
    if over == "n_estimators":
        return TREES
    if over == "train_size":
        return SHARES
    if over in ("min_samples_leaf", "min_samples_split", "min_cases"):
        first = 2 if over == "min_samples_split" else 1
        return whole_steps(first, max(first, rows // 4))
    if over in ("k", "n_neighbors"):
        most = min(rows, max(9, int(2 * math.sqrt(rows))))
        return tuple(range(1, most + 1, 2 * max(1, math.ceil(most / (2 * MOST_VALUES)))))
    if over in ("max_depth", "max_leaf_nodes", "ccp_alpha"):
        tree = _whole_tree(est, over, X, y)
        if tree is None:
            return tuple(range(1, 11)) if over == "max_depth" else whole_steps(2, 64)
        if over == "ccp_alpha":
            return _alphas(tree)
        return (
            whole_steps(1, max(1, tree.depth))
            if over == "max_depth"
            else whole_steps(2, max(2, tree.n_leaves))
        )
    raise ParameterError(f"over={over!r}: which values? Give values=[…].")


def whole_steps(first: int, last: int) -> tuple[int, ...]:
    """Return integers from the first to the last: all of them, or in steps that grow with the numbers.

    >>> whole_steps(1, 5), whole_steps(1, 200)[-4:]
    ((1, 2, 3, 4, 5), (103, 129, 160, 200))
    """
    if last - first < MOST_VALUES:
        return tuple(range(first, last + 1))
    steps = np.geomspace(first, last, MOST_VALUES)
    return tuple(sorted({first, *np.rint(steps).astype(int).tolist()}))


def _whole_tree(est: Any, over: str, X: Any, y: Any) -> Tree | None:
    """Return the tree of all rows without a limit on the setting; None if the estimator grows no such tree."""
    grows = getattr(est, "_members", None)
    if grows is None:
        return None
    members = grows(to_table(X, est.categorical_features), est._target(y, None), 1)
    recipe = None if members is None else largest(over, (None,), members.recipe)
    if members is None or recipe is None:
        return None
    every = np.ones(members.table.n_rows, np.uint32)
    tree: Tree = replace(members, recipe=recipe, alone=None).grow(0, [every])[0]
    return tree


def _alphas(tree: Tree) -> tuple[float, ...]:
    """Return one alpha for each tree of the sequence: the geometric mean of the ends of its interval, as in CART."""
    ends = impurity_path(tree).ccp_alphas
    ends = ends[ends > 0]
    if not ends.size:
        return (0.0,)
    means = np.sqrt(ends[1:] * ends[:-1]).tolist()
    found = [0.0, *means, float(ends[-1]) * 1.01]
    keep = np.unique(np.rint(np.linspace(0, len(found) - 1, min(len(found), 2 * MOST_VALUES))).astype(int))
    return tuple(found[k] for k in keep.tolist())


def checked_values(over: str, values: Any) -> tuple[Any, ...]:
    """Return given values in ascending order, each once; None, which means no limit, comes last."""
    try:
        given = list(values)
    except TypeError:
        raise ParameterError(f"values={shown(values)}; expected a list of values of {over}.") from None
    if not given:
        raise ParameterError(f"values is empty; expected at least one value of {over}.")
    plain = [value.item() if isinstance(value, np.generic) else value for value in given]
    for value in plain:
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
        if value is not None and not is_number:
            raise ParameterError(
                f"values: {shown(value)} is no number; a curve needs numbers, or None for no limit."
            )
    numbers = sorted({value for value in plain if value is not None})
    return (*numbers, *([None] if None in plain else []))


def simplest_first(over: str, values: Sequence[Any]) -> list[int]:
    """Return the positions of values in order from the simplest model to the most complex one."""
    places = list(range(len(values)))
    return places[::-1] if over in LARGER_IS_SIMPLER else places


def sizes_of(values: Sequence[Any], rows: int) -> list[int]:
    """Return numbers of training rows, from shares up to 1.0 (floats) or integers."""
    found = []
    for value in values:
        if isinstance(value, float):
            if not 0 < value <= 1:
                raise ParameterError(
                    f"values: train_size {value!r}; expected a share above 0 and up to 1.0, or rows."
                )
            found.append(max(1, round(value * rows)))
        else:
            size = whole_number("values: train_size", value, low=1)
            if size > rows:
                raise DataError(
                    f"values: train_size {size}, but the smallest training part of the folds has {rows} rows."
                )
            found.append(size)
    return found
