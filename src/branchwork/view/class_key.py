"""Which colour and which mark stand for a class, in every picture."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchwork.model.model import Model
from branchwork.tree.split import category, harmless
from branchwork.view.palette import MOST_LOOKS, Pattern, Theme, class_look

MOST_ENTRIES = MOST_LOOKS
"""Of more classes, the heaviest have entries of their own and all others share the last one."""
MARKS = ("o", "s", "^", "D", "v", "P", "X", "p")
"""Circle, square, triangle, diamond, triangle, plus, cross and pentagon, as matplotlib calls them."""


@dataclass(frozen=True, eq=False)
class ClassKey:
    """The entries of a legend, whether the last is all others, and the entry of each label by its position."""

    names: tuple[str, ...]
    others: bool
    entry: npt.NDArray[np.intp]

    def is_others(self, entry: float) -> bool:
        """Return whether an entry is all others."""
        return self.others and entry == len(self.names) - 1

    def fill(self, entry: int) -> str:
        """Return the name of an entry's look (`Theme.fills`)."""
        return "fo" if self.is_others(entry) else f"f{entry}"

    @property
    def plain(self) -> range:
        """The entries that stand for one class each."""
        return range(len(self.names) - self.others)

    def pattern(self, entry: int) -> Pattern:
        """Return how the colour of an entry is hatched."""
        return "" if self.is_others(entry) else class_look(entry).pattern

    def mark(self, entry: int) -> int:
        """Return the place of an entry's mark in `MARKS`. Entries of one colour have different marks."""
        return (entry + entry // len(MARKS)) % len(MARKS)

    def colours(self, theme: Theme) -> list[str]:
        """Return the colour of each entry."""
        fills = theme.fills()
        return [fills[self.fill(entry)] for entry in range(len(self.names))]


def key_of(model: Model) -> ClassKey | None:
    """The key of a model's classes, those first that training saw; None for numbers."""
    if model.labels is None or model.tree.distribution is None:
        return None
    absent = np.setdiff1d(np.arange(len(model.labels)), model.class_order)
    classes = np.concatenate([model.class_order, absent])
    return key_of_classes(model.labels, model.tree.distribution[0], classes)


def key_of_classes(
    labels: Sequence[Hashable], weight: npt.NDArray[np.float64], order: npt.NDArray[np.intp]
) -> ClassKey:
    """Return the key of some classes in the given order; of many, the heaviest have entries of their own."""
    classes = order
    others = len(classes) - MOST_ENTRIES + 1 if len(classes) > MOST_ENTRIES else 0
    if others:
        heaviest = np.argsort(-weight[classes], kind="stable")
        classes = classes[np.sort(heaviest[: MOST_ENTRIES - 1])]
    entry = np.full(len(labels), len(classes))
    entry[classes] = np.arange(len(classes))
    names = [harmless(category(labels[k])) for k in classes.tolist()]
    return ClassKey((*names, f"{others} others") if others else tuple(names), others > 0, entry)
