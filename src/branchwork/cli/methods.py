"""Algorithms by name: the recipes for classes and for numbers; None where an algorithm cannot learn them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from branchwork.cli.ensembles import METHODS as ENSEMBLES
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
    "optimal": ("optimal", "optimal-regression"),
}

ON_REQUEST = ("optimal",)
"""Methods that `compare` runs only if they are named: on a large table they may take for ever."""

METHOD_NAMES = {
    "id3": "ID3",
    "stump": "Decision stump",
    "c45": "C4.5",
    "j48": "J48",
    "cart": "CART",
    "tree": "Decision tree",
    "chaid": "CHAID",
    "optimal": "Optimal tree",
}


def method_option(text: str, *, ensembles: bool = False) -> object:
    """Return the option --method, which lists all names; with `ensembles` also those that grow many trees."""
    names = [*METHODS, *(ENSEMBLES if ensembles else ())]
    return word_option("--method", words=lambda: names, text=f"{text} ({', '.join(names)}).")


def default_method(target: Target) -> str:
    """Return the method that is taken unless one is given."""
    return "cart" if _name("c45", target) is None else "c45"


def methods_for(target: Target) -> list[str]:
    """Return the algorithms that can learn a target."""
    return [method for method in METHODS if _name(method, target) is not None]


def recipe_of(method: str, target: Target) -> Recipe:
    """Return the recipe of an algorithm for a target."""
    from branchwork.grow.recipes import RECIPES

    name = _name(method, target)
    if name is None:
        raise ParameterError(
            f"--method {method} learns classes, but the target is numeric. Add --task classification, or take a method "
            f"for numbers: {', '.join(methods_for(target))}."
        )
    return RECIPES[name]


def _name(method: str, target: Target) -> str | None:
    from branchwork.table.target import Classes

    return METHODS[method][0 if isinstance(target, Classes) else 1]
