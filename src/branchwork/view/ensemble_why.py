"""Why an ensemble answers as it does for one row: the votes of its trees, and the path in any of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.errors import ParameterError
from branchwork.model.explain import Row, read_row
from branchwork.model.model import Model
from branchwork.table.shown import first_lines
from branchwork.table.text_table import terminal_width
from branchwork.tree.split import answer_text, category, harmless, rounded
from branchwork.view.chart import bars, number
from branchwork.view.digits import percent
from branchwork.view.notebook import in_cell
from branchwork.view.palette import ThemeName
from branchwork.view.pieces import Svg, escaped
from branchwork.view.terminal import folded
from branchwork.view.why import Why, why

MOST_NAMED = 12
"""Trees that a line of text names at most."""


@dataclass(frozen=True, eq=False)
class EnsembleWhy:
    """The answer for one row, and what each tree says.

    Parameters
    ----------
    model, row : what answers, and about which row.
    prediction : the label, or the number.
    outputs : the probabilities of all labels, or the number.
    said : what each tree answers: a label, or a number. Of a sum of trees: what each tree adds.
    """

    model: Model
    row: Row
    prediction: Any
    outputs: tuple[float, ...]
    said: tuple[Any, ...]

    @property
    def votes(self) -> dict[Any, list[int]]:
        """The trees that decide for each label, by their numbers; most trees first. Numbers have no votes."""
        if self.model.labels is None or self.model.combine.kind == "sum":
            return {}
        found: dict[Any, list[int]] = {}
        for k, label in enumerate(self.said):
            found.setdefault(label, []).append(k)
        return dict(sorted(found.items(), key=lambda item: -self._weight(item[1])))

    @property
    def disagreeing(self) -> list[int]:
        """The trees that do not decide for the answer."""
        return [k for label, trees in self.votes.items() if label != self.prediction for k in trees]

    def _weight(self, trees: list[int]) -> float:
        weights = self.model.combine.weights
        return sum(weights[k] for k in trees) if weights else float(len(trees))

    def path(self, tree: int) -> Why:
        """Return the way of the row through one of the trees."""
        return why(self.model.member(tree), self.row.table)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        labels = self.model.labels
        outputs = self.outputs if labels is None else dict(zip(labels, self.outputs, strict=True))
        weights = list(self.model.combine.weights) or None
        return {
            "prediction": self.prediction,
            "outputs": outputs,
            "trees": list(self.said),
            "weights": weights,
            "votes": dict(self.votes.items()),
            "disagreeing": self.disagreeing,
        }

    @property
    def worth_a_look(self) -> int | None:
        """The tree whose path says most: the first that disagrees, or whose number is farthest from the answer."""
        if self.model.combine.kind == "sum":
            return None
        if self.model.labels is None:
            return int(np.argmax(np.abs(np.array(self.said, np.float64) - float(self.prediction))))
        return next(iter(self.disagreeing), None)

    def to_text(self, *, hint: bool = True, width: int | None = None) -> str:
        """Return the answer, the votes, and the trees that disagree.

        Parameters
        ----------
        hint : whether to say how to look at one of the trees.
        width : the columns that lines may take; None: any number.
        """
        lines, tree = self._lines(), self.worth_a_look
        if hint and tree is not None:
            what = "disagrees" if self.model.labels is not None else "is farthest from it"
            lines.append(f"Tree {tree} {what}; path({tree}) shows how it comes to its answer.")
        return "\n".join(folded(line, width, "    ") for line in lines)

    def _lines(self) -> list[str]:
        if self.model.combine.kind == "sum":
            return [self._sum_text()]
        if self.model.labels is None:
            return self._of_numbers()
        count, weights = len(self.said), self.model.combine.weights
        lines = [f"{self._answer} ({percent(self._probability())})"]
        for label, trees in self.votes.items():
            share = f", weight {rounded(self._weight(trees))} of {rounded(sum(weights))}" if weights else ""
            lines.append(f"  {_shown(label)}: {len(trees)} of {count} trees{share}{_named(trees)}")
        return lines

    @property
    def _answer(self) -> str:
        """The answer, with the name of what is predicted."""
        return answer_text(self.model.target, _shown(self.prediction))

    def _probability(self) -> float:
        labels = self.model.labels or ()
        return self.outputs[labels.index(self.prediction)]

    def _of_numbers(self) -> list[str]:
        numbers = np.array(self.said, np.float64)
        quartiles = np.quantile(numbers, [0, 0.25, 0.5, 0.75, 1])
        kind = "weighted median" if self.model.combine.kind == "median" else "mean"
        names = ("lowest", "quarter", "half", "three quarters", "highest")
        spread = ", ".join(f"{name} {rounded(float(q))}" for name, q in zip(names, quartiles, strict=True))
        return [f"{self._answer}, the {kind} of {len(numbers)} trees", f"  {spread}"]

    def _sum_text(self) -> str:
        return f"{self._answer}, the sum of {len(self.said)} trees; path(k) shows the way in tree k."

    def to_svg(self, *, theme: ThemeName = "auto") -> Svg:
        """Draw the votes: a bar for each label, or for each tree's number."""
        title = f"Votes of {len(self.said)} trees. {self._answer}"
        if self.votes:
            names = [_shown(label) for label in self.votes]
            return bars(
                names, [self._weight(trees) for trees in self.votes.values()], title=title, theme=theme
            )
        numbers = [float(one) for one in self.said if isinstance(one, int | float)]
        if not numbers:
            raise ParameterError("The trees of this model add to several sums; there are no votes to draw.")
        counts, edges = np.histogram(numbers, bins=min(12, max(1, len(set(numbers)))))
        names = [f"{number(a)} to {number(b)}" for a, b in itertools.pairwise(edges)]
        return bars(
            names, counts.astype(float).tolist(), title=f"What {len(numbers)} trees answer", theme=theme
        )

    def __str__(self) -> str:
        """Show the votes; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the first lines of the text."""
        return first_lines(str(self))

    def _repr_html_(self) -> str:
        if self.votes or self.model.labels is None:
            return in_cell(self.to_svg(), self.to_text())
        return f"<p>{escaped(self.to_text())}</p>"


def _shown(label: Any) -> str:
    return rounded(label) if isinstance(label, float) else harmless(category(label))


def _named(trees: list[int]) -> str:
    shown = ", ".join(map(str, trees[:MOST_NAMED]))
    return f" ({shown}{', …' if len(trees) > MOST_NAMED else ''})"


def ensemble_why(model: Model, row: Any) -> EnsembleWhy:
    """Return what the trees of an ensemble say about a row."""
    one = read_row(model, row)
    outputs = model.outputs(one.table)[0]
    if model.combine.kind == "sum":
        said: tuple[Any, ...] = tuple(
            float(value[0]) if len(value) == 1 else tuple(value.tolist())
            for value in (model.outputs_of(tree, one.table)[0] for tree in model.trees)
        )
    elif model.labels is None:
        said = tuple(float(model.outputs_of(tree, one.table)[0, 0]) for tree in model.trees)
    else:
        labels = model.labels
        said = tuple(labels[int(model.decisions_of(tree, one.table)[0])] for tree in model.trees)
    prediction = (
        float(outputs[0]) if model.labels is None else model.labels[int(model.decisions(one.table)[0])]
    )
    return EnsembleWhy(model, one, prediction, tuple(outputs.tolist()), said)
