"""Disagreement, strength and correlation, against the definitions written out row by row."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.model.diversity import diversity_of_classes, diversity_of_numbers


def slow(decisions, truth, n_classes):
    members, rows = decisions.shape
    margins, raw = [], [[] for _ in range(members)]
    for row in range(rows):
        votes = [np.mean(decisions[:, row] == c) for c in range(n_classes)]
        others = [votes[c] if c != truth[row] else -1 for c in range(n_classes)]
        rival = int(np.argmax(others))
        margins.append(votes[truth[row]] - votes[rival])
        for k in range(members):
            said = decisions[k, row]
            raw[k].append(1 if said == truth[row] else -1 if said == rival else 0)
    spread = np.mean([np.std(one) for one in raw])
    return np.mean(margins), np.var(margins) / spread**2


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_strength_and_correlation_are_breimans(n_classes):
    rng = np.random.default_rng(n_classes)
    truth = rng.integers(0, n_classes, 60)
    decisions = np.where(rng.random((7, 60)) < 0.6, truth, rng.integers(0, n_classes, (7, 60)))
    found = diversity_of_classes(decisions, truth, decisions[0], n_classes)
    strength, correlation = slow(decisions, truth, n_classes)
    assert found.strength == pytest.approx(strength)
    assert found.correlation == pytest.approx(correlation)
    for i in range(7):
        assert found.errors[i] == pytest.approx((decisions[i] != truth).mean())
        for j in range(7):
            assert found.disagreement[i, j] == pytest.approx((decisions[i] != decisions[j]).mean())
    pairs = [found.disagreement[i, j] for i in range(7) for j in range(7) if i != j]
    assert found.mean_disagreement == pytest.approx(np.mean(pairs))


def test_members_that_are_the_same_do_not_differ():
    truth = np.array([0, 1, 1, 0])
    same = diversity_of_classes(np.tile([0, 1, 0, 0], (3, 1)), truth, np.array([0, 1, 0, 0]), 2)
    assert same.mean_disagreement == 0
    assert same.correlation == pytest.approx(1)
    perfect = diversity_of_classes(np.tile(truth, (2, 1)), truth, truth, 2)
    assert perfect.strength == 1 and np.isnan(perfect.correlation)


def test_numbers():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=50)
    answers = truth + rng.normal(size=(4, 50))
    found = diversity_of_numbers(answers, truth, answers.mean(axis=0))
    assert found.disagreement[1, 2] == pytest.approx(np.sqrt(np.mean((answers[1] - answers[2]) ** 2)))
    wanted = [
        np.corrcoef(answers[i] - truth, answers[j] - truth)[0, 1]
        for i in range(4)
        for j in range(4)
        if i != j
    ]
    assert found.correlation == pytest.approx(np.mean(wanted))
    assert found.error < found.errors.min()
    assert "strength" not in str(found) and "correlation" in str(found)


def test_of_an_ensemble():
    X = np.random.default_rng(1).normal(size=(200, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    forest = bw.RandomForestClassifier(9, combine="vote").fit(X[:100], y[:100])
    found = forest.diversity(X[100:], y[100:])
    decisions = np.array([tree.predict(X[100:]) for tree in forest.estimators_])
    assert found.errors.tolist() == [(one != y[100:]).mean() for one in decisions]
    assert found.error == pytest.approx(1 - forest.score(X[100:], y[100:]))
    assert found.to_dict()["members"] == 9
    regressor = bw.RandomForestRegressor(5).fit(X, X[:, 0])
    assert regressor.diversity(X, X[:, 0]).error == pytest.approx(
        np.mean((regressor.predict(X) - X[:, 0]) ** 2)
    )
    vote = bw.VoteClassifier([("a", bw.StumpClassifier()), ("b", bw.TreeClassifier())]).fit(X, y)
    assert vote.diversity(X, y).disagreement[0, 1] == pytest.approx(
        (vote.estimators_[0].predict(X) != y).mean()
    )
