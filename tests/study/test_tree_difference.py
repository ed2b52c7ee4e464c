"""Two trees compared: places against a walk by hand, rows against predictions."""

import json

import numpy as np
import pytest
from scipy.stats import binomtest

import branchwork as bw
from branchwork.errors import ParameterError

X, y = bw.study.CheckerboardSampler()(600, seed=2)
RNG = np.random.default_rng(1)


@pytest.fixture
def tennis():
    return bw.datasets.load("play_tennis")


def test_a_tree_is_the_same_as_itself_and_as_its_saved_self(tennis, tmp_path):
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    bw.save(tree, tmp_path / "tree.bw")
    found = bw.study.compare_trees(tree, bw.load(tmp_path / "tree.bw"), tennis.X, tennis.y)
    assert found.is_same and not found.differences and len(found.pairs) == tree.tree_.n_nodes
    assert {(pair.a, pair.b) for pair in found.pairs} == {(k, k) for k in range(tree.tree_.n_nodes)}
    assert len(found.disagreement.rows) == 0 and found.disagreement.p_value is None
    assert str(found).startswith("Both trees ask the same questions")


def test_a_snipped_tree_differs_there_and_nowhere_else(tennis):
    deep = bw.ID3Classifier().fit(tennis.X, tennis.y)
    found = bw.study.compare_trees(deep, deep.snip(2), tennis.X, tennis.y)
    (pair,) = found.differences
    assert (pair.a, pair.b, pair.kind, pair.below_a, pair.below_b) == (2, 2, "leaf", 2, 0)
    assert pair.condition == "Outlook = Rain" and pair.b_text == "→ PlayTennis: Yes"
    differs = np.flatnonzero(deep.predict(tennis.X) != deep.snip(2).predict(tennis.X))
    assert found.disagreement.rows.tolist() == differs.tolist()
    assert (found.disagreement.a_right, found.disagreement.b_right) == (2, 0)
    other_way = bw.study.compare_trees(deep.snip(2), deep).differences[0]
    assert (other_way.below_a, other_way.below_b) == (0, 2)
    assert "only B splits, 2 nodes below" in str(bw.study.compare_trees(deep.snip(2), deep))


def walked(a, b, node_a=0, node_b=0):
    """Walk both trees at once, as the docstring says, and yield pairs of nodes."""
    yield node_a, node_b
    ta, tb = a.tree_, b.tree_
    if ta.is_leaf(node_a) or tb.is_leaf(node_b) or ta.feature[node_a] != tb.feature[node_b]:
        return
    for x, z in zip(ta.children(node_a), tb.children(node_b), strict=True):
        yield from walked(a, b, x, z)


@pytest.mark.parametrize("seed", range(4))
def test_places_and_rows_are_those_of_a_walk_by_hand(seed):
    rows = np.random.default_rng(seed).permutation(600)
    a = bw.TreeClassifier(max_depth=4).fit(X[rows[:200]], y[rows[:200]])
    b = bw.TreeClassifier(max_depth=4).fit(X[rows[100:300]], y[rows[100:300]])
    test = rows[300:]
    found = bw.study.compare_trees(a, b, X[test], y[test])
    assert [(pair.a, pair.b) for pair in found.pairs] == list(walked(a, b))
    for pair in found.pairs:
        leaves = a.tree_.is_leaf(pair.a), b.tree_.is_leaf(pair.b)
        if leaves == (True, True):
            same = a.classes_[a.tree_.decision[pair.a]] == b.classes_[b.tree_.decision[pair.b]]
            assert pair.kind == ("same" if same else "answer")
        elif any(leaves):
            assert pair.kind == "leaf"
        elif a.tree_.feature[pair.a] != b.tree_.feature[pair.b]:
            assert pair.kind == "split"
        else:
            assert (pair.kind == "same") == (a.tree_.cut[pair.a] == b.tree_.cut[pair.b])
    said = a.predict(X[test]), b.predict(X[test])
    one = found.disagreement
    assert one.rows.tolist() == np.flatnonzero(said[0] != said[1]).tolist()
    right = [((s == y[test]) & (said[0] != said[1])).sum() for s in said]
    assert [one.a_right, one.b_right] == right
    if sum(right):
        assert one.p_value == pytest.approx(binomtest(int(right[0]), int(sum(right))).pvalue)
    assert sum(pair.n_rows for pair in one.leaves) == len(one.rows)
    for pair in one.leaves:
        inside = (a.apply(X[test]) == pair.a) & (b.apply(X[test]) == pair.b) & (said[0] != said[1])
        assert pair.n_rows == inside.sum()
    json.dumps(found.to_dict(), allow_nan=False)
    assert f"different answers for {len(one.rows)} of 300 rows" in str(found)


def test_groups_of_categories_may_come_in_another_order():
    letters = [*"abcd"] * 10
    target = [c in "ab" for c in letters]
    a = bw.CARTClassifier().fit({"c": letters}, target)
    b = bw.CARTClassifier().fit({"c": letters}, [not t for t in target])
    found = bw.study.compare_trees(a, b)
    assert found.pairs[0].kind == "same" and [pair.kind for pair in found.pairs[1:]] == ["answer", "answer"]
    for pair in found.pairs[1:]:
        assert {c for c in "abcd" if a.apply({"c": [c]})[0] == pair.a} == {
            c for c in "abcd" if b.apply({"c": [c]})[0] == pair.b
        }


def test_numbers_differ_by_their_size():
    heights = X[:, 0] * 10
    a = bw.TreeRegressor(max_depth=2).fit(X[:300], heights[:300])
    b = bw.TreeRegressor(max_depth=3).fit(X[:300], heights[:300])
    found = bw.study.compare_trees(a, b, X[300:], heights[300:])
    gap = np.abs(a.predict(X[300:]) - b.predict(X[300:]))
    assert found.disagreement.mean_difference == pytest.approx(gap.mean())
    misses = [np.abs(est.predict(X[300:]) - heights[300:]) for est in (a, b)]
    assert found.disagreement.b_right == (misses[1] < misses[0]).sum()
    assert "A is nearer for" in str(found)


def test_columns_are_matched_by_name():
    a = bw.TreeClassifier(max_depth=2).fit({"u": X[:, 0], "v": X[:, 1]}, y)
    b = bw.TreeClassifier(max_depth=2).fit({"v": X[:, 1], "u": X[:, 0]}, y)
    found = bw.study.compare_trees(a.model_, b.model_, {"u": X[:, 0], "v": X[:, 1]})
    assert found.pairs[0].kind == "same" or a.tree_.cut[0] != b.tree_.cut[0]
    assert found.disagreement.n_rows == 600


def test_a_chain_of_20_000_nodes_is_compared_in_a_moment():
    line = np.arange(10_000.0)[:, None]
    chain = bw.TreeRegressor().fit(line, np.cumsum(np.arange(10_000.0)))
    found = bw.study.compare_trees(chain, chain)
    assert found.is_same and len(found.pairs) == chain.tree_.n_nodes and len(str(found)) < 1000


def test_what_cannot_be_compared_is_refused(tennis):
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    forest = bw.RandomForestClassifier(n_estimators=2).fit(tennis.X, tennis.y)
    numbers = bw.TreeRegressor(max_depth=1).fit(X, X[:, 0])
    with pytest.raises(ParameterError, match=r"b=.* is not a single tree.*model.member\(k\)"):
        bw.study.compare_trees(tree, forest)
    with pytest.raises(ParameterError, match="One tree predicts classes and the other numbers"):
        bw.study.compare_trees(tree, numbers)
    with pytest.raises(ParameterError, match="y was given without X"):
        bw.study.compare_trees(tree, tree, y=tennis.y)
    bw.study.compare_trees(tree.model_, forest.model_.member(0), tennis.X)
