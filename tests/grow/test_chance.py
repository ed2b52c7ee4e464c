"""The tests that the ledger keeps are those of the branches, counted again from the data."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.grow import tree_split
from branchwork.grow.replay import replay
from branchwork.measure.chance import chi_square, f_test
from branchwork.table.adapt import to_table
from together import together

CLASSES = ["gini", "entropy", "accuracy", "gain_ratio"]
NUMBERS = ["squared_error", "variance"]


def table(seed: int, holes: bool):
    """Numbers with ties, categories, noise; and both kinds of target."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 12, (90, 2)) / 4.0
    words = rng.choice(list("abcd"), (90, 2)).astype(object)
    score = numbers[:, 0] + (words[:, 0] == "b") + rng.normal(size=90)
    if holes:
        numbers[rng.random(numbers.shape) < 0.15] = np.nan
        words[rng.random(words.shape) < 0.15] = None
    X = {"n0": numbers[:, 0], "n1": numbers[:, 1], "w0": words[:, 0].tolist(), "w1": words[:, 1].tolist()}
    return X, np.digitize(score, [0.5, 2.0]), score, rng.choice([0.5, 1.0, 2.0], 90)


def compared(tree, X, y, weights) -> int:
    """Compare the kept tests with those of the branches of handed-back data; the number of tests."""
    seen, recipe = 0, tree._recipe()
    coded, target = tree._coded(to_table(X)), tree._retarget(y, weights)
    for node in np.flatnonzero(tree.tree_.feature >= 0).tolist():
        kept = tree.working(node).to_dict()
        again = replay(tree.tree_, coded, target, recipe, node).candidates
        for row, one in zip(kept, again, strict=True):
            assert (row["p_value"] is None) == (one.parting is None), (node, row["feature"])
            if one.parting is None:
                continue
            statistic, p_value = tree_split.test_of(one.parting, recipe)
            assert row["p_value"] == pytest.approx(p_value, rel=1e-6, abs=1e-12)
            if np.isfinite(statistic) and p_value > 1e-12:
                found = row["f"] if row["chi2"] is None else row["chi2"]
                assert found == pytest.approx(statistic, rel=1e-9, abs=1e-9)
            seen += 1
    return seen


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("missing", ["branch", "larger", "learn"])
@pytest.mark.parametrize("nominal", ["multiway", "subset", "one_vs_rest"])
@together("criterion", [*CLASSES, *NUMBERS])
def test_kept_and_counted_again(criterion, nominal, missing, weighted):
    X, labels, score, weights = table(3, holes=True)
    y, face = (labels, bw.TreeClassifier) if criterion in CLASSES else (score, bw.TreeRegressor)
    weights = weights if weighted else None
    tree = face(criterion=criterion, nominal=nominal, missing=missing, max_depth=4)
    assert compared(tree.fit(X, y, sample_weight=weights), X, y, weights) > 20


@pytest.mark.parametrize("holes", [False, True], ids=["whole", "missing cells"])
@pytest.mark.parametrize(
    "estimator",
    [
        *(bw.ID3Classifier(), bw.ID3Regressor(), bw.StumpClassifier(), bw.StumpRegressor()),
        bw.StumpClassifier(search="values"),
        bw.StumpClassifier(search="grid", grid=50),
        *(bw.CARTClassifier(max_depth=3), bw.CARTClassifier(max_depth=3, max_surrogates=2)),
        bw.CARTRegressor(max_depth=3),
    ],
    ids=repr,
)
def test_every_search_keeps_its_tests(estimator, holes):
    X, labels, score, _ = table(5, holes)
    y = labels if hasattr(estimator, "predict_proba") else score
    assert compared(estimator.fit(X, y), X, y, None) >= 2


@pytest.mark.parametrize(
    "estimator",
    [
        bw.C45Classifier(pruning=None),
        bw.C45Classifier(variant="j48", pruning=None),
        bw.C45Classifier(variant="j48", pruning=None, nominal="one_vs_rest"),
        bw.C45Classifier(value_groups=True, pruning=None),
        bw.TreeClassifier(missing="share", max_depth=4),
        bw.TreeRegressor(missing="share", max_depth=4),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", range(3))
def test_where_rows_are_shared(estimator, seed):
    X, labels, score, _ = table(seed, holes=True)
    y = labels if hasattr(estimator, "predict_proba") else score
    tree = estimator.fit(X, y)
    coded, target = tree._coded(to_table(X)), tree._retarget(y, None)
    seen = 0
    for node in np.flatnonzero(tree.tree_.feature >= 0).tolist():
        again = replay(tree.tree_, coded, target, tree._recipe(), node)
        for row, one in zip(tree.working(node).to_dict(), again.candidates, strict=True):
            if one.parting is None:
                continue
            groups = one.parting.branches
            if tree.model_.labels is not None:
                statistic, p_value = chi_square(np.array([group.counts for group in groups]))
            else:
                weight = np.array([group.weight for group in groups])
                within = float(weight @ np.array([group.impurity for group in groups]))
                statistic, p_value = f_test(weight, np.array([group.mean for group in groups]), within)
            found = row["f"] if row["chi2"] is None else row["chi2"]
            assert found == pytest.approx(statistic, rel=1e-7, abs=1e-9)
            assert row["p_value"] == pytest.approx(p_value, rel=1e-6, abs=1e-12)
            seen += 1
    assert seen > 0


def test_counts_of_a_rate_have_no_test():
    X, _, score, _ = table(0, holes=False)
    tree = bw.TreeRegressor(criterion="poisson", max_depth=2).fit(X, np.round(np.abs(score)))
    assert all(row["p_value"] is None and row["f"] is None for row in tree.working().to_dict())
