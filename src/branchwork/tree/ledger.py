"""The working: what every column could have done at every node, and why the winner won.

The ledger is what the core kept while it grew the tree; a page of it is one node. Trees of more than 1 000 nodes have
none; a page can then be made again from the training data (grow/replay.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Verdict = Literal["chosen", "lower_gain", "tie_lost", "no_gain", "one_branch", "used_above"]

VERDICTS: tuple[Verdict, ...] = ("chosen", "lower_gain", "tie_lost", "no_gain", "one_branch", "used_above")
"""Position = code in the core."""

REASONS: dict[Verdict, str] = {
    "chosen": "largest gain",
    "lower_gain": "another column gains more",
    "tie_lost": "as good as the chosen one, which comes earlier in the table",
    "no_gain": "gains nothing, and this recipe does not split for nothing",
    "one_branch": "all rows here would take the same branch",
    "used_above": "already used on the way here",
}


@dataclass(frozen=True)
class Cut:
    """One cut of a numeric column: the weights on its sides and what it gains."""

    cut: float
    gain: float
    left: float
    right: float
    missing: float


@dataclass(frozen=True)
class Candidate:
    """One column's best split in a node. Numbers are None where there is no split."""

    feature: int
    verdict: Verdict
    cut: float | None = None
    gain: float | None = None
    split_info: float | None = None
    chi2: float | None = None
    p_value: float | None = None
    cuts: tuple[Cut, ...] = ()

    @property
    def gain_ratio(self) -> float | None:
        """Gain over split information; None where there is none."""
        if self.gain is None or not self.split_info:
            return None
        return self.gain / self.split_info


@dataclass(frozen=True)
class Page:
    """The working of one node."""

    node: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, eq=False)
class Ledger:
    """Pages of candidates: arrays of (page, column)."""

    node: npt.NDArray[np.int32]
    cut: npt.NDArray[np.float64]
    gain: npt.NDArray[np.float64]
    split_info: npt.NDArray[np.float64]
    verdict: npt.NDArray[np.uint8]

    def page(self, node: int) -> Page | None:
        """Return the page of a node, or None: leaves that were never looked at have none."""
        at = int(np.searchsorted(self.node, node))
        if at == len(self.node) or self.node[at] != node:
            return None
        rows = zip(
            self.cut[at].tolist(),
            self.gain[at].tolist(),
            self.split_info[at].tolist(),
            self.verdict[at].tolist(),
            strict=True,
        )
        return Page(
            node,
            tuple(
                candidate(feature, cut, gain, split_info, verdict)
                for feature, (cut, gain, split_info, verdict) in enumerate(rows)
            ),
        )


def candidate(feature: int, cut: float, gain: float, split_info: float, verdict: int) -> Candidate:
    """A candidate from the core's numbers: NaN stands for none."""
    is_split = gain == gain
    return Candidate(
        feature,
        VERDICTS[verdict],
        cut=cut if cut == cut and is_split else None,
        gain=gain if is_split else None,
        split_info=split_info if is_split else None,
    )
