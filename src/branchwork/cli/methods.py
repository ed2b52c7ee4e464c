"""Algorithms by name: the recipes for classes and for numbers; None where an algorithm has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from branchwork.cli.words import word_option
from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.grow.recipe import Recipe
    from branchwork.table.target import Target

METHODS: dict[str, tuple[str, str | None]] = {
    "id3": ("id3", "id3-regression"),
    "stump": ("stump", "stump-regression"),
    "c45": ("c45", None),
    "j48": ("j48", None),
    "cart": ("cart", "cart-regression"),
    "tree": ("tree", "tree-regression"),
    "chaid": ("chaid", "chaid-regression"),
}


def method_option(text: str) -> object:
    """The option --method, with the names of all."""
    return word_option("--method", words=lambda: METHODS, text=f"{text}: {', '.join(METHODS)}.")


def methods_for(target: Target) -> list[str]:
    """The algorithms that can learn a target."""
    return [method for method in METHODS if _name(method, target) is not None]


def recipe_of(method: str, target: Target) -> Recipe:
    """The recipe of an algorithm for a target."""
    from branchwork.grow.recipes import RECIPES

    name = _name(method, target)
    if name is None:
        raise ParameterError(
            f"--method {method} learns classes, but the target is numeric. Give --task classification, or a method "
            f"for numbers: {', '.join(methods_for(target))}."
        )
    return RECIPES[name]


def _name(method: str, target: Target) -> str | None:
    from branchwork.table.target import Classes

    return METHODS[method][0 if isinstance(target, Classes) else 1]
