"""AdaBoost, against the lecture's loop written out, and its rules for ending."""

import math

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import BoostingWarning, DataError, InterruptedWarning, ParameterError, TargetError
from branchwork.learn import adaboost as module
from branchwork.learn.sampling import Sampling
from branchwork.store.container import to_bytes
from branchwork.table.adapt import to_table

N = 120


def rows(seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    X = {
        "a": rng.normal(size=N).round(1),
        "b": rng.integers(0, 4, N).astype(float),
        "c": [None if k == 3 else "xyz"[k] for k in rng.integers(0, 4, N)],
    }
    z = X["a"] + (X["b"] > 1) + rng.normal(size=N)
    cuts = np.quantile(z, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.array(["p", "q", "r"])[np.digitize(z, cuts)], z.round(2)


def slow_adaboost(X, y, member, rounds, algorithm, n_classes):
    """The lecture's loop: weights 1/n, wrong rows up, and a vote by confidence."""
    weights = [1 / N] * N
    found = []
    for _ in range(rounds):
        tree = member().fit(X, y, sample_weight=np.array(weights) * N)
        wrong = tree.predict(X) != y
        error = sum(w for w, miss in zip(weights, wrong, strict=True) if miss)
        if error == 0 or error >= (0.5 if algorithm == "m1" else 1 - 1 / n_classes):
            break
        confidence = math.log((1 - error) / error) + (math.log(n_classes - 1) if algorithm == "samme" else 0)
        found.append((weights, error, confidence, tree))
        weights = [w * math.exp(confidence) if miss else w for w, miss in zip(weights, wrong, strict=True)]
        weights = [w / sum(weights) for w in weights]
    return found


MEMBERS = {
    "stump": lambda: bw.TreeClassifier(max_depth=1),
    "C4.5": bw.C45Classifier,
    "leaves of five": lambda: bw.TreeClassifier(max_depth=4, min_samples_leaf=5),
    "CHAID": lambda: bw.CHAIDClassifier(alpha_split=0.3),
    "ID3": lambda: bw.ID3Classifier(max_depth=2),
}


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("algorithm", ["samme", "m1"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_rounds_are_those_of_the_lecture(member, algorithm, n_classes):
    X, y, _ = rows(n_classes=n_classes)
    wanted = slow_adaboost(X, y, MEMBERS[member], 6, algorithm, n_classes)
    ours = bw.AdaBoostClassifier(MEMBERS[member](), 6, algorithm=algorithm).fit(X, y)
    assert len(ours.stages_) == len(wanted) >= 1
    weights = ours.stage_weights(X, y)
    for k, (stage, (w, error, confidence, tree)) in enumerate(zip(ours.stages_, wanted, strict=True)):
        assert stage.error == pytest.approx(error, rel=1e-9)
        assert stage.confidence == pytest.approx(confidence, rel=1e-9)
        assert stage.tree.feature.tolist() == tree.tree_.feature.tolist()
        np.testing.assert_allclose(weights[k], w, rtol=1e-9)
    votes = np.zeros((N, n_classes))
    for _, _, confidence, tree in wanted:
        votes += confidence * (tree.predict(X)[:, None] == ours.classes_)
    assert (ours.predict(X) == ours.classes_[votes.argmax(axis=1)]).all()
    if algorithm == "m1":
        shares = np.exp(votes) / np.exp(votes).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(ours.predict_proba(X), shares, rtol=1e-9)


def test_weights_of_every_round_sum_to_1_and_are_drawn_and_printed():
    X, y, _ = rows()
    ours = bw.AdaBoostClassifier(n_estimators=5).fit(X, y)
    weights = ours.stage_weights(X, y)
    assert weights.shape == (5, N) and len(weights) == 5
    np.testing.assert_allclose(np.asarray(weights).sum(axis=1), 1)
    assert weights[0].tolist() == [1 / N] * N
    assert "round 5" in str(weights) and "* the tree of this round is wrong" in str(weights)
    assert weights.to_svg().count("<circle") == 5 * 80
    text = str(ours.stages_)
    assert text.splitlines()[0].split() == ["round", "error", "confidence", "leaves"]
    assert len(text.splitlines()) == 6
    assert ours.stages_.to_svg().startswith("<svg")
    assert [stage.tree for stage in ours.stages_] == list(ours.trees_)
    long = bw.AdaBoostClassifier(n_estimators=40).fit(X, y)
    assert str(long.stages_).endswith("… 10 more")


def test_stumps_keep_their_working():
    X, y, _ = rows()
    ours = bw.AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert ours.estimators_[2].working().to_dict()[0]["feature"] == "a"


def test_resampling_draws_rows_by_weight_and_judges_on_all_rows():
    X, y, _ = rows()
    ours = bw.AdaBoostClassifier(n_estimators=5, method="resample", random_state=4).fit(X, y)
    table = to_table(X)
    weights = np.full(N, 1 / N)
    for k, stage in enumerate(ours.stages_):
        copies = Sampling(N, N, 4, weights=weights).copies(k)
        drawn = np.repeat(np.arange(N), copies)
        tree = bw.TreeClassifier(max_depth=1).fit(table.take(drawn), y[drawn])
        assert tree.tree_.cut.tolist()[:1] == stage.tree.cut.tolist()[:1]
        wrong = tree.predict(X) != y
        assert stage.error == pytest.approx(weights[wrong].sum())
        weights = weights * np.where(wrong, np.exp(stage.confidence), 1)
        weights /= weights.sum()
    assert ours.model_.ensemble.seed == 4
    assert bw.AdaBoostClassifier(n_estimators=2).fit(X, y).model_.ensemble.seed is None


@pytest.mark.parametrize("kind", [bw.AdaBoostClassifier, bw.AdaBoostRegressor])
def test_rows_that_were_drawn_count_once_whatever_their_weights(kind):
    X, labels, numbers = rows()
    weights = np.random.default_rng(3).random(N) * 5
    settings = {"method": "resample"} if kind is bw.AdaBoostClassifier else {}
    boosted = kind(n_estimators=4, **settings)
    boosted.fit(X, labels if kind is bw.AdaBoostClassifier else numbers, sample_weight=weights)
    for tree in boosted.trees_:
        assert tree.weight[0] == tree.n_rows[0] == N


def test_a_perfect_sample_is_drawn_again_up_to_ten_times(monkeypatch):
    X, y = np.arange(20.0)[:, None], np.arange(20) // 10
    drawn = []
    original = Sampling.copies

    def counted(self, tree, attempt=0):
        drawn.append(attempt)
        return original(self, tree, attempt)

    monkeypatch.setattr(module.Sampling, "copies", counted)
    ours = bw.AdaBoostClassifier(method="resample", n_estimators=1).fit(X, y)
    assert len(ours.stages_) == 1
    assert drawn == list(range(len(drawn))) and (len(drawn) == 10 or ours.stages_[0].error > 0)


def test_a_perfect_tree_ends():
    X, y = np.arange(20.0)[:, None], np.arange(20) // 10
    for algorithm in ("samme", "m1"):
        ours = bw.AdaBoostClassifier(algorithm=algorithm).fit(X, y)
        assert [(stage.error, stage.confidence) for stage in ours.stages_] == [(0, 1)]
        assert (ours.predict(X) == y).all()


def test_a_first_tree_that_only_guesses():
    X, y = np.zeros((6, 1)), np.array([0, 0, 1, 1, 2, 2])
    with pytest.raises(TargetError, match=r"worse than random.* 0\.6667.* below 0\.6667"):
        bw.AdaBoostClassifier().fit(X, y)
    with pytest.warns(BoostingWarning, match=r"0\.6667"):
        ours = bw.AdaBoostClassifier(algorithm="m1").fit(X, y)
    assert len(ours.stages_) == 1 and ours.predict(X).tolist() == [0] * 6


def test_r2_is_druckers_loop():
    X, _, y = rows()
    ours = bw.AdaBoostRegressor(n_estimators=8, random_state=2).fit(X, y)
    table, weights = to_table(X), np.full(N, 1 / N)
    said, votes = [], []
    for k, stage in enumerate(ours.stages_):
        drawn = np.repeat(np.arange(N), Sampling(N, N, 2, weights=weights).copies(k))
        tree = bw.TreeRegressor(max_depth=3).fit(table.take(drawn), y[drawn])
        loss = np.abs(tree.predict(X) - y)
        loss /= loss.max()
        error = (weights * loss).sum()
        beta = error / (1 - error)
        assert stage.error == pytest.approx(error) and stage.confidence == pytest.approx(math.log(1 / beta))
        weights = weights * beta ** (1 - loss)
        weights /= weights.sum()
        said.append(tree.predict(X))
        votes.append(math.log(1 / beta))
    for row in range(N):
        order = sorted(range(len(said)), key=lambda k: said[k][row])
        reached = 0.0
        for k in order:
            reached += votes[k]
            if reached >= sum(votes) / 2:
                assert ours.predict(table.take([row]))[0] == pytest.approx(said[k][row])
                break
    staged = list(ours.staged_predict(X))
    np.testing.assert_array_equal(staged[-1], ours.predict(X))
    assert len(staged) == len(ours)


@pytest.mark.parametrize("kind", [bw.AdaBoostClassifier, bw.AdaBoostRegressor])
def test_the_model_file_is_the_same_for_any_number_of_threads(kind):
    X, labels, numbers = rows()
    y = labels if kind is bw.AdaBoostClassifier else numbers
    assert len({to_bytes(kind(n_estimators=6, n_jobs=jobs).fit(X, y).model_) for jobs in (1, 2, 5)}) == 1


def test_sample_weights_are_where_the_rows_begin():
    X, y, _ = rows()
    weights = np.random.default_rng(0).integers(0, 3, N)
    ours = bw.AdaBoostClassifier(n_estimators=4).fit(X, y, sample_weight=weights)
    start = ours.stage_weights(X, y, weights)[0]
    np.testing.assert_allclose(start, weights[weights > 0] / weights.sum())


def test_ctrl_c_and_callbacks():
    X, y, _ = rows()
    assert len(bw.AdaBoostClassifier(n_estimators=9, callback=lambda k, _: k == 3).fit(X, y)) == 4
    with pytest.raises(ParameterError, match="learning_rate=0"):
        bw.AdaBoostClassifier(learning_rate=0).fit(X, y)


def test_ctrl_c_keeps_the_rounds_that_are_done(monkeypatch):
    X, y, _ = rows()
    original = module._round

    def interrupted(*given):
        if given[-1] == 3:
            raise KeyboardInterrupt
        return original(*given)

    monkeypatch.setattr(module, "_round", interrupted)
    with pytest.warns(InterruptedWarning, match="after 3 of 9 rounds"):
        assert len(bw.AdaBoostClassifier(n_estimators=9, on_interrupt="keep").fit(X, y)) == 3
    with pytest.raises(KeyboardInterrupt):
        bw.AdaBoostClassifier(n_estimators=9).fit(X, y)


def test_weights_on_rows_for_which_the_rounds_would_have_ended():
    tennis = bw.datasets.load("play_tennis")
    est = bw.AdaBoostClassifier(n_estimators=3).fit(tennis.X, tennis.y)
    turned = ["No" if label == "Yes" else "Yes" for label in tennis.y]
    with pytest.raises(DataError, match=r"tree 0 has a weighted error of 0\.6429.*the rows of the fit"):
        est.stage_weights(tennis.X, turned)
