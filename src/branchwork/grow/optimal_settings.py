"""The settings of optimal trees: what to minimise, how hard to search, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from branchwork.errors import ParameterError
from branchwork.grow.checks import Check, number_in, whole_number, word_in

Effort = Literal["exact", "split", "lookahead", "greedy"]
Minimise = Literal["error", "leaves"]
OnInterrupt = Literal["raise", "keep"]

CHECKS: dict[str, Check] = {
    "leaf_penalty": partial(number_in, low=0),
    "effort": word_in(Effort),
    "lookahead": partial(whole_number, low=1),
    "minimise": word_in(Minimise),
    "max_errors": partial(number_in, low=0, none=True),
    "max_gap": partial(number_in, low=0),
    "time_limit": partial(number_in, low=0, none=True),
    "memory_limit": partial(number_in, low=0, low_excluded=True, none=True),
    "on_interrupt": word_in(OnInterrupt),
}
"""The check of each setting."""


@dataclass(frozen=True)
class Optimal:
    """The settings of an optimal tree.

    Parameters
    ----------
    leaf_penalty : the cost of each leaf but the first, as a share of all weight (classes) or of the squared error of
        the root (numbers).
    effort : "exact": the best of all trees, with a proof. "lookahead": each split is the root of the best tree of
        `lookahead` levels. "split": several root splits are tried (up to 8; fewer on large tables): those of the best
        trees of one, two, … `lookahead` levels, and of the best trees with another feature at the root. Each is
        completed by lookahead, and the best complete tree decides. "greedy": CART, pruned where splits do not pay.
    lookahead : the number of levels that "lookahead" and "split" search exactly at each node.
    minimise : "error", or "leaves": find the fewest leaves that make at most `max_errors`.
    max_errors : a weight of errors, or a sum of costs or of squared errors.
    max_gap : stop when the cost is proven to be at most this much above the least possible one, in the same unit.
    time_limit : seconds.
    memory_limit : bytes.
    on_interrupt : at Ctrl-C, "raise" KeyboardInterrupt, or "keep" the best tree so far.
    loss : loss[c][k] is the cost of predicting class k for a row of class c, in the order of the target's labels;
        None: 1 for each error.
    """

    leaf_penalty: float = 0.0
    effort: Effort = "exact"
    lookahead: int = 2
    minimise: Minimise = "error"
    max_errors: float | None = None
    max_gap: float = 0.0
    time_limit: float | None = None
    memory_limit: float | None = None
    on_interrupt: OnInterrupt = "raise"
    loss: Any = None

    def __post_init__(self) -> None:
        settings = vars(self)
        for name, check in CHECKS.items():
            settings[name] = check(name, settings[name])
        if self.loss is not None:
            settings["loss"] = [[float(cost) for cost in row] for row in self.loss]
        self._check_together()

    def _check_together(self) -> None:
        if self.minimise == "leaves":
            if self.max_errors is None:
                raise ParameterError(
                    'minimise="leaves" needs max_errors, the largest number of errors allowed. max_errors=0 finds the '
                    "smallest tree without errors."
                )
            for name, usual in (("leaf_penalty", 0.0), ("max_gap", 0.0), ("effort", "exact")):
                if getattr(self, name) != usual:
                    raise ParameterError(
                        f'{name}={getattr(self, name)!r} does not go with minimise="leaves". Leave it at {usual!r}.'
                    )
        elif self.max_errors is not None:
            raise ParameterError(
                f'max_errors={self.max_errors!r} has no effect without minimise="leaves". Set both, or leave it out.'
            )
        if self.max_gap and self.effort != "exact":
            raise ParameterError(
                f'max_gap={self.max_gap!r} has no effect with effort={self.effort!r}: only effort="exact" has a proof.'
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a plain dictionary."""
        return {**vars(self)}
