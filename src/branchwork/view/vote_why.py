"""Who voted what for one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.table.one_row import one_row
from branchwork.table.shown import first_lines
from branchwork.table.text_table import terminal_width, text_table
from branchwork.table.wide_text import fold
from branchwork.tree.split import answer_text, category, harmless, rounded


@dataclass(frozen=True)
class VoteWhy:
    """The votes for one row.

    Parameters
    ----------
    prediction : what the vote answers.
    votes : a line per member: its name, its weight, and what it answers.
    combine : "vote" or "mean".
    target : the name of what is predicted; None: not known.
    """

    prediction: Any
    votes: tuple[tuple[str, float, Any], ...]
    combine: str
    target: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the votes as plain data."""
        lines = [{"name": name, "weight": weight, "says": said} for name, weight, said in self.votes]
        return {"prediction": self.prediction, "combine": self.combine, "votes": lines}

    def to_text(self, *, width: int | None = None) -> str:
        """Return the answer, and a line for each member; `width` is the columns that lines may take, None: any."""
        weighted = len({weight for _, weight, _ in self.votes}) > 1
        rows = [
            [harmless(name), _shown(said), *([f"weight {rounded(weight)}"] if weighted else [])]
            for name, weight, said in self.votes
        ]
        table = text_table([""] * len(rows[0]), rows, words=[0, 1, 2], room=width)
        answer = f"{answer_text(self.target, _shown(self.prediction))}, {self._tally()}"
        return "\n".join([*fold(answer, width, "  "), *table.lines[1:]])

    def _tally(self) -> str:
        if isinstance(self.prediction, float):
            return f"the mean of {len(self.votes)} answers"
        for_it = [weight for _, weight, said in self.votes if said == self.prediction]
        total = sum(weight for _, weight, _ in self.votes)
        if len({weight for _, weight, _ in self.votes}) == 1:
            return f"{len(for_it)} of {len(self.votes)} votes"
        return f"{rounded(sum(for_it))} of {rounded(total)} votes by weight"

    def __str__(self) -> str:
        """Show the votes; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the first lines of the text."""
        return first_lines(str(self))


def _shown(said: Any) -> str:
    return rounded(said) if isinstance(said, float) else harmless(category(said))


def vote_why(vote: Any, row: Any) -> VoteWhy:
    """Return who voted what for a row; `vote` is a fitted VoteClassifier or VoteRegressor."""
    X: Any = row if vote.model_ is None else one_row(row, vote.model_.schema)
    weights = np.ones(len(vote.estimators_)) if vote.weights is None else np.array(vote.weights, np.float64)
    said = [member.predict(X) for member in vote.estimators_]
    if any(len(one) != 1 for one in said):
        from branchwork.errors import DataError

        raise DataError(f"why explains one row; found {len(said[0])}.")
    votes = [
        (name, float(weight), one.tolist()[0])
        for (name, _), weight, one in zip(vote.estimators, weights, said, strict=True)
    ]
    (prediction,) = vote.predict(X).tolist()
    return VoteWhy(prediction, tuple(votes), getattr(vote, "combine", "mean"), vote._target_name)
