"""Regions of fitted trees: which columns, which boxes, what the picture shows, and what is refused."""

import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import branchwork as bw
from branchwork.errors import DataError, ParameterError, TargetError
from branchwork.study.region import Region
from branchwork.study.scatter import MOST_POINTS

TENNIS = bw.datasets.load("play_tennis")
FOOD = bw.datasets.load("food_allergy11")


def tennis_tree():
    return bw.ID3Classifier().fit(TENNIS.X, TENNIS.y)


def random_numbers(n=300, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, columns)), 1)
    return X, np.where(X[:, 0] * X[:, -1] > 0, "same", "other")


def inside(region: Region, x, y) -> bool:
    return bool(region.x.passes(np.array([x]))[0] and region.y.passes(np.array([y]))[0])


def test_food_by_hand():
    found = bw.study.regions(bw.TreeClassifier().fit(FOOD.X, FOOD.y), FOOD.X, FOOD.y)
    assert repr(found) == "Regions(4 boxes over Egg and Milk)"
    boxes = [(box.answer, box.x.upto, round(box.y.upto or 9, 3)) for box in found.boxes]
    assert boxes == [(0, 1.5, 0.45), (0, 1.5, 0.65), (1, 1.5, 9), (1, None, 9)]
    assert [box.probability for box in found.boxes] == [1, 0.5, 1, 1]
    assert sum(box.share for box in found.boxes) == pytest.approx(1)
    assert json.loads(json.dumps(found.to_dict()))["boxes"][3]["x"] == {"above": 1.5, "upto": None}


def test_every_point_is_in_the_box_of_its_leaf_and_every_place_in_one_box():
    X, y = random_numbers()
    tree = bw.TreeClassifier().fit(X, y)
    found = bw.study.regions(tree, X, y)
    leaf = tree.apply(X)
    for row in range(len(X)):
        (box,) = [box for box in found.boxes if inside(box, *X[row])]
        assert box.leaf == leaf[row] and box.answer == y[row]


def test_a_column_that_the_tree_never_asks_may_be_all_missing():
    X, y = random_numbers(columns=4)
    X[:, 2] = np.nan
    tree = bw.TreeClassifier(max_depth=3).fit(X, y)
    found = bw.study.regions(tree, X, y, features=(0, 1))
    assert set(found.to_dict()["held"]) == {"x3"}


def test_areas_tile_the_picture():
    X, y = random_numbers(columns=3)
    found = bw.study.regions(bw.TreeClassifier().fit(X, y), X, y, features=(0, 2))
    plane = found.plane
    whole = (plane.across.high - plane.across.low) * (plane.up.high - plane.up.low)
    sizes = [(area.x[1] - area.x[0]) * (area.y[1] - area.y[0]) for area in plane.areas]
    assert sum(sizes) == pytest.approx(whole) and min(sizes) > 0


def test_categories_apart_make_several_areas():
    X = {"c": list("abcd") * 3, "x": [0.0, 1.0, 2.0] * 4}
    y = ["yes" if c in "ac" else "no" for c in X["c"]]
    found = bw.study.regions(bw.TreeClassifier(nominal="subset").fit(X, y), X, y)
    assert [box["x"] for box in found.to_dict()["boxes"]] == [{"values": ["a", "c"]}, {"values": ["b", "d"]}]
    assert sorted(area.x for area in found.plane.areas) == [(-0.5, 0.5), (0.5, 1.5), (1.5, 2.5), (2.5, 3.5)]


def test_other_columns_are_held_and_the_caption_says_where():
    found = bw.study.regions(tennis_tree(), TENNIS.X, TENNIS.y, features=("Outlook", "Humidity"))
    assert found.to_dict()["held"] == {"Wind": "Weak"}  # 8 of 14; Temperature is not tested
    assert found.plane.caption == ("Held fixed: Wind = Weak (most frequent)",)
    rainy = [box for box in found.boxes if "Rain" in box.x.values(found.schema)]
    assert [box.answer for box in rainy] == ["Yes"]
    found = bw.study.regions(
        tennis_tree(), TENNIS.X, TENNIS.y, features=("Outlook", "Humidity"), fixed={"Wind": "Strong"}
    )
    rainy = [box for box in found.boxes if "Rain" in box.x.values(found.schema)]
    assert [box.answer for box in rainy] == ["No"]
    assert found.plane.caption == ("Held fixed: Wind = Strong (as given)",)


def test_numbers_are_held_at_the_median_of_their_known_cells():
    X, y = random_numbers(columns=3)
    X[:5, 1] = np.nan
    tree = bw.TreeClassifier().fit(X, X[:, 0] + X[:, 1] + X[:, 2] > 0)
    found = bw.study.regions(tree, X, X[:, 0] + X[:, 1] + X[:, 2] > 0, features=(0, -1))
    middle = np.sort(X[5:, 1])[147]  # of 295 known cells
    assert found.to_dict()["held"] == {"x1": middle}
    four = np.column_stack([X[:4, 0], [4.0, 1.0, 3.0, 2.0], X[:4, 2]])
    assert bw.study.regions(tree, four, [True] * 4, features=(0, 2)).to_dict()["held"] == {"x1": 2}
    found = bw.study.regions(tree, X, y == "same", features=(0, 2), fixed={1: 0})
    rows = np.column_stack([X[:, 0], np.zeros(len(X)), X[:, 2]])
    for row, leaf in zip(rows, tree.apply(rows), strict=True):
        assert [box.leaf for box in found.boxes if inside(box, row[0], row[2])] == [leaf]


def test_fewer_than_two_tested_columns_are_filled_up():
    X = {"a": [1.0, 2, 3, 4], "b": [0.0, 0, 0, 0], "c": [0.0, 0, 1, 1]}
    found = bw.study.regions(bw.ID3Classifier().fit(X, list("xxyy")), X, list("xxyy"))
    assert found.features == (0, 1) and len(found.boxes) == 2
    leaf = bw.StumpClassifier().fit({"a": [0, 0], "b": [1, 1]}, ["x", "y"])
    found = bw.study.regions(leaf, {"a": [0, 0], "b": [1, 1]}, ["x", "y"])
    assert len(found.boxes) == 1 and "everywhere" in found.to_svg()


def test_a_model_has_regions_as_its_estimator_has():
    tree = bw.TreeClassifier().fit(FOOD.X, FOOD.y)
    ours, models = (bw.study.regions(one, FOOD.X, FOOD.y).to_svg() for one in (tree, tree.model_))
    assert ours == models


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({}, ParameterError, r"tests 3 columns: 'Outlook', 'Humidity', 'Wind'. Choose two, as in features=\('Out"),
        ({"features": ["Outlook"]}, ParameterError, "expected two different columns"),
        ({"features": ["Wind", 3]}, ParameterError, "expected two different columns"),
        ({"features": ["Wind", "Outlok"]}, ParameterError, "Did you mean 'Outlook'"),
        ({"features": "ab"}, ParameterError, "features='ab'"),
        ({"features": (0, 2), "fixed": {"Outlook": "Rain"}}, ParameterError, "one of the two columns"),
        ({"features": (0, 2), "fixed": {"Wind": "Strng"}}, ParameterError, "Did you mean 'Strong'"),
        ({"features": (0, 2), "fixed": {"Wind": None}}, ParameterError, "no category"),
        ({"features": (0, 2), "fixed": {"Storm": 1}}, ParameterError, "no column 'Storm'"),
        ({"features": (0, 2), "y": ["Yes"]}, DataError, "X has 14 rows, but y has 1"),
        ({"features": (0, 2), "y": ["Maybe"] * 14}, TargetError, "'Maybe'"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_with_the_way_out(changes, error, says):
    y = changes.pop("y", TENNIS.y)
    with pytest.raises(error, match=says):
        bw.study.regions(tennis_tree(), TENNIS.X, y, **changes)


def test_numbers_held_must_be_numbers():
    X, y = random_numbers(columns=3)
    tree = bw.TreeClassifier().fit(X, y)
    for wrong in ("a", None, float("nan")):
        with pytest.raises(ParameterError, match="expected a number"):
            bw.study.regions(tree, X, y, features=(0, 1), fixed={2: wrong})
    X[:, 2] = np.nan
    with pytest.raises(DataError, match="'x2' has no known cell to hold it at"):
        bw.study.regions(tree, X, y, features=(0, 1))


def test_only_fitted_trees_have_regions():
    X, y = random_numbers(n=50)
    for other in (RandomForestClassifier(n_estimators=2).fit(X, y), bw.TreeClassifier(), "tree"):
        with pytest.raises(ParameterError, match=f"got {type(other).__name__}. Is it fitted"):
            bw.study.regions(other, X, y)
    with pytest.raises(ParameterError, match="answers by its rules"):
        bw.study.regions(bw.RuleListClassifier().fit(X, y), X, y)
    with pytest.raises(ParameterError, match="trained on one"):
        bw.study.regions(bw.TreeClassifier().fit(X[:, :1], y), X[:, :1], y)


def test_rows_without_a_place_are_counted():
    X = [[0.0, 1.0], [1.0, np.nan], [np.inf, 1.0], [3.0, 0.0]]
    found = bw.study.regions(bw.TreeClassifier().fit(X, list("abab")), X, list("abab"))
    assert len(found.plane.points) == 2
    assert found.plane.caption == (
        "2 rows without a place on both axes: a cell is missing, infinite or new.",
    )


def test_of_many_rows_some_are_shown_without_a_pattern():
    n = 20_000
    X, y = np.column_stack([np.arange(n), np.arange(n) % 7]), np.arange(n) % 2
    found = bw.study.regions(bw.TreeClassifier(max_depth=2).fit(X, y), X, y)
    points = found.plane.points
    assert abs(len(points) - MOST_POINTS) < 20
    assert f"{len(points)} of 20000 rows are shown." in found.plane.caption
    assert 0.45 < points.answer.mean() < 0.55
    assert (
        len(bw.study.regions(bw.TreeClassifier().fit(X[:2000], y[:2000]), X[:2000], y[:2000]).plane.points)
        == 2000
    )


def test_points_of_two_classes_at_one_place_stand_side_by_side():
    X, y = [[0.0, 0.0]] * 4 + [[1.0, 1.0]], list("ababa")
    points = bw.study.regions(bw.TreeClassifier().fit(X, y), X, y).plane.points
    assert points.x[0] == points.x[2] == -points.x[1] == -points.x[3] < 0
    assert points.x[4] == 1


def test_extremes_and_constants_are_drawn():
    largest = np.finfo(float).max
    for column in (
        [-largest, largest, 0.0, 1.0],
        [5e-324, 0.0, 1e-323, 0.0],
        [3.0] * 4,
        [-np.inf, np.inf, 0, 1],
    ):
        X, y = np.column_stack([column, [0.0, 1, 2, 3]]), list("abab")
        with np.errstate(all="raise", under="ignore"):
            text = bw.study.regions(bw.TreeClassifier().fit(X, y), X, y, features=(0, 1)).to_svg()
        assert "nan" not in text and "inf" not in text.replace("infinite", "")
        ElementTree.fromstring(text)


def test_declared_classes_that_training_never_saw_may_be_among_the_points():
    y = pd.Series(pd.Categorical(["a", "b", "a", "b"], categories=["z", "a", "b"]))
    X = [[0.0, 0], [1, 0], [0, 1], [1, 1]]
    tree = bw.TreeClassifier().fit(X, y)
    found = bw.study.regions(tree, X, ["a", "b", "z", "b"])
    assert found.plane.key.names == ("a", "b", "z") and found.plane.occurring == [0, 1, 2]
    assert ">z</text>" in found.to_svg()


def test_import_is_lazy_and_says_what_there_is():
    assert "regions" in dir(bw.study) and bw.study.Regions.__name__ == "Regions"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bw.study.nothing  # noqa: B018
