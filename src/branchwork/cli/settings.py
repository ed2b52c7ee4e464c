"""`--set NAME=VALUE`: any setting of a method's recipe by its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from branchwork.grow.recipe import Recipe

Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting by its name, as in --set confidence=0.1; an unknown name lists the valid ones. May be "
        "repeated.",
    ),
]

_WORDS = {"none": None, "true": True, "false": False}
_PARTS = ("stopping", "search", "pruning", "chaid", "optimal")
_OWN = ("criterion", "order", "zero_gain", "smoothing")
_OF_C45 = {"min_cases": "min_samples_leaf", "subtree_raising": "raising", "threshold_penalty": "cut_penalty"}
"""What `C45Classifier` calls some settings of its recipe."""


def settings(pairs: Sequence[str] | None) -> dict[str, Any]:
    """Return the names and values of NAME=VALUE pairs.

    >>> settings(["confidence=0.1", "raising=false", "order=greedy"])
    {'confidence': 0.1, 'raising': False, 'order': 'greedy'}
    """
    found = {}
    for pair in pairs or ():
        name, sign, text = pair.partition("=")
        if not sign or not name:
            raise ParameterError(f"--set {pair!r}; expected NAME=VALUE, as in --set confidence=0.1.")
        found[name] = _value(text)
    return found


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def changed(recipe: Recipe, changes: dict[str, Any]) -> Recipe:
    """Return a recipe with settings changed, each in the part of the recipe that has it."""
    from dataclasses import fields, replace

    from branchwork.grow.recipe import Pruning

    if "pruning" in changes:
        method = changes["pruning"]
        recipe = recipe.replace(pruning=None if method is None else Pruning(method))
    parts = {name: part for name in _PARTS if (part := getattr(recipe, name)) is not None}
    home = {field.name: name for name, part in parts.items() for field in fields(part)}
    home.pop("method", None)  # of pruning, which has its own name above
    others = _OF_C45 if recipe.search.rules in ("c45", "j48") else {}
    grouped: dict[str, dict[str, Any]] = {}
    own = {}
    for given, value in changes.items():
        name = others.get(given, given)
        if name == "pruning":
            continue
        if name == "honest":
            own[name] = _honest(value)
        elif name in _OWN:
            own[name] = value
        elif name in home:
            grouped.setdefault(home[name], {})[name] = value
        else:
            raise _unknown(recipe, given, [*_OWN, "honest", *home, *others, "pruning"])
    for name, group in grouped.items():
        own[name] = replace(parts[name], **group)
    return recipe.replace(**own)


def _honest(value: Any) -> int | None:
    """Return the seed that halves the rows; None: the tree is not honest."""
    if not isinstance(value, bool):
        raise ParameterError(f"--set honest={value}; expected true or false.")
    return 0 if value else None


def _unknown(recipe: Recipe, name: str, known: Sequence[str]) -> ParameterError:
    from dataclasses import fields

    from branchwork.grow.recipe import Pruning

    of_folds = ("xval", "choose") if recipe.optimal or recipe.name in ("cart", "cart-regression") else ()
    if name in of_folds:
        return ParameterError(
            f"--set {name} is a setting of pruning by folds, which --set pruning turned off. Leave one of them out."
        )
    of_pruning = {field.name for field in fields(Pruning)} - {"method"}
    if recipe.pruning is None and _OF_C45.get(name, name) in of_pruning:
        return ParameterError(
            f"--set {name} is a setting of error-based pruning, and this {recipe.name} is not pruned that way. Add "
            "--set pruning=error_based."
        )
    known = [*known, *of_folds]
    return ParameterError(
        f"{recipe.name} has no setting {name!r}.{did_you_mean(name, known)} It has {', '.join(known)}."
    )
