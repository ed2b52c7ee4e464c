"""The lectures' own numbers, from lecture_numbers.json and the tables bundled with the package."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import branchwork as bw
from branchwork.measure.metrics import error_rate
from branchwork.study.baseline import baseline
from branchwork.table.target import classes

NUMBERS = json.loads((Path(__file__).parent / "lecture_numbers.json").read_text())
FOUR_DIGITS = 5e-5


def fraction(text: str) -> float:
    return float(Fraction(text))


def nested(node: dict) -> object:
    """A fitted tree in the form of the lecture's drawing."""
    if "children" not in node:
        return node["prediction"]
    branches = [nested(child) for child in node["children"]]
    if "cut" in node:
        return {f"{node['feature']}<={node['cut']:g}": branches}
    return {
        node["feature"]: {values[0]: branch for values, branch in zip(node["values"], branches, strict=True)}
    }


@pytest.mark.parametrize("name", ["spam6", "playtennis_mitchell14", "restaurant_russell_norvig12"])
def test_root_gains_are_the_lecture_s(name):
    wanted, data = NUMBERS[name], bw.datasets.load(name)
    tree = bw.ID3Classifier().fit(data.X, data.y)
    rows = {row["feature"]: row for row in tree.working().to_dict()}
    for feature, gain in wanted["gain"].items():
        assert rows[feature]["gain"] == pytest.approx(gain, abs=FOUR_DIGITS)
        assert rows[feature]["before"] == pytest.approx(wanted["H"], abs=FOUR_DIGITS)
        assert rows[feature]["gain"] == pytest.approx(
            bw.information.information_gain(data.y, data.X.column(feature)), abs=1e-12
        )
    for feature, remainder in wanted.get("remainder", {}).items():
        assert rows[feature]["remainder"] == pytest.approx(remainder, abs=FOUR_DIGITS)
    for feature, ratio in wanted.get("gain_ratio", {}).items():
        assert rows[feature]["gain_ratio"] == pytest.approx(ratio, abs=FOUR_DIGITS)


def test_tennis_tree_and_query():
    wanted, data = NUMBERS["playtennis_mitchell14"], bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(data.X, data.y)
    assert nested(tree.to_dict()) == wanted["id3"]
    assert tree.predict([wanted["query"]["row"]]).tolist() == [wanted["query"]["answer"]]


def test_spam_needs_suspicious_words_alone():
    data = bw.datasets.load("spam")
    tree = bw.ID3Classifier().fit(data.X, data.y)
    assert nested(tree.to_dict()) == {"SUSPICIOUS WORDS": {"false": "ham", "true": "spam"}}
    yes = {"SUSPICIOUS WORDS": "true", "UNKNOWN SENDER": "true", "CONTAINS IMAGES": "true"}
    assert tree.predict([yes]).tolist() == ["spam"]
    assert tree.predict([dict.fromkeys(yes, True)]).tolist() == ["spam"]


def test_vegetation_cuts_and_tree():
    wanted, data = NUMBERS["vegetation7"], bw.datasets.load("vegetation")
    tree = bw.ID3Classifier().fit(data.X, data.y)
    assert tree.tree_.impurity[0] == pytest.approx(wanted["H"], abs=FOUR_DIGITS)
    elevation = tree.working(0, data.X, data.y, cuts=True).to_dict()[2]
    assert {f"{cut['cut']:g}": cut for cut in elevation["cuts"]}.keys() == wanted["elevation"].keys()
    for cut in elevation["cuts"]:
        lecture = wanted["elevation"][f"{cut['cut']:g}"]
        assert cut["gain"] == pytest.approx(lecture["gain"], abs=FOUR_DIGITS)
        assert cut["remainder"] == pytest.approx(lecture["remainder"], abs=FOUR_DIGITS)
    assert nested(tree.to_dict()) == {
        "ELEVATION<=4175": [
            {"STREAM": {"false": "chaparral", "true": {"ELEVATION<=2250": ["riparian", "chaparral"]}}},
            "conifer",
        ]
    }
    below = {row["feature"]: row for row in tree.working(1).to_dict()}
    assert below["STREAM"]["gain"] == below["ELEVATION"]["gain"]
    assert (below["STREAM"]["verdict"], below["ELEVATION"]["verdict"]) == ("chosen", "tie_lost")


def test_bike_rentals_by_weighted_variance():
    wanted, data = NUMBERS["bike_rentals12"], bw.datasets.load("bike_rentals")
    tree = bw.ID3Regressor().fit(data.X, data.y)
    remainders = {row["feature"]: row["remainder"] for row in tree.working().to_dict()}
    assert remainders == pytest.approx(wanted["weighted_variance"], rel=1e-14)
    root = tree.to_dict()
    assert root["feature"] == wanted["root"]
    for (season,), node in zip(root["values"], root["children"], strict=True):
        assert node["variance"] == pytest.approx(wanted["variance"][season], rel=1e-14)
        assert node["feature"] == "WORK DAY"
        leaves = {day: leaf["mean"] for (day,), leaf in zip(node["values"], node["children"], strict=True)}
        assert leaves == wanted["leaves"][season]


def test_predict_the_mode():
    wanted, data = NUMBERS["food_allergy5_sixfoods"], bw.datasets.load("food_allergy5")
    always = baseline(classes(data.y))
    assert str(always.prediction) == wanted["mode"]
    assert {str(label): count for label, count in always.counts.items()} == wanted["counts"]
    assert always.error == pytest.approx(1 / 5)


def rule_accuracy(x: list[float], y: list, threshold: float) -> float:
    """Accuracy of `x > threshold` with a majority vote on each side, as `working` lists it."""
    sides = [
        [label for value, label in zip(x, y, strict=True) if (value > threshold) == side]
        for side in (False, True)
    ]
    return sum(max(map(side.count, set(side)), default=0) for side in sides) / len(y)


def test_accuracies_of_the_six_row_rules():
    wanted, data = NUMBERS["food_allergy6_egg_milk_fish"]["accuracy"], bw.datasets.load("food_journal")
    stump = bw.StumpClassifier().fit(data.X, data.y)
    rows = {row["feature"]: row for row in stump.working(0, data.X, data.y, cuts=True).to_dict()}
    found = {
        f"{name}>{_between(cut, data.X.column(name))}": 1 - cut["remainder"]
        for name in ("Egg", "Milk")
        for cut in rows[name]["cuts"]
    }
    assert found["Egg>1"] == pytest.approx(fraction(wanted["Egg>1"]))
    assert found["Egg>0"] == pytest.approx(fraction(wanted["Egg>0"]))
    assert found["Milk>0"] == pytest.approx(fraction(wanted["Milk>0.5"]))  # the same partition
    assert 1 - rows["Egg"]["before"] == pytest.approx(fraction(wanted["()"]))
    assert rule_accuracy(data.X.column("Egg"), data.y, 2) == pytest.approx(fraction(wanted["Egg>2"]))
    assert stump.score(data.X, data.y) == fraction(wanted["Egg>0"])


def _between(cut: dict, values: list[float]) -> str:
    return f"{max(value for value in values if value <= cut['cut']):g}"


def test_sorted_milk_column():
    wanted, data = NUMBERS["food_allergy11_milk_sorted_bonus"]["accuracy"], bw.datasets.load("milk_sorted")
    stump = bw.StumpClassifier().fit(data.X, data.y)
    (row,) = stump.working(0, data.X, data.y, cuts=True).to_dict()
    accuracies = {_between(cut, data.X.column("Milk")): 1 - cut["remainder"] for cut in row["cuts"]}
    assert 1 - row["before"] == pytest.approx(fraction(wanted["()"]))
    assert accuracies["0"] == pytest.approx(fraction(wanted["Milk>0"]))
    assert accuracies["0.3"] == pytest.approx(fraction(wanted["Milk>0.3"]))
    assert stump.score(data.X, data.y) == pytest.approx(10 / 11)


def test_greedy_recursion_by_accuracy():
    wanted, data = NUMBERS["food_allergy11_egg_milk"], bw.datasets.load("food_allergy11_egg_milk")
    tree = bw.ID3Classifier(criterion="accuracy", zero_gain=False).fit(data.X, data.y)
    root = tree.to_dict()
    low, high = wanted["root"]["between"]
    assert root["feature"] == wanted["root"]["feature"] and low <= root["cut"] < high
    stump = bw.StumpClassifier().fit(data.X, data.y)
    assert stump.score(data.X, data.y) == pytest.approx(fraction(wanted["root"]["accuracy"]))
    left, right = root["children"]
    low, high = wanted["left"]["between"]
    assert left["feature"] == wanted["left"]["feature"] and low <= left["cut"] < high
    assert all(max(leaf["distribution"].values()) == leaf["weight"] for leaf in left["children"])
    assert "children" not in right and right["distribution"] == {0: 1.0, 1: 5.0}


def test_errors_of_the_two_iris_trees():
    table = bw.datasets.load("iris7_predictions")
    for tree in "AB":
        predicted = [int(label) for label in table.X.column(f"yhat_{tree}")]
        assert error_rate(table.y, predicted) == pytest.approx(
            fraction(NUMBERS["iris7_predictions"][f"error_{tree}"])
        )


def test_leaf_probabilities_are_shares():
    X, y = np.zeros((6, 1)), ["sick"] * 5 + ["not"]
    tree = bw.ID3Classifier().fit(X, y)
    assert tree.classes_.tolist() == ["not", "sick"]
    assert tree.predict_proba(X[:1]).tolist() == [[1 / 6, 5 / 6]]
