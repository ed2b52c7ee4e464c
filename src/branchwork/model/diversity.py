"""Measure how the members of an ensemble differ: disagreement, strength and correlation (Breiman 2001).

An ensemble is better than its members only if they make different mistakes. Strength measures how good the trees are on
average, and correlation how similar they are. The error of a forest for classes is at most
correlation · (1 − strength²) / strength² (Breiman 2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Diversity:
    """How the members of an ensemble differ on some rows.

    Parameters
    ----------
    disagreement : (members, members). Classes: the share of rows for which two members predict different classes.
        Numbers: the root of the mean squared difference of their predictions.
    errors : the error of each member alone: the share of wrong rows, or the mean squared error.
    error : the error of all members together.
    strength : classes: the mean margin, which is the share of votes for the right class minus that for the best other
        class; numbers: None.
    correlation : classes: the correlation of the members' margins (Breiman 2001); numbers: the mean correlation of
        their errors. NaN if the members do not vary.
    """

    disagreement: Floats
    errors: Floats
    error: float
    strength: float | None
    correlation: float

    @property
    def mean_disagreement(self) -> float:
        """The mean over all pairs of different members; NaN for one member."""
        count = len(self.errors)
        if count < 2:
            return float("nan")
        return float((self.disagreement.sum() - np.trace(self.disagreement)) / (count * (count - 1)))

    def __repr__(self) -> str:
        """Show the figures, not the matrix."""
        named = {name.replace("_", " "): value for name, value in self.to_dict().items()}
        figures = [f"{name} {value:.4g}" for name, value in named.items() if value is not None]
        return f"Diversity({', '.join(figures)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "members": len(self.errors),
            "mean_disagreement": self.mean_disagreement,
            "strength": self.strength,
            "correlation": self.correlation,
            "mean_error_of_members": float(self.errors.mean()),
            "error_of_ensemble": self.error,
        }

    def to_text(self) -> str:
        """Return the figures, one per line."""
        found = self.to_dict()
        named = {
            "members": "members",
            "mean_disagreement": "mean disagreement of two members",
            "strength": "strength (mean margin)",
            "correlation": "correlation",
            "mean_error_of_members": "mean error of one member",
            "error_of_ensemble": "error of all together",
        }
        widest = max(map(len, named.values()))
        return "\n".join(
            f"{title:{widest}}  {found[key]:.4g}" for key, title in named.items() if found[key] is not None
        )

    def __str__(self) -> str:
        """Show the figures."""
        return self.to_text()


def diversity_of_classes(
    decisions: npt.NDArray[np.intp],
    truth: npt.NDArray[np.integer],
    together: npt.NDArray[np.intp],
    n_classes: int,
) -> Diversity:
    """Return the diversity of members that predict classes.

    Parameters
    ----------
    decisions : (members, rows): the class that each member predicts.
    truth, together : the right class of each row, and the class that all members together predict.
    """
    _check(decisions)
    members, rows = decisions.shape
    agreed = np.zeros((members, members))
    votes = np.zeros((n_classes, rows))
    for label in range(n_classes):
        said = (decisions == label).astype(np.float64)
        agreed += said @ said.T
        votes[label] = said.mean(axis=0)
    places = np.arange(rows)
    right = votes[truth, places]
    others = votes.copy()
    others[truth, places] = -1
    rival = others.argmax(axis=0)
    next_best = others[rival, places] if n_classes > 1 else np.zeros(rows)
    margin = right - next_best
    # The raw margin of one member: 1 if it is right, -1 if it predicts the best other class, 0 otherwise.
    is_right = (decisions == truth).mean(axis=1)
    is_rival = (decisions == rival).mean(axis=1) if n_classes > 1 else np.zeros(members)
    spread = np.sqrt(np.maximum(is_right + is_rival - (is_right - is_rival) ** 2, 0)).mean()
    correlation = float(margin.var() / spread**2) if spread > 0 else float("nan")
    return Diversity(
        1 - agreed / rows,
        (decisions != truth).mean(axis=1),
        float((together != truth).mean()),
        float(margin.mean()),
        correlation,
    )


def diversity_of_numbers(answers: Floats, truth: Floats, together: Floats) -> Diversity:
    """Return the diversity of members that predict numbers; `answers` is (members, rows)."""
    _check(answers)
    members = len(answers)
    residuals = answers - truth
    disagreement = np.zeros((members, members))
    for k in range(members):
        disagreement[k] = np.sqrt(((answers - answers[k]) ** 2).mean(axis=1))
    varies = residuals.std(axis=1) > 0
    correlation = float("nan")
    if members > 1 and varies.all():
        between = np.corrcoef(residuals)
        correlation = float((between.sum() - members) / (members * (members - 1)))
    errors = (residuals**2).mean(axis=1)
    return Diversity(disagreement, errors, float(((together - truth) ** 2).mean()), None, correlation)


def _check(said: Sequence[Any] | npt.NDArray[Any]) -> None:
    if not len(said):
        raise ParameterError("There are no members to compare.")
