"""The classical algorithms are rows of one table."""

from __future__ import annotations

from branchwork.grow.recipe import Recipe, Search, Stopping

ID3 = Recipe("id3", "entropy", Search(cuts="changes"), zero_gain=True)
"""Quinlan 1986, as taught: information gain, one branch per value, cuts where the class changes."""

ID3_REGRESSION = Recipe("id3-regression", "variance", Search(cuts="changes"), zero_gain=True)
"""The lecture's regression tree: weighted variance (n − 1) in place of entropy, leaf = mean."""

STUMP = Recipe("stump", "accuracy", stopping=Stopping(max_depth=1))
"""One split: the rule that gets most rows right."""

STUMP_REGRESSION = Recipe("stump-regression", "squared_error", stopping=Stopping(max_depth=1))
"""One split: the rule with the smallest squared error."""

RECIPES = {recipe.name: recipe for recipe in (ID3, ID3_REGRESSION, STUMP, STUMP_REGRESSION)}
"""Every recipe by name; the contract tests run over all of them."""
