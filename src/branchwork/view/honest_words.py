"""What is said of an honest tree: which rows gave its numbers, and which chose its splits."""

from __future__ import annotations

from typing import Any

from branchwork.model.model import Model

NOTE = "honest: these rows did not choose the splits"
"""Beside the root, in a line."""
SENTENCE = (
    "This tree is honest: its splits were chosen on one half of the training rows; the numbers of its nodes are those "
    "of the other half."
)
OF_CHOOSER = (
    "This tree is honest: the working is of the half of the training rows that chose its splits; the numbers of its "
    "nodes are those of the other half."
)
FOREST = (
    "These trees are honest: each chose its splits on one half of its sample; the numbers of its nodes are those of "
    "the other half."
)


def is_honest(recipe: dict[str, Any]) -> bool:
    """Whether a model says that its splits and its numbers come from different rows."""
    return recipe.get("honest") is not None


def honest_note(model: Model, node: int) -> str:
    """Return what stands beside the root of an honest tree; empty for other nodes and trees."""
    return NOTE if node == 0 and is_honest(model.recipe) else ""


def honest_sentences(model: Model) -> list[str]:
    """Return the sentence about an honest tree; none for other trees."""
    return [SENTENCE] if is_honest(model.recipe) else []
