"""Neighbours against a slow computation of their own, whichever search finds them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

import branchwork as bw
import branchwork.neighbours.search as search
from branchwork.neighbours.distance import Metric
from neighbours.slow_neighbours import answer, nearest, spans, winner

METRICS: tuple[Metric, ...] = ("mixed", "euclidean", "manhattan", "hamming")
every_metric = pytest.mark.parametrize("metric", METRICS)


@pytest.fixture(params=["kd_tree", "brute"])
def engine(request, monkeypatch):
    monkeypatch.setattr(search, "MOST_COORDINATES", 0 if request.param == "brute" else 10**6)
    return request.param


def mixed_table(rng, n, missing=0.1):
    """Few different values, so that distances tie, and missing cells."""
    number = rng.integers(0, 6, n) / 10 + 0.1
    rows = [
        [float(a), float(b), "xyz"[c], bool(d)]
        for a, b, c, d in zip(
            number, rng.normal(size=n).round(1), rng.integers(0, 3, n), rng.integers(0, 2, n), strict=True
        )
    ]
    for row, j in itertools.product(rows, range(4)):
        if rng.random() < missing:
            row[j] = None
    return rows


def as_columns(rows):
    return {name: [row[j] for row in rows] for j, name in enumerate("abcd")}


@every_metric
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_neighbours_are_those_of_the_slow_computation(engine, metric, weights, missing):
    rng = np.random.default_rng(METRICS.index(metric))
    rows, queries = mixed_table(rng, 80, missing), mixed_table(rng, 40, missing)
    y = ["uvw"[c] for c in rng.integers(0, 3, 80)]
    copies = rng.integers(0, 3, 80)
    stretch = [1.0, 0.5, 2.0, 1.0]
    near = bw.NeighboursClassifier(4, metric=metric, weights=weights, feature_weights=stretch)
    near.fit(as_columns(rows), y, sample_weight=copies)
    assert near.search_.method == engine
    present = [row for row, n in zip(rows, copies, strict=True) if n]
    columns = spans(present, [False, False, True, True])
    probabilities, labels = near.predict_proba(as_columns(queries)), near.predict(as_columns(queries))
    for q, query in enumerate(queries):
        found = nearest(rows, query, columns, metric, stretch, 4, copies)
        wanted = answer(found, y, weights, 2)
        np.testing.assert_allclose(probabilities[q], list(wanted.values()), atol=1e-9)
        assert labels[q] == winner(wanted)


@every_metric
def test_equally_near_rows_are_taken_in_their_order(engine, metric):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, (200, 4)).astype(float)  # 81 different rows, and very many equal distances
    queries = rng.integers(0, 3, (60, 4)).astype(float)
    near = bw.NeighboursClassifier(7, metric=metric).fit(X, np.arange(200))
    distances, rows = near.kneighbors(queries)
    columns = spans(X.tolist(), [False] * 4)
    for q, query in enumerate(queries.tolist()):
        found = nearest(X.tolist(), query, columns, metric, [1.0] * 4, 7, [1] * 200)
        assert rows[q].tolist() == [at for _, at in found]
        np.testing.assert_allclose(distances[q], [d for d, _ in found], rtol=1e-12)


def test_both_searches_give_the_same_bits(monkeypatch):
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(500, 6)).round(1), rng.normal(size=(300, 6)).round(1)
    X[::7, 2] = np.nan
    queries[::5, 1] = np.nan
    answers = []
    for most in (0, 10**6):
        monkeypatch.setattr(search, "MOST_COORDINATES", most)
        near = bw.NeighboursRegressor(5, weights="distance").fit(X, X[:, 0] ** 2)
        answers.append(
            (near.predict(queries).tobytes(), *(part.tobytes() for part in near.kneighbors(queries)))
        )
    assert answers[0] == answers[1]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_as_scikit_learn_where_it_has_the_same(metric, weights):
    rng = np.random.default_rng(1)
    X, queries = rng.normal(size=(400, 5)), rng.normal(size=(100, 5))
    y, z = rng.integers(0, 3, 400), rng.normal(size=400)
    ours = bw.NeighboursClassifier(6, metric=metric, weights=weights, power=1).fit(X, y)
    theirs = KNeighborsClassifier(6, metric=metric, weights=weights).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(queries), theirs.predict_proba(queries), atol=1e-12)
    numbers = bw.NeighboursRegressor(6, metric=metric, weights=weights, power=1).fit(X, z)
    peer = KNeighborsRegressor(6, metric=metric, weights=weights).fit(X, z)
    np.testing.assert_allclose(numbers.predict(queries), peer.predict(queries), atol=1e-12)
    distances, rows = ours.kneighbors(queries)
    d, r = NearestNeighbors(n_neighbors=6, metric=metric).fit(X).kneighbors(queries)
    assert (rows == r).all()
    np.testing.assert_allclose(distances, d, rtol=1e-12)


def test_hamming_counts_the_features_that_differ():
    near = bw.NeighboursClassifier(1, metric="hamming").fit([[1, 0, 1, 1], [1, 0, 0, 0]], ["a", "b"])
    assert near.kneighbors([[0, 1, 1, 1]])[0].tolist() == [[2.0]]


def test_a_distance_that_is_equal_on_paper_is_a_tie():
    assert 0.3 - 0.2 != 0.2 - 0.1
    near = bw.NeighboursClassifier(1, metric="euclidean").fit([[0.1], [0.3]], ["first", "second"])
    assert near.predict([[0.2]]).tolist() == ["first"]
    assert (
        bw.NeighboursClassifier(1, metric="euclidean").fit([[0.3], [0.1]], ["a", "b"]).predict([[0.2]]) == "a"
    )


def test_only_exact_matches_vote_and_nothing_overflows():
    X, y = [[0.0], [0.0], [1e-90], [1.0]], ["a", "b", "c", "c"]
    near = bw.NeighboursClassifier(4, weights="distance").fit(X, y)
    assert near.predict_proba([[0.0]]).tolist() == [[0.5, 0.5, 0.0]]
    assert near.predict([[0.0]]).tolist() == ["a"]  # equal votes: the earlier label
    assert near.predict_proba([[1e-90]]).tolist() == [[0.0, 0.0, 1.0]]
    close = bw.NeighboursClassifier(2, weights="distance", metric="euclidean").fit(
        [[0.0], [3e-90]], ["a", "b"]
    )
    np.testing.assert_allclose(close.predict_proba([[1e-90]]), [[0.8, 0.2]])


@pytest.mark.filterwarnings("ignore::branchwork.errors.BranchworkWarning")
@given(
    st.lists(st.tuples(st.floats(-50, 50), st.floats(-1e-3, 1e3)), min_size=3, max_size=30),
    st.tuples(st.floats(-60, 60), st.floats(-10, 1100)),
    st.sampled_from(METRICS),
)
def test_any_numbers(rows, query, metric):
    wide = [tuple(0.0 if abs(cell) < 1e-6 else cell for cell in row) for row in rows]
    near = bw.NeighboursRegressor(3, metric=metric).fit(np.array(wide), np.arange(len(wide)))
    found = nearest(wide, query, spans(wide, [False] * 2), metric, [1.0] * 2, 3, [1] * len(wide))
    assert near.predict(np.array([query]))[0] == pytest.approx(np.mean([at for _, at in found]))


def test_rows_that_are_many_times_there_do_not_hide_the_others(engine):
    X = [["a", "x"]] * 500 + [["a", "y"]] * 3 + [["b", "y"]] * 2
    y = ["m"] * 500 + ["n"] * 3 + ["o"] * 2
    near = bw.NeighboursClassifier(4).fit(X, y)
    assert near.kneighbors([["a", "y"]])[1].tolist() == [[500, 501, 502, 0]]
    assert near.kneighbors([["b", "y"]])[1].tolist() == [[503, 504, 500, 501]]


def test_a_constant_and_an_empty_column_change_nothing():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    more = np.column_stack([X, np.full(60, 7.0), np.full(60, np.nan)])
    for metric in METRICS:
        plain, wide = (bw.NeighboursClassifier(3, metric=metric).fit(Z, y) for Z in (X, more))
        assert (plain.predict_proba(X) == wide.predict_proba(more)).all(), metric


def test_threads_change_no_digit():
    rng = np.random.default_rng(4)
    X, y, queries = rng.normal(size=(3000, 4)), rng.normal(size=3000), rng.normal(size=(6000, 4))
    answers = {
        bw.NeighboursRegressor(5, weights="distance", n_jobs=jobs).fit(X, y).predict(queries).tobytes()
        for jobs in (1, 2, 4)
    }
    assert len(answers) == 1


@every_metric
def test_half_weights_are_half_copies(engine, metric):
    rng = np.random.default_rng(9)
    rows, queries = mixed_table(rng, 60), mixed_table(rng, 30)
    copies, y = rng.integers(1, 4, 60), rng.normal(size=60)
    halves = bw.NeighboursRegressor(3, metric=metric).fit(as_columns(rows), y, sample_weight=copies / 2)
    whole = bw.NeighboursRegressor(6, metric=metric).fit(as_columns(rows), y, sample_weight=copies)
    np.testing.assert_allclose(
        halves.predict(as_columns(queries)), whole.predict(as_columns(queries)), atol=1e-12
    )


def test_numbers_may_be_declared_categories():
    X = np.array([[1.0, 0.0], [2.0, 0.0], [9.0, 0.5]])
    near = bw.NeighboursClassifier(3, categorical_features=[0]).fit(X, list("abc"))
    assert near.kneighbors([[1.0, 0.0]])[0].tolist() == [[0.0, 1.0, 2**0.5]]


def test_many_queries_are_answered_in_blocks(monkeypatch):
    rng = np.random.default_rng(3)
    X, queries = rng.normal(size=(300, 3)).round(1), rng.normal(size=(200, 3)).round(1)
    X[::9, 0] = np.nan
    near = bw.NeighboursRegressor(4, weights="distance").fit(X, X[:, 1])
    whole = near.predict(queries)
    monkeypatch.setattr("branchwork.neighbours.nearest.PAIRS_AT_ONCE", 7)
    monkeypatch.setattr(search, "CELLS_AT_ONCE", 100)
    assert near.predict(queries).tobytes() == whole.tobytes()
