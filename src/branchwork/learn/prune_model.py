"""Prune a model by a method's name. A method may need the tree alone, other rows, or folds of the training rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from branchwork.errors import DataError, ParameterError
from branchwork.grow.recipe import Recipe
from branchwork.learn.prune_cv import Choose, cut_by_folds
from branchwork.learn.reduced_error_cv import errors_by_folds
from branchwork.learn.single import without_weightless_rows
from branchwork.model.model import Model
from branchwork.prune.methods import METHODS, Given, LabelledRows, Outcome, prune, reduce_error
from branchwork.prune.reduced_error import ReducedErrorOrder


def rows_of(method: str) -> Literal["none", "held-out", "training, optional"]:
    """Return which rows a method needs, if any."""
    return "training, optional" if method == "cost_complexity" else METHODS[method].rows


def rows_for(model: Model, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows | None:
    """Return the given rows in the columns and labels of a model, or None if none are given."""
    if not both_given(X, y):
        return None
    target = model.target_of(y, sample_weight)
    table = model.table(X)
    if table.n_rows != len(target):
        raise DataError(f"X has {table.n_rows} rows, but y has {len(target)}.")
    return without_weightless_rows(table, target)


def both_given(X: Any, y: Any, names: tuple[str, str] = ("X", "y")) -> bool:
    """Return whether X and y are given; one without the other is an error."""
    if (X is None) != (y is None):
        given, absent = names if y is None else names[::-1]
        raise ParameterError(f"{given} was given without {absent}; both are needed.")
    return X is not None


def prune_model(model: Model, method: str, rows: LabelledRows | None, options: dict[str, Any]) -> Outcome:
    """Prune the one tree of a model.

    Parameters
    ----------
    rows : the rows that the method needs, in the columns and labels of the model.
    options : the options of the method.
    """
    by_training_rows = rows is not None and method in ("cost_complexity", "error_based")
    if model.recipe.get("honest") is not None and (by_training_rows or "folds" in options):
        raise ParameterError(
            f"prune({method!r}) with the training rows would give an honest tree the numbers of the rows that chose "
            "its splits. Prune it without them, or by other rows: prune('reduced_error', X_val, y_val)."
        )
    if method == "cost_complexity" and rows is not None:
        return _cut_by_folds(model, rows, Recipe.from_dict(model.recipe), **options)
    if method == "reduced_error" and "folds" in options:
        return _reduced_by_folds(model, rows, **options)
    recipe = model.recipe
    given = Given(model.tree, model.schema, rows, recipe.get("criterion"), recipe.get("smoothing"))
    return prune(method, given, options)


def _cut_by_folds(
    model: Model, rows: LabelledRows, recipe: Recipe, folds: Any = 10, choose: Choose = "min", **others: Any
) -> Outcome:
    if others:
        raise ParameterError(f"With X and y, the options are folds= and choose=; found {', '.join(others)}=.")
    if choose not in ("min", "1se"):
        raise ParameterError(f"choose={choose!r}; expected 'min' or '1se'.")
    if model.tree.shares_rows:
        raise ParameterError(
            "Folds cannot judge a tree that shares rows among branches; give alpha= instead."
        )
    tree, _ = cut_by_folds(model.tree, *rows, recipe, folds=folds, choose=choose)
    whole = prune("cost_complexity", Given(model.tree, model.schema), {"risk": "errors"})
    return replace(whole, tree=tree)


def _reduced_by_folds(
    model: Model,
    rows: LabelledRows | None,
    folds: Any,
    order: ReducedErrorOrder = "bottom_up",
    **others: Any,
) -> Outcome:
    if others:
        raise ParameterError(f"With folds=, the only other option is order=; found {', '.join(others)}=.")
    if rows is None:
        raise ParameterError(
            "'reduced_error' with folds= needs the rows that grew the tree: prune('reduced_error', X, y, folds=10)."
        )
    recipe = Recipe.from_dict(model.recipe)
    given = Given(model.tree, model.schema, rows, recipe.criterion, recipe.smoothing)
    found = errors_by_folds(model.tree, *rows, recipe, folds=folds)
    return reduce_error(given, found, order, "errors on rows left out by cross-validation")
