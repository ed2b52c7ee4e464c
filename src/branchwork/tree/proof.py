"""Hold what the search for an optimal tree has proven about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Ending = Literal["proven", "gap", "time", "memory", "interrupted", "not_searched"]


@dataclass(frozen=True)
class Proof:
    """The result of a search.

    Parameters
    ----------
    objective : the cost of the tree, including penalties; with minimise="leaves", its number of leaves.
    lower_bound : no tree within the limits has a smaller cost.
    ending : "proven"; "gap": proven within `max_gap`; "time", "memory", "interrupted": stopped by a limit or Ctrl-C;
        "not_searched": the chosen effort proves nothing.
    seconds : time of the search.
    counts : subproblems, cuts tried, intervals that each bound closed, hits and entries of the cache. They depend on
        the number of threads, so a model file does not keep them.
    """

    objective: float
    lower_bound: float
    ending: Ending
    seconds: float = field(default=0.0, compare=False)
    counts: dict[str, int] = field(default_factory=dict, compare=False)

    @property
    def gap(self) -> float:
        """How far the cost may be above the smallest possible one."""
        return max(0.0, self.objective - self.lower_bound)

    @property
    def proven(self) -> bool:
        """Whether no tree within the limits is better."""
        return self.ending == "proven" or self.gap == 0
