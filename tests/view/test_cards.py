"""What cards and branches say, for every kind of split, target and way of missing cells."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.tree.split import Intervals, Lookup, Threshold
from branchwork.view.cards import MOST_CARDS, MOST_COMPACT, deck, short_labels
from branchwork.view.words import answer, class_shares


def labels(estimator, node=0):
    return [(b.label, b.missing) for b in deck(estimator.model_).branches if b.parent == node]


def test_cards_of_play_tennis():
    tennis = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    found = deck(replace(tree.model_, target=None))
    root, overcast = found.cards[0], found.cards[1]
    assert (root.title, root.size, root.note, root.is_leaf) == ("Outlook", "14 rows", "Yes: 9 (64%)", False)
    assert found.legend == {0: "No", 1: "Yes"} and root.shares == pytest.approx((5 / 14, 9 / 14))
    assert (overcast.title, overcast.note, overcast.decision) == (
        "Yes",
        "Yes: 4 (100%)",
        1,
    ) and overcast.is_leaf
    shares = ", ".join(class_shares(tree.model_, 0, most=8))
    assert root.about[:3] == ("Node 0: all rows", "14 rows", f"answer Yes: {shares}")
    assert root.about[3] == "asks Outlook = Overcast | Rain | Sunny"
    assert overcast.about[0] == "Node 1: Outlook = Overcast"
    assert [b.label for b in found.branches[:3]] == ["Overcast", "Rain", "Sunny"]
    assert [b.share for b in found.branches[:3]] == pytest.approx([4 / 14, 5 / 14, 5 / 14])
    assert [list(c) for c in found.children[:4]] == [[1, 2, 3], [], [4, 5], [6, 7]]
    assert found.notice == "" and found.summary == "Decision tree of 8 nodes, 5 leaves, depth 2."


def test_every_node_but_the_root_has_one_branch_to_it():
    X = np.random.default_rng(0).normal(size=(200, 3))
    estimator = bw.CARTClassifier(min_samples_leaf=3).fit(X, X[:, 0] + X[:, 1] ** 2 > 0.5)
    found = deck(estimator.model_)
    assert [b.child for b in found.branches] == list(range(1, estimator.tree_.n_nodes))
    assert [b.parent for b in found.branches] == estimator.tree_.parent[1:].tolist()


def test_numbers_have_a_spread_and_a_scale():
    bikes = bw.datasets.load("bike_rentals")
    estimator = bw.TreeRegressor().fit(bikes.X, bikes.y)
    found = deck(estimator.model_)
    y = np.asarray(bikes.y, float)
    root = found.cards[0]
    assert (root.spread.mean, root.spread.deviation) == pytest.approx((y.mean(), y.std(ddof=1)))
    assert root.note == f"{answer(estimator.model_, 0)} ± {y.std(ddof=1):.4g}"
    assert root.shares == () and root.decision == -1 and found.legend == {} and found.key is None
    assert found.scale[0] == min(c.spread.mean - c.spread.deviation for c in found.cards)


def test_short_labels_of_every_split():
    assert short_labels(Threshold(0, 1.5, False)) == ["≤ 1.5", "> 1.5"]
    assert short_labels(Threshold(0, np.inf, False)) == ["known", ""]
    assert short_labels(Intervals(0, (1.0, 2.5))) == ["≤ 1", "1 to 2.5", "> 2.5"]
    assert short_labels(Intervals(0, (1.0, np.inf))) == ["≤ 1", "> 1", ""]
    assert short_labels(Lookup(0, (("a", "b"), (), ("",)))) == ["a, b", "", "''"]


def test_missing_cells_with_a_branch_of_their_own():
    estimator = bw.ID3Classifier().fit(pd.DataFrame({"c": ["a", "b", None]}), ["x", "y", "z"])
    assert labels(estimator) == [("a", ""), ("b", ""), ("missing", "only")]


def test_missing_cells_that_go_with_others():
    X = pd.DataFrame({"c": [1.0, 2.0, 3.0, 4.0, None]})
    estimator = bw.TreeClassifier(missing="learn").fit(X, ["x", "x", "y", "y", "y"])
    assert labels(estimator) == [("≤ 2.5", ""), ("> 2.5 or missing", "also")]
    assert deck(estimator.model_).missing == {"also": "missing values go this way"}


def test_missing_cells_that_are_shared():
    X = pd.DataFrame({"c": [1.0, 2.0, 3.0, 4.0, None]})
    estimator = bw.TreeClassifier(missing="share").fit(X, ["x", "x", "y", "y", "y"])
    assert {missing for _, missing in labels(estimator)} == {"shared"}
    assert list(deck(estimator.model_).missing) == ["shared"]


def test_surrogates_are_named():
    x = np.arange(40.0)
    X = np.column_stack([np.where(x % 5 == 0, np.nan, x), x])
    estimator = bw.CARTClassifier(max_surrogates=2).fit(X, np.nan_to_num(X[:, 0]) > 20)
    found = deck(estimator.model_)
    assert "if missing, ask" in found.cards[0].about[-1]
    assert found.missing["also"].endswith("unless a surrogate decides")


def test_an_empty_branch_says_so():
    frame = pd.DataFrame({"c": pd.Categorical(["a", "b"], categories=["a", "b", "never"])})
    cards = deck(bw.ID3Classifier().fit(frame, ["x", "y"]).model_).cards
    empty = [card for card in cards if card.size == "0 rows"]
    assert [card.note for card in empty] == ["as its parent"] * len(empty) and empty


def test_many_classes_share_the_last_colour():
    y = [f"c{k % 40:02}" for k in range(120)] + ["c33"] * 5
    found = deck(bw.CARTClassifier(max_depth=4).fit(np.arange(125.0).reshape(-1, 1), y).model_)
    assert len(found.legend) == 32 and found.legend[31] == "9 others" and "c33" in found.legend.values()
    assert list(found.plain_entries) == list(range(31))
    for card in found.cards:
        assert sum(card.shares) == pytest.approx(1)


@pytest.fixture(scope="module")
def large():
    X = np.random.default_rng(1).normal(size=(3000, 4))
    return bw.CARTClassifier().fit(X, np.random.default_rng(2).integers(0, 2, 3000))


def test_a_large_tree_is_cut_by_depth_and_says_so(large):
    found = deck(large.model_)
    depths = large.tree_.depths
    cut = max(d for d in range(depths.max() + 1) if (depths <= d).sum() <= MOST_CARDS)
    n = int((depths <= cut).sum())
    assert len(found.cards) == n < large.tree_.n_nodes
    assert found.notice == f"Down to depth {cut}: {n} of {large.tree_.n_nodes} nodes."
    assert n + sum(card.hidden for card in found.cards) == large.tree_.n_nodes
    assert all(not found.children[card.node] for card in found.cards if card.hidden)


def test_a_compact_picture_has_more_nodes(large):
    depths = large.tree_.depths
    cut = max(d for d in range(depths.max() + 1) if (depths <= d).sum() <= MOST_COMPACT)
    for compact in (True, "lines", "marks"):
        assert len(deck(large.model_, compact=compact).cards) == (depths <= cut).sum() > MOST_CARDS
    with pytest.raises(ParameterError, match="compact='dots'; expected False, True"):
        deck(large.model_, compact="dots")


def test_the_target_is_named_where_there_is_a_name(large):
    named = replace(large.model_, target="bought \x1b it")
    assert deck(named).target == "bought \\x1b it" and "it predicts bought" in deck(named).summary
    plain = deck(replace(large.model_, target=None))
    assert plain.target == "" and "predict" not in plain.summary and "None" not in plain.summary


def test_a_depth_that_is_given_is_obeyed(large):
    assert len(deck(large.model_, max_depth=0).cards) == 1
    assert deck(large.model_, max_depth=0).cards[0].hidden == large.tree_.n_nodes - 1
    assert len(deck(large.model_, max_depth=10_000).cards) == large.tree_.n_nodes
    for wrong in (-1, 1.5, True):
        with pytest.raises(ParameterError, match="max_depth"):
            deck(large.model_, max_depth=wrong)


def test_the_way_to_a_node_is_pointed_out(large):
    node = int(np.flatnonzero(large.tree_.depths == 3)[-1])
    strong = [b.child for b in deck(large.model_, highlight=node).branches if b.strong]
    assert strong[-1] == node and len(strong) == 3
    assert [card.node for card in deck(large.model_, highlight=node).cards if card.strong] == [0, *strong]
    for wrong in (-1, 1.5, large.tree_.n_nodes):
        with pytest.raises(ParameterError, match=f"highlight={wrong}"):
            deck(large.model_, highlight=wrong)


def declared(y, labels):
    return pd.Series(pd.Categorical(y, categories=labels))


def test_a_class_that_training_never_saw_has_a_colour_of_its_own_where_rows_have_it():
    X = np.arange(6.0).reshape(-1, 1)
    tree = bw.CARTClassifier().fit(X, declared(list("aaabbb"), ["never", "a", "b", "nor this"]))
    assert list(deck(tree.model_).legend.values()) == ["a", "b"]
    picture = tree.to_svg(X, ["a", "a", "never", "b", "b", "never"])
    assert ">never</text>" in picture and ">nor this</text>" not in picture
    assert picture.count('class="f2"') == 3, "in the legend, and two rows"


def test_classes_have_the_same_colours_in_every_picture():
    labels = [f"c{k:02}" for k in range(36)]
    y = declared([f"c{k % 33:02}" for k in range(90)], labels)
    X = np.random.default_rng(0).normal(size=(90, 2))
    tree = bw.CARTClassifier(max_depth=3).fit(X, y)
    shown = deck(tree.model_)
    plane = bw.study.regions(tree, X, y).plane
    assert shown.key.names == plane.key.names and shown.key.entry.tolist() == plane.key.entry.tolist()
    assert shown.legend == dict(enumerate(shown.key.names)) and shown.key.names[-1] == "5 others"
