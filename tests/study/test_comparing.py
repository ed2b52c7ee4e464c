"""Comparisons: the numbers of fitting every learner on every fold, and the corrected t-test written out by hand."""

import math

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import branchwork as bw
from branchwork import _core
from branchwork.errors import DataError, ParameterError
from branchwork.learn.threads import thread_count
from branchwork.measure.chance import holm
from branchwork.study.paired import corrected

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)).round(1)
Y = np.where((X[:, 0] > 0) ^ (RNG.random(120) < 0.2), "yes", "no")
HEIGHT = X[:, 0] ** 2 + RNG.normal(size=120) * 0.3
GROUPS = np.repeat(np.arange(12), 10)
SPLITTERS = [
    KFold(6),
    KFold(6, shuffle=True, random_state=3),
    StratifiedKFold(5),
    RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1),
    RepeatedKFold(n_splits=4, n_repeats=2, random_state=1),
    GroupKFold(4),
    LeaveOneOut(),
    TimeSeriesSplit(5),
    ShuffleSplit(5, random_state=0),
]


def learners():
    return {
        "tree": bw.TreeClassifier(max_depth=3),
        "c45": bw.C45Classifier(),
        "forest": bw.RandomForestClassifier(n_estimators=5),
        "bayes": GaussianNB(),
        "sklearn": DecisionTreeClassifier(max_depth=3, random_state=0),
    }


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
def test_errors_are_those_of_scikit_learns_cross_validation(cv):
    names = ("tree", "bayes", "sklearn")
    groups = GROUPS if isinstance(cv, GroupKFold) else None
    chosen = {name: learners()[name] for name in names}
    found = bw.compare(chosen, X, Y, cv=cv, groups=groups)
    for k, name in enumerate(names):
        scores = cross_val_score(chosen[name], X, Y, cv=cv, groups=groups)
        np.testing.assert_allclose(found.fold_losses[1 + k], 1 - scores, atol=1e-12)
    mode = DummyClassifier(strategy="constant", constant="no" if (Y == "no").mean() > 0.5 else "yes")
    scores_of_mode = cross_val_score(mode, X, Y, cv=cv, groups=groups)
    np.testing.assert_allclose(found.fold_losses[0], 1 - scores_of_mode, atol=1e-12)
    pooled = np.average(1 - scores, weights=[len(test) for _, test in cv.split(X, Y, groups)])
    assert found.errors[3] == pytest.approx(pooled)


def test_numbers_are_judged_by_squares():
    cv = KFold(6)
    found = bw.compare([bw.TreeRegressor(max_depth=3), LinearRegression()], X, HEIGHT, cv=cv)
    ours = [
        DummyRegressor(strategy="constant", constant=HEIGHT.mean()),
        bw.TreeRegressor(max_depth=3),
        LinearRegression(),
    ]
    for k, est in enumerate(ours):
        scores = -cross_val_score(est, X, HEIGHT, cv=cv, scoring="neg_mean_squared_error")
        np.testing.assert_allclose(found.fold_losses[k], scores)
        assert found.errors[k] == pytest.approx(math.sqrt(scores.mean()))
    assert found.measure == "root mean squared error" and found.names[0] == "baseline"


def test_out_of_fold_predictions_are_those_of_scikit_learn():
    cv = StratifiedKFold(5)
    found = bw.compare(learners(), X, Y, cv=cv)
    columns = found.out_of_fold()
    assert list(columns) == ["row", "fold", "truth", "baseline", *learners()]
    assert (
        sorted(columns["row"].tolist()) == list(range(120)) and (columns["truth"] == Y[columns["row"]]).all()
    )
    for name, est in learners().items():
        expected = cross_val_predict(est, X, Y, cv=cv)
        assert (columns[name] == expected[columns["row"]]).all(), name
    frame = pd.DataFrame(columns)
    assert (frame["tree"] != frame["truth"]).mean() == pytest.approx(found.errors[1])
    series = bw.compare([bw.StumpClassifier()], X, Y, cv=TimeSeriesSplit(5)).out_of_fold()
    assert series["row"].min() == 20 and len(series["row"]) == 100


# ---- the paired test


def by_hand(differences, n_train, n_test):
    """Nadeau and Bengio (2003), equation (9), step by step."""
    count = len(differences)
    mean = sum(differences) / count
    variance = sum((d - mean) ** 2 for d in differences) / (count - 1)
    t = mean / math.sqrt((1 / count + n_test / n_train) * variance)
    return t, 2 * scipy.stats.t.cdf(-abs(t), count - 1)


def test_the_test_is_nadeaus_and_bengios():
    found = bw.compare(learners(), X, Y, cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0))
    losses = dict(zip(found.names, found.fold_losses, strict=True))
    for name, test in found.tests.items():
        t, p = by_hand((losses[name] - losses[found.against]).tolist(), 96, 24)
        assert test.t == pytest.approx(t) and test.p_value == pytest.approx(p)
    t, p = by_hand((losses["bayes"] - losses["c45"]).tolist(), 96, 24)
    assert found.test("bayes", "c45").p_value == pytest.approx(p) and found.test(
        "c45", "bayes"
    ).t == pytest.approx(-t)


def test_without_the_correction_it_is_scipys_paired_test():
    one, other = RNG.normal(size=10), RNG.normal(size=10)
    plain = scipy.stats.ttest_rel(one, other)
    found = corrected(one - other, np.full(10, 7.0), 0.0)
    assert found.t == pytest.approx(plain.statistic) and found.p_value == pytest.approx(plain.pvalue)
    interval = plain.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert corrected(one - other, np.full(10, 7.0), 1 / 9).p_value > plain.pvalue


def test_folds_of_different_sizes_count_by_their_rows():
    errors, sizes = np.array([0.0, 0.5, 1.0]), np.array([2.0, 2.0, 1.0])
    found = corrected(errors, sizes, 0.25)
    assert found.mean == pytest.approx(2 / 5)
    spread = (0.4 * 0.4**2 + 0.4 * 0.1**2 + 0.2 * 0.6**2) / (1 - 0.36)
    assert found.standard_error == pytest.approx(math.sqrt((0.36 + 0.25) * spread))


def test_ends_of_the_paired_test():
    assert corrected(np.zeros(5), np.ones(5), 0.25)[2:4] == (0, 1)
    assert corrected(np.full(5, 0.1), np.ones(5), 0.25).p_value == 0
    alone = corrected(np.array([0.3]), np.ones(1), 0.25)
    assert alone.mean == pytest.approx(0.3) and math.isnan(alone.p_value)


def test_holms_adjustment_is_that_of_its_definition():
    p = RNG.random(7) / 5
    rank = {k: r for r, k in enumerate(np.argsort(p).tolist())}
    slow = [max(min(1, (7 - rank[j]) * p[j]) for j in range(7) if rank[j] <= rank[k]) for k in range(7)]
    assert holm(p.tolist()) == pytest.approx(slow)
    assert holm([0.01, None]) == [0.01, None]


def test_the_correction_finds_nothing_where_there_is_nothing():
    """Two learners that only guess: the corrected test rejects about one time in twenty, the plain one more often."""
    wrong = plain = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        noise, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
        cv = RepeatedKFold(n_splits=5, n_repeats=4, random_state=seed)
        found = bw.compare(
            [("a", bw.StumpClassifier()), ("b", bw.TreeClassifier(max_depth=4))], noise, y, cv=cv
        )
        one, other = found.fold_losses[1:]
        wrong += found.test("a", "b").p_value < 0.05
        plain += scipy.stats.ttest_rel(one, other).pvalue < 0.05
    assert wrong <= 9 < plain


# ---- laws


def same(one, other):
    return (one.fold_losses == other.fold_losses).all() and all(
        (a == b).all() for a, b in zip(one.out_of_fold().values(), other.out_of_fold().values(), strict=True)
    )


def test_no_digit_depends_on_threads_and_a_seed_makes_draws_repeat():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2)  # no seed of its own
    one = bw.compare(learners(), X, Y, cv=cv, n_jobs=1)
    assert same(one, bw.compare(learners(), X, Y, cv=cv, n_jobs=3)) and cv.random_state is None
    assert not same(one, bw.compare(learners(), X, Y, cv=cv, random_state=5))
    shuffled = KFold(3, shuffle=True)
    assert same(bw.compare(learners(), X, Y, cv=shuffled), bw.compare(learners(), X, Y, cv=shuffled))


class Counts(ClassifierMixin, BaseEstimator):
    """Remembers how many threads it could have had."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        Counts.seen.append((joblib.effective_n_jobs(-1), thread_count(4)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_learners_in_threads_do_not_start_threads_of_their_own():
    Counts.seen.clear()
    bw.compare([Counts()], X, Y, cv=4, n_jobs=2)
    assert Counts.seen[:4] == [(1, 1)] * 4
    Counts.seen.clear()
    bw.compare([Counts()], X, Y, cv=4, n_jobs=1)
    assert Counts.seen[0] == (joblib.effective_n_jobs(-1), 4)


def test_weights_count_in_learning_and_in_errors():
    weights = RNG.integers(1, 4, 120)
    rows = np.repeat(np.arange(120), weights)
    fold = np.arange(120) % 4
    chosen = {name: learners()[name] for name in ("tree", "bayes")}
    weighted = bw.compare(chosen, X, Y, cv=fold, sample_weight=weights)
    copied = bw.compare(chosen, X[rows], Y[rows], cv=fold[rows])
    np.testing.assert_allclose(weighted.fold_losses, copied.fold_losses, atol=1e-12)
    some = weights * (np.arange(120) % 5 > 0)
    kept = np.flatnonzero(some)
    weighted = bw.compare(chosen, X, Y, cv=fold, sample_weight=some)
    without = bw.compare(chosen, X[kept], Y[kept], cv=fold[kept], sample_weight=some[kept])
    np.testing.assert_allclose(weighted.fold_losses, without.fold_losses, atol=1e-12)
    with pytest.raises(DataError, match="fold 1 have no weight"):
        bw.compare(chosen, X, Y, cv=fold, sample_weight=(fold != 1).astype(float))


def test_trees_share_one_sorted_table(monkeypatch):
    made = []
    prepare = _core.prepare
    monkeypatch.setattr(_core, "prepare", lambda *given: made.append(given) or prepare(*given))
    chosen = [bw.TreeClassifier(), bw.ID3Classifier(), bw.C45Classifier(), bw.TreeClassifier(max_depth=2)]
    together = bw.compare(chosen, X, Y, cv=4)
    assert len(made) == 1
    apart = [bw.compare([est], X, Y, cv=4).fold_losses[1] for est in chosen]
    assert (together.fold_losses[1:] == np.stack(apart)).all()


def test_an_interrupted_comparison_raises():
    class Stops(Counts):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bw.compare([bw.StumpClassifier(), Stops()], X, Y, cv=3)


# ---- words and pictures


def test_the_table_the_page_and_the_picture(tmp_path):
    found = bw.compare([bw.TreeClassifier(), bw.TreeClassifier(max_depth=1), GaussianNB()], X, Y, cv=5)
    assert found.names == ["baseline", "TreeClassifier", "TreeClassifier (2)", "GaussianNB"]
    text = found.to_text(time=False)
    assert text == bw.compare(
        [bw.TreeClassifier(), bw.TreeClassifier(max_depth=1), GaussianNB()], X, Y, cv=5
    ).to_text(time=False)
    assert all(name in text for name in found.names) and "Nadeau" in text and "s\n" in str(found)
    data = found.to_dict()
    assert data["learners"][1]["leaves"] == bw.TreeClassifier().fit(X, Y).get_n_leaves()
    assert data["learners"][3]["leaves"] is None and data["learners"][0]["leaves"] == 1
    assert found.chart().dots[0].name == found.best
    assert "TreeClassifier (2)" in found.to_svg() and "<svg" in found._repr_html_()
    page = found.to_html(tmp_path / "c.html").read_text(encoding="utf-8")
    assert "Learners compared" in page and "<script" not in page
    assert [label.get_text() for label in found.plot().get_yticklabels()] == [
        d.name for d in found.chart().dots
    ]
    assert found.fitted().get_params() == found.fitted(found.best).get_params()
    assert found.fitted("TreeClassifier (2)").get_depth() == 1


def test_names_in_pictures_are_harmless():
    found = bw.compare({"<b>&\x1b[31m": bw.StumpClassifier()}, X, Y, cv=3)
    assert "<b>" not in found.to_svg() and "\x1b" not in found.to_text()
    assert "<b>&\x1b" not in found.to_html() and "&lt;b&gt;&amp;" in found.to_html()


def test_what_cannot_be_compared():
    with pytest.raises(ParameterError, match="learners is empty"):
        bw.compare([], X, Y)
    with pytest.raises(ParameterError, match="expected a list of estimators"):
        bw.compare(bw.StumpClassifier(), X, Y)
    with pytest.raises(ParameterError, match="est=3"):
        bw.compare([3], X, Y)
    with pytest.raises(ParameterError, match="expected learners of one kind"):
        bw.compare([bw.StumpClassifier(), bw.StumpRegressor()], X, Y)
    with pytest.raises(ParameterError, match="name of two of them"):
        bw.compare([("a", bw.StumpClassifier()), ("a", GaussianNB())], X, Y)
    with pytest.raises(ParameterError, match="name of two of them"):
        bw.compare({"baseline": bw.StumpClassifier()}, X, Y)
    with pytest.raises(ParameterError, match="cv=1; expected a number from 2"):
        bw.compare([bw.StumpClassifier()], X, Y, cv=1)
    with pytest.raises(ParameterError, match="cv='five'; expected a number of folds"):
        bw.compare([bw.StumpClassifier()], X, Y, cv="five")
    with pytest.raises(ParameterError, match="The 'groups' parameter should not be None"):
        bw.compare([bw.StumpClassifier()], X, Y, cv=GroupKFold(3))
    with pytest.raises(ParameterError, match="ignores groups: rows of one group are in training and in test"):
        bw.compare([bw.StumpClassifier()], X, Y, cv=KFold(5), groups=GROUPS)
    with pytest.raises(ParameterError, match="cv, fold 0: some rows are both"):
        bw.compare([bw.StumpClassifier()], X, Y, cv=[([0, 1], [1, 2])])
    with pytest.raises(ParameterError, match="cv, fold 0: test row 200; the table has rows 0 to 119"):
        bw.compare([bw.StumpClassifier()], X, Y, cv=[([0, 1], [200])])
    with pytest.raises(ParameterError, match="no learner has this name"):
        bw.compare([bw.StumpClassifier()], X, Y, against="Stmp")
    with pytest.raises(ParameterError, match=r"was not compared\. Did you mean 'StumpClassifier'"):
        bw.compare([bw.StumpClassifier()], X, Y).fitted("StumpClasifier")
    with pytest.raises(DataError, match="X has 120 rows, but y has 119"):
        bw.compare([bw.StumpClassifier()], X, Y[1:])


def test_containers_and_labels_of_any_kind():
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(d=pd.Categorical(np.where(X[:, 1] > 0, "u", "v")))
    found = bw.compare(
        [bw.TreeClassifier(max_depth=2), bw.C45Classifier()], frame, pd.Series(Y == "yes"), cv=4
    )
    assert set(found.out_of_fold()["truth"].tolist()) == {True, False}
    tennis = bw.datasets.load("play_tennis")
    found = bw.compare([bw.ID3Classifier()], tennis.X, tennis.y, cv=LeaveOneOut())
    assert len(found.sizes) == 14 and found.out_of_fold()["truth"].tolist() == list(tennis.y)


def test_the_interval_of_the_baseline_comes_from_the_rows():
    """Stratified folds all have the same share of classes, which says nothing of how far it is from the true one."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), np.repeat(["a", "b"], [130, 70])
    found = bw.compare([bw.StumpClassifier()], X, y)
    wilson = scipy.stats.binomtest(70, 200).proportion_ci(method="wilson")
    assert found.intervals[0] == pytest.approx((wilson.low, wilson.high))
    groups = bw.compare([bw.StumpClassifier()], X, y, groups=np.arange(200) % 40)
    assert groups.by_rows is None and not np.allclose(groups.intervals[0], found.intervals[0])
    numbers = rng.normal(3, 2, 200)
    found = bw.compare([bw.StumpRegressor()], X, numbers, cv=5)
    squares = (numbers - numbers.mean()) ** 2
    ends = scipy.stats.t.interval(0.95, 199, squares.mean(), squares.std(ddof=1) / 200**0.5)
    assert found.intervals[0] == pytest.approx(np.sqrt(ends))
    weights = rng.integers(1, 4, 200).astype(float)
    doubled = bw.compare([bw.StumpClassifier()], X, y, sample_weight=2 * weights).intervals[0]
    assert doubled == pytest.approx(
        bw.compare([bw.StumpClassifier()], X, y, sample_weight=weights).intervals[0]
    )
