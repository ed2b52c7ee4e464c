"""Words and trees become a model, if they fit each other."""

from __future__ import annotations

from branchwork.model.model import Model
from branchwork.store.about import Words
from branchwork.store.strict import refuse
from branchwork.tree.tree import Tree


def assemble(words: Words, trees: tuple[Tree, ...]) -> Model:
    """The model; every tree has the outputs that the labels and the way of combining ask for."""
    if not trees:
        refuse("trees", "there are none")
    combine, labels = words.combine, words.labels
    if combine.kind == "single" and len(trees) > 1:
        refuse("combine.kind", f"'single' has one tree, not {len(trees)}")
    if combine.output is not None and len(combine.output) != len(trees):
        refuse("combine.output", f"expected one for each of {len(trees)} trees, found {len(combine.output)}")
    width = _width(words, trees[0])
    for k, tree in enumerate(trees):
        if tree.n_outputs != width:
            refuse(f"tree.{k}.value", f"expected {width} outputs, found {tree.n_outputs}")
        if labels is not None and combine.kind != "sum" and tree.distribution is not None:
            found = tree.distribution.shape[1]
            if found != len(labels):
                refuse(f"tree.{k}.distribution", f"expected {len(labels)} classes, found {found}")
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
    )


def _width(words: Words, first: Tree) -> int:
    """The number of outputs of every tree."""
    combine, labels = words.combine, words.labels
    if combine.kind != "sum":
        return first.n_outputs if labels is None else len(labels)
    outputs = 2 if combine.link == "logistic" else len(combine.base)
    if labels is not None and outputs != len(labels):
        refuse("combine.base", f"the sums make {outputs} outputs, but there are {len(labels)} labels")
    return len(combine.base) if combine.output is None else 1
