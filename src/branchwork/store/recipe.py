"""Write and read the recipe in a model file: how a tree was grown, or which library it came from.

Views and pruning read its settings by name, so a missing name or an unknown value is refused when the file is read.
Only the recipe itself knows its valid values (docs/decisions/0018), so it is imported when a file is read.
"""

from __future__ import annotations

from typing import Any

from branchwork.errors import ParameterError
from branchwork.measure.criteria import criterion_of
from branchwork.measure.own_score import Score
from branchwork.store.strict import a_text, an_object, refuse
from branchwork.store.values import from_plain, plain

LATER_OF_SEARCH = ("min_category_rows", "max_levels")
"""Settings of a search that older files of this format do not have."""
LATER = ("subspace", "optimal", "honest")
"""Settings of a recipe that older files do not have."""
OWN_SCORE = ("score", "unit")
"""What a file stores of a user's own score: its name and its unit, never its code."""
LIBRARY = ("library", "name", "criterion")
"""The whole recipe of a model that came from another library."""


def recipe_as_json(recipe: dict[str, Any]) -> Any:
    """Return a recipe as JSON; of a user's own score, only the name and the unit."""
    score = recipe.get("criterion")
    if isinstance(score, Score):
        recipe = {**recipe, "criterion": dict(zip(OWN_SCORE, (score.name, score.unit), strict=True))}
    return plain(recipe, "recipe")


def recipe_from(found: Any, place: str = "recipe") -> dict[str, Any]:
    """Read the recipe of a model, and add the settings that older files do not have."""
    settings = from_plain(found, place)
    if not isinstance(settings, dict):
        refuse(place, "expected an object")
    return _of_library(settings, place) if "library" in settings else _own(settings, place)


def is_foreign(recipe: dict[str, Any]) -> bool:
    """Return whether a model came from another library."""
    return "library" in recipe


def predicts_classes(recipe: dict[str, Any]) -> bool:
    """Return whether the criterion of a recipe of our own is one for classes."""
    return criterion_of(recipe["criterion"]).task == "classes"


def _of_library(settings: dict[str, Any], place: str) -> dict[str, Any]:
    an_object(settings, place, LIBRARY)
    for name in LIBRARY:
        if not isinstance(settings[name], str):
            refuse(f"{place}.{name}", "expected text")
    return settings


def _own(settings: dict[str, Any], place: str) -> dict[str, Any]:
    from branchwork.grow.recipe import Recipe

    for name in ("name", "criterion"):
        if name not in settings:
            refuse(place, f"{name} is missing")
    _check_ordinal(settings.get("chaid"), f"{place}.chaid.ordinal_features")
    if isinstance(settings["criterion"], dict):
        settings = {**settings, "criterion": _own_score(settings["criterion"], f"{place}.criterion")}
    try:
        return _as_told(settings, Recipe.from_dict(settings).to_dict())
    except ParameterError as error:
        refuse(place, str(error).rstrip("."))


def _own_score(found: dict[str, Any], place: str) -> Score:
    an_object(found, place, OWN_SCORE)
    name, unit = (a_text(found[word], f"{place}.{word}") for word in OWN_SCORE)
    if not name.strip():
        refuse(f"{place}.score", "expected a name")
    return Score.remembered(name, unit)


def _as_told(told: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Leave out settings that an older file does not have, so that it is written again as it was read."""
    search = settings["search"]
    absent = {name for name in LATER_OF_SEARCH if name not in told.get("search", {})}
    told_all = {name: value for name, value in settings.items() if name in told or name not in LATER}
    return {**told_all, "search": {name: value for name, value in search.items() if name not in absent}}


def _check_ordinal(chaid: Any, place: str) -> None:
    """Check columns that are given by name, by position or as a mask."""
    named = chaid.get("ordinal_features", []) if isinstance(chaid, dict) else []
    if not isinstance(named, list) or not all(isinstance(one, str | int) for one in named):
        refuse(place, "expected a list of names, positions or booleans")
