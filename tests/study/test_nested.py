"""Trees inside one another: what is read off the largest is what each of them answers when it is grown by itself."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.study.nested import answering, leaf_counts, split_order, stopped
from branchwork.tree.reshape import collapse

RNG = np.random.default_rng(1)
X = RNG.normal(size=(150, 4)).round(1)
Y = (X[:, 0] * X[:, 1] + RNG.normal(size=150) * 0.5 > 0).astype(int)


def test_answers_of_collapsed_trees():
    tree = bw.TreeClassifier().fit(X, Y).tree_
    masks = RNG.random((20, tree.n_nodes)) < 0.3
    masks |= tree.feature < 0
    top = answering(tree, masks)
    model = bw.TreeClassifier().fit(X, Y)
    at = model.apply(X)
    for mask, nodes in zip(masks, top, strict=True):
        smaller = collapse(tree, mask)
        other = model._with_tree(smaller)
        assert (model.tree_.decision[nodes[at]] == other.predict(X)).all()
        assert leaf_counts(mask[None], nodes[None]).tolist() == [smaller.n_leaves]


@pytest.mark.parametrize("kind", [bw.TreeClassifier, bw.CARTClassifier, bw.TreeRegressor])
@pytest.mark.parametrize(
    ("over", "values"), [("max_depth", [1, 2, 3, 5, 9]), ("max_leaf_nodes", [2, 3, 4, 7, 12, 20, 31])]
)
def test_masks_are_the_trees_that_a_limit_grows(kind, over, values):
    whole = kind(**({"max_leaf_nodes": 10_000} if over == "max_leaf_nodes" else {})).fit(X, Y).tree_
    for value, mask in zip(values, stopped(whole, over, values), strict=True):
        limited, smaller = kind(**{over: value}).fit(X, Y).tree_, collapse(whole, mask)
        assert limited.n_leaves == smaller.n_leaves
        assert (limited.feature == smaller.feature).all()
        np.testing.assert_array_equal(limited.cut, smaller.cut)


def test_masks_of_alphas_are_scikit_learns_pruned_trees():
    from sklearn.tree import DecisionTreeClassifier

    grown = X.astype(np.float32)
    whole = bw.TreeClassifier().fit(grown, Y).tree_
    path = DecisionTreeClassifier(random_state=0).fit(grown, Y).cost_complexity_pruning_path(grown, Y)
    alphas = path.ccp_alphas[:: max(1, len(path.ccp_alphas) // 8)].tolist()
    masks = stopped(whole, "ccp_alpha", alphas)
    counts = leaf_counts(masks, answering(whole, masks)).tolist()
    theirs = [
        DecisionTreeClassifier(random_state=0, ccp_alpha=alpha + 1e-12).fit(grown, Y).get_n_leaves()
        for alpha in alphas
    ]
    # Ties between equal splits may be broken otherwise, so single leaves may differ in large trees.
    assert counts[-1] == theirs[-1] and np.abs(np.array(counts) - theirs).max() <= 3


def test_no_limit_and_a_single_leaf():
    tree = bw.TreeClassifier().fit(X, Y).tree_
    assert (stopped(tree, "max_depth", [None])[0] == (tree.feature < 0)).all()
    alone = bw.TreeClassifier().fit([[1.0], [1.0]], [0, 1]).tree_
    assert split_order(alone).tolist() == [1] and alone.n_nodes == 1
