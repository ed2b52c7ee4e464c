"""The recipes of the classical algorithms, as one table."""

from __future__ import annotations

from branchwork.grow.optimal_settings import Optimal
from branchwork.grow.recipe import Chaid, Pruning, Recipe, Search, Stopping

ID3 = Recipe("id3", "entropy", Search(cuts="changes"), zero_gain=True)
"""Quinlan 1986, as taught: information gain, one branch per value, cuts where the class changes."""

ID3_REGRESSION = Recipe("id3-regression", "variance", Search(cuts="changes"), zero_gain=True)
"""The lecture's regression tree: weighted variance (n − 1) in place of entropy, leaf = mean."""

STUMP = Recipe("stump", "accuracy", stopping=Stopping(max_depth=1))
"""One split: the rule with the fewest errors."""

STUMP_REGRESSION = Recipe("stump-regression", "squared_error", stopping=Stopping(max_depth=1))
"""One split: the rule with the smallest squared error."""

C45 = Recipe(
    "c45",
    "gain_ratio",
    Search(cut="data", missing="share", rules="c45", collapse=True),
    Stopping(min_samples_leaf=2),
    zero_gain=True,
    pruning=Pruning("error_based"),
)
"""Quinlan 1993, Release 8: gain ratio among tests of at least average gain; missing values are shared."""

J48 = C45.replace(
    name="j48", search=Search(cut="data", missing="share", rules="j48", collapse=True), zero_gain=False
)
"""C4.5 as in Weka: the same with a slack of 1e-6."""

CART = Recipe("cart", "gini", Search(nominal="subset", missing="larger"))
"""Breiman et al. 1984, without pruning: two branches, categories in the best two groups."""

CART_REGRESSION = CART.replace(name="cart-regression", criterion="squared_error")
"""The same with squared error, leaf = mean."""

TREE = Recipe("tree", "gini", Search(nominal="subset", missing="learn"), order="best", zero_gain=True)
"""The open recipe: every setting, and the same trees as scikit-learn on numeric tables."""

TREE_REGRESSION = TREE.replace(name="tree-regression", criterion="squared_error")
"""The open recipe for numbers."""

CHAID = Recipe("chaid", "entropy", chaid=Chaid())
"""Kass 1980: merge categories that do not differ, split by the column with the smallest adjusted p-value."""

CHAID_REGRESSION = CHAID.replace(name="chaid-regression", criterion="squared_error")
"""The same with the F test, leaf = mean."""

OPTIMAL = Recipe(
    "optimal",
    "accuracy",
    Search(nominal="one_vs_rest", missing="learn"),
    Stopping(max_depth=3),
    optimal=Optimal(),
)
"""The tree with the fewest errors of all trees within the limits, by branch and bound."""

OPTIMAL_REGRESSION = OPTIMAL.replace(name="optimal-regression", criterion="squared_error")
"""The same with squared error, leaf = mean."""

RECIPES = {
    recipe.name: recipe
    for recipe in (
        ID3,
        ID3_REGRESSION,
        STUMP,
        STUMP_REGRESSION,
        C45,
        J48,
        CART,
        CART_REGRESSION,
        TREE,
        TREE_REGRESSION,
        CHAID,
        CHAID_REGRESSION,
        OPTIMAL,
        OPTIMAL_REGRESSION,
    )
}
"""Every recipe by name; the contract tests run over all of them."""
