"""The predictions that a change of a row should lead to: a label, a number in a range, or any but the present one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, did_you_mean
from branchwork.model.model import Model
from branchwork.table.schema import no_such_column
from branchwork.tree.outputs import likeliest
from branchwork.tree.tree import Floats

ROUNDING = 1e-12
"""Numbers that are sums over leaves count as equal if they differ by less than this share."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """The wanted predictions.

    Parameters
    ----------
    model : the model that predicts.
    prediction : the present prediction for the row.
    codes : positions of the wanted labels; empty for a numeric target.
    low, high : the range of wanted numbers; -inf to inf means any number but `prediction`.
    """

    model: Model
    prediction: Any
    codes: tuple[int, ...]
    low: float = -math.inf
    high: float = math.inf

    @property
    def leaves(self) -> npt.NDArray[np.bool_]:
        """Which nodes are leaves with a wanted prediction for a row that is not shared."""
        tree = self.model.tree
        if self.model.labels is None:
            numbers = tree.value[:, 0]
            met = (numbers >= self.low) & (numbers <= self.high) & (numbers != self.prediction)
        else:
            met = np.isin(likeliest(tree.value) if tree.shares_rows else tree.decision, self.codes)
        return np.asarray(met & (tree.feature < 0))

    def answer(self, leaves: tuple[tuple[int, float], ...]) -> Any:
        """Return the prediction for a row with these shares in leaves: the position of a label, or the number."""
        tree = self.model.tree
        if len(leaves) == 1 and not tree.shares_rows:
            leaf = leaves[0][0]
            return float(tree.value[leaf, 0]) if self.model.labels is None else int(tree.decision[leaf])
        outputs = np.zeros(tree.n_outputs)
        for leaf, share in leaves:  # one after the other, as in Shares.mix
            outputs = outputs + tree.value[leaf] * share
        return float(outputs[0]) if self.model.labels is None else int(likeliest(outputs[None, :])[0])

    def is_met(self, leaves: tuple[tuple[int, float], ...]) -> bool:
        """Return whether the prediction for a row with these shares in leaves is wanted."""
        answer = self.answer(leaves)
        if self.model.labels is not None:
            return bool(answer in self.codes)
        if len(leaves) > 1 and abs(answer - self.prediction) <= ROUNDING * max(abs(answer), 1.0):
            return False
        return bool(self.low <= answer <= self.high and answer != self.prediction)

    def is_within(self, low: Floats, high: Floats) -> bool:
        """Return whether outputs between these limits may be a wanted prediction."""
        if self.model.labels is not None:
            return bool((high[list(self.codes)] >= low.max()).any())
        return bool(high[0] >= self.low and low[0] <= self.high)


def read_wanted(model: Model, prediction: Any, want: Any) -> Wanted:
    """Read the `want` argument for a row with this prediction; None: any other prediction."""
    if model.labels is None:
        return _number(model, prediction, want)
    own = model.labels.index(prediction)
    if want is None:
        return Wanted(model, prediction, tuple(code for code in range(len(model.labels)) if code != own))
    if want not in model.labels:
        hint = did_you_mean(str(want), map(str, model.labels))
        raise ParameterError(f"want={want!r} is not a class of this tree.{hint}")
    if want == prediction:
        raise ParameterError(f"want={want!r} is what the tree answers already.")
    return Wanted(model, prediction, (model.labels.index(want),))


def read_fixed(model: Model, fixed: Iterable[str]) -> frozenset[int]:
    """Return the columns whose cells cannot change, from their names."""
    names = model.schema.names
    for name in fixed:
        if name not in names:
            raise ParameterError(f"fixed: {no_such_column(str(name), names)}")
    return frozenset(names.index(name) for name in fixed)


def _number(model: Model, prediction: float, want: Any) -> Wanted:
    if want is None:
        return Wanted(model, prediction, ())
    try:
        low, high = (float(limit) for limit in want)
    except (TypeError, ValueError):
        raise ParameterError(f"want={want!r}; expected (lowest, highest), as in want=(10, 20).") from None
    if not low <= high:
        raise ParameterError(f"want={want!r}; the lowest number comes first.")
    if low <= prediction <= high:
        raise ParameterError(f"want={want!r}: the answer {prediction!r} is already in that range.")
    return Wanted(model, prediction, (), low, high)
