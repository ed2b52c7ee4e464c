"""A report of the training rows themselves: what it says of training is what it finds, whatever altered the weights."""

import numpy as np
import pytest

import branchwork as bw
from together import together

RNG = np.random.default_rng(0)
N = 400
X = {"a": RNG.normal(size=N), "b": RNG.integers(0, 5, N).astype(float), "c": RNG.choice(list("xyz"), N)}
NOISE = RNG.normal(size=N)
CLASSES = np.where(X["a"] + X["b"] / 3 + NOISE > 1.8, "ill", "well")
NUMBERS = 3 * X["a"] + X["b"] + NOISE
COUNTS = RNG.poisson(np.exp(X["a"] / 2))
GAPS = {**X, "a": np.where(RNG.random(N) < 0.1, np.nan, X["a"])}
WEIGHTS = {"alike": None, "whole": RNG.integers(1, 4, N).astype(float), "parts": RNG.integers(1, 6, N) / 4}
LOSS = {"ill": {"well": 5}, "well": {"ill": 1}}

OF_CLASSES = [
    bw.TreeClassifier(max_depth=3),
    bw.TreeClassifier(max_depth=3, class_weight="balanced"),
    bw.TreeClassifier(max_depth=3, class_weight={"ill": 3.3, "well": 0.7}, smoothing=1),
    bw.CARTClassifier(loss=[[0, 5], [1, 0]]),
    bw.CARTClassifier(priors={"ill": 0.8, "well": 0.2}),
    bw.CARTClassifier(priors={"ill": 0.6, "well": 0.4}, loss=[[0, 2], [1, 0]], xval=3, cp=0.001),
    bw.C45Classifier(class_weight="balanced"),
    bw.C45Classifier(class_weight={"ill": 2.5}, variant="j48"),
    bw.ID3Classifier(max_depth=2, class_weight="balanced"),
    bw.StumpClassifier(class_weight="balanced"),
    bw.CHAIDClassifier(class_weight="balanced"),
    bw.OptimalTreeClassifier(max_depth=2, class_weight="balanced"),
]
OF_NUMBERS = [
    (bw.TreeRegressor(max_depth=3), NUMBERS),
    (bw.CARTRegressor(cp=0.001), NUMBERS),
    (bw.CARTRegressor(criterion="poisson", cp=0.001), COUNTS),
    (bw.ID3Regressor(max_depth=2), NUMBERS),
    (bw.CHAIDRegressor(), NUMBERS),
    (bw.OptimalTreeRegressor(max_depth=2), NUMBERS),
]
CASES = [
    *((est, X, CLASSES, kind) for est in OF_CLASSES for kind in WEIGHTS),
    *((est, X, y, kind) for est, y in OF_NUMBERS for kind in WEIGHTS),
    *((est, GAPS, CLASSES, kind) for est in (OF_CLASSES[0], OF_CLASSES[3]) for kind in WEIGHTS),
]


def rows_of_leaves(est, rows):
    """The numbers of the rows in each leaf."""
    leaves = est.apply(rows)
    return {leaf: np.flatnonzero(leaves == leaf) for leaf in np.unique(leaves).tolist()}


def error_of(est, rows, y, weights, here):
    said, truth = est.predict(rows)[here], y[here]
    if isinstance(truth[0], str):
        return np.average(said != truth, weights=weights[here])
    return np.average((said - truth) ** 2, weights=weights[here]) ** 0.5


@pytest.mark.filterwarnings("ignore::branchwork.errors.BranchworkWarning")
@together(("est", "rows", "y", "kind"), CASES)
def test_every_leaf_of_the_training_rows_is_what_the_tree_says_of_it(est, rows, y, kind):
    weights = WEIGHTS[kind]
    est.fit(rows, y, sample_weight=weights)
    masses = np.ones(N) if weights is None else weights
    stored = bw.study.report(est, rows, y, sample_weight=weights, n_bootstrap=0)
    given = bw.study.report(est, rows, y, sample_weight=weights, train=(rows, y, weights), n_bootstrap=0)
    expected = rows_of_leaves(est, rows)
    for found in (stored, given):
        assert {one.node for one in found.leaves} == set(expected)
        for one in found.leaves:
            here = expected[one.node]
            assert one.n_rows == len(here) and one.weight == pytest.approx(masses[here].sum())
            error = error_of(est, rows, y, masses, here)
            assert one.error.value == pytest.approx(error, abs=1e-12)
            if found is given or rows is X:  # without missing cells no row is in several leaves
                assert one.n_train == len(here)
                unknown = found is stored and len(here) > 1 and masses[here].sum() <= 1  # no sample variance
                assert one.train_error == pytest.approx(error, abs=1e-12) or (
                    unknown and np.isnan(one.train_error)
                )
        for one in found.drift.nodes if found.drift else ():
            assert one.train_share == pytest.approx(one.test_share, abs=1e-12)
            assert one.train_target == () or one.train_target == pytest.approx(one.test_target, abs=1e-12)
            assert {one.reach_p, one.target_p} <= {None, 1.0}
    for one in given.figures:
        assert one.training == pytest.approx(one.value.value, abs=1e-12)


def test_the_baseline_of_altered_weights_is_that_of_the_rows():
    masses = {label: (label == CLASSES).sum() for label in ("ill", "well")}
    for est in OF_CLASSES:
        base = bw.study.report(est.fit(X, CLASSES), X, CLASSES, n_bootstrap=0).baseline
        assert base.source == "training" and base.prediction == max(masses, key=masses.get)
    weights = np.where(min(masses, key=masses.get) == CLASSES, 9.0, 1.0)
    tree = bw.TreeClassifier(max_depth=2).fit(X, CLASSES)
    weighted = bw.study.report(tree, X, CLASSES, train=(X, CLASSES, weights), n_bootstrap=0).baseline
    assert weighted.prediction == min(masses, key=masses.get)
    tree = bw.TreeRegressor(max_depth=2).fit(X, NUMBERS)
    base = bw.study.report(tree, X, NUMBERS, train=(X, NUMBERS, WEIGHTS["whole"]), n_bootstrap=0).baseline
    assert base.prediction == pytest.approx(np.average(NUMBERS, weights=WEIGHTS["whole"]))


def test_weights_on_one_side_only_are_named():
    tree = bw.TreeClassifier(max_depth=2).fit(X, CLASSES)
    weights = WEIGHTS["whole"]
    notes = bw.study.report(tree, X, CLASSES, sample_weight=weights, train=(X, CLASSES), n_bootstrap=0).notes
    assert any(note.endswith("give train=(X, y, sample_weight).") for note in notes)
    notes = bw.study.report(tree, X, CLASSES, train=(X, CLASSES, weights), n_bootstrap=0).notes
    assert any(note.endswith("give sample_weight, too.") for note in notes)
    both = bw.study.report(
        tree, X, CLASSES, sample_weight=weights, train=(X, CLASSES, weights), n_bootstrap=0
    )
    assert not any("cannot be compared" in note for note in both.notes)
    with pytest.raises(
        bw.errors.ParameterError, match=r"expected the training rows and their answers, \(X, y\) or"
    ):
        bw.study.report(tree, X, CLASSES, train=(X,))


def test_saved_models_know_how_classes_count(tmp_path):
    for est in OF_CLASSES:
        est.fit(X, CLASSES)
        for suffix in ("bw", "json"):
            bw.save(est, tmp_path / f"model.{suffix}")
            loaded = bw.load(tmp_path / f"model.{suffix}")
            assert loaded.class_weights == est.model_.class_weights
            if loaded.class_samples is not None:
                whole = loaded.class_samples[0]
                assert whole.tolist() == pytest.approx([(label == CLASSES).sum() for label in loaded.labels])
