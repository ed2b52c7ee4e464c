"""Make a model from its settings and trees, if they fit together."""

from __future__ import annotations

import numpy as np

from branchwork.model.model import Model
from branchwork.store.about import About
from branchwork.store.recipe import is_foreign, predicts_classes
from branchwork.store.strict import refuse
from branchwork.table.target import LARGEST_SCALE
from branchwork.tree.ranges import SHARE
from branchwork.tree.tree import Tree

TOLERANCE = 1e-6
"""The tolerance of probabilities, which other libraries round to 32 bits."""


def assemble(words: About, trees: tuple[Tree, ...]) -> Model:
    """Return the model; every tree must have the outputs that the labels and the way of combining require."""
    if not trees:
        refuse("trees", "there are none")
    combine, labels = words.combine, words.labels
    if combine.kind == "single" and len(trees) > 1:
        refuse("combine.kind", f"'single' has one tree, not {len(trees)}")
    if combine.weights and len(combine.weights) != len(trees):
        refuse(
            "combine.weights", f"expected one for each of {len(trees)} trees, found {len(combine.weights)}"
        )
    if combine.takes_votes and labels is None:
        refuse("combine.kind", f"{combine.kind!r} is for classes, but there are no labels")
    if combine.kind == "median" and labels is not None:
        refuse("combine.kind", "'median' is for numbers, but there are labels")
    if combine.output is not None and len(combine.output) != len(trees):
        refuse("combine.output", f"expected one for each of {len(trees)} trees, found {len(combine.output)}")
    width = _width(words, trees[0])
    _check_recipe(words, trees)
    for k, tree in enumerate(trees):
        if tree.n_outputs != width:
            refuse(f"tree.{k}.value", f"expected {width} outputs, found {tree.n_outputs}")
        if labels is None or combine.kind == "sum":
            _check_numbers(tree, f"tree.{k}")
        else:
            _check_classes(tree, len(labels), f"tree.{k}")
    return Model(
        words.schema,
        labels,
        trees,
        words.recipe,
        words.handle_unknown,
        words.occurring,
        words.spread,
        combine,
        words.target,
        words.ensemble,
        words.proof,
        words.class_weights,
    )


def _width(words: About, first: Tree) -> int:
    """Return the number of outputs that every tree must have."""
    combine, labels = words.combine, words.labels
    if combine.kind != "sum":
        return first.n_outputs if labels is None else len(labels)
    outputs = 2 if combine.link == "logistic" else len(combine.base)
    if labels is not None and outputs != len(labels):
        refuse("combine.base", f"the sums make {outputs} outputs, but there are {len(labels)} labels")
    return len(combine.base) if combine.output is None else 1


def _check_recipe(words: About, trees: tuple[Tree, ...]) -> None:
    """Check that the recipe fits what the trees predict and what is stored about them."""
    if is_foreign(words.recipe):
        for k, tree in enumerate(trees):
            if tree.ledger is not None:
                refuse(f"tree.{k}.ledger", "a tree from another library has no working")
        return
    of_classes = words.labels is not None and words.combine.kind != "sum"
    if predicts_classes(words.recipe) != of_classes:
        answered = "classes" if of_classes else "numbers"
        refuse(
            "recipe.criterion", f"{words.recipe['criterion']!r} is not for trees that answer with {answered}"
        )
    for k, tree in enumerate(trees):
        _check_grown(tree, of_classes, f"tree.{k}")
    tested = words.recipe["chaid"] is not None
    for k, tree in enumerate(trees):
        if tree.ledger is not None and tree.ledger.node.size and (tree.ledger.tests.size > 0) != tested:
            refuse(f"tree.{k}.ledger.tests", "CHAID has them, and no other recipe")


def _check_grown(tree: Tree, of_classes: bool, place: str) -> None:
    """Check that a tree grown by this library has all the numbers that trees of other libraries may lack."""
    if not tree.weight[0] > 0:
        refuse(f"{place}.weight", "node 0: expected a weight above 0")
    for name in ("weight", "value"):
        small = np.abs(getattr(tree, name).reshape(tree.n_nodes, -1)).max(axis=1) <= LARGEST_SCALE
        if not small.all():
            refuse(f"{place}.{name}", f"node {int(np.argmin(small))}: beyond what can be squared")
    if not of_classes and tree.variance is None:
        refuse(f"{place}.variance", "the array is missing")
    for name in ("impurity", "gain", "variance"):
        array = getattr(tree, name)
        if array is not None and np.isnan(array).any():
            node = int(np.argmax(np.isnan(array)))
            refuse(f"{place}.{name}", f"node {node}: expected a number, as the tree was grown here")


def _check_numbers(tree: Tree, place: str) -> None:
    if tree.distribution is not None:
        refuse(f"{place}.distribution", "a tree that answers with numbers has no classes")


def _check_classes(tree: Tree, n_classes: int, place: str) -> None:
    """Check that every node has probabilities, and class weights that give these probabilities."""
    if tree.distribution is None:
        refuse(f"{place}.distribution", "the array is missing")
    found = tree.distribution.shape[1]
    if found != n_classes:
        refuse(f"{place}.distribution", f"expected {n_classes} classes, found {found}")
    if tree.variance is not None:
        refuse(f"{place}.variance", "a tree that answers with classes has none")
    shares = SHARE.has(tree.value).all(axis=1) & (np.abs(tree.value.sum(axis=1) - 1) <= TOLERANCE)
    if not shares.all():
        refuse(f"{place}.value", f"node {int(np.argmin(shares))}: expected probabilities that add up to 1")
