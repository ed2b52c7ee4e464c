"""Weights: k is k copies, 0 is absent, a common factor is no news, and no size of them breaks a tree."""

import re

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier

from branchwork.errors import ParameterError, WeightError
from contract.checks import arrays, some_target, sound
from together import together

from registry import CLASSIFIERS, EAGER, EVERYTHING

ROWS = 60


def with_every_criterion():
    """Pairs of a factory and a criterion that it takes; None: it has no choice."""
    for factory in EVERYTHING:
        if "criterion" not in factory().get_params():
            yield factory, None
            continue
        for criterion in ("accuracy", "entropy", "gini", "variance", "squared_error"):
            try:
                factory().set_params(criterion=criterion).fit([[0], [1]], [0, 1])
            except ParameterError:
                continue
            yield factory, criterion


def mixed_table(rng, rows=ROWS):
    words = rng.choice(["red", "green", "blue"], size=rows).astype(object)
    words[rng.random(rows) < 0.1] = None
    numbers = rng.integers(0, 12, size=(rows, 2)).astype(float)
    numbers[rng.random((rows, 2)) < 0.1] = np.nan
    return {"colour": words.tolist(), "size": numbers[:, 0], "age": numbers[:, 1]}


def taken(table, rows):
    return {name: [cells[row] for row in rows] for name, cells in table.items()}


def target_of(estimator, rng, rows=ROWS):
    values = np.array(some_target(estimator, 2), dtype=object)
    return values[rng.integers(0, 2, size=rows)].tolist()


def structure(estimator):
    """The splits of a tree as text, in which NaN equals NaN."""
    return [
        f"{tree.feature.tolist()} {tree.cut.tolist()} {tree.bounds.tolist()} {tree.n_children.tolist()}"
        for tree in estimator.model_.trees
    ]


def without_limit(factory, criterion=None):
    """An estimator that nothing but the data stops, however light a node is."""
    estimator = factory()
    own = estimator.get_params()
    if "min_samples_split" in own:
        estimator.set_params(min_samples_split=0)
    if criterion and "criterion" in own:
        estimator.set_params(criterion=criterion)
    return estimator


@pytest.mark.parametrize("factory", EVERYTHING)
@together("seed", range(5))
def test_a_row_of_weight_zero_is_as_if_absent(factory, seed):
    rng = np.random.default_rng(seed)
    estimator = factory()
    X, y = mixed_table(rng), target_of(estimator, rng)
    weights = rng.integers(0, 4, size=ROWS) * 0.75
    absent, present = np.flatnonzero(weights == 0), np.flatnonzero(weights)
    strange = y[0] + y[0]  # another label, or another number
    for row in absent:  # what only absent rows have: categories, labels, numbers
        X["colour"][row], X["size"][row], y[row] = "seen by nobody", 1e9, strange
    estimator.fit(X, y, sample_weight=weights)
    alone = factory().fit(taken(X, present), [y[row] for row in present], sample_weight=weights[present])
    assert arrays(estimator) == arrays(alone)
    assert "seen by nobody" not in estimator.to_text()


@pytest.mark.parametrize("factory", EAGER)
def test_missing_cells_of_absent_rows_make_no_branch(factory):
    estimator = factory()
    no, yes = some_target(estimator, 2)
    X = {"c": ["a", "b", None, "b"], "n": [1.0, 2.0, np.nan, 2.0]}
    estimator.fit(X, [no, yes, yes, yes], sample_weight=[1, 2, 0, 2])
    alone = factory().fit(taken(X, [0, 1, 3]), [no, yes, yes], sample_weight=[1, 2, 2])
    assert arrays(estimator) == arrays(alone)
    assert estimator.tree_.n_children.max() == 2


@pytest.mark.parametrize("factory", EVERYTHING)
@pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
def test_one_row_of_weight_is_enough(factory):
    estimator = factory()
    y = some_target(estimator, 4)
    estimator.fit([[1.0], [2.0], [3.0], [4.0]], y, sample_weight=[0, 1, 0, 0])
    sound(estimator, [[1.0], [9.0]])
    assert estimator.get_depth() == 0
    assert estimator.predict([[1.0]]).tolist() == [y[1]]


@pytest.mark.parametrize("factory", EVERYTHING)
@together("seed", range(5))
def test_weight_k_is_k_copies(factory, seed):
    rng = np.random.default_rng(seed)
    estimator = factory()
    X, y = mixed_table(rng), target_of(estimator, rng)
    weights = rng.integers(0, 4, size=ROWS)
    estimator.fit(X, y, sample_weight=weights)
    copies = np.repeat(np.arange(ROWS), weights)
    copied = factory().fit(taken(X, copies), [y[row] for row in copies])
    assert structure(estimator) == structure(copied)
    assert estimator.tree_.weight == pytest.approx(copied.tree_.weight)
    assert estimator.tree_.value == pytest.approx(copied.tree_.value)


@together("factory", EVERYTHING)
@pytest.mark.parametrize(
    "weight", [1, 1.0, True, np.ones(ROWS), [1] * ROWS, np.ones(ROWS, bool), np.ones(ROWS, "i1")], ids=str
)
def test_weights_of_one_change_nothing(factory, weight):
    rng = np.random.default_rng(0)
    estimator = factory()
    X, y = mixed_table(rng), target_of(estimator, rng)
    assert arrays(estimator.fit(X, y, sample_weight=weight)) == arrays(factory().fit(X, y))


@pytest.mark.parametrize("factory", EAGER)
@together("factor", [2.0**-30, 1 / ROWS, 0.5, 3.0, 2.0**30])
def test_a_common_factor_of_all_weights_changes_no_split(factory, factor):
    rng = np.random.default_rng(1)
    estimator = without_limit(factory, None if "Classifier" in factory.__name__ else "squared_error")
    X, y = mixed_table(rng), target_of(estimator, rng)
    weights = rng.integers(1, 4, size=ROWS).astype(float)
    estimator.fit(X, y, sample_weight=weights)
    expected, answers = structure(estimator), estimator.predict(X).tolist()
    estimator.fit(X, y, sample_weight=weights * factor)
    assert estimator.get_depth() >= 1
    assert structure(estimator) == expected
    found = estimator.predict(X).tolist()
    assert found == (answers if hasattr(estimator, "classes_") else pytest.approx(answers))


@pytest.mark.parametrize("factory", [f for f in CLASSIFIERS if f in EAGER])
def test_weights_that_sum_to_one_are_enough_for_boosting(factory):
    X, y = np.arange(float(ROWS)).reshape(-1, 1), np.arange(ROWS) // 20 % 2
    boosted = AdaBoostClassifier(without_limit(factory), n_estimators=10).fit(X, y)
    assert boosted.score(X, y) == 1


SIZES = {
    "tiny": np.full(ROWS, 1e-300),
    "smallest": np.full(ROWS, 5e-324),
    "small": np.full(ROWS, 1e-100),
    "large": np.full(ROWS, 1e100),
    "huge": np.full(ROWS, 1e300),
    "largest": np.full(ROWS, np.finfo(float).max),
    "tiny and one": np.where(np.arange(ROWS) % 3, 1e-300, 1.0),
    "huge and one": np.where(np.arange(ROWS) % 3, 1e300, 1.0),
    "huge and tiny": np.where(np.arange(ROWS) % 3, 1e300, 1e-300),
}


@pytest.mark.parametrize(("factory", "criterion"), list(with_every_criterion()))
@together("size", SIZES)
@pytest.mark.filterwarnings("ignore::branchwork.errors.LowWeightWarning")
def test_weights_of_any_size_give_a_finite_tree_or_are_refused(factory, criterion, size):
    rng = np.random.default_rng(2)
    estimator = factory() if criterion is None else factory().set_params(criterion=criterion)
    X, y = mixed_table(rng), target_of(estimator, rng)
    try:
        estimator.fit(X, y, sample_weight=SIZES[size])  # warns of nothing: there are two values to learn
    except WeightError as error:
        assert "sample_weight" in str(error)
        return
    sound(estimator, X, weighted=True)
    text = estimator.to_text() + str(estimator.working()) + str(estimator.to_dict())
    text = text.replace("'cut': inf", "")  # all that is known against all that is missing
    assert not re.search(r"\b(nan|inf)\b", text)


@pytest.mark.parametrize("factory", EAGER)
@together("size", ["tiny", "small", "large", "huge"])
def test_equal_weights_of_any_size_find_the_split_that_unit_weights_find(factory, size):
    estimator = without_limit(factory)
    X, y = np.arange(float(ROWS)).reshape(-1, 1), some_target(estimator, 1) * (ROWS // 2)
    y += [some_target(estimator, 2)[1]] * (ROWS - len(y))
    try:
        estimator.fit(X, y, sample_weight=SIZES[size])
    except WeightError as error:
        assert "sample_weight" in str(error)
        return
    sound(estimator, X, weighted=True)
    assert estimator.to_dict()["cut"] == ROWS // 2 - 0.5
    assert estimator.predict(X).tolist() == y
