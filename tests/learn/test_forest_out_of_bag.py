"""Out-of-bag answers and the importance of features by permutation, against slow and obvious computations."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import OutOfBagWarning, ParameterError
from branchwork.learn.draws import key_of, tree_key
from branchwork.table.adapt import to_table
from forest_rows import N, mixed_rows

# ---------------------------------------------------------------------------------------------------- out of bag


@pytest.mark.parametrize("combine", ["mean", "vote"])
@pytest.mark.parametrize("weighted", [False, True])
def test_out_of_bag_answers_are_those_of_the_trees_without_the_row(combine, weighted):
    X, y, _ = mixed_rows()
    weights = np.random.default_rng(1).integers(0, 4, N).astype(float) if weighted else None
    forest = bw.RandomForestClassifier(40, combine=combine, oob_score=True).fit(X, y, sample_weight=weights)
    table, labels = to_table(X), forest.model_.labels
    right = total = 0.0
    for row in range(N):
        said = []
        for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
            if row in rows:
                continue
            shares = tree.predict_proba(table.take([row]))[0]
            said.append(shares if combine == "mean" else np.eye(3)[np.argmax(shares)])
        if weighted and weights[row] == 0:
            assert np.isnan(forest.oob_decision_function_[row]).all()
            continue
        mean = np.mean(said, axis=0)
        np.testing.assert_allclose(forest.oob_decision_function_[row], mean, rtol=1e-12)
        weight = weights[row] if weighted else 1.0
        ordered = [mean[list(forest.classes_).index(label)] for label in labels]
        right += weight * (labels[int(np.argmax(np.round(ordered, 11)))] == y[row])
        total += weight
    assert forest.oob_score_ == pytest.approx(right / total)
    assert forest.model_.ensemble.errors[-1] == (40, pytest.approx(1 - right / total))


def test_out_of_bag_of_numbers():
    X, _, y = mixed_rows()
    forest = bw.RandomForestRegressor(40, oob_score=True).fit(X, y)
    wanted = np.array(
        [
            np.mean(
                [
                    tree.predict(to_table(X).take([row]))[0]
                    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True)
                    if row not in rows
                ]
            )
            for row in range(N)
        ]
    )
    np.testing.assert_allclose(forest.oob_prediction_, wanted, rtol=1e-12)
    assert forest.oob_score_ == pytest.approx(1 - ((wanted - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def test_rows_that_no_tree_left_out_are_counted_in_one_warning():
    X, y, _ = mixed_rows()
    with pytest.warns(OutOfBagWarning, match=r"of 150 rows were in the sample of every tree") as caught:
        forest = bw.RandomForestClassifier(2, oob_score=True).fit(X, y)
    assert len(caught) == 1
    answered = ~np.isnan(forest.oob_decision_function_).any(axis=1)
    left_out = np.array([any(row not in rows for rows in forest.estimators_samples_) for row in range(N)])
    assert (answered == left_out).all() and not answered.all()


def test_noise_is_answered_as_by_guessing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 5)), rng.integers(0, 2, 2000)
    score = bw.RandomForestClassifier(60, oob_score=True).fit(X, y).oob_score_
    assert abs(score - 0.5) < 3 * np.sqrt(0.25 / 2000)


# ------------------------------------------------------------------------------------- importance by permutation


def test_permutation_importance_is_what_the_definition_says():
    X, y, _ = mixed_rows()
    forest = bw.RandomForestClassifier(12, random_state=5).fit(X, y)
    found = forest.permutation_importance(X, y)
    table = to_table(X)
    wanted = np.zeros((12, 4))
    for k, (rows, tree) in enumerate(zip(forest.estimators_samples_, forest.estimators_, strict=True)):
        out = [row for row in range(N) if row not in rows]
        for feature in range(4):
            key = key_of(key_of(tree_key(5, k), 5 << 56), feature)
            order = sorted(range(len(out)), key=lambda i: key_of(key, i))
            changed = {name: table.take(out).column(name) for name in X}
            name = table.schema.names[feature]
            changed[name] = [changed[name][i] for i in order]
            intact = np.mean(tree.predict(table.take(out)) != y[out])
            wanted[k, feature] = np.mean(tree.predict(changed) != y[out]) - intact
    np.testing.assert_allclose(found.importances, wanted, atol=1e-12)
    np.testing.assert_allclose(found.importances_mean, wanted.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.standard_error, wanted.std(axis=0, ddof=1) / np.sqrt(12), atol=1e-12)


def test_a_feature_that_says_nothing_has_no_importance():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 3))
    y = X[:, 0] * 3 + rng.normal(size=1000) / 10
    forest = bw.RandomForestRegressor(30).fit(X, y)
    found = forest.permutation_importance(X, y)
    assert found.importances_mean[0] > 50 * abs(found.importances_mean[1:]).max()
    assert forest.feature_importances_[0] > 0.8


def test_permutation_importance_needs_the_rows_of_the_fit():
    X, y, _ = mixed_rows()
    forest = bw.RandomForestClassifier(3).fit(X, y)
    with pytest.raises(bw.errors.DataError, match="grown on 150"):
        forest.permutation_importance(to_table(X).take(range(10)), y[:10])
    without = bw.RandomForestClassifier(3, bootstrap=False).fit(X, y)
    with pytest.raises(ParameterError, match="bootstrap=True"):
        without.permutation_importance(X, y)
