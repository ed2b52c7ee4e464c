"""Record how the trees of an ensemble were made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Method = Literal["bagging", "forest", "extra", "adaboost"]
METHOD_TITLES: dict[str, str] = {
    "bagging": "Bagging",
    "forest": "Random forest",
    "extra": "Extra trees",
    "adaboost": "AdaBoost",
}


@dataclass(frozen=True)
class Ensemble:
    """How an ensemble was made.

    Parameters
    ----------
    method : the name of the method.
    seed : the seed of all random draws; None: nothing was drawn.
    errors : pairs of a number of trees and an error. Bagging and forests: the out-of-bag error of the first trees, if
        it was asked for (share of wrong classes, or mean squared error). AdaBoost: the weighted error of each round.
    """

    method: Method
    seed: int | None = None
    errors: tuple[tuple[int, float], ...] = ()

    @property
    def title(self) -> str:
        """The name of the method, for display."""
        return METHOD_TITLES[self.method]
