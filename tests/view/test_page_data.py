"""The data of the page: every number exact, every text harmless, nothing that JSON does not have."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.view.html import to_html
from branchwork.view.page import to_data
from branchwork.view.page_working import MOST_CANDIDATES, MOST_TIES
from branchwork.webpage.parts import safe_json
from contract.test_names import NAMES

from registry import ESTIMATORS


def data_of(estimator):
    return to_data(estimator.model_, unit="bits")


def through_json(data):
    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(safe_json(data), parse_constant=refuse)


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_numbers_are_exact_after_a_round_trip(factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) ** 3
    y = (X[:, 0] > 0.1).astype(int) + (X[:, 1] > 0)
    estimator = factory().fit(X, y)
    tree, nodes = estimator.tree_, through_json(data_of(estimator))["nodes"]
    cuts = [math.nan if cut is None else float(cut) for cut in nodes["cut"]]
    assert np.array_equal(cuts, tree.cut, equal_nan=True)
    for name in ("feature", "first_child", "n_children", "default_child", "weight", "n_rows", "gain"):
        assert nodes[name] == getattr(tree, name).tolist(), name


def test_infinity_and_nan_have_stand_ins():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]] * 5)
    tree = bw.TreeClassifier(missing="learn").fit(X, ["a", "a", "b", "b"] * 5)
    assert tree.tree_.cut[0] == np.inf
    assert through_json(data_of(tree))["nodes"]["cut"] == ["Infinity", None, None]


def test_entries_are_the_distribution(tennis):
    tree = bw.C45Classifier().fit(tennis.X, tennis.y)
    entries = data_of(tree)["entries"]
    for node in range(tree.tree_.n_nodes):
        found = np.zeros(2)
        for k in range(entries["start"][node], entries["start"][node + 1]):
            found[entries["label"][k]] = entries["weight"][k]
        assert found.tolist() == tree.tree_.distribution[node].tolist()


def test_the_working_is_that_of_the_estimator(tennis):
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    working = data_of(tree)["working"]
    for node, rows in working["pages"].items():
        told = tree.working(int(node), top=len(rows)).to_dict()  # the best first
        for row, cells in zip(told, rows, strict=True):
            found = dict(zip(working["columns"], cells, strict=True))
            assert tree.model_.schema[found.pop("place")].name == row["feature"]
            repeated = ("known", "before", "net_gain")  # the same as above the table, or as the gain
            assert found == {k: None if k in repeated else row[k] for k in working["columns"][:-1]}
    assert set(working["pages"]) == {str(node) for node in tree.tree_.ledger.node}


def test_the_panel_has_the_columns_of_c45():
    X, y = [[float(k)] for k in range(1, 11)], list("aaaabbbbab")
    tree = bw.C45Classifier(pruning=None).fit(X, y)
    working = data_of(tree)["working"]
    found = dict(zip(working["columns"], working["pages"]["0"][0], strict=True))
    wanted = tree.working().to_dict()[0]
    names = ("remainder", "gain", "penalty", "net_gain", "gain_ratio")
    assert {name: found[name] for name in names} == {name: wanted[name] for name in names}
    assert found["known"] is found["before"] is None
    holes = [[float("nan")] if k == 3 else row for k, row in enumerate(X)]
    working = data_of(bw.C45Classifier(pruning=None).fit(holes, y))["working"]
    found = dict(zip(working["columns"], working["pages"]["0"][0], strict=True))
    assert found["known"] == 0.9 and found["before"] == pytest.approx(0.9911, abs=1e-4)


def test_large_trees_have_no_working():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    tree = bw.ID3Classifier().fit(X, np.random.default_rng(1).integers(0, 2, 3000))
    assert tree.tree_.n_nodes > 1000 and data_of(tree)["working"] is None


@pytest.mark.parametrize("what", NAMES)
def test_names_are_harmless_and_cannot_end_the_script(what):
    name = NAMES[what]
    X = {name: [name, "b"] * 6, "other": [0.0] * 12}
    tree = bw.ID3Classifier().fit(X, [name, "other"] * 6)
    text = safe_json(data_of(tree))
    assert text.isascii() and "<" not in text and len(text) < 20_000 + 4 * len(name)
    data = json.loads(text)
    assert [column["name"] for column in data["columns"]] == [name, "other"]
    assert name in data["columns"][0]["values"]
    shown = [
        *data["labels"],
        data["columns"][0]["shown"],
        *data["columns"][0]["texts"],
        *data["nodes"]["condition"],
    ]
    assert all(one.isprintable() for one in shown)


def test_categories_keep_their_type_where_json_has_it():
    large = pd.Categorical([2**60, 2**60 + 1] * 4)
    X = pd.DataFrame({"a": [True, False] * 4, "b": pd.Categorical([1, 2] * 4), "c": large})
    a, b, c = (
        data_of(bw.ID3Classifier().fit(X[[name]], ["x", "y"] * 4))["columns"][0]["values"] for name in "abc"
    )
    assert a == [False, True] and b == [1, 2] and c == [str(2**60), str(2**60 + 1)]
    assert isinstance(a[0], bool)


def test_categories_that_the_tree_does_not_ask_for_stay_at_home():
    X = {"asked": ["a", "b"] * 4, "name": ["Ann", "Bob", "Cid", "Dan"] * 2}
    tree = bw.StumpClassifier().fit(X, ["x", "y"] * 4)
    asked, name = data_of(tree)["columns"]
    assert asked["values"] == ["a", "b"] and name["values"] == name["texts"] == []


@pytest.mark.parametrize("estimator", [bw.C45Classifier(pruning=None), bw.ID3Classifier()])
def test_reasons_are_those_of_the_working(estimator, tennis):
    tree = estimator.fit(tennis.X, tennis.y)
    told = to_data(tree.model_, unit="")["working"]
    verdict = told["columns"].index("verdict")
    for node, rows in told["pages"].items():
        shown = [told["reasons"][row[verdict]] for row in rows]
        assert shown == [row["reason"] for row in tree.working(int(node), top=len(rows)).to_dict()]
    assert any("gain ratio" in text for text in told["reasons"].values()) == isinstance(
        estimator, bw.C45Classifier
    )


# ---- wide tables


def kept(data, node):
    """The features that the working of a node shows, and how many more there are."""
    working = data["working"]
    feature = working["columns"].index("feature")
    return [row[feature] for row in working["pages"][str(node)]], working["more"].get(str(node), 0)


@pytest.fixture(scope="module")
def wide():
    """A tree of a few nodes, grown on 10 000 columns."""
    X = np.random.default_rng(0).normal(size=(60, 10_000))
    return bw.TreeClassifier(max_depth=3).fit(X, X[:, 5] + X[:, 77] > 0)


def test_a_page_of_10_000_columns_is_small(wide):
    assert wide.tree_.n_nodes > 3
    assert len(to_html(wide.model_, unit="", title="")) < 2_000_000


def test_the_best_candidates_are_kept_and_the_winner_is_first(wide):
    data = through_json(data_of(wide))
    for node in wide.tree_.ledger.node.tolist():
        features, more = kept(data, node)
        candidates = wide.tree_.ledger.page(node).candidates
        names = [wide.model_.schema[one.feature].name for one in candidates]
        assert features[0] == wide.model_.schema[int(wide.tree_.feature[node])].name
        assert more == 10_000 - len(features)
        gain = dict(zip(names, [one.gain or 0.0 for one in candidates], strict=True))
        assert max(gain[name] for name in set(names) - set(features)) <= min(gain[name] for name in features)
        best = {name for name, one in zip(names, candidates, strict=True) if one.verdict == "tie_lost"}
        assert best <= set(features) or len(features) == MOST_TIES


def test_a_table_of_few_columns_keeps_all_candidates(tennis):
    data = data_of(bw.ID3Classifier().fit(tennis.X, tennis.y))
    assert data["working"]["more"] == {}
    X = np.random.default_rng(0).normal(size=(40, MOST_CANDIDATES + 1))
    y = X[:, 0] > 0
    assert data_of(bw.TreeClassifier().fit(X[:, 1:], X[:, 1] > 0))["working"]["more"] == {}
    features, more = kept(data_of(bw.TreeClassifier(max_depth=1).fit(X, y)), 0)
    assert (len(features), more) == (MOST_CANDIDATES, 1) and "x0" in features


@pytest.mark.parametrize(
    ("copies", "shown"), [(MOST_CANDIDATES + 5, MOST_CANDIDATES + 5), (MOST_TIES + 30, MOST_TIES)]
)
def test_ties_with_the_chosen_one_stay_up_to_a_limit(copies, shown):
    x = np.arange(20.0)
    noise = np.random.default_rng(0).normal(size=(20, 50))
    X = np.column_stack([noise, *[x] * copies])
    features, more = kept(data_of(bw.TreeClassifier(max_depth=1).fit(X, x > 9)), 0)
    assert features == [f"x{50 + k}" for k in range(shown)] and more == 50 + copies - shown


def test_candidates_are_ranked_by_what_the_method_compares():
    rng = np.random.default_rng(1)
    X = {f"c{k}": rng.integers(0, 2 + k, 200).astype(str).tolist() for k in range(40)}
    y = [a == "1" or b in "24" for a, b in zip(X["c0"], X["c9"], strict=True)]
    for estimator, key, best in (
        (bw.TreeClassifier(criterion="gain_ratio", max_depth=1), "gain_ratio", max),
        (bw.TreeClassifier(criterion="entropy", max_depth=1, nominal="multiway"), "gain", max),
        (bw.CHAIDClassifier(max_depth=1), "adjusted_p", min),
    ):
        tree = estimator.fit(X, y)
        features, _ = kept(data_of(tree), 0)
        worth = {row["feature"]: row[key] for row in tree.working(0).to_dict() if row[key] is not None}
        others = [worth[name] for name in worth if name not in features]
        assert len(features) == MOST_CANDIDATES and others
        inside = [worth[name] for name in features]
        assert best(others) <= min(inside) if best is max else best(others) >= max(inside)


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_pools_are_written_in_runs():
    """Each of many nodes has a child for every one of 10 000 categories; few of them are there."""
    rng = np.random.default_rng(0)
    towns = rng.permutation(20_000) % 10_000
    X = {"town": [f"t{k}" for k in towns.tolist()], "z": rng.normal(size=20_000)}
    y = (towns % 7 + 3 * rng.normal(size=20_000)) > 3
    tree = bw.TreeClassifier(nominal="subset", missing="larger", max_leaf_nodes=200).fit(X, y)
    data = through_json(data_of(tree))
    runs = data["pool"]
    assert np.repeat(runs["child"], runs["times"]).tolist() == tree.tree_.pool.tolist()
    assert len(tree.tree_.pool) > 500_000 and len(safe_json(data)) < 2_000_000
    leaf = bw.TreeClassifier(max_depth=0).fit(np.arange(4.0)[:, None], [0, 1, 0, 1])
    assert data_of(leaf)["pool"] == {"child": [], "times": []}
