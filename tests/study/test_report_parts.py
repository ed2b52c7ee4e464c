"""The parts of a report: errors by leaf and by group, residuals, and drift between training and test rows."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, ttest_ind
from sklearn import metrics
from sklearn.ensemble import RandomForestRegressor

import branchwork as bw
from branchwork.measure.chance import holm
from branchwork.study.report_drift import p_of_counts, welch
from branchwork.study.report_leaves import rule_of
from reported_rows import NUMBERS, TEST, THREE, TRAIN, TWO, WEIGHTS, X, fitted


@pytest.mark.parametrize("weights", [None, WEIGHTS[TEST]], ids=["alike", "weighted"])
def test_errors_by_leaf_and_the_leaves_of_every_cell(weights):
    est = fitted(bw.TreeClassifier(min_samples_leaf=8), THREE)
    found = bw.study.report(est, X[TEST], THREE[TEST], sample_weight=weights, n_bootstrap=0)
    leaves, said = est.apply(X[TEST]), est.predict(X[TEST])
    mass = np.ones(300) if weights is None else weights
    wrong = said != THREE[TEST]
    assert {one.node for one in found.leaves} == set(leaves.tolist())
    for one in found.leaves:
        rows = leaves == one.node
        assert one.n_rows == rows.sum() and one.weight == pytest.approx(mass[rows].sum())
        assert one.error.value == pytest.approx(mass[rows & wrong].sum() / mass[rows].sum())
        assert one.share_of_errors == pytest.approx(mass[rows & wrong].sum() / mass[wrong].sum())
        trained = est.apply(X[TRAIN]) == one.node
        assert one.n_train == trained.sum()
        assert one.train_error == pytest.approx((THREE[TRAIN][trained] != one.prediction).mean())
    shares = [one.share_of_errors for one in found.leaves]
    assert shares == sorted(shares, reverse=True)
    for (t, s), cell in found.cells.items():
        rows = (est.classes_[t] == THREE[TEST]) & (est.classes_[s] == said)
        assert dict(cell) == {
            leaf: int((rows & (leaves == leaf)).sum()) for leaf in set(leaves[rows].tolist())
        }


def test_residuals_by_leaf():
    est = fitted(bw.TreeRegressor(min_samples_leaf=20), NUMBERS)
    found = bw.study.report(est, X[TEST], NUMBERS[TEST], n_bootstrap=200)
    leaves, error = est.apply(X[TEST]), NUMBERS[TEST] - est.predict(X[TEST])
    for one in found.leaves:
        own = error[leaves == one.node]
        assert one.bias.value == pytest.approx(own.mean()) and one.bias.low <= own.mean() <= one.bias.high
        assert one.error.value == pytest.approx(np.sqrt((own**2).mean()))
        trained = NUMBERS[TRAIN][est.apply(X[TRAIN]) == one.node]
        assert one.train_error == pytest.approx(trained.std())
    assert sum(one.share_of_errors for one in found.leaves) == pytest.approx(1)


@pytest.mark.parametrize("weights", [None, WEIGHTS[TEST]], ids=["alike", "weighted"])
def test_numbers_are_those_of_scikit_learn(weights):
    est = fitted(RandomForestRegressor(n_estimators=5, random_state=0), NUMBERS)
    found = bw.study.report(
        est, X[TEST], NUMBERS[TEST], sample_weight=weights, train=(X[TRAIN], NUMBERS[TRAIN]), n_bootstrap=60
    )
    truth, said, named = NUMBERS[TEST], est.predict(X[TEST]), {"sample_weight": weights}
    expected = {
        "mse": metrics.mean_squared_error(truth, said, **named),
        "rmse": metrics.root_mean_squared_error(truth, said, **named),
        "mae": metrics.mean_absolute_error(truth, said, **named),
        "r2": metrics.r2_score(truth, said, **named),
        "bias": np.average(truth - said, weights=weights),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value), name
    mean = NUMBERS[TRAIN].mean()
    assert found.baseline.prediction == pytest.approx(mean)
    assert found.figure("mae").baseline.value == pytest.approx(
        np.average(np.abs(truth - mean), weights=weights)
    )
    assert found.figure("mse").verdict == "better" and found.figure("bias").verdict is None
    assert found.figure("r2").training == pytest.approx(est.score(X[TRAIN], NUMBERS[TRAIN]))


def test_subgroups_by_name_by_cells_and_of_many_kinds():
    frame = pd.DataFrame(X[TEST], columns=list("abcd")).assign(
        kind=np.random.default_rng(3).choice(["x", "y", None], 300), many=[f"v{k % 60}" for k in range(300)]
    )
    est = bw.TreeClassifier(max_depth=3).fit(pd.DataFrame(X[TRAIN], columns=list("abcd")), TWO[TRAIN])
    model = est.model_  # finds its columns by name, and ignores others
    found = bw.study.report(model, frame, TWO[TEST], subgroup=["kind", "a", "many"], n_bootstrap=0)
    kind, number, many = found.subgroups
    assert [one.name for one in kind.groups] == ["x", "y", "missing"]
    said = model.predict(frame)
    tables = []
    for one in kind.groups:
        rows = frame["kind"].isna() if one.name == "missing" else frame["kind"] == one.name
        rows = rows.to_numpy()
        wrong = said[rows] != TWO[TEST][rows]
        tables.append([wrong.sum(), (~wrong).sum()])
        assert one.n_rows == rows.sum() and one.figures["error"].value == pytest.approx(wrong.mean())
        positive = TWO[TEST][rows] == "yes"
        assert one.figures["recall"].value == pytest.approx((said[rows][positive] == "yes").mean())
        assert one.figures["predicted"].value == pytest.approx((said[rows] == "yes").mean())
    assert kind.p_value == pytest.approx(chi2_contingency(tables, correction=False).pvalue)
    bounds = np.quantile(frame["a"], [0.25, 0.5, 0.75])
    assert [one.n_rows for one in number.groups] == np.bincount(np.searchsorted(bounds, frame["a"])).tolist()
    assert len(many.groups) == 30 and many.groups[-1].name == "31 others"
    known = frame[list("abcd")]
    cells = bw.study.report(est, known, TWO[TEST], subgroup=frame["kind"], n_bootstrap=0)
    assert cells.subgroups == (kind,)
    named = bw.study.report(est, known, TWO[TEST], subgroup={"kind": frame["kind"]}, n_bootstrap=0)
    assert named.subgroups == (kind,)


def test_subgroups_of_numbers_have_intervals():
    est = fitted(bw.TreeRegressor(max_depth=3), NUMBERS)
    group = np.where(X[TEST][:, 2] > 0, "up", "down")
    found = bw.study.report(est, X[TEST], NUMBERS[TEST], subgroup=group, n_bootstrap=100)
    error = NUMBERS[TEST] - est.predict(X[TEST])
    for one in found.subgroups[0].groups:
        own = error[group == one.name]
        expected = {"bias": own.mean(), "mae": np.abs(own).mean(), "rmse": np.sqrt((own**2).mean())}
        for name, value in expected.items():
            assert one.figures[name].value == pytest.approx(value)
            assert one.figures[name].low < value < one.figures[name].high


def test_drift_is_what_scipy_tests_say():
    shifted = X[TEST].copy()
    shifted[:, 0] += 0.8
    est = fitted(bw.TreeClassifier(max_depth=3, min_samples_leaf=20), TWO)
    found = bw.study.report(est, shifted, TWO[TEST], n_bootstrap=0).drift
    handed = bw.study.report(est, shifted, TWO[TEST], n_bootstrap=0, train=(X[TRAIN], TWO[TRAIN])).drift
    assert handed == found  # the tree knows its training rows
    before, after = (np.asarray(est.decision_path(rows).todense()) for rows in (X[TRAIN], shifted))
    raw = []
    for one in found.nodes:
        n, m = before[:, one.node].sum(), after[:, one.node].sum()
        assert (one.n_train, one.n_test) == (n, m)
        assert one.test_share == pytest.approx(m / 300)
        if one.node:
            raw.append(chi2_contingency([[n, 300 - n], [m, 300 - m]], correction=False).pvalue)
    # all nodes of this tree have rows enough for a test of reach; Holm corrects these together with tests of classes
    assert found.n_tests >= len(raw)
    assert all(one.reach_p >= p - 1e-12 for one, p in zip(found.nodes[1:], raw, strict=True))
    assert found.drifted and found.drifted[0].reach_p == min(one.reach_p for one in found.nodes[1:])
    root = found.nodes[0]
    labels = np.unique(TWO)
    counts = [[(rows == label).sum() for label in labels] for rows in (TWO[TRAIN], TWO[TEST])]
    assert root.train_target == pytest.approx(np.array(counts[0]) / 300)
    assert p_of_counts(np.array(counts, float)) == pytest.approx(
        chi2_contingency(counts, correction=False).pvalue
    )
    same = bw.study.report(est, X[TRAIN], TWO[TRAIN], n_bootstrap=0).drift
    assert not same.drifted and not same.changed


def test_tests_of_means_and_the_correction():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=30), rng.normal(0.5, 2, size=45)
    theirs = ttest_ind(a, b, equal_var=False).pvalue
    assert welch(30, a.mean(), a.var(ddof=1), 45, b.mean(), b.var(ddof=1)) == pytest.approx(theirs)
    assert welch(1, 0.0, 0.0, 5, 1.0, 1.0) is None and welch(5, 1.0, 0.0, 5, 2.0, 0.0) is None
    assert p_of_counts(np.array([[1.0, 2.0], [1.0, 1.0]])) is None
    p = rng.random(12).tolist()
    order = sorted(range(12), key=lambda k: p[k])
    slow = [min(1.0, max((12 - j) * p[order[j]] for j in range(order.index(k) + 1))) for k in range(12)]
    assert holm(p) == pytest.approx(slow)
    est = fitted(bw.TreeRegressor(max_depth=2), NUMBERS)
    node = bw.study.report(est, X[TEST], NUMBERS[TEST] + 1, n_bootstrap=0).drift.nodes[0]
    raw = ttest_ind(NUMBERS[TRAIN], NUMBERS[TEST] + 1, equal_var=False).pvalue
    assert node.target_p >= raw and node.target_p < 1e-6
    assert node.test_target == pytest.approx((NUMBERS[TEST].mean() + 1,))


def test_a_tree_that_shares_rows_counts_their_parts():
    holes = X.copy()
    holes[np.random.default_rng(5).random(X.shape) < 0.2] = np.nan
    est = bw.C45Classifier(pruning=None).fit(holes[TRAIN], TWO[TRAIN])
    assert est.tree_.shares_rows
    found = bw.study.report(est, holes[TEST], TWO[TEST], n_bootstrap=0)
    assert any("largest share" in note for note in found.notes)
    for node in range(est.tree_.n_nodes):
        children = est.tree_.children(node)
        if children:
            below = sum(found.drift.nodes[child].n_test for child in children)
            assert below == pytest.approx(found.drift.nodes[node].n_test)
    assert found["accuracy"].value == pytest.approx(est.score(holes[TEST], TWO[TEST]))


def test_rules_of_leaves_name_each_feature_once():
    est = fitted(bw.TreeClassifier(max_depth=8), THREE)
    found = bw.study.report(est, X[TEST], THREE[TEST], n_bootstrap=0)
    table = pd.DataFrame(X[TRAIN], columns=est.schema_.names)
    for one in found.leaves:
        conditions = rule_of(found.model, one.node)
        features = [re.match(r"[\d.e+-]* ?<?=? ?(x\d+)", text)[1] for text in conditions]
        assert len(features) == len(set(features))
        holds = np.ones(len(table), bool)
        for text in conditions:
            holds &= table.eval(text).to_numpy()
        assert (holds == (est.apply(X[TRAIN]) == one.node)).all(), conditions
