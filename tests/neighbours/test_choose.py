"""k and the weights of features by leave-one-out, against leaving out one row after the other."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.neighbours import choose
from branchwork.table.adapt import to_table
from branchwork.table.target import classes
from neighbours.slow_neighbours import answer, nearest, spans, winner


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    rows = [[float(a), "xyz"[c], float(b)] for a, c, b in zip(
        rng.normal(size=n).round(1), rng.integers(0, 3, n), rng.normal(size=n).round(1), strict=True)]  # fmt: skip
    y = ["hi" if row[0] + (row[1] == "x") + rng.normal() / 2 > 0 else "lo" for row in rows]
    return rows, y


def columns(rows):
    return {name: [row[j] for row in rows] for j, name in enumerate("acb")}


def slow_error(rows, y, k, stretch, weights):
    wrong, span = [], spans(rows, [False, True, False])
    for at, row in enumerate(rows):
        found = nearest(rows, row, span, "mixed", stretch, k, [1] * len(rows), leave_out=at)
        said = answer(found, y, weights, 2)
        wrong.append(winner(said) != y[at] if isinstance(y[0], str) else (said - y[at]) ** 2)
    return np.mean(wrong)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_k_has_the_lowest_leave_one_out_error(weights):
    rows, y = table()
    near = bw.NeighboursClassifier("cv", weights=weights).fit(columns(rows), y)
    errors = {k: slow_error(rows, y, k, [1.0] * 3, weights) for k in (1, 3, 5, 7)}
    assert near.errors_by_k_ == pytest.approx(errors)
    assert near.k_ == min(errors, key=lambda k: (errors[k], k))
    z = [row[0] ** 2 for row in rows]
    numbers = bw.NeighboursRegressor("cv", weights=weights).fit(columns(rows), z)
    errors = {k: slow_error(rows, z, k, [1.0] * 3, weights) for k in (1, 3, 5, 7)}
    assert numbers.errors_by_k_ == pytest.approx(errors)
    assert numbers.k_ == min(errors, key=lambda k: (errors[k], k))


def test_the_errors_are_those_of_scikit_learn():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    ours = bw.NeighboursRegressor("cv", metric="euclidean").fit(X, y).errors_by_k_
    for k, error in ours.items():
        said = cross_val_predict(KNeighborsRegressor(k), X, y, cv=LeaveOneOut())
        assert error == pytest.approx(np.mean((said - y) ** 2))


def test_of_equal_errors_the_smaller_k():
    X = [[float(x)] for x in range(20)] + [[float(x)] for x in range(100, 120)]
    near = bw.NeighboursClassifier("cv").fit(X, ["a"] * 20 + ["b"] * 20)
    assert near.errors_by_k_ == {1: 0.0, 3: 0.0, 5: 0.0} and near.k_ == 1


def test_feature_weights_are_found_by_coordinate_search():
    rows, y = table(50, 4)
    near = bw.NeighboursClassifier(3, feature_weights="cv").fit(columns(rows), y)
    best, error = [1.0] * 3, slow_error(rows, y, 3, [1.0] * 3, "uniform")
    while True:
        before = list(best)
        for j in range(3):
            for stretch in (0.0, 0.5, 1.0, 2.0):
                tried = [*best[:j], stretch, *best[j + 1 :]]
                if any(tried) and (found := slow_error(rows, y, 3, tried, "uniform")) < error - 1e-12:
                    best, error = tried, found
        if best == before:
            break
    assert near.feature_weights_.tolist() == best != [1.0] * 3
    assert near.errors_by_k_ == pytest.approx({3: error})
    both = bw.NeighboursClassifier("cv", feature_weights="cv").fit(columns(rows), y)
    assert both.errors_by_k_[both.k_] <= error


def test_features_of_noise_get_less_weight():
    X = np.random.default_rng(0).normal(size=(150, 5))
    y = X[:, 0] > 0
    near = bw.NeighboursClassifier(5, feature_weights="cv").fit(X, y)
    assert near.feature_weights_[0] > near.feature_weights_[1:].max()
    plain = bw.NeighboursClassifier("cv").fit(X, y)
    assert near.errors_by_k_[5] < plain.errors_by_k_[5] / 2


def test_copies_are_left_out_one_at_a_time():
    rows, y = table(40, 3)
    copies = np.random.default_rng(1).integers(0, 3, 40)
    again = [k for k, n in enumerate(copies) for _ in range(n)]
    X = columns(rows)
    weighted = bw.NeighboursClassifier("cv", feature_weights="cv").fit(X, y, sample_weight=copies)
    repeated = bw.NeighboursClassifier("cv", feature_weights="cv").fit(
        columns([rows[k] for k in again]), [y[k] for k in again]
    )
    assert weighted.errors_by_k_ == pytest.approx(repeated.errors_by_k_)
    assert weighted.k_ == repeated.k_
    assert (weighted.feature_weights_ == repeated.feature_weights_).all()


def test_threads_and_blocks_change_no_digit(monkeypatch):
    rows, y = table(200, 6)
    chosen = []
    for pairs, jobs in ((2**21, 1), (64, 1), (1, 2)):
        monkeypatch.setattr("branchwork.neighbours.nearest.PAIRS_AT_ONCE", pairs)
        near = bw.NeighboursClassifier("cv", weights="distance", n_jobs=jobs).fit(columns(rows), y)
        chosen.append((near.errors_by_k_, near.predict_proba(columns(rows)).tobytes()))
    assert chosen[0] == chosen[1] == chosen[2]


def test_too_few_rows_are_told():
    with pytest.raises(ParameterError, match='k="cv" leaves one row out and needs at least two; there is 1'):
        bw.NeighboursClassifier("cv").fit([[1.0]], ["a"])
    with pytest.raises(ParameterError, match="k=3 neighbours need 3 others; 2 are left"):
        bw.NeighboursClassifier(3, feature_weights="cv").fit([[1.0], [2.0], [3.0]], list("aba"))


def test_a_progress_bar_counts_the_rows(capfd, monkeypatch):
    rows, y = table(30)
    bw.NeighboursClassifier(3, feature_weights="cv", verbose=1).fit(columns(rows), y)
    assert "NeighboursClassifier" in capfd.readouterr().err
    assert choose.rows_of_two_passes(30, 3) == 30 * 19
    told: list[int] = []
    monkeypatch.setattr("branchwork.neighbours.nearest.PAIRS_AT_ONCE", 50)
    weights, ones = np.ones(30), (1.0, 1.0, 1.0)
    task = choose.Task(to_table(columns(rows)), classes(y), weights, "mixed", "uniform", 2.0, 1, told.append)
    choose.choose_k(task, (1, 3, 5), ones)
    assert sum(told) == 30 and len(told) == 3
