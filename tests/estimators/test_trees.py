"""The faces: what a fitted tree tells, and that it works where scikit-learn users put it."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import branchwork as bw
from branchwork.errors import OneClassWarning, ParameterError, UnseenCategoryWarning


@pytest.fixture
def tennis():
    return bw.datasets.load("play_tennis")


def mixed(n=200):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"size": rng.normal(size=n), "colour": rng.choice(["red", "green", "blue"], n)})
    y = np.where((X["size"] > 0.3) ^ (X.colour == "red"), "in", "out")
    return X, y


def test_to_dict_says_what_each_node_is(tennis):
    root = bw.ID3Classifier().fit(tennis.X, tennis.y).to_dict()
    assert (root["id"], root["weight"], root["n_rows"], root["prediction"]) == (0, 14.0, 14, "Yes")
    assert root["distribution"] == {"No": 5.0, "Yes": 9.0}
    assert root["feature"] == "Outlook" and root["values"] == [["Overcast"], ["Rain"], ["Sunny"]]
    assert root["gain"] == pytest.approx(0.2467, abs=5e-5) and "cut" not in root
    assert root["missing"] == 1  # Rain and Sunny are equally heavy: the first of them
    overcast, rain, sunny = root["children"]
    assert "feature" not in overcast and overcast["prediction"] == "Yes" and overcast["id"] == 1
    assert rain["feature"] == "Wind" and sunny["feature"] == "Humidity"


def test_to_dict_of_a_numeric_split_and_target():
    node = bw.StumpRegressor().fit(np.array([[1.0], [2.0], [4.0], [5.0]]), [0, 1, 10, 13]).to_dict()
    assert node["cut"] == 3.0 and node["mean"] == 6.0 and "values" not in node and "distribution" not in node
    assert node["variance"] == pytest.approx(np.var([0, 1, 10, 13], ddof=1))
    assert [child["mean"] for child in node["children"]] == [0.5, 11.5]
    assert [child["variance"] for child in node["children"]] == pytest.approx([0.5, 4.5])


def test_to_text_is_one_line_a_node(tennis):
    assert bw.ID3Classifier().fit(tennis.X, tennis.y).to_text() == (
        "PlayTennis: No, Yes\n"
        "all rows                                   14 rows  Yes: 9 (64%)  No: 5 (36%)\n"
        "├─ Outlook = Overcast → PlayTennis: Yes     4 rows  Yes: 4 (100%)\n"
        "├─ Outlook = Rain                           5 rows  Yes: 3 (60%)  No: 2 (40%)\n"
        "│  ├─ Wind = Strong → PlayTennis: No        2 rows  No: 2 (100%)\n"
        "│  └─ Wind = Weak → PlayTennis: Yes         3 rows  Yes: 3 (100%)\n"
        "└─ Outlook = Sunny                          5 rows  No: 3 (60%)  Yes: 2 (40%)\n"
        "   ├─ Humidity = High → PlayTennis: No      3 rows  No: 3 (100%)\n"
        "   └─ Humidity = Normal → PlayTennis: Yes   2 rows  Yes: 2 (100%)"
    )


def test_to_text_in_colour_is_the_same_text(tennis):
    import re

    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    coloured = tree.to_text(color=True)
    assert coloured != tree.to_text(color=False)
    without_dots = re.sub(r"\x1b\[38;[0-9;]*m●\x1b\[0m ", "", coloured)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", without_dots)
    assert re.sub(r"[ ,]+", " ", plain) == re.sub(r"[ ,]+", " ", tree.to_text(color=False))


def test_to_text_cut_at_a_depth_says_so(tennis):
    text = bw.ID3Classifier().fit(tennis.X, tennis.y).to_text(max_depth=1)
    assert "… 2 nodes below" in text and "Wind" not in text


def test_working_prints_as_a_table_and_as_rows(tennis):
    working = bw.ID3Classifier().fit(tennis.X, tennis.y).working()
    rows = working.to_dict()
    keys = [
        "feature",
        "test",
        "n",
        "known",
        "before",
        "remainder",
        "gain",
        "penalty",
        "net_gain",
        "split_info",
        "gain_ratio",
        "chi2",
        "f",
        "p_value",
        "adjusted_p",
        "verdict",
        "reason",
    ]
    assert [list(row) for row in rows] == [keys] * 4
    assert [row["verdict"] for row in rows] == ["chosen", "lower_gain", "lower_gain", "lower_gain"]
    assert rows[0]["test"] == "Outlook = Overcast | Rain | Sunny" and rows[0]["n"] == 14
    assert "Outlook = Overcast | Rain | Sunny" in str(working) and "0.2467" in str(working)
    assert "<table>" in working._repr_html_()


def test_working_of_a_leaf_says_why_it_is_one(tennis):
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    assert "all its rows have the same target" in str(tree.working(1))
    assert tree.working(1).to_dict() == []
    with pytest.raises(ParameterError, match="nodes 0 to 7"):
        tree.working(8)


def test_working_with_data_handed_back_has_a_chi_square_test(tennis):
    from scipy.stats import chi2_contingency

    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    for row in tree.working(0, tennis.X, tennis.y).to_dict():
        table = pd.crosstab(pd.Series(tennis.X.column(row["feature"])), pd.Series(tennis.y))
        chi2, p_value, *_ = chi2_contingency(table, correction=False)
        assert (row["chi2"], row["p_value"]) == pytest.approx((chi2, p_value), rel=1e-12)


def test_working_handed_back_equals_the_ledger_at_every_node():
    X, y = mixed()
    tree = bw.ID3Classifier().fit(X, y)
    for node in range(tree.tree_.n_nodes):
        if tree.tree_.is_leaf(node):
            continue
        kept, again = tree.working(node).to_dict(), tree.working(node, X, y).to_dict()
        for a, b in zip(kept, again, strict=True):
            assert (a["test"], a["verdict"]) == (b["test"], b["verdict"])
            assert a["gain"] == (pytest.approx(b["gain"], abs=1e-12) if b["gain"] is not None else None)


def test_a_large_tree_keeps_no_working_but_can_make_it_again():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 2)), rng.integers(0, 2, 3000)
    tree = bw.ID3Classifier().fit(X, y)
    assert tree.tree_.n_nodes > 1000 and tree.tree_.ledger is None
    with pytest.raises(ParameterError, match=r"working\(0, X=X, y=y\)"):
        tree.working()
    rows = tree.working(0, X, y, cuts=True).to_dict()
    assert len(rows[0]["cuts"]) > 500
    chosen = next(row for row in rows if row["verdict"] == "chosen")
    assert chosen["gain"] == pytest.approx(tree.tree_.gain[0], abs=1e-15)


def test_smoothing_of_probabilities(tennis):
    def first_leaf(**options):
        return bw.ID3Classifier(**options).fit(tennis.X, tennis.y).predict_proba([tennis.X.row(2)])[0]

    assert first_leaf().tolist() == [0, 1]  # Overcast: 4 Yes
    assert first_leaf(smoothing="laplace") == pytest.approx([1 / 6, 5 / 6])
    assert first_leaf(smoothing=2.0) == pytest.approx([2 * 5 / 14 / 6, (4 + 2 * 9 / 14) / 6])


def test_an_empty_branch_answers_as_its_parent_does():
    X = pd.DataFrame({"c": pd.Categorical(["a", "a", "b", "b"], categories=["a", "b", "never"])})
    tree = bw.ID3Classifier().fit(X, ["x", "x", "x", "y"])
    root = tree.to_dict()
    assert root["values"] == [["a"], ["b"], ["never"]]
    assert root["children"][2]["weight"] == 0 and root["children"][2]["prediction"] == "x"
    assert tree.predict_proba(pd.DataFrame({"c": ["never"]})).tolist() == [[0.75, 0.25]]


def test_missing_cells_are_a_value_of_their_own():
    X = pd.DataFrame({"a": [1.0, 2.0, np.nan, np.nan], "b": ["p", None, "q", "p"]})
    tree = bw.ID3Classifier().fit(X, ["lo", "lo", "hi", "hi"])
    root = tree.to_dict()
    assert root["feature"] == "a" and len(root["children"]) == 3 and root["missing"] == 2
    assert "a is missing → hi" in tree.to_text()
    assert tree.predict(X).tolist() == ["lo", "lo", "hi", "hi"]


def test_unseen_categories_follow_handle_unknown():
    X, y = pd.DataFrame({"c": ["a", "b", "b", None]}), ["x", "y", "y", "z"]
    new = pd.DataFrame({"c": ["new", "b"]})
    answers = {}
    for policy in ("missing", "majority"):
        tree = bw.ID3Classifier(handle_unknown=policy).fit(X, y)
        with pytest.warns(UnseenCategoryWarning, match=r"'c' \(1 row\)") as caught:
            answers[policy] = tree.predict(new).tolist()
        assert len(caught) == 1
    assert answers == {"missing": ["z", "y"], "majority": ["y", "y"]}
    with pytest.raises(ValueError, match="'c', row 0: category 'new'"):
        bw.ID3Classifier(handle_unknown="error").fit(X, y).predict(new)


def test_declared_classes_keep_their_order_for_ties_and_classes_are_sorted():
    y = pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"]))
    tree = bw.ID3Classifier().fit(np.zeros((2, 1)), y)
    assert tree.classes_.tolist() == ["a", "b"]
    assert tree.predict(np.zeros((1, 1))).tolist() == ["b"]  # declared before a
    assert tree.predict_proba(np.zeros((1, 1))).tolist() == [[0.5, 0.5]]
    assert tree.to_dict()["distribution"] == {"c": 0.0, "b": 1.0, "a": 1.0}


def test_apply_and_decision_path_agree(tennis):
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    leaves, paths = tree.apply(tennis.X), tree.decision_path(tennis.X)
    assert paths.shape == (14, tree.tree_.n_nodes)
    for row, leaf in enumerate(leaves):
        nodes = paths[row].indices
        assert nodes[0] == 0 and nodes[-1] == leaf and tree.tree_.is_leaf(leaf)
        assert all(tree.tree_.parent[b] == a for a, b in pairwise(nodes))
    assert (tree.get_depth(), tree.get_n_leaves()) == (2, 5)


def test_feature_importances_are_shares_of_the_gain(tennis):
    importances = bw.ID3Classifier().fit(tennis.X, tennis.y).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert importances[1] == 0 and importances.argmax() == 2  # Temperature is not used
    with pytest.warns(OneClassWarning):
        assert bw.ID3Classifier().fit([[1], [2]], ["a", "a"]).feature_importances_.tolist() == [0.0]


def test_clone_pipeline_grid_search_and_cross_validation():
    X, y = mixed()
    tree = clone(bw.ID3Classifier(max_depth=3))
    assert cross_val_score(tree, X, y, cv=5).mean() > 0.8
    search = GridSearchCV(tree, {"max_depth": [1, 2, 4], "zero_gain": [True, False]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9 and search.best_params_["max_depth"] == 4
    pipe = make_pipeline(
        make_column_transformer((StandardScaler(), ["size"]), remainder="passthrough").set_output(
            transform="pandas"
        ),
        bw.ID3Classifier(),
    )
    assert pipe.fit(X, y).score(X, y) == 1.0


def test_a_notebook_shows_the_estimator_before_and_after_fitting(tennis):
    assert "ID3Classifier" in bw.ID3Classifier()._repr_html_()
    assert "ID3Classifier" in bw.ID3Classifier().fit(tennis.X, tennis.y)._repr_html_()


def test_labels_come_back_as_they_were_given():
    X = [[0.0], [1.0]]
    for y in (
        ["a", "b"],
        [10, -3],
        [True, False],
        np.array(["a", "b"]),
        np.array([2.0, 5.0]),
        [("a", 1), ("b", 2)],
    ):
        tree = bw.ID3Classifier().fit(X, y)
        assert tree.predict(X).tolist() == list(y)
        assert sorted(y) == tree.classes_.tolist()


def test_search_cost_shows_why_sorting_is_used():
    rng = np.random.default_rng(0)

    def cost(search, n, **options):
        X, y = rng.normal(size=(n, 3)), rng.integers(0, 2, n)
        return bw.StumpClassifier(search=search, **options).fit(X, y).search_cost_

    for n in (100, 1000):
        assert cost("values", n) == {"rules_scored": 3 * n, "rows_visited": 3 * n * n}
        assert cost("grid", n, grid=50) == {"rules_scored": 3 * 50, "rows_visited": 3 * 50 * n}
        by_sorting = cost("sorted", n)
        assert 0 < by_sorting.rules_scored <= 3 * (n - 1)  # some are ruled out together
        assert by_sorting.rows_visited <= 3 * n * (np.log2(n) + 2)


def test_a_stump_that_gains_nothing_is_the_majority():
    stump = bw.StumpClassifier().fit([[0], [1], [2], [3]], ["a", "a", "b", "a"])
    assert stump.get_n_leaves() == 1 and stump.predict([[2]]).tolist() == ["a"]
    assert "no split gains anything" in str(stump.working())


def test_xor_needs_a_split_without_gain():
    X, y = [["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]], [0, 1, 1, 0]
    assert bw.ID3Classifier().fit(X, y).score(X, y) == 1.0
    assert bw.ID3Classifier(zero_gain=False).fit(X, y).get_n_leaves() == 1
