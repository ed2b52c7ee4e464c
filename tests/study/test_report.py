"""Reports: every figure against scikit-learn or SciPy, and against slow computations that need no trick."""

import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import branchwork as bw
from branchwork.errors import DataError, ParameterError, TargetError
from branchwork.study.report_scores import Ranking, ranking, roc_auc
from branchwork.study.report_threshold import NEVER, cheapest
from reported_rows import NUMBERS, TEST, THREE, TRAIN, TWO, WEIGHTS, X, fitted

# ---- classes


@pytest.mark.parametrize("weights", [None, WEIGHTS[TEST]], ids=["alike", "weighted"])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize(
    "est",
    [
        bw.TreeClassifier(min_samples_leaf=8),
        bw.C45Classifier(),
        bw.RandomForestClassifier(n_estimators=7, random_state=0),
        RandomForestClassifier(n_estimators=9, random_state=0),
    ],
    ids=["tree", "c45", "forest", "sklearn"],
)
def test_figures_are_those_of_scikit_learn(est, y, weights):
    fitted(est, y)
    found = bw.study.report(est, X[TEST], y[TEST], sample_weight=weights, n_bootstrap=20)
    truth, said, shares = y[TEST], est.predict(X[TEST]), est.predict_proba(X[TEST])
    named = {"sample_weight": weights}
    two = len(set(y)) == 2
    scores = shares[:, 1] if two else shares
    one_hot = np.column_stack([truth == label for label in est.classes_])
    expected = {
        "accuracy": metrics.accuracy_score(truth, said, **named),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, said, **named),
        "f1_macro": metrics.f1_score(truth, said, average="macro", **named),
        "roc_auc": metrics.roc_auc_score(truth, scores, multi_class="ovr", **named),
        "average_precision": metrics.average_precision_score(truth == "yes", scores, **named)
        if two
        else metrics.average_precision_score(one_hot, shares, average="macro", **named),
        "log_loss": metrics.log_loss(truth, shares, labels=est.classes_, **named),
        "brier": metrics.brier_score_loss(truth, scores, pos_label="yes", **named)
        if two
        else metrics.brier_score_loss(truth, shares, **named),
    }
    assert [one.name for one in found.figures] == list(expected)
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, abs=1e-12), name
        assert found[name].low <= found[name].value + 1e-12 and found[name].value - 1e-12 <= found[name].high
    assert found.confusion == pytest.approx(metrics.confusion_matrix(truth, said, **named))
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(truth, said, zero_division=0, **named)
    for k, one in enumerate(found.classes):
        assert one.label == est.classes_[k]
        assert (one.precision.value, one.recall.value, one.f1.value) == pytest.approx(
            (precision[k], recall[k], f1[k])
        )
        assert one.precision.method == one.recall.method == "wilson" and one.f1.method == "bootstrap"
        assert one.roc_auc.value == pytest.approx(metrics.roc_auc_score(one_hot[:, k], shares[:, k], **named))


@pytest.mark.parametrize("weights", [None, WEIGHTS[TEST]], ids=["alike", "weighted"])
def test_curves_are_those_of_scikit_learn(weights):
    est = fitted(bw.TreeClassifier(min_samples_leaf=8), THREE)
    found = bw.study.report(est, X[TEST], THREE[TEST], sample_weight=weights, n_bootstrap=0)
    shares = est.predict_proba(X[TEST])
    assert [one.label for one in found.curves] == ["a", "b", "c"]
    for k, one in enumerate(found.curves):
        truth, scores = THREE[TEST] == one.label, shares[:, k]
        x, y, at = metrics.roc_curve(truth, scores, sample_weight=weights, drop_intermediate=False)
        assert one.roc.x == pytest.approx(x) and one.roc.y == pytest.approx(y)
        assert one.roc.thresholds.tolist() == at.tolist()
        precision, recall, at = metrics.precision_recall_curve(truth, scores, sample_weight=weights)
        assert one.precision_recall.x == pytest.approx(recall[::-1])
        assert one.precision_recall.y == pytest.approx(precision[::-1])
        assert one.precision_recall.thresholds[1:].tolist() == at[::-1].tolist()
        if weights is None:
            observed, predicted = calibration_curve(truth, scores, n_bins=10)
            assert [b.observed.value for b in one.calibration] == pytest.approx(observed)
            assert [b.predicted for b in one.calibration] == pytest.approx(predicted)
        assert sum(b.n_rows for b in one.calibration) == 300
        assert all(b.low <= b.predicted <= b.high for b in one.calibration)


def test_intervals_are_what_drawing_rows_gives():
    """Draw rows by hand, and measure them by scikit-learn."""
    from branchwork.learn.draws import key_of
    from branchwork.learn.sampling import Sampling
    from branchwork.study.intervals import BOOTSTRAP

    est = fitted(bw.TreeClassifier(min_samples_leaf=8), TWO)
    found = bw.study.report(est, X[TEST], TWO[TEST], n_bootstrap=40, random_state=3, level=0.8)
    truth, said, scores = TWO[TEST], est.predict(X[TEST]), est.predict_proba(X[TEST])[:, 1]
    sampling = Sampling(300, 300, key_of(3, BOOTSTRAP))
    drawn = {"roc_auc": [], "f1_macro": [], "log_loss": []}
    for repeat in range(40):
        rows = np.repeat(np.arange(300), sampling.copies(repeat))
        drawn["roc_auc"].append(metrics.roc_auc_score(truth[rows], scores[rows]))
        drawn["f1_macro"].append(metrics.f1_score(truth[rows], said[rows], average="macro"))
        drawn["log_loss"].append(metrics.log_loss(truth[rows], est.predict_proba(X[TEST])[rows]))
    for name, values in drawn.items():
        assert (found[name].low, found[name].high) == pytest.approx(tuple(np.quantile(values, [0.1, 0.9])))


def test_coarse_ranks_change_no_figure_and_hardly_an_interval():
    rng = np.random.default_rng(1)
    scores, truth = rng.random(3000), rng.random(3000) < 0.4
    fine = ranking(scores, truth)
    coarse = fine.coarse(256)
    assert isinstance(coarse, Ranking) and len(coarse.scores) <= 256
    assert (np.diff(coarse.scores) > 0).all()
    mass = np.ones(3000)
    assert roc_auc(*fine.masses(mass)) == pytest.approx(metrics.roc_auc_score(truth, scores))
    assert roc_auc(*coarse.masses(mass)) == pytest.approx(metrics.roc_auc_score(truth, scores), abs=1e-3)
    assert sum(part.sum() for part in coarse.masses(mass)) == 3000
    assert fine.coarse(5000) is fine


def test_the_baseline_is_that_of_training_where_it_is_known():
    est = fitted(bw.TreeClassifier(max_depth=2), TWO)
    found = bw.study.report(est, X[TEST], TWO[TEST], n_bootstrap=50)
    labels, counts = np.unique(TWO[TRAIN], return_counts=True)
    mode, shares = labels[counts.argmax()], counts / 300
    assert found.baseline.source == "training" and found.baseline.prediction == mode
    accuracy = found.figure("accuracy")
    assert accuracy.baseline.value == pytest.approx((TWO[TEST] == mode).mean())
    assert accuracy.difference.value == pytest.approx(accuracy.value.value - accuracy.baseline.value)
    assert accuracy.verdict == "better"
    constant = np.broadcast_to(shares, (300, 2))
    assert found.figure("log_loss").baseline.value == pytest.approx(metrics.log_loss(TWO[TEST], constant))
    assert found.figure("brier").baseline.value == pytest.approx(
        metrics.brier_score_loss(TWO[TEST], constant[:, 1], pos_label="yes")
    )
    assert found.figure("roc_auc").baseline.value == 0.5
    forest = fitted(bw.RandomForestClassifier(n_estimators=3, random_state=0), TWO)
    unknown = bw.study.report(forest, X[TEST], TWO[TEST], n_bootstrap=0)
    assert unknown.baseline.source == "test" and any("give train=(X, y)" in note for note in unknown.notes)
    known = bw.study.report(forest, X[TEST], TWO[TEST], n_bootstrap=0, train=(X[TRAIN], TWO[TRAIN]))
    assert known.baseline.source == "training" and known.baseline.prediction == mode
    assert known.figure("accuracy").training == pytest.approx(forest.score(X[TRAIN], TWO[TRAIN]))


def test_weights_of_rows_are_no_numbers_of_rows():
    est = bw.TreeClassifier(max_depth=2).fit(X[TRAIN], TWO[TRAIN], WEIGHTS[TRAIN])
    found = bw.study.report(est, X[TEST], TWO[TEST], n_bootstrap=0)
    assert found.baseline.source == "test"
    assert all(one.target_p is None for one in found.drift.nodes)
    assert any("trained with weights" in note for note in found.notes)
    with_rows = bw.study.report(est, X[TEST], TWO[TEST], n_bootstrap=0, train=(X[TRAIN], TWO[TRAIN]))
    assert with_rows.drift.nodes[0].target_p is not None


def brute_threshold(scores, positive, false_alarm, miss):
    """Try every threshold."""
    tried = [
        0.0,
        *((a + b) / 2 for a, b in zip(sorted(set(scores)), sorted(set(scores))[1:], strict=False)),
        NEVER,
    ]
    costs = [
        sum(
            miss * (p and s < t) + false_alarm * (not p and s >= t)
            for s, p in zip(scores, positive, strict=True)
        )
        for t in tried
    ]
    return min(costs), [t for t, c in zip(tried, costs, strict=True) if c == min(costs)]


@pytest.mark.parametrize(("false_alarm", "miss"), [(1, 1), (1, 10), (10, 1), (0, 1), (1, 0)])
def test_the_best_threshold_is_the_cheapest_of_all(false_alarm, miss):
    rng = np.random.default_rng(2)
    scores = rng.random(60).round(1)
    positive = rng.random(60) < scores
    ranked = ranking(scores, positive)
    at, cost = cheapest(ranked.scores, *ranked.masses(np.ones(60)), false_alarm, miss)
    least, tied = brute_threshold(scores.tolist(), positive.tolist(), false_alarm, miss)
    assert cost == least and at == pytest.approx(min(tied, key=lambda t: abs(t - 0.5)))


def test_costs_choose_the_threshold():
    est = fitted(bw.TreeClassifier(min_samples_leaf=8), TWO)
    loss = [[0, 1], [7, 0]]
    found = bw.study.report(est, X[TEST], TWO[TEST], loss=loss, n_bootstrap=100)
    truth, said, scores = TWO[TEST] == "yes", est.predict(X[TEST]) == "yes", est.predict_proba(X[TEST])[:, 1]
    own = (7 * (truth & ~said) + (said & ~truth)).mean()
    best = found.decision
    assert best.label == "yes" and best.own_cost.value == pytest.approx(own)
    assert found["cost"].value == pytest.approx(own)
    marked = scores >= best.threshold.value
    assert best.cost.value == pytest.approx((7 * (truth & ~marked) + (marked & ~truth)).mean())
    assert best.cost.value <= best.own_cost.value and best.saved.value == pytest.approx(own - best.cost.value)
    assert best.threshold.low <= best.threshold.value <= best.threshold.high
    assert [one.miss for one in best.others] == [10, 5, 2, 1, 0.5, 0.2, 0.1]
    flipped = bw.study.report(est, X[TEST], TWO[TEST], positive="no", n_bootstrap=0)
    assert flipped.decision.label == "no" and flipped.figures[3].title == "ROC AUC of no"


def test_expected_costs_decide_between_three_classes():
    est = fitted(bw.TreeClassifier(min_samples_leaf=8), THREE)
    loss = np.array([[0, 1, 2], [1, 0, 1], [9, 9, 0.0]])
    found = bw.study.report(est, X[TEST], THREE[TEST], loss=loss, n_bootstrap=10)
    shares = est.predict_proba(X[TEST])
    truth = np.searchsorted(est.classes_, THREE[TEST])
    better = np.array([min(range(3), key=lambda k: (row @ loss)[k]) for row in shares])
    assert found.decision.threshold is None
    assert found.decision.cost.value == pytest.approx(loss[truth, better].mean())
    table = pd.DataFrame(loss[::-1, ::-1], index=["c", "b", "a"], columns=["c", "b", "a"])
    by_label = bw.study.report(est, X[TEST], THREE[TEST], loss=table, n_bootstrap=10)
    assert by_label.decision == found.decision
    assert bw.study.report(est, X[TEST], THREE[TEST], n_bootstrap=0).decision is None


# ---- what is said, and what is refused


def test_rows_without_answer_or_weight_are_left_out_and_said():
    est = fitted(bw.TreeClassifier(max_depth=3), TWO)
    y = TWO[TEST].astype(object)
    y[[3, 7]] = None
    weights = np.ones(300)
    weights[[5, 7]] = 0
    found = bw.study.report(est, X[TEST], y, sample_weight=weights, n_bootstrap=0)
    assert found.n_rows == 297
    assert "2 of 300 rows were left out: the right answer is missing." in found.notes
    assert "1 of 300 rows was left out: the sample weight is 0." in found.notes
    kept = np.setdiff1d(np.arange(300), [3, 5, 7])
    assert found["accuracy"].value == pytest.approx(est.score(X[TEST][kept], TWO[TEST][kept]))
    for other in (pd.Series(y), list(y)):
        again = bw.study.report(est, X[TEST], other, sample_weight=weights, n_bootstrap=0)
        assert again.to_dict() == found.to_dict()
    numbers = fitted(bw.TreeRegressor(max_depth=3), NUMBERS)
    holes = NUMBERS[TEST].copy()
    holes[0] = np.nan
    assert bw.study.report(numbers, X[TEST], holes, n_bootstrap=0).n_rows == 299
    with pytest.raises(TargetError, match="nothing to judge by"):
        bw.study.report(numbers, X[TEST], np.full(300, np.nan))


def test_labels_that_the_model_never_saw_are_errors():
    est = fitted(bw.TreeClassifier(min_samples_leaf=8), TWO)
    y = TWO[TEST].astype(object)
    y[:10] = "maybe"
    found = bw.study.report(est, X[TEST], y, n_bootstrap=50)
    assert found.labels == ("no", "yes", "maybe") and found.positive is None
    assert found.confusion[2].sum() == 10 and found.confusion[:, 2].sum() == 0
    assert found["accuracy"].value == pytest.approx((est.predict(X[TEST]) == y).mean())
    maybe = found.classes[2]
    assert math.isnan(maybe.precision.value) and maybe.recall.value == 0
    assert any("never gives class maybe any probability" in note for note in found.notes)
    absent = bw.study.report(est, X[TEST], ["yes"] * 300, n_bootstrap=20)
    assert any("No test row is of class no" in note for note in absent.notes)
    assert math.isnan(absent["roc_auc"].value) and not absent.curves


def test_models_of_scikit_learn_and_the_parts_that_they_lack():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    found = bw.study.report(fitted(pipeline, TWO), X[TEST], TWO[TEST], n_bootstrap=20)
    assert found.leaves is None and found.drift is None and found.curves
    assert any("not a single tree" in note for note in found.notes)
    machine = bw.study.report(fitted(LinearSVC(), TWO), X[TEST], TWO[TEST], n_bootstrap=20)
    assert [one.name for one in machine.figures] == ["accuracy", "balanced_accuracy", "f1_macro"]
    assert machine.decision is None and any("no predict_proba" in note for note in machine.notes)
    theirs = fitted(DecisionTreeClassifier(max_depth=3, random_state=0), TWO)
    assert any("bw.from_sklearn" in note for note in bw.study.report(theirs, X[TEST], TWO[TEST]).notes)
    ours = bw.study.report(bw.from_sklearn(theirs), X[TEST], TWO[TEST], n_bootstrap=20)
    assert ours.leaves and ours.drift is not None and ours.baseline.source == "training"
    assert ours["roc_auc"] == bw.study.report(theirs, X[TEST], TWO[TEST], n_bootstrap=20)["roc_auc"]


def test_no_digit_depends_on_threads_and_every_digit_on_the_seed():
    est = fitted(bw.TreeClassifier(min_samples_leaf=8), THREE)
    one, two, other = (
        bw.study.report(est, X[TEST], THREE[TEST], n_bootstrap=30, **settings).to_dict()
        for settings in ({"n_jobs": 1}, {"n_jobs": 2}, {"random_state": 1})
    )
    assert one == two and one["figures"]["f1_macro"] != other["figures"]["f1_macro"]


def test_the_report_goes_into_json_text_and_page():
    for est, y in ((bw.TreeClassifier(max_depth=3), THREE), (bw.TreeRegressor(max_depth=3), NUMBERS)):
        found = bw.study.report(fitted(est, y), X[TEST], y[TEST], subgroup=["x0"], n_bootstrap=20)
        assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["n_rows"] == 300
        assert "Leaves with most of the error" in str(found) and "By x0" in str(found)
        assert "baseline: always predict" in str(found) and repr(found).startswith("Report(Tree")
        assert "<h1>" in found.to_html() and "<iframe" in found._repr_html_()
    with pytest.raises(DataError, match=r"There is no figure 'acuracy'\. There are mse"):
        found["acuracy"]


def test_unseen_categories_are_warned_of_once():
    est = bw.TreeClassifier().fit({"c": ["a", "b", "a", "b"] * 5}, [0, 1, 0, 1] * 5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bw.study.report(est, {"c": ["a", "z", "b"]}, [0, 1, 1], n_bootstrap=0)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"level": 2}, "level=2; expected a number between 0 and 1"),
        ({"n_bootstrap": -1}, "n_bootstrap=-1"),
        ({"positive": "perhaps"}, "positive='perhaps'; expected one of the classes"),
        ({"loss": [[0, 1]]}, "loss="),
        ({"train": X}, "expected the training rows and their answers"),
        ({"subgroup": "age"}, "subgroup='age': X has no such column"),
        ({"subgroup": ["x0", "age"]}, "subgroup='age': X has no such column"),
        ({"random_state": "a"}, "random_state="),
    ],
)
def test_wrong_settings_are_refused(changes, message):
    est = fitted(bw.TreeClassifier(max_depth=2), TWO)
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")):
        bw.study.report(est, X[TEST], TWO[TEST], **changes)


def test_what_is_no_model_is_refused():
    with pytest.raises(ParameterError, match="expected a fitted estimator"):
        bw.study.report(bw.TreeClassifier, X, TWO)
    with pytest.raises(ParameterError, match="a classifier or a regressor"):
        bw.study.report(KMeans(2, random_state=0).fit(X), X, TWO)
    est = fitted(bw.TreeClassifier(max_depth=2), TWO)
    with pytest.raises(DataError, match="X has 300 rows, but y has 200"):
        bw.study.report(est, X[TEST], TWO[:200])
    with pytest.raises(ParameterError, match="positive is about classes"):
        bw.study.report(fitted(bw.TreeRegressor(max_depth=2), NUMBERS), X[TEST], NUMBERS[TEST], positive=1)
    with pytest.raises(ParameterError, match="is for two classes"):
        bw.study.report(fitted(bw.TreeClassifier(max_depth=2), THREE), X[TEST], THREE[TEST], positive="a")
    with pytest.raises(DataError, match="subgroup 'subgroup' has 5 cells"):
        bw.study.report(est, X[TEST], TWO[TEST], subgroup=np.arange(5))


def test_a_tree_written_by_hand_knows_nothing_about_training():
    table = {"x0": X[:, 0]}
    model = bw.hand_tree(
        {"feature": "x0", "cut": 0.3, "then": "no", "else": "yes"}, bw.to_table(table).schema
    )
    found = bw.study.report(model, table, TWO, n_bootstrap=20)
    assert found.baseline.source == "test" and found.drift is None
    assert any("does not know how many training rows" in note for note in found.notes)
    assert all(math.isnan(one.train_error) and one.n_train == 0 for one in found.leaves)
    known = bw.study.report(model, table, TWO, n_bootstrap=20, train=(table, TWO))
    assert known.drift is not None and not known.drift.drifted
    assert "</html>" in found.to_html() and found["accuracy"].value == model.score(table, TWO)


def test_an_imported_model_is_called_by_its_library():
    theirs = RandomForestClassifier(n_estimators=3, random_state=0).fit(X[TRAIN], TWO[TRAIN])
    found = bw.study.report(bw.from_sklearn(theirs), X[TEST], TWO[TEST], n_bootstrap=0)
    assert found.name == "model of scikit-learn"
    assert any(note.startswith("The model of scikit-learn is not a single tree") for note in found.notes)


def test_a_bar_is_shown_only_if_asked_for(capsys):
    est = fitted(bw.TreeClassifier(max_depth=2), TWO)
    bw.study.report(est, X[TEST], TWO[TEST], n_bootstrap=20)
    assert capsys.readouterr() == ("", "")
    bw.study.report(est, X[TEST], TWO[TEST], n_bootstrap=20, verbose=True)
    assert "judging TreeClassifier" in capsys.readouterr().err
