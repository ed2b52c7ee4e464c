"""How a single-tree estimator grows its trees on many samples of one table, which is sorted once.

Ensembles and studies (folds, curves, bias and variance) share this: what a recipe grows in one call to the core goes
there many trees at a time, and a tree that is also pruned is learned on the rows of its sample.
"""

from __future__ import annotations

from typing import Any

from branchwork.grow.prepared import Drawn
from branchwork.grow.recipe import Recipe
from branchwork.learn.members import Members
from branchwork.learn.single import learn
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.tree.tree import Tree


def only_grows(member: Any, recipe: Recipe) -> bool:
    """Whether the trees of an estimator are grown in one call to the core, and nothing more is done to them."""
    if recipe.chaid is not None or recipe.pruning is not None or recipe.stopping.max_p_value is not None:
        return False
    return recipe.optimal is None and follows_its_recipe(member)


def follows_its_recipe(member: Any) -> bool:
    """Whether the recipe says all that there is to say about an estimator; CART may have plans beyond it."""
    asks_more = ("priors", "loss", "xval")
    return (
        all(getattr(member, name, None) is None for name in asks_more)
        and not getattr(member, "cp", 0)
        and not getattr(member, "shrink", 0)
        and getattr(member, "style", "plain") == "plain"
    )


def members_of(est: Any, table: Table, target: Target, recipe: Recipe, n_jobs: int) -> Members | None:
    """Return what grows the trees of an estimator on samples of a table; None: each sample needs a fit of its own.

    A fit of its own is needed where something is counted in the sample before growth begins: balanced class weights,
    rare categories, and the plans of CART. Optimal trees are searched, not grown.
    """
    counts_first = recipe.search.min_category_rows is not None or recipe.search.max_levels is not None
    balances = isinstance(getattr(est, "class_weight", None), str)
    if counts_first or balances or recipe.optimal is not None or not follows_its_recipe(est):
        return None

    def alone(rows: Table, answers: Target, drawn: Drawn) -> Tree:
        model, _ = learn(rows, answers, recipe, n_jobs=n_jobs, drawn=drawn)
        return model.trees[0]

    grows = only_grows(est, recipe) and recipe.honest is None  # an honest tree halves the rows of its sample
    return Members(table.schema, table, target, recipe, n_jobs=n_jobs, alone=None if grows else alone)
