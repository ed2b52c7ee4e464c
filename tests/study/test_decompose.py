"""Bias, variance and noise: against slow loops, against the exact truth, and adding up."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import branchwork as bw
from branchwork.errors import DataError, ParameterError
from branchwork.study.bias_parts import domingos, kohavi_wolpert, shares_of, squared_parts

WAVES = bw.study.WaveSampler(noise=0.3)
BOARD = bw.study.CheckerboardSampler(flip=0.1)
POINTS, TRUE_CLASS = BOARD(240, seed=5)


def slow_squared(predictions, targets):
    """Bias², variance and error of one query point, number by number."""
    mean = sum(predictions) / len(predictions)
    return (
        (mean - targets) ** 2,
        sum((p - mean) ** 2 for p in predictions) / len(predictions),
        sum((p - targets) ** 2 for p in predictions) / len(predictions),
    )


def slow_classes(predictions, probabilities):
    """Kohavi and Wolpert's bias², variance, noise and error of one query point, class by class."""
    said = [sum(p == c for p in predictions) / len(predictions) for c in range(len(probabilities))]
    bias = sum((a - b) ** 2 for a, b in zip(probabilities, said, strict=True)) / 2
    variance = (1 - sum(b * b for b in said)) / 2
    noise = (1 - sum(a * a for a in probabilities)) / 2
    error = sum(probabilities[t] * said[y] for t in range(len(said)) for y in range(len(said)) if t != y)
    return bias, variance, noise, error


# ---- the arithmetic


def test_squared_parts_of_a_few_numbers():
    rng = np.random.default_rng(0)
    answers, truth, noise = rng.normal(size=(7, 5)), rng.normal(size=5), rng.random(5)
    parts = squared_parts(answers, truth, noise, "none")
    for j in range(5):
        bias2, variance, error = slow_squared(answers[:, j].tolist(), truth[j])
        assert [parts.bias2[j], parts.variance[j]] == pytest.approx([bias2, variance])
        assert parts.error[j] == pytest.approx(error + noise[j])
    both = squared_parts(answers, truth, noise, "both")
    np.testing.assert_allclose(both.variance, answers.var(axis=0, ddof=1))
    np.testing.assert_allclose(both.bias2 + both.variance + noise, parts.error)


def test_class_parts_of_a_few_models():
    rng = np.random.default_rng(1)
    answers, truth = rng.integers(0, 3, (8, 6)), rng.dirichlet([1, 1, 1], 6)
    shares = shares_of(answers, 3)
    parts = kohavi_wolpert(shares, truth, 8, "none", True)
    for j in range(6):
        wanted = slow_classes(answers[:, j].tolist(), truth[j].tolist())
        assert [parts.bias2[j], parts.variance[j], parts.noise[j], parts.error[j]] == pytest.approx(wanted)
    both = kohavi_wolpert(shares, truth, 8, "both", True)
    np.testing.assert_allclose(both.bias2 + both.variance + both.noise, parts.error)


def test_both_corrections_are_unbiased():
    """The mean over many small experiments is what infinitely many models would show."""
    rng = np.random.default_rng(2)
    said, truth = np.array([0.5, 0.3, 0.2]), np.array([[1.0, 0.0, 0.0]])
    exact = kohavi_wolpert(said[None], truth, 10**9, "none", False)
    found = np.zeros(2)
    for _ in range(4000):
        shares = (rng.multinomial(4, said) / 4)[None]
        parts = kohavi_wolpert(shares, truth, 4, "both", False)
        found += [parts.bias2[0] / 4000, parts.variance[0] / 4000]
    assert found == pytest.approx([exact.bias2[0], exact.variance[0]], abs=0.01)


def test_domingos_parts_by_hand():
    # Unbiased point: 7 of 10 models are right; the other three are variance that harms.
    # Biased point of three classes: 6 say b, 3 say a (right), 1 says c: variance that helps is .3, not .4.
    shares = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1]])
    truth = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    parts = domingos(shares, truth, False)
    assert parts.bias2.tolist() == [0, 1] and parts.noise is None
    assert parts.variance == pytest.approx([0.3, -0.3]) and parts.error == pytest.approx([0.3, 0.7])
    assert parts.unbiased_variance == pytest.approx([0.3, 0]) and parts.biased_variance == pytest.approx(
        [0, 0.3]
    )
    assert parts.bias2 + parts.variance == pytest.approx(parts.error)


def test_noise_of_two_classes_as_domingos_weighs_it():
    right, flip = 0.8, 0.1
    parts = domingos(np.array([[right, 1 - right]]), np.array([[1 - flip, flip]]), True)
    assert parts.noise[0] == pytest.approx((2 * right - 1) * flip)


# ---- whole studies


def test_a_sampler_for_numbers_by_a_slow_loop():
    found = bw.study.bias_variance(bw.TreeRegressor(max_depth=2), WAVES, n_train=40, n_repeats=12, n_test=30)
    streams = np.random.SeedSequence(0).spawn(13)
    query, _ = WAVES(30, np.random.default_rng(streams[-1]))
    said = []
    for k in range(12):
        X, y = WAVES(40, np.random.default_rng(streams[k]))
        said.append(bw.TreeRegressor(max_depth=2).fit(X, y).predict(query))
    truth = WAVES.truth(query)
    parts = [slow_squared([one[j] for one in said], truth[j]) for j in range(30)]
    assert found.points.bias2 == pytest.approx([bias for bias, _, _ in parts])
    assert found.points.variance == pytest.approx([variance for _, variance, _ in parts])
    assert found.error == pytest.approx(np.mean([error for _, _, error in parts]) + 0.09)
    assert found.noise == pytest.approx(0.09) and found.gap == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("method", ["kohavi_wolpert", "domingos"])
@pytest.mark.parametrize("truth", [True, False])
def test_parts_of_classes_add_up_to_what_models_get_wrong(method, truth):
    est, query = DecisionTreeClassifier(max_depth=3, random_state=0), BOARD(50, seed=9)
    options = {"n_train": 60, "n_repeats": 15, "method": method}

    def sampler(n, rng):
        return BOARD(n, rng)

    found = bw.study.bias_variance(est, sampler, at=query, truth=BOARD.truth if truth else None, **options)
    streams = np.random.SeedSequence(0).spawn(16)
    draws = [BOARD(60, np.random.default_rng(stream)) for stream in streams[:15]]
    said = [est.fit(*drawn).predict(query[0]) for drawn in draws]
    wrong = np.mean([one != query[1] for one in said])
    chance = 1 - BOARD.truth(query[0])[np.arange(50), (np.stack(said) == "white").astype(int)].mean()
    assert found.error == pytest.approx(chance if truth else wrong)
    assert found.gap == pytest.approx(0, abs=1e-12) and (found.noise is None) is not truth
    assert found.bias_name.endswith("+ noise") is not truth


def test_many_repeats_come_near_the_exact_parts():
    """A mean of three targets at one point: bias 0, variance σ²/3, noise σ²."""

    def sampler(n, rng):
        return np.zeros((n, 1)), rng.normal(5, 2, n)

    found = bw.study.bias_variance(
        bw.TreeRegressor(),
        sampler,
        n_train=3,
        n_repeats=2000,
        n_test=2000,
        truth=lambda X: np.full(len(X), 5.0),
    )
    assert found.bias2 == pytest.approx(0, abs=0.01)
    assert found.variance == pytest.approx(4 / 3, rel=0.1) and found.noise == pytest.approx(4, rel=0.1)


def test_depth_trades_bias_for_variance():
    found = bw.study.bias_variance(
        bw.TreeRegressor(), WAVES, n_train=60, n_repeats=60, over="max_depth", values=[1, 2, 3, 5, 9]
    )
    assert (np.diff(found.bias2) < 0)[:3].all() and found.variance[-1] > found.variance[2]
    assert found.least_index in (1, 2, 3) and (np.diff(found.leaves) > 0).all()
    np.testing.assert_allclose(found.bias2 + found.variance + found.noise, found.error)
    alone = bw.study.bias_variance(bw.TreeRegressor(max_depth=3), WAVES, n_train=60, n_repeats=60)
    assert found[2].error == pytest.approx(alone.error) and found[2].bias2 == pytest.approx(alone.bias2)


@pytest.mark.parametrize(
    ("est", "over", "values"),
    [
        (bw.TreeClassifier(), "ccp_alpha", [0.0, 0.02]),
        (bw.C45Classifier(), "confidence", [0.05, 0.5]),
        (bw.RandomForestClassifier(n_estimators=5), "n_estimators", [1, 5]),
        (bw.BaggingClassifier(n_estimators=3), "n_estimators", [1, 3]),
    ],
)
def test_sweeps_are_studies_of_each_value(est, over, values):
    data = (POINTS, TRUE_CLASS)
    found = bw.study.bias_variance(est, data=data, n_repeats=5, over=over, values=values)
    for k, value in enumerate(values):
        if over == "ccp_alpha":
            continue
        alone = bw.study.bias_variance(est.set_params(**{over: value}), data=data, n_repeats=5)
        assert (found[k].answers == alone.answers).all()
    assert np.isfinite(found.error).all() and len(found) == 2


def test_data_are_parted_once_and_drawn_from_without_replacement():
    y = np.arange(40.0)
    seen = []

    class Spy(KNeighborsRegressor):
        def fit(self, X, y):
            seen.append(sorted(y.tolist()))
            return super().fit(X, y)

    found = bw.study.bias_variance(Spy(n_neighbors=1), data=(y[:, None], y), n_repeats=6)
    assert found.answers.shape == (6, 10) and {len(set(rows)) for rows in seen} == {15}
    pool = set().union(*seen)
    assert len(pool) <= 30 and not pool & set(found.truth.tolist())
    seen.clear()
    bw.study.bias_variance(
        Spy(n_neighbors=1), data=(y[:, None], y), n_repeats=6, n_train=30, draw="bootstrap"
    )
    assert all(len(rows) == 30 and len(set(rows)) < 30 for rows in seen)


def test_trees_on_one_sorted_table_are_those_of_fits():
    frame = pd.DataFrame(POINTS, columns=["a", "b"]).assign(
        c=pd.Categorical(np.where(POINTS[:, 0] > 0.5, "p", "q"))
    )
    for est in (bw.TreeClassifier(), bw.C45Classifier(), bw.CARTClassifier(cp=0.01)):
        for draw in ("subset", "bootstrap"):
            found = bw.study.bias_variance(est, data=(frame, TRUE_CLASS), n_repeats=4, draw=draw)
            parts = bw.study.split(frame, TRUE_CLASS, validation=0, test=0.25)
            pool = len(parts.train)
            for k, stream in enumerate(np.random.SeedSequence(0).spawn(4)):
                rng = np.random.default_rng(stream)
                rows = (
                    rng.integers(pool, size=pool // 2)
                    if draw == "bootstrap"
                    else rng.permutation(pool)[: pool // 2]
                )
                tree = type(est)(**est.get_params()).fit(parts.train.X.iloc[rows], parts.train.y[rows])
                said = np.array(found.labels)[found.answers[k]]
                assert (said == tree.predict(parts.test.X)).all(), (est, draw)


def test_query_rows_of_ones_own():
    at = np.array([[0.25], [0.75]])
    found = bw.study.bias_variance(bw.TreeRegressor(max_depth=1), WAVES, at=at, n_train=50, n_repeats=20)
    assert found.truth == pytest.approx([1, -1]) and len(found.points.bias2) == 2
    bare = bw.study.bias_variance(
        bw.TreeRegressor(), lambda n, rng: WAVES(n, rng), at=at, truth=WAVES.truth, n_train=50, n_repeats=5
    )
    assert bare.noise is None and bare.gap == pytest.approx(0, abs=1e-12)


def test_labels_keep_their_order_whatever_is_drawn_first():
    """The first training sets have one class only; probabilities are in sorted order all the same."""
    calls = []

    def sampler(n, rng):
        calls.append(n)
        X, y = BOARD(n, rng)
        return X, np.where(y == "white", "white", "black") if len(calls) > 3 else np.full(n, "white")

    found = bw.study.bias_variance(
        bw.TreeClassifier(), sampler, at=POINTS[:5], truth=BOARD.truth, n_train=30, n_repeats=6
    )
    assert found.labels == ("black", "white") and found.gap == pytest.approx(0, abs=1e-12)


def test_threads_and_seeds():
    one, two = (
        bw.study.bias_variance(bw.TreeClassifier(), data=(POINTS, TRUE_CLASS), n_repeats=8, n_jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.to_dict() == two.to_dict()
    drawn = [
        bw.study.bias_variance(bw.TreeClassifier(), BOARD, n_repeats=20, n_test=30, n_jobs=jobs).to_dict()
        for jobs in (1, 2)
    ]
    assert drawn[0] == drawn[1]
    other = bw.study.bias_variance(
        bw.TreeClassifier(), data=(POINTS, TRUE_CLASS), n_repeats=8, random_state=1
    )
    assert other.to_dict() != one.to_dict()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"sampler": None}, ParameterError, "Give a sampler, or data"),
        ({"data": (POINTS, TRUE_CLASS)}, ParameterError, "not both"),
        ({"sampler": 3}, ParameterError, r"expected a function \(n, rng\)"),
        ({"sampler": lambda n, rng: 5}, DataError, "The sampler returned 5; expected a pair"),
        ({"sampler": lambda n, rng: (np.zeros(n), np.zeros(n))}, DataError, r"X of shape \(1000,\)"),
        (
            {"sampler": lambda n, rng: (np.zeros((3, 1)), [0] * 3)},
            DataError,
            "asked for 1000 rows, but returned 3 rows",
        ),
        ({"sampler": lambda n, rng: (np.zeros((n, 1)), [0])}, DataError, "and 1 of y"),
        ({"n_repeats": 1}, ParameterError, "n_repeats=1"),
        ({"n_train": 0}, ParameterError, "n_train=0"),
        ({"draw": "all"}, ParameterError, "expected 'subset' or 'bootstrap'"),
        ({"draw": "bootstrap"}, ParameterError, "a sampler draws new rows"),
        ({"correction": "some"}, ParameterError, "expected 'none' or 'both' or 'weka'"),
        ({"method": "domingos", "correction": "both"}, ParameterError, "have no correction"),
        ({"est": bw.TreeRegressor(), "correction": "weka"}, ParameterError, "predicts numbers"),
        ({"values": [1]}, ParameterError, "values were given without over"),
        ({"over": "max_depth"}, ParameterError, "which values"),
        ({"over": "depth", "values": [1]}, ParameterError, "Did you mean 'max_depth'"),
        ({"truth": lambda X: np.zeros(3)}, DataError, "truth returned an array of shape"),
        ({"truth": lambda X: np.ones((len(X), 2))}, DataError, "must add up to 1"),
        ({"truth": lambda X: np.full((len(X), 4), 0.25)}, DataError, "4 classes, but 2 labels were drawn"),
        ({"at": POINTS, "n_test": 5}, ParameterError, "give one of both"),
        (
            {"sampler": lambda n, rng: BOARD(n, rng), "at": POINTS},
            ParameterError,
            r"give at=\(X, y\), or truth",
        ),
    ],
)
def test_what_cannot_be_taken_apart(change, error, message):
    given = {"est": bw.TreeClassifier(), "sampler": BOARD, "n_repeats": 3, "n_train": 20, **change}
    with pytest.raises(error, match=message):
        bw.study.bias_variance(**given)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ((POINTS[:3], TRUE_CLASS[:3]), {}, "data has 3 rows; at least 4"),
        ((POINTS, TRUE_CLASS[:-1]), {}, "but y has 239"),
        ((POINTS, TRUE_CLASS), {"n_train": 500}, "n_train=500; expected a number from 1 to 180"),
    ],
)
def test_data_that_are_too_few(data, options, message):
    with pytest.raises((DataError, ParameterError), match=message):
        bw.study.bias_variance(bw.TreeClassifier(), data=data, **options)


def test_one_class_and_constant_columns():
    same = bw.study.bias_variance(bw.TreeClassifier(), data=(POINTS, ["a"] * 240), n_repeats=3)
    assert (same.bias2, same.variance, same.error) == (0, 0, 0) and same.darts.shape == (3, 2)
    flat = bw.study.bias_variance(
        bw.TreeClassifier(), data=(np.full((240, 2), np.nan), TRUE_CLASS), n_repeats=3
    )
    assert 0.3 < flat.error < 0.7


# ---- what is shown


def test_darts_keep_bias_and_variance():
    for found in (
        bw.study.bias_variance(bw.TreeRegressor(max_depth=1), WAVES, n_repeats=30),
        bw.study.bias_variance(bw.TreeClassifier(max_depth=2), BOARD, n_repeats=30),
    ):
        centre = found.darts.mean(axis=0)
        assert (centre**2).sum() == pytest.approx(found.bias2) and centre[0] > 0
        assert ((found.darts - centre) ** 2).sum(axis=1).mean() == pytest.approx(found.variance)


def test_words():
    found = bw.study.bias_variance(
        bw.TreeClassifier(), data=(POINTS, TRUE_CLASS), n_repeats=4, correction="weka"
    )
    assert (
        "bias² + noise" in str(found)
        and "not explained" in str(found)
        and "4 models, 60 query rows" in str(found)
    )
    other = bw.study.bias_variance(bw.TreeClassifier(), BOARD, n_repeats=4, method="domingos")
    assert (
        "that harms" in str(other) and "noise" in str(other) and repr(other).startswith("BiasVariance(bias2=")
    )
    sweep = bw.study.bias_variance(
        bw.TreeClassifier(), BOARD, n_repeats=4, over="max_depth", values=[1, None]
    )
    assert (
        "no limit" in str(sweep)
        and "least error" in str(sweep)
        and repr(sweep).startswith("BiasVarianceSweep")
    )
    assert sweep.to_dict()["values"] == [1, None]
