"""Neighbours as estimators: mixed tables, explanations, files, and what is refused."""

import hashlib
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV

import branchwork as bw
from branchwork.errors import (
    BranchworkWarning,
    DataError,
    ModelFormatError,
    OneClassWarning,
    ParameterError,
    UnseenCategoryWarning,
)
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "size": RNG.normal(size=80).round(2),
        "colour": ["red" if k % 3 else None if k % 2 else "blue" for k in range(80)],
        "old": RNG.random(80) < 0.4,
        "price": np.where(RNG.random(80) < 0.1, np.nan, RNG.normal(size=80) * 1e6),
    }
)
Y = pd.Series(np.where(X["size"] + X["old"] > 0.3, "buy", "leave"), name="verdict")
Z = X["size"] * 2 + X["old"]
WEIGHTS = RNG.integers(0, 4, 80) / 2
TENNIS = bw.datasets.load("play_tennis")


def test_mixed_tables_go_straight_in():
    near = bw.NeighboursClassifier(3).fit(X, Y)
    assert near.score(X, Y) > 0.8 and near.classes_.tolist() == ["buy", "leave"]
    numbers = bw.NeighboursRegressor(3, weights="distance").fit(X, Z)
    assert numbers.score(X, Z) > 0.9
    assert numbers.model_.predict(X).tolist() == numbers.predict(X).tolist()


def test_a_larger_scale_changes_mixed_distances_nowhere_and_euclidean_ones():
    larger = X.assign(size=X["size"] * 1024)
    same = [bw.NeighboursClassifier(3).fit(table, Y).kneighbors(table)[1] for table in (X, larger)]
    assert (same[0] == same[1]).all()
    other = [
        bw.NeighboursClassifier(3, metric="euclidean").fit(table, Y).kneighbors(table)[1]
        for table in (X, larger)
    ]
    assert (other[0] != other[1]).any()


def test_a_weighted_vote_breaks_ties_of_an_even_k():
    X2, y = [[0.0], [4.0]], ["a", "b"]
    assert bw.NeighboursClassifier(2).fit(X2, y).predict([[3.0]]).tolist() == [
        "a"
    ]  # a tie: the earlier label
    weighted = bw.NeighboursClassifier(2, weights="distance").fit(X2, y)
    assert weighted.predict([[3.0]]).tolist() == ["b"]
    np.testing.assert_allclose(weighted.predict_proba([[3.0]]), [[0.1, 0.9]])  # 1/9 and 1
    first = bw.NeighboursClassifier(2, weights="distance", power=1).fit(X2, y)
    np.testing.assert_allclose(first.predict_proba([[3.0]]), [[0.25, 0.75]])


def test_why_shows_the_neighbours():
    near = bw.NeighboursClassifier(3, weights="distance").fit(TENNIS.X, TENNIS.y)
    row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "Normal", "Wind": "Strong"}
    found = near.why(row)
    told = found.to_dict()
    assert told["prediction"] == near.predict([row])[0] == found.prediction
    distances, rows = near.kneighbors([row])
    assert [one["row"] for one in told["neighbours"]] == rows[0].tolist()
    assert [one["distance"] for one in told["neighbours"]] == distances[0].tolist()
    assert sum(one["vote"] for one in told["neighbours"]) == pytest.approx(1)
    assert sum(one["share"] for one in told["votes"]) == pytest.approx(1)
    assert all(one["cells"] == TENNIS.X.row(one["row"]) for one in told["neighbours"])
    assert all(one["answer"] == TENNIS.y[one["row"]] for one in told["neighbours"])
    assert (
        str(rows[0][0]) in str(found) and "asked" in str(found) and "votes weighted by distance" in str(found)
    )
    assert near.model_.why(row).to_dict() == told
    numbers = bw.NeighboursRegressor(2).fit(X, Z).why(X[:1])
    assert numbers.prediction == pytest.approx(np.mean([one.answer for one in numbers.neighbours]))
    assert "the mean of the nearest 2 neighbours" in str(numbers) and numbers.votes is None
    wide = pd.DataFrame(RNG.normal(size=(5, 10)))
    assert "2 more features in to_dict()" in str(bw.NeighboursRegressor(1).fit(wide, range(5)).why(wide[:1]))
    with pytest.raises(DataError, match="one row"):
        near.why(TENNIS.X)


def test_the_search_says_what_it_is_and_why():
    few, many = RNG.normal(size=(20, 15)), RNG.normal(size=(20, 16))
    near = bw.NeighboursClassifier().fit(few, np.arange(20) % 2)
    assert near.search_.method == "kd_tree" and str(near.search_).startswith("kd_tree: 15 coordinates")
    assert bw.NeighboursClassifier().fit(many, np.arange(20) % 2).search_.method == "brute"


@pytest.mark.parametrize("suffix", [".bw", ".json"])
@pytest.mark.parametrize("weighted", [False, True])
def test_neighbours_come_back_from_a_file(tmp_path, suffix, weighted):
    settings = {"metric": "manhattan", "weights": "distance", "power": 1.5, "feature_weights": {"size": 2}}
    for kind, y in ((bw.NeighboursClassifier, Y), (bw.NeighboursRegressor, Z)):
        near = kind(4, **settings).fit(X, y, sample_weight=WEIGHTS if weighted else None)
        loaded = bw.load(bw.save(near, tmp_path / f"near{suffix}"))
        assert isinstance(loaded, bw.Neighbours) and loaded.target == near.model_.target
        assert loaded.predict(X).tolist() == near.model_.predict(X).tolist()
        assert loaded.outputs(X).tobytes() == near.model_.outputs(X).tobytes()
        assert loaded.why(X[:1]).to_dict() == near.why(X[:1]).to_dict()
        again = pickle.loads(pickle.dumps(near))
        assert again.predict(X).tolist() == near.predict(X).tolist()
        assert to_bytes(loaded) == to_bytes(near.model_)
        assert to_json_bytes(loaded) == to_json_bytes(near.model_)


def test_a_damaged_file_is_refused():
    model = bw.NeighboursClassifier(2).fit(X[:20], Y[:20], sample_weight=WEIGHTS[20:40]).model_
    data = to_bytes(model)
    for place in range(0, len(data), max(1, len(data) // 300)):
        with pytest.raises(ModelFormatError):
            from_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(ModelFormatError):
            from_bytes(data[:place])


CHANGES = [
    ('"k": 2', '"k": 200', "k=200"),
    ('"k": 2', '"k": 0', "neighbours.k"),
    ('"metric": "mixed"', '"metric": "far"', "neighbours.metric"),
    ('"power": 2.0', '"power": 0', "neighbours.power"),
    ('"power": 2.0', '"power": null', "neighbours.power"),
    ('"rows": 6', '"rows": 7', "rows"),
    ("[1.0, 1.0]", "[0.0, 0.0]", "all 0"),
    ("[1.0, 1.0]", "[-1.0, 1.0]", r"feature_weights\[0\]"),
    ("[1.0, 1.0]", "[1.0]", "feature_weights"),
    ('"target": null', '"target": 7', "neighbours.target"),
    ('"target": null, "declared": false', '"target": null, "declared": 0', "neighbours.declared"),
    ('"handle_unknown": "missing"', '"handle_unknown": "majority"', "handle_unknown"),
    ('[5.0, "v"]', '[5.0, "w"]', r"rows\[5\].cells\[1\]"),
    ('[5.0, "v"]', '["inf", "v"]', "not finite"),
    ('[5.0, "v"]', '["5", "v"]', r"rows\[5\].cells\[0\]"),
    ('[5.0, "v"]', "[5.0]", r"rows\[5\].cells"),
    ('"answer": "b"', '"answer": "c"', "no label"),
    ('"weight": 2.0', '"weight": -2.0', "weight"),
    ('"weight": 2.0', '"weight": null', "weight"),
    (', "weight": 2.0', "", "weight"),
]


@pytest.mark.parametrize(("old", "new", "says"), CHANGES)
def test_a_crafted_file_is_refused_by_its_place(old, new, says):
    rows = {"n": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "c": list("uuuuuv")}
    model = bw.NeighboursClassifier(2).fit(rows, list("aaaaab"), sample_weight=[1, 1, 1, 1, 1, 2]).model_
    text = to_json_bytes(model).decode()
    assert text.count(old) == 1
    crafted = text.replace(old, new)
    blank = re.sub(r'"sha256": "[0-9a-f]{64}"', f'"sha256": "{"0" * 64}"', crafted)
    seal = hashlib.sha256(blank.encode()).hexdigest()
    with pytest.raises(ModelFormatError, match=says):
        from_json_bytes(blank.replace("0" * 64, seal, 1).encode())


def test_missing_and_unseen_categories_differ_from_everything():
    rows = {"c": ["a", "b", None], "n": [0.0, 1.0, 0.0]}
    near = bw.NeighboursClassifier(3).fit(rows, list("xyz"))
    with pytest.warns(UnseenCategoryWarning):
        assert near.kneighbors({"c": ["q"], "n": [0.0]})[0].tolist() == [[1.0, 1.0, 2**0.5]]
    assert near.kneighbors({"c": [None], "n": [0.0]})[0].tolist() == [[1.0, 1.0, 2**0.5]]
    assert near.kneighbors({"c": ["a"], "n": [None]})[1].tolist() == [[0, 1, 2]]
    with pytest.raises(DataError, match="'q' was not in the training table"):
        bw.NeighboursClassifier(1, handle_unknown="error").fit(rows, list("xyz")).predict(
            {"c": ["q"], "n": [0.0]}
        )


REFUSED = [
    (bw.NeighboursClassifier(6), "k=6, but there are 5 rows .* at most 5"),
    (
        bw.NeighboursClassifier(2, feature_weights=[1.0]),
        "has 1 numbers; expected one for each of the 2 features",
    ),
    (bw.NeighboursClassifier(2, feature_weights=[0, 0]), "feature_weights are all 0"),
    (bw.NeighboursClassifier(2, feature_weights={"q": 1}), "feature_weights: There is no column 'q'"),
    (bw.NeighboursClassifier(2, feature_weights=[1, -1]), r"feature_weights\[1\]=-1"),
    (bw.NeighboursClassifier(2, metric="eucliden"), "Did you mean 'euclidean'"),
    (bw.NeighboursClassifier("loo"), "k='loo' is not known; expected a whole number or \"cv\""),
]


@pytest.mark.parametrize(("estimator", "says"), REFUSED)
def test_wrong_settings_are_told(estimator, says):
    with pytest.raises(ParameterError, match=says):
        estimator.fit(np.arange(10.0).reshape(5, 2), list("ababa"))
    assert not hasattr(estimator, "model_")


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e120])
def test_numbers_without_distances_are_refused_by_column_and_row(value):
    rows = np.array([[0.0, 1.0], [1.0, value], [2.0, 3.0]])
    with pytest.raises(DataError, match="Column 'x1', row 1"):
        bw.NeighboursClassifier(1, metric="euclidean").fit(rows, list("aba"))
    near = bw.NeighboursClassifier(1).fit(np.eye(3, 2), list("aba"))
    with pytest.raises(DataError, match="Column 'x1', row 1"):
        near.predict(rows)
    with pytest.raises(DataError, match="differences in it cannot be squared"):
        bw.NeighboursClassifier(1, metric="euclidean").fit([[0.0], [1e-120], [2e-120]], list("aba"))
    with pytest.raises(DataError, match="differences in it cannot be squared"):
        bw.NeighboursClassifier(1).fit([[-1e308], [0.0], [1e308]], list("aba"))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_mixed_distances_do_not_depend_on_the_scale(scale):
    near = bw.NeighboursClassifier(2).fit(np.array([[0.0], [1.0], [4.0]]) * scale, list("aba"))
    assert near.kneighbors([[1.5 * scale]])[0].tolist() == [[0.125, 0.375]]


def test_nothing_to_learn_is_told():
    with pytest.warns(OneClassWarning, match="one class only"):
        bw.NeighboursClassifier(2).fit([[1.0], [2.0]], ["a", "a"])
    with pytest.warns(OneClassWarning, match="one value only"):
        bw.NeighboursRegressor(2).fit([[1.0], [2.0]], [3.0, 3.0])
    with pytest.warns(BranchworkWarning, match="All rows are the same .* the first 2 of them"):
        same = bw.NeighboursClassifier(2).fit([[1.0], [1.0], [1.0]], ["a", "a", "b"])
    assert same.predict([[9.0]]).tolist() == ["a"]


def test_weights_are_copies_and_kneighbors_refuses_them():
    rows, y = np.array([[0.0], [1.0], [2.0], [3.0]]), list("abab")
    weighted = bw.NeighboursClassifier(3).fit(rows, y, sample_weight=[2, 1, 0, 1.5])
    np.testing.assert_allclose(weighted.predict_proba([[0.1]]), [[2 / 3, 1 / 3]])
    np.testing.assert_allclose(weighted.predict_proba([[2.9]]), [[0.5 / 3, 2.5 / 3]])
    with pytest.raises(ParameterError, match="sample weights"):
        weighted.kneighbors(rows)
    with pytest.raises(ParameterError, match=r"k=5, but there are 4 rows, which weigh 4\.5"):
        bw.NeighboursClassifier(5).fit(rows, y, sample_weight=[2, 1, 0, 1.5])


def test_a_refit_forgets_what_was_chosen():
    near = bw.NeighboursClassifier("cv").fit(X, Y)
    assert near.errors_by_k_ and near.feature_names_in_.tolist() == list(X)
    near.set_params(k=3).fit(X[["size"]].to_numpy(), Y)
    assert not hasattr(near, "errors_by_k_") and not hasattr(near, "feature_names_in_")


def test_votes_and_searches_take_neighbours(tmp_path):
    vote = bw.VoteClassifier([("near", bw.NeighboursClassifier(3)), ("tree", bw.TreeClassifier())]).fit(X, Y)
    assert vote.score(X, Y) > 0.8
    for suffix in (".bw", ".json"):
        loaded = bw.load(bw.save(vote, tmp_path / f"vote{suffix}"))
        assert loaded.predict(X).tolist() == vote.predict(X).tolist()
    with pytest.raises(
        ParameterError, match="'near' is nearest neighbours, which cannot be written together"
    ):
        vote.export("python")
    numbers = bw.VoteRegressor([("near", bw.NeighboursRegressor(2)), ("tree", bw.TreeRegressor())]).fit(X, Z)
    np.testing.assert_allclose(bw.load(bw.save(numbers, tmp_path / "n.bw")).predict(X), numbers.predict(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        search = GridSearchCV(
            bw.NeighboursClassifier(), {"k": [1, 3], "metric": ["mixed", "hamming"]}, cv=3
        ).fit(X, Y)
    assert search.best_params_["metric"] == "mixed"
