"""Settings: wrong ones are refused in fit by name, huge ones behave, and nothing is said that was not asked for."""

import numpy as np
import pytest
from sklearn.base import clone

from branchwork.errors import DataError, ParameterError
from contract.checks import SANITIZED, X4, child, refused, some_target, sound
from together import together

from registry import ESTIMATORS, EVERYTHING

NAN, INFINITY = float("nan"), float("inf")
WRONG = {
    "criterion": ["gnin", "", None, ["gini"], 3],
    "max_depth": [-1, 1.5, "deep", True, INFINITY, NAN, [3]],
    "min_samples_split": [-1, "2", None, True, NAN, INFINITY, -INFINITY, [2]],
    "zero_gain": ["yes", 1, None, "True"],
    "smoothing": [-1, "lapalce", NAN, INFINITY, True, [1], -0.5],
    "search": ["sort", None, 3, ["sorted"], "grid"],  # a grid needs a step
    "handle_unknown": ["x", None, "Missing", ["missing"], 0],
    "categorical_features": ["x0", "all", 3, [7], [-3], ["size"], [1.5], [None], [True], [True] * 3, [[0]]],
    "n_jobs": [0, "two", 1.5, True, NAN],
    "cp": [-0.1, "small", None, NAN, INFINITY, True, [0.1]],
    "max_surrogates": [-1, 1.5, "five", True, [5]],
    "priors": ["even", 0.5, [0.5], [0.5, 0.6], [1.0, 0.0], [NAN, 1.0], {0: 1.0}, {"x": 0.5, "y": 0.5}],
    "loss": ["high", 2, [0, 1], [[0, 1]], [[0, 1], [1, NAN]]],
    "xval": [1, 0, "ten", True, 2.5, [0, 1], [0.5] * 4, np.zeros((4, 1), int)],
    "choose": ["least", 1, ["min"]],
    "style": ["c45", None, 3],
    "min_weight_fraction_leaf": [-0.1, 0.51, "half", None, True, NAN, INFINITY],
    "min_category_rows": [-1, "few", True, NAN, INFINITY, [5]],
    "max_levels": [0, -1, 2.5, "many", True, NAN, [5]],
    "shrink": [-1, "much", None, NAN, 1.0],  # only a Poisson rate is shrunk
}
EXPECTED = {  # what the refusal tells
    "criterion": "Expected one of",
    "max_depth": "whole number of at least 0",
    "min_samples_split": "number",
    "zero_gain": "True or False",
    "smoothing": "number",
    "handle_unknown": "'missing', 'majority', 'error'",
    "n_jobs": "whole number above 0",
}


@pytest.mark.parametrize(
    ("factory", "name"), [(f, name) for f in EVERYTHING for name in WRONG if name in f().get_params()]
)
def test_wrong_settings_are_refused_in_fit_by_name(factory, name):
    for value in WRONG[name]:
        _refused_by_name(factory, name, value)


def _refused_by_name(factory, name, value):
    estimator = factory().set_params(**{name: value})  # not in __init__, not in set_params
    y = some_target(estimator, 4)
    before = repr(estimator.get_params())
    assert repr(clone(estimator).get_params()) == before
    message = refused(estimator, X4, y, EXPECTED.get(name, ""))
    assert name in message or (name == "categorical_features" and "no column" in message)
    assert repr(value) in message or name in ("search", "categorical_features", "priors")
    assert repr(estimator.get_params()) == before
    assert not hasattr(estimator, "model_")
    fitted = factory().fit(X4, y)
    model, answers = fitted.model_, fitted.predict(X4).tolist()
    refused(fitted.set_params(**{name: value}), X4, y)
    assert fitted.model_ is model
    if name != "n_jobs":  # a model answers as it was made; threads are asked for anew
        assert fitted.predict(X4).tolist() == answers


def with_setting(name):
    return [factory for factory in ESTIMATORS if name in factory().get_params()]


@pytest.mark.parametrize("factory", with_setting("criterion"))
def test_a_mistyped_criterion_lists_what_there_is(factory):
    with pytest.raises(ParameterError, match=repr(factory().criterion)):
        factory().set_params(criterion="gnin").fit(X4, some_target(factory(), 4))


@pytest.mark.parametrize("factory", with_setting("handle_unknown"))
def test_a_mistyped_word_gets_a_suggestion(factory):
    with pytest.raises(ParameterError, match="Did you mean 'majority'"):
        factory().set_params(handle_unknown="majorty").fit(X4, some_target(factory(), 4))


@pytest.mark.parametrize("factory", with_setting("grid"))
@together("grid", [None, 0, -1, 0.0, -0.5, NAN, INFINITY, "fine", True, [0.1]])
def test_a_grid_needs_a_step_or_a_number_of_points(factory, grid):
    estimator = factory().set_params(search="grid", grid=grid)
    refused(estimator, X4, some_target(estimator, 4), "grid")


@pytest.mark.parametrize("factory", with_setting("grid"))
@pytest.mark.parametrize("grid", ["fine", [0.1]])
def test_a_grid_that_is_not_used_is_ignored_or_refused_by_name(factory, grid):
    estimator = factory().set_params(grid=grid)
    try:
        estimator.fit(X4, some_target(estimator, 4))
    except ParameterError as error:
        assert "grid" in str(error)


@pytest.mark.parametrize("factory", ESTIMATORS)
@together(
    "features",
    [[], None, "from_dtype", np.array([], int), [0, 0], (1,), {0}, np.array([True, False])],
)
def test_right_categorical_features_are_taken(factory, features):
    estimator = factory().set_params(categorical_features=features)
    sound(estimator.fit(X4, some_target(estimator, 4)), X4)


HUGE = {
    "max_depth": [10**6, 10**12, 2**63 - 1, 2**63, 10**30],
    "min_samples_split": [1e18, 10**18, 1e308, 10**400],
    "smoothing": [1e18, 1e308, 10**400],
}
HUGE_CASES = [(name, value) for name in HUGE for value in HUGE[name]]


@pytest.mark.parametrize("factory", ESTIMATORS)
@together("name, value", HUGE_CASES)
def test_a_huge_setting_is_obeyed_or_refused_by_name(factory, name, value):
    if name not in factory().get_params():
        return
    estimator = factory().set_params(**{name: value})
    X, y = np.arange(20.0).reshape(-1, 1), some_target(estimator, 20)
    try:
        estimator.fit(X, y)
    except ParameterError as error:
        assert name in str(error)
        return
    sound(estimator, X)
    usual = factory().set_params(max_depth=None) if name == "max_depth" else factory()
    assert estimator.get_depth() == (0 if name == "min_samples_split" else usual.fit(X, y).get_depth())


GRIDS = {  # points that are too many, or lie beyond all numbers
    "an infinite range above": (0.5, [0.0, 1.0, 2.0, INFINITY]),
    "an infinite range below": (0.5, [-INFINITY, 1.0, 2.0, 3.0]),
    "a step that is lost in rounding": (1.0, [1e17, 1e17 + 100, 1e17 + 1000, 1e17 + 2000]),
    "the smallest step": (5e-324, [0.0, 1.0, 2.0, 3.0]),
    "a tiny step": (1e-300, [0.0, 1.0, 2.0, 3.0]),
    "a small step": (1e-9, [0.0, 1.0, 2.0, 3.0]),
    "very many points": (10**12, [0.0, 1.0, 2.0, 3.0]),
    "more points than fit a number": (10**30, [0.0, 1.0, 2.0, 3.0]),
    "the widest range": (5, [-1.7e308, 0.0, 1.0, 1.7e308]),
    "points in an infinite range": (5, [-INFINITY, 0.0, 1.0, INFINITY]),
    "a fair step": (0.25, [0.0, 1.0, 2.0, 3.0]),
}
GRID = """
import json, os, resource, sys
from registry import ESTIMATORS
from branchwork.errors import BranchworkError
from contract.test_settings import GRIDS
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))  # a grid that fills it is not worth waiting for
factories = [factory for factory in ESTIMATORS if "grid" in factory().get_params()]

def outcome(factory, grid, column):
    try:
        estimator = factory().set_params(search="grid", grid=grid).fit([[x] for x in column], [0, 0, 1, 1])
        return "fits" if len(estimator.predict([[x] for x in column])) == 4 else "does not predict"
    except BranchworkError as error:
        return "refused" if "grid" in str(error) else str(error)
    except BaseException as error:
        return repr(error)

print(json.dumps({f"{f.__name__} {what}": outcome(f, *GRIDS[what]) for f in factories for what in GRIDS}))
"""


@pytest.mark.skipif(SANITIZED, reason="limits its address space")
def test_a_grid_of_too_many_points_is_refused_and_fills_no_memory():
    found = child(GRID)
    assert {case: outcome for case, outcome in found.items() if outcome not in ("fits", "refused")} == {}


OPTIMIZED = """
import json, warnings
warnings.simplefilter("error")
import branchwork as bw
from registry import ESTIMATORS
assert False, "assertions are off"
tennis = bw.datasets.load("play_tennis")
X = tennis.X
for factory in ESTIMATORS:
    name = factory.__name__
    y = tennis.y if name.endswith("Classifier") else list(range(14))
    estimator = factory().fit(X, y)
    works = [estimator.working(), estimator.working(0, X=X, y=y)]
    text = [estimator.to_text(), *map(str, works), str(estimator.to_dict())]
    if not all(text) or len(estimator.predict(X)) != 14 or estimator.__doc__ is not None:
        raise SystemExit(f"{name} differs")
    try:
        factory().fit(X, [None] * 14)
    except bw.errors.TargetError:
        continue
    raise SystemExit(f"{name} took a missing target")
print(json.dumps("done"))
"""


@pytest.mark.deep
def test_python_without_docstrings_and_assertions_works():
    assert child(OPTIMIZED, "-OO") == "done"


def busy(estimator):
    X = np.random.default_rng(0).normal(size=(3000, 2))
    estimator.fit(X, (X[:, 0] > 0).astype(int))
    estimator.predict(X)
    estimator.to_text(), estimator.to_dict(), estimator.working(0, X=X, y=(X[:, 0] > 0).astype(int))


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_nothing_is_written_unless_asked_for(factory, capfd):
    busy(factory())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_verbose_writes_to_standard_error_only(factory, capfd):
    busy(factory().set_params(verbose=1))
    out, err = capfd.readouterr()
    assert out == ""
    assert factory.__name__ in err


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_verbose_changes_no_tree_and_survives_a_refusal(factory, capfd):
    estimator = factory().set_params(verbose=1)
    with pytest.raises(DataError):
        estimator.fit(X4, some_target(estimator, 3))
    assert capfd.readouterr().out == ""
    loud = estimator.fit(X4, some_target(estimator, 4)).to_dict()
    assert loud == factory().fit(X4, some_target(estimator, 4)).to_dict()


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_fit_changes_no_setting(factory):
    estimator = factory()
    before = estimator.get_params()
    estimator.fit(X4, some_target(estimator, 4))
    assert estimator.get_params() == before
    fresh = clone(estimator)
    assert not hasattr(fresh, "model_") and fresh.get_params() == before
