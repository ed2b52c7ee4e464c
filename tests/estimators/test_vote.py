"""Votes of different learners: counted by hand, saved, exported, and refused where a member is foreign."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import branchwork as bw
from branchwork.errors import ModelFormatError, ParameterError
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes

RNG = np.random.default_rng(0)
X = {
    "a": RNG.normal(size=90).round(1),
    "c": [None if k == 3 else "xyz"[k] for k in RNG.integers(0, 4, 90)],
    "d": np.where(RNG.random(90) < 0.1, np.nan, RNG.normal(size=90)),
}
Z = X["a"] + RNG.normal(size=90) / 2
Y = np.array(["low", "mid", "high"])[np.digitize(Z, [-0.5, 0.5])]
NUMBERS = np.column_stack([X["a"], np.nan_to_num(X["d"])])


def members():
    return [
        ("tree", bw.TreeClassifier(max_depth=3, missing="larger")),
        ("id3", bw.ID3Classifier(max_depth=2)),
        ("stump", bw.StumpClassifier()),
    ]


@pytest.mark.parametrize("weights", [None, [1, 2, 4], [0, 1, 0]])
@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_votes_are_counted(weights, combine):
    vote = bw.VoteClassifier(members(), weights=weights, combine=combine).fit(X, Y)
    alone = [clone(member).fit(X, Y) for _, member in members()]
    shares = np.array(weights or [1, 1, 1]) / sum(weights or [1, 1, 1])
    wanted = np.zeros((90, 3))
    for share, member in zip(shares, alone, strict=True):
        said = (
            member.predict_proba(X)
            if combine == "mean"
            else (member.predict(X)[:, None] == member.classes_).astype(float)
        )
        wanted += share * said
    np.testing.assert_allclose(vote.predict_proba(X), wanted, atol=1e-12)
    assert vote.classes_.tolist() == ["high", "low", "mid"]
    assert (vote.predict(X) == vote.classes_[wanted.round(11).argmax(axis=1)]).all()
    np.testing.assert_allclose(vote.model_.predict_proba(X), vote.predict_proba(X), atol=1e-12)
    assert vote.model_.predict(X).tolist() == vote.predict(X).tolist()
    assert vote.model_.score(X, Y) == pytest.approx(vote.score(X, Y))
    assert list(vote.named_estimators_) == ["tree", "id3", "stump"]


def test_members_may_be_scikit_learns():
    vote = bw.VoteClassifier(
        [("near", KNeighborsClassifier(3)), ("line", LogisticRegression()), ("tree", bw.TreeClassifier())],
        combine="mean",
    ).fit(NUMBERS, Y)
    wanted = np.mean([member.predict_proba(NUMBERS) for member in vote.estimators_], axis=0)
    np.testing.assert_allclose(vote.predict_proba(NUMBERS), wanted)
    assert vote.model_ is None
    with pytest.raises(ParameterError, match="'near' of this vote is a KNeighborsClassifier of sklearn"):
        bw.save(vote, "vote.bw")
    with pytest.raises(ParameterError, match="'near' of this vote"):
        vote.export("python")
    assert "near" in str(vote.why(NUMBERS[:1]))
    numbers = bw.VoteRegressor(
        [("near", KNeighborsRegressor(3)), ("tree", bw.TreeRegressor())], weights=[3, 1]
    )
    numbers.fit(NUMBERS, Z)
    wanted = (3 * numbers.estimators_[0].predict(NUMBERS) + numbers.estimators_[1].predict(NUMBERS)) / 4
    np.testing.assert_allclose(numbers.predict(NUMBERS), wanted)


def test_who_voted_what():
    vote = bw.VoteClassifier(members(), weights=[1, 1, 3]).fit(X, Y)
    row = {"a": 0.4, "c": "x", "d": None}
    found = vote.why(row)
    assert [one["name"] for one in found.to_dict()["votes"]] == ["tree", "id3", "stump"]
    assert [one["says"] for one in found.to_dict()["votes"]] == [
        m.predict([row])[0] for m in vote.estimators_
    ]
    assert found.prediction == vote.predict([row])[0]
    assert "of 5 votes by weight" in str(found) and "weight 3" in str(found)
    with pytest.raises(bw.errors.BranchworkError):
        vote.why(X)
    numbers = bw.VoteRegressor([("a", bw.TreeRegressor()), ("b", bw.StumpRegressor())]).fit(X, Z)
    assert "the mean of 2 answers" in str(numbers.why(row))


@pytest.mark.parametrize("suffix", [".bw", ".json"])
@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_a_vote_is_saved_with_its_members(tmp_path, suffix, combine):
    mixed = [
        *members(),
        ("forest", bw.RandomForestClassifier(4)),
        ("rules", bw.RuleListClassifier()),
        ("boosted", bw.AdaBoostClassifier(n_estimators=3)),
    ]
    vote = bw.VoteClassifier(mixed, weights=[1, 1, 1, 2, 1, 1], combine=combine).fit(X, Y)
    loaded = bw.load(bw.save(vote, tmp_path / f"vote{suffix}"))
    assert loaded.names == tuple(name for name, _ in mixed)
    assert loaded.predict(X).tolist() == vote.predict(X).tolist()
    np.testing.assert_allclose(loaded.predict_proba(X), vote.predict_proba(X), atol=1e-12)
    again = pickle.loads(pickle.dumps(vote))
    assert again.predict(X).tolist() == vote.predict(X).tolist()
    assert again.model_.names == loaded.names
    numbers = bw.VoteRegressor([("a", bw.TreeRegressor()), ("b", bw.StumpRegressor())]).fit(X, Z)
    loaded = bw.load(bw.save(numbers, tmp_path / f"numbers{suffix}"))
    np.testing.assert_allclose(loaded.predict(X), numbers.predict(X))


def test_a_damaged_member_is_refused_by_its_place():
    vote = bw.VoteClassifier(members()).fit(X, Y).model_
    data = bytearray(to_bytes(vote))
    refused = 0
    for place in range(0, len(data), max(1, len(data) // 300)):
        worse = bytes(data[:place]) + bytes([data[place] ^ 1]) + bytes(data[place + 1 :])
        with pytest.raises(ModelFormatError):
            from_bytes(worse)
        refused += 1
    assert refused >= 300
    text = to_json_bytes(vote).decode()
    for old, new in (('"names": ["tree"', '"names": ["id3"'), ('"combine": "vote"', '"combine": "duel"')):
        assert old in text
        with pytest.raises(ModelFormatError):
            from_json_bytes(text.replace(old, new).encode())


@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_a_vote_of_trees_is_exported(combine):
    own = [("tree", bw.TreeClassifier(max_depth=3, missing="larger")), ("stump", bw.StumpClassifier())]
    if combine == "mean":
        own.append(("forest", bw.RandomForestClassifier(5)))
    vote = bw.VoteClassifier(own, weights=[2.0, 1.0, 1.5][: len(own)], combine=combine).fit(X, Y)
    names: dict = {}
    exec(vote.export("python"), names)
    rows = [{name: X[name][k] for name in X} for k in range(90)]
    assert [names["predict"](row) for row in rows] == vote.predict(X).tolist()
    numbers = bw.VoteRegressor([("a", bw.TreeRegressor(max_depth=2)), ("b", bw.StumpRegressor())]).fit(X, Z)
    exec(numbers.export("python"), names)
    np.testing.assert_allclose([names["predict"](row) for row in rows], numbers.predict(X))


def test_a_vote_that_no_program_can_say_is_refused():
    boosted = bw.VoteClassifier(
        [("boosted", bw.AdaBoostClassifier(n_estimators=2)), ("tree", bw.TreeClassifier())]
    )
    with pytest.raises(ParameterError, match="'boosted' is an ensemble"):
        boosted.fit(X, Y).export("python")
    rules = bw.VoteClassifier([("rules", bw.RuleListClassifier()), ("tree", bw.TreeClassifier())]).fit(X, Y)
    with pytest.raises(ParameterError, match="'rules' is a list of rules"):
        rules.export("sql")
    shared = bw.VoteClassifier([("c45", bw.C45Classifier(pruning=None)), ("tree", bw.TreeClassifier())]).fit(
        X, Y
    )
    with pytest.raises(ParameterError, match="share rows"):
        shared.export("python")
    fewer = bw.VoteClassifier([("all", bw.TreeClassifier()), ("few", bw.TreeClassifier(max_levels=1))]).fit(
        X, Y
    )
    with pytest.raises(ParameterError, match="'few' has other categories"):
        fewer.export("python")


WRONG = [
    ({"estimators": []}, "estimators"),
    ({"estimators": None}, "estimators"),
    ({"estimators": [bw.TreeClassifier()]}, "pairs"),
    ({"estimators": [("a__b", bw.TreeClassifier())]}, "'a__b'"),
    ({"estimators": [("weights", bw.TreeClassifier())]}, "'weights'"),
    ({"estimators": [("a", bw.TreeClassifier)]}, "no estimator"),
    ({"estimators": [("a", bw.TreeRegressor())]}, "'a' learns numbers"),
    ({"estimators": [("a", bw.TreeClassifier()), ("a", bw.StumpClassifier())]}, "two members of one name"),
    ({"weights": [1]}, "weights has 1 numbers"),
    ({"weights": [1, -1, 1]}, r"weights\[1\]"),
    ({"weights": [0, 0, 0]}, "all 0"),
    ({"weights": "abc"}, "weights='abc'"),
    ({"combine": "duel"}, "combine='duel'"),
]


@pytest.mark.parametrize(("settings", "says"), WRONG, ids=str)
def test_what_cannot_vote_is_refused_by_name(settings, says):
    vote = bw.VoteClassifier(**{"estimators": members(), **settings})
    with pytest.raises(ParameterError, match=says):
        vote.fit(X, Y)
    assert not hasattr(vote, "estimators_")


def test_settings_of_members_are_set_by_their_names():
    vote = bw.VoteClassifier(members()).set_params(tree__max_depth=1, stump=bw.C45Classifier())
    assert vote.get_params()["tree__max_depth"] == 1
    vote.fit(X, Y)
    assert vote.estimators_[0].get_depth() == 1
    assert isinstance(vote.named_estimators_["stump"], bw.C45Classifier)


def test_weights_of_rows_reach_every_member():
    weights = np.where(Y == "low", 5.0, 1.0)
    vote = bw.VoteClassifier(members()).fit(X, Y, sample_weight=weights)
    alone = bw.StumpClassifier().fit(X, Y, sample_weight=weights)
    assert vote.estimators_[2].tree_.weight.tolist() == alone.tree_.weight.tolist()
    near = bw.VoteClassifier([("near", KNeighborsClassifier(3))])
    with pytest.raises(ParameterError, match="'near', a KNeighborsClassifier, cannot use it"):
        near.fit(NUMBERS, Y, sample_weight=weights)
