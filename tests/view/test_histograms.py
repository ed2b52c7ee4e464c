"""Histograms of nodes against slow, obvious code."""

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import DataError
from branchwork.tree.split import split_of
from branchwork.view.cards import deck
from branchwork.view.histograms import COLUMNS
from view import gallery


def cards(tree, X, y, weights=None):
    return deck(tree.model_, data=(tree._coded(X), tree._retarget(y, weights))).cards


def slow_rows(tree, X):
    """For each node, its rows and the share that each has in it: row after row, leaf after leaf, up to the root."""
    found = [{} for _ in range(tree.tree_.n_nodes)]
    shares = tree.model_.shares(X)
    for row in range(len(X)):
        for k in range(shares.starts[row], shares.starts[row + 1]):
            node = int(shares.leaf[k])
            while node >= 0:
                found[node][row] = found[node].get(row, 0.0) + float(shares.share[k])
                node = int(tree.tree_.parent[node])
    return found


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["shared", "own branch", "surrogates", "learned side"])
def test_stacks_of_classes(name, weighted):
    tree, X, y = gallery.trees()[name]
    weights = np.arange(len(X)) % 3 / 2 if weighted else np.ones(len(X))  # a third of them 0: absent
    rows = [{r: s for r, s in own.items() if weights[r]} for own in slow_rows(tree, X)]
    legend = list(deck(tree.model_).legend.values())
    for card in cards(tree, X, y, weights):
        if card.is_leaf:
            assert card.histogram is None
            continue
        column = X[card.title]
        known = {r: s * weights[r] for r, s in rows[card.node].items() if not pd.isna(column[r])}
        if column.dtype != float:
            assert sum(map(sum, card.histogram.counts)) == pytest.approx(sum(known.values()))
            continue
        low, high = min(column[r] for r in known), max(column[r] for r in known)
        expected = np.zeros((COLUMNS, len(legend)))
        if low == high:
            assert card.histogram.marks == ()
            continue
        for r, share in known.items():
            place = min(int((column[r] - low) / (high - low) * COLUMNS), COLUMNS - 1)
            expected[place, legend.index(y[r])] += share
        counts = np.zeros_like(expected)
        for k, stack in enumerate(card.histogram.counts):
            counts[k, : len(stack)] = stack
        assert counts == pytest.approx(expected)
        cut = tree.tree_.cut[card.node]
        marks = [(cut - low) / (high - low)] if low < cut < high else []
        assert card.histogram.marks == pytest.approx(marks)


def test_categories_stand_by_branch():
    X = pd.DataFrame({"c": list("aabbbcdd")})
    y = list("xxyyyyxx")
    (root, *_) = cards(bw.CARTClassifier().fit(X, y), X, y)
    assert root.histogram.counts == ((2, 0), (2, 0), (0, 3), (0, 1))  # a and d, then b and c
    assert root.histogram.marks == (0.5,) and root.histogram.ends is None


def test_a_branch_for_each_category_needs_no_marks():
    X = pd.DataFrame({"c": list("aabbbc")})
    (root, *_) = cards(bw.ID3Classifier().fit(X, list("xxyyyx")), X, list("xxyyyx"))
    assert root.histogram.counts == ((2, 0), (0, 3), (1, 0)) and root.histogram.marks == ()


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_of_many_categories_a_branch_is_a_column():
    values = [f"v{k:02}" for k in range(40)] * 2
    X, y = pd.DataFrame({"c": values}), ["x" if value < "v15" else "y" for value in values]
    (root, *_) = cards(bw.CARTClassifier().fit(X, y), X, y)
    assert root.histogram.counts == ((30, 0), (0, 50))


@pytest.mark.parametrize("name", ["numbers", "numbers shared"])
def test_numbers_share_one_scale(name):
    tree, X, y = gallery.trees()[name]
    rows = slow_rows(tree, X)
    for card in cards(tree, X, y):
        here = rows[card.node]
        expected, _ = np.histogram(
            y[list(here)], bins=COLUMNS, range=(y.min(), y.max()), weights=list(here.values())
        )
        assert np.ravel(card.histogram.counts) == pytest.approx(expected)
        mean = np.average(y[list(here)], weights=list(here.values()))
        assert card.histogram.marks == pytest.approx([(mean - y.min()) / (y.max() - y.min())])


def test_rows_of_another_table_may_leave_nodes_empty():
    tree = bw.CARTClassifier().fit([[0.0], [1.0], [2.0]], ["a", "b", "a"])
    (root, *_) = cards(tree, [[0.0], [np.nan]], ["a", "a"])
    assert sum(map(sum, root.histogram.counts)) == 1
    assert root.histogram.marks == () and root.histogram.ends == ("0", "0")
    assert tree.to_svg([[np.nan]], ["a"])


def test_every_row_needs_a_target():
    tree = bw.CARTClassifier().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(DataError, match="X has 3 rows, but y has 2"):
        tree.to_svg([[0.0], [1.0], [2.0]], ["a", "b"])


def test_numbers_as_large_as_numbers_are():
    X, y = np.array([[-1.7e308], [1.7e308]]), ["a", "b"]
    (root, *_) = cards(bw.CARTClassifier().fit(X, y), X, y)
    assert root.histogram.counts[0] == (1, 0) and root.histogram.counts[-1] == (0, 1)
    assert root.histogram.marks == (0.5,)


@pytest.mark.parametrize("n_categories", [6, 40])
@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_categories_that_decide_nothing_are_left_out(n_categories):
    """Where surrogates decide, a category that the node has never seen is in no branch."""
    names = [f"k{k}" for k in range(n_categories)]
    X = pd.DataFrame({"x": np.repeat([0.0, 1.0, 2.0], n_categories), "k": names * 3})
    few = names[: n_categories // 2]
    y = np.where(X.x == 2, "right", np.where(X.k.isin(few[::2]), "even", "odd"))
    train = X[(X.x > 1) | X.k.isin(few)]
    tree = bw.CARTClassifier(max_surrogates=2, min_samples_split=2).fit(train, y[train.index])
    (asks,) = [card for card in cards(tree, X, y) if card.title == "k"]
    split = split_of(tree.tree_, tree.model_.schema, asks.node)
    assert sorted(name for group in split.groups for name in group) == sorted(few)
    assert sum(map(sum, asks.histogram.counts)) == 2 * len(few)
    assert len(asks.histogram.counts) == len(few)
