"""Explanations in words: every way a row can go is told, and hostile text stays text."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import DataError, ParameterError
from model.awkward import KINDS, fitted, rows_for

from registry import RULE_LISTS

pytestmark = pytest.mark.filterwarnings(
    "ignore::branchwork.errors.UnseenCategoryWarning", "ignore::branchwork.errors.OneClassWarning"
)

TENNIS = bw.datasets.load("play_tennis")
RAINY = {"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Strong"}


def lines_of(estimator, row, **options):
    return str(estimator.why(row, **options)).splitlines()


def test_play_tennis_as_a_lecturer_would_tell_it():
    assert lines_of(bw.ID3Classifier().fit(TENNIS.X, TENNIS.y), RAINY) == [
        "The answer is PlayTennis: No (100%).",
        "",
        "   all rows                        14 rows  Yes: 9 (64%)  No: 5 (36%)",
        "1  Outlook = Rain                   5 rows  Yes: 3 (60%)  No: 2 (40%)  No: +4 points",
        "     next best: Humidity = High | Normal (gain 0.1518 against 0.2467)",
        "2  Wind = Strong → PlayTennis: No   2 rows  No: 2 (100%)               No: +60 points",
        "     next best: Temperature = Cool | Hot | Mild (gain 0.0200 against 0.9710)",
        "",
        "To get PlayTennis: Yes instead, change",
        "   Outlook to Overcast (now Rain)",
        "That leads to leaf 1: 4 rows · Yes: 4 (100%)",
    ]


def test_numbers_say_on_which_side_they_are():
    X = pd.DataFrame({"size": [1.0, 2, 3, 4], "kind": list("abab")})
    lines = lines_of(bw.CARTRegressor().fit(X, [1.0, 1, 5, 6]), X.iloc[3])
    assert "1  size > 2.5 (it is 4)      2 rows  mean 5.5  sd 0.7071  +2.25" in lines
    assert "To get 5 instead, change" in lines and "   size to above 2.5 and at most 3.5 (now 4)" in lines


def test_groups_and_ranges():
    X = pd.DataFrame({"kind": list("abcdabcd"), "size": [1.0, 1, 1, 1, 2, 2, 2, 2]})
    tree = bw.CARTClassifier().fit(X, list("xxyyxxzz"))
    text = str(tree.why({"kind": "a", "size": 1.0}))
    assert "kind in {a, b} (it is a) → x" in text
    assert "   kind to one of c, d (now a)" in text
    tree = bw.ID3Classifier().fit(np.arange(6.0).reshape(-1, 1), list("aabbcc"))
    assert "x0 to above 1.5 and at most 3.5 (now 0)" in str(tree.why([0], want="b"))


def test_a_shared_row_shows_the_path_to_each_leaf_with_its_share():
    lines = lines_of(bw.C45Classifier().fit(TENNIS.X, TENNIS.y), {**RAINY, "Outlook": None})
    assert lines[0] == "The answer is PlayTennis: No (71%), summed over 3 leaves."  # 5/14 + 5/14
    shares = [line for line in lines if "of the row goes to leaf" in line]
    assert [line.split("%")[0] for line in shares] == ["36", "36", "29"]
    assert lines.count("     it is missing: 36% of the row goes this way") == 2


def test_only_the_largest_of_many_shares_are_shown():
    X = pd.DataFrame({"kind": [f"k{i:02}" for i in range(20)] * 3, "other": list("ab") * 30})
    tree = bw.C45Classifier(min_cases=1, pruning=None).fit(X, [f"y{i % 20 % 7}" for i in range(60)])
    text = str(tree.why({"kind": None, "other": "a"}))
    assert text.count("of the row goes to leaf") == 5
    assert "The other 75% of the row go to 15 more leaves." in text


def test_missing_and_unseen_cells_say_what_becomes_of_them():
    X = pd.DataFrame({"a": [0.0, 0, 1, 1, 1], "b": [5.0, 5, 6, 6, 6]})
    y = list("xxyyy")
    surrogate = bw.CARTClassifier(max_surrogates=1, min_samples_split=2).fit(X, y)
    assert "     it is missing: b > 5.5 stands in" in lines_of(surrogate, {"a": None, "b": 6})
    at_the_cut = {"a": None, "b": 5.5}
    assert "     it is missing: b <= 5.5 stands in" in lines_of(surrogate, at_the_cut)
    assert surrogate.predict([at_the_cut])[0] == "x"
    larger = bw.CARTClassifier(min_samples_split=2).fit(X, y)
    assert "     it is missing: such rows go this way" in lines_of(larger, {"a": None, "b": 6})
    text = X.assign(a=list("ppqqq"))[["a"]]
    tree = bw.ID3Classifier(handle_unknown="majority").fit(text, y)
    assert "     new was never seen in training: it goes with the majority" in lines_of(tree, ["new"])
    own = bw.ID3Classifier().fit(text.assign(a=["p", "p", None, None, None]), y)
    assert "1  a is missing → y  3 rows  y: 3 (100%)             y: +40 points" in lines_of(own, [None])
    assert "     new was never seen in training: such rows go this way" in lines_of(own, ["new"])


def test_where_there_is_nothing_to_change_it_says_so():
    assert lines_of(bw.CARTClassifier().fit([[0], [1]], ["a", "a"]), [0])[-1] == (
        "The tree is a single leaf: it answers a to every row."
    )
    tree = bw.CARTRegressor().fit([[0], [1]], [0, 1])
    assert lines_of(tree, [0], want=(5, 7))[-1] == "No change of this row to known values gives 5 to 7."
    tree = bw.CARTClassifier().fit([[0], [1]], pd.Categorical(["a", "b"], categories=["a", "b", "c"]))
    assert lines_of(tree, [0], want="c")[-1] == "No change of this row to known values gives c."


def test_a_large_tree_keeps_no_working_and_says_how_to_get_it():
    X, y = np.arange(2001.0).reshape(-1, 1), np.arange(2001) % 2
    found = bw.ID3Classifier().fit(X, y).why([2000.0])
    text = str(found)
    assert "working(node, X=X, y=y) makes it from the training data" in text
    assert "… 1960 more steps" in text and len(text.splitlines()) < 60
    assert len(found.to_dict()["steps"]) == 2000 and found.to_dict()["steps"][0]["rival"] is None


def test_the_dictionary_has_it_all():
    tree = bw.C45Classifier().fit(TENNIS.X, TENNIS.y)
    found = tree.why({**RAINY, "Outlook": None}).to_dict()
    assert found["row"] == {**RAINY, "Outlook": None} and found["prediction"] == "No"
    assert list(found["probabilities"].values()) == tree.predict_proba([found["row"]])[0].tolist()
    root = found["steps"][0]
    assert (root["id"], root["feature"], root["value"], root["cause"], root["way"]) == (
        (0, "Outlook", None, "missing", "shared")
    )
    assert [to["branch"] for to in root["to"]] == ["Outlook = Overcast", "Outlook = Rain", "Outlook = Sunny"]
    assert math.fsum(leaf["share"] for leaf in found["leaves"]) == pytest.approx(1)
    assert (root["winner"]["feature"], root["rival"]["feature"]) == ("Outlook", "Humidity")
    for step in found["steps"]:
        assert step["winner"]["n"] == step["weight"] and step["winner"] in tree.working(step["id"]).to_dict()
    change = found["counterfactual"]
    assert change["changes"] == [
        {
            "feature": "Outlook",
            "now": None,
            "value": "Overcast",
            "above": None,
            "upto": None,
            "among": ["Overcast"],
        }
    ]
    assert tree.predict([change["row"]])[0] == change["prediction"] == "Yes"
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("factory", KINDS)
def test_every_tree_explains_every_row_in_every_format(factory):
    estimator = fitted(factory, 2)
    for row in rows_for(estimator, 9, count=4):
        found = estimator.why(row)
        assert found.prediction == estimator.predict([row])[0]
        text = found.to_text(color=False)
        assert text == estimator.why(row).to_text(color=False)
        assert repr(found).splitlines()[:8] == text.splitlines()[:8] and len(repr(found).splitlines()) <= 12
        for shown in (text, found.to_markdown(), found.to_html()):
            assert "The answer is" in shown and "Infinity" not in shown
        assert found._repr_html_() == found.to_html()
        found.to_dict()


def test_hostile_names_stay_text():
    name, value, label = "<b>|a*\n\x1b[2J</b>", "`<script>alert(1)</script>`", "_y_|\x07"
    X = pd.DataFrame({name: [value, "ok", value, "ok"], "n": [1, 2, 3, 4]})
    found = bw.ID3Classifier().fit(X, [label, "no", label, "no"]).why({name: value, "n": 1})
    for shown in (found.to_text(color=False), found.to_markdown(), found.to_html()):
        assert "\x1b" not in shown and "\x07" not in shown
    assert "<b>" not in found.to_html() and "<script>" not in found.to_html()
    markdown = found.to_markdown()
    assert "<script>" not in markdown and "\\`&lt;script" in markdown and "\\_y\\_\\|" in markdown
    table = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in table} == {6}


def test_colour_is_for_terminals():
    found = bw.ID3Classifier().fit(TENNIS.X, TENNIS.y).why(RAINY)
    assert "\x1b[1m" in found.to_text(color=True) and "\x1b" not in str(found)


def test_what_is_not_one_row_of_this_table_is_refused():
    tree = bw.ID3Classifier().fit(TENNIS.X, TENNIS.y)
    with pytest.raises(DataError, match="Did you mean 'Outlook'"):
        tree.why({**{k: v for k, v in RAINY.items() if k != "Outlook"}, "Outlok": "Rain"})
    with pytest.raises(DataError, match="one row"):
        tree.why(TENNIS.X)
    strict = bw.ID3Classifier(handle_unknown="error").fit(TENNIS.X, TENNIS.y)
    with pytest.raises(DataError, match="'Fog' was not in the training table"):
        strict.why({**RAINY, "Outlook": "Fog"})


@pytest.mark.parametrize("factory", RULE_LISTS)
def test_a_list_of_rules_is_not_explained_by_its_tree(factory):
    with pytest.raises(ParameterError, match="first rule that matches"):
        factory().fit(TENNIS.X, TENNIS.y).why(RAINY)
