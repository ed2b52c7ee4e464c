"""Every parameter of every estimator has a check: a wrong value is refused by name, before data are looked at."""

import itertools
import math
import numbers
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import is_classifier

import branchwork as bw
from branchwork.errors import ParameterError, TargetError
from branchwork.estimators._parameters import checks_of
from contract.checks import X4, some_target, sound

from registry import ALL, ENSEMBLES, NEIGHBOURS


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no text for this")


VALUES = {
    "None": None,
    "NaN": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "-1": -1,
    "0": 0,
    "1": 1,
    "2": 2,
    "0.0": 0.0,
    "0.3": 0.3,
    "1.5": 1.5,
    "2**63": 2**63,
    "10**400": 10**400,
    "10**5000": 10**5000,  # Python does not print so many digits
    "no text": "",
    "zzz": "zzz",
    "bytes": b"x",
    "list": [],
    "tuple": (),
    "dict": {},
    "a dict of one": {"q": 1},
    "set": {7},
    "list of lists": [[1], [2, 3]],
    "object": object(),
    "unprintable": Unprintable(),
    "True": True,
    "False": False,
    "array": np.array([1, 2]),
    "array of floats": np.array([0.5, 0.5]),
    "array of text": np.array(["a", "b"]),
    "array without shape": np.array(3),
    "np.nan": np.float64("nan"),
    "NumPy's 3": np.int64(3),
    "NumPy's 0.25": np.float32(0.25),
    "NumPy's True": np.True_,
    "NumPy's text": np.str_("gini"),
    "fraction": Fraction(1, 4),
    "complex": 1j,
    "class": int,
    "function": lambda: 3,
    "generator": (x for x in "ab"),
}


def is_whole(value):
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_number(value):
    try:
        return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def whole(low, none=False):
    return lambda value: (none and value is None) or (is_whole(value) and value >= low)


def number(low, high=math.inf, low_excluded=False, none=False):
    def allowed(value):
        if value is None:
            return none
        return is_number(value) and (low < value if low_excluded else low <= value) and value <= high

    return allowed


def flag(value):
    return isinstance(value, bool | np.bool_)


def word(*words):
    return lambda value: (value is None and None in words) or (isinstance(value, str) and value in words)


def columns(value):
    """Of a table of two columns: no column, or those of a set or an array of positions; 2 is none."""
    return isinstance(value, list | tuple) and not value


def seed(value):
    return value is None or (is_whole(value) and 0 <= value < 2**32)


CLASS_CRITERIA = ("gini", "entropy", "accuracy", "gain_ratio")
VALUE_CRITERIA = ("squared_error", "variance", "poisson")
ALLOWED = {  # what docs and docstrings say
    "alpha_merge": number(0, 1, low_excluded=True),
    "alpha_resplit": number(0, 0.05, low_excluded=True, none=True),  # not above alpha_merge
    "alpha_split": number(0, 1, low_excluded=True),
    "bins": whole(2),
    "bonferroni": flag,
    "categorical_features": lambda value: value is None or columns(value),
    "choose": word(None),  # the others need xval
    "class_weight": lambda value: (
        value is None or value == {} if not isinstance(value, np.ndarray) else False
    ),
    "collapse": flag,
    "confidence": number(0, 1, low_excluded=True),
    "effort": word("exact", "split", "lookahead", "greedy"),
    "leaf_penalty": number(0),
    "lookahead": whole(1),
    "max_errors": word(None),  # a number needs minimise="leaves"
    "max_gap": number(0),
    "memory_limit": number(384, none=True),  # what the search needs for four rows of two columns
    "minimise": word("error"),  # "leaves" needs max_errors
    "on_interrupt": word("raise", "keep"),
    "time_limit": number(0, none=True),
    "correction": word(None),  # "bonferroni" needs max_p_value
    "cp": number(0),
    "cut": word("midpoint", "data"),
    "gain_ratio": flag,
    "grid": word(None),  # a step needs search="grid"
    "handle_unknown": word("missing", "majority", "error"),
    "honest": flag,
    "loss": word(None),
    "max_depth": whole(0, none=True),
    "max_leaf_nodes": whole(1, none=True),
    "max_p_value": number(0, 1, none=True),
    "max_surrogates": whole(0),
    "method": word("c4.5rules", "mitchell"),
    "min_cases": number(1),
    "min_gain": number(0),
    "min_impurity_decrease": number(0),
    "min_samples_leaf": number(0),
    "min_samples_split": number(0),
    "min_weight_fraction_leaf": number(0, 0.5),
    "missing": word("branch", "larger", "share", "learn"),
    "min_category_rows": number(0, none=True),
    "max_levels": whole(1, none=True),
    "multiplier": word("spss", "biggs"),
    "n_jobs": lambda value: value is None or (is_whole(value) and value != 0),
    "nominal": word("multiway", "subset", "one_vs_rest"),
    "order": word("depth", "breadth", "best"),
    "ordinal_features": columns,
    "pruning": word("error_based", "reduced_error", None),
    "random_state": seed,
    "search": word("sorted", "values"),
    "shrink": number(0, 0),  # other values need criterion="poisson"
    "smoothing": number(0, none=True),
    "statistic": word("pearson", "likelihood"),
    "style": word("plain", "rpart"),
    "subtree_raising": flag,
    "threshold_penalty": flag,
    "value_groups": flag,
    "variant": word("c4.5", "j48", "chaid", "exhaustive"),
    "verbose": lambda value: (isinstance(value, numbers.Integral) or flag(value)) and value >= 0,
    # of ensembles
    "algorithm": word("samme", "m1"),
    "bootstrap": flag,
    "callback": lambda value: value is None or callable(value),
    "combine": word("mean", "vote"),
    "estimator": word(None),
    "learning_rate": number(0, low_excluded=True),
    "max_features": lambda value: (
        value in (None, 1, 2, 0.3, 0.25) if is_number(value) or value is None else False
    ),
    "max_samples": lambda value: (
        value is None or (is_number(value) and (1 <= value <= 4 if is_whole(value) else 0 < value <= 1))
    ),
    "n_estimators": whole(1),
    "n_iter_no_change": whole(1, none=True),
    "oob_score": flag,
    "subspace": word("node", "tree"),
    "tol": number(0),
    "warm_start": flag,
    "xval": lambda value: value is None or (is_whole(value) and value >= 2),
    "zero_gain": flag,
    # of neighbours; there are four rows of two features
    "feature_weights": lambda value: (
        isinstance(value, np.ndarray) and value.dtype in (int, float) and value.ndim == 1
        if isinstance(value, np.ndarray)
        else value is None or value == {}
    ),
    "k": lambda value: is_whole(value) and 1 <= value <= 4,
    "metric": word("mixed", "euclidean", "manhattan", "hamming"),
    "power": number(0, low_excluded=True),
    "weights": word("uniform", "distance"),
    "priors": lambda value: value is None or (isinstance(value, np.ndarray) and value.dtype == float),
}


def allowed(factory, name, value):
    if name == "criterion":
        own = {
            bw.ID3Classifier: CLASS_CRITERIA[:3],
            bw.StumpClassifier: CLASS_CRITERIA[:3],
            bw.ID3Regressor: VALUE_CRITERIA[:2],
            bw.StumpRegressor: VALUE_CRITERIA[:2],
        }
        usual = CLASS_CRITERIA if is_classifier(factory()) else VALUE_CRITERIA
        return word(*own.get(factory, usual))(value)
    if name == "method" and factory.__name__ == "AdaBoostClassifier":
        return word("weights", "resample")(value)
    if factory.__name__.startswith("ExtraTrees") and name in ("oob_score", "n_iter_no_change"):
        return ALLOWED[name](value) and not value  # every tree has all rows
    if name == "missing" and factory in ENSEMBLES:
        return word("branch", "larger", "learn")(value)
    if name == "nominal" and factory in (bw.OptimalTreeClassifier, bw.OptimalTreeRegressor):
        return word("one_vs_rest", "subset")(value)
    if name == "handle_unknown" and factory in NEIGHBOURS:
        return word("missing", "error")(value)
    return ALLOWED[name](value)


@pytest.mark.parametrize("factory", ALL)
def test_every_parameter_has_a_check_and_every_check_a_rule(factory):
    names = set(factory().get_params())
    assert set(checks_of(type(factory()))) == names
    assert names - {"criterion"} <= set(ALLOWED)


@pytest.mark.parametrize("factory", ALL)
@pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
@pytest.mark.filterwarnings("ignore::branchwork.errors.OutOfBagWarning")
def test_a_value_is_taken_by_a_stated_rule_or_refused_by_name(factory, capfd):
    y = some_target(factory(), 4)
    wrong = {}
    for name, (what, value) in itertools.product(factory().get_params(), VALUES.items()):
        if name == "n_estimators" and what.startswith(("2**", "10**")):
            continue  # allowed, but nobody waits for as many trees
        if name == "callback" and callable(value):
            continue  # what it returns, or raises, is its own affair
        estimator = factory().set_params(**{name: value})
        try:
            estimator.fit(X4, y)
        except ParameterError as error:
            if allowed(factory, name, value) or name not in str(error) or len(str(error)) > 500:
                wrong[name, what] = f"refused: {error}"
        except Exception as error:
            wrong[name, what] = f"raised {error!r}"
        else:
            if not allowed(factory, name, value):
                wrong[name, what] = "taken"
                continue
            sound(estimator, X4)
    assert wrong == {}


@pytest.mark.parametrize("factory", ALL)
def test_parameters_are_checked_before_data_are_looked_at(factory):
    for name in factory().get_params():
        estimator = factory().set_params(**{name: VALUES["object"]})
        with pytest.raises(ParameterError, match=name):
            estimator.fit("no table", None)


@pytest.mark.parametrize("factory", ALL)
def test_data_are_looked_at_once_parameters_are_right(factory):
    with pytest.raises(TargetError):
        factory().fit(X4, None)


NUMPYS = {
    "max_depth": np.int8(2),
    "max_leaf_nodes": np.uint16(3),
    "min_samples_split": np.float32(2.5),
    "min_samples_leaf": np.int64(1),
    "min_cases": np.int32(1),
    "zero_gain": np.False_,
    "collapse": np.True_,
    "bonferroni": np.False_,
    "smoothing": np.float64(1),
    "confidence": np.float32(0.25),
    "handle_unknown": np.str_("majority"),
    "bins": np.int64(5),
    "alpha_split": np.float32(0.5),
    "max_surrogates": np.int64(1),
    "n_jobs": np.int64(1),
    "verbose": np.int64(0),
    "random_state": np.int64(3),
    "class_weight": {0: np.float32(2), 1: np.int64(3)},
}


@pytest.mark.parametrize("factory", ALL)
def test_scalars_of_numpy_are_as_good_as_pythons_and_can_be_saved(factory, tmp_path):
    own = {name: value for name, value in NUMPYS.items() if name in factory().get_params()}
    if factory in NEIGHBOURS:
        own |= {"handle_unknown": np.str_("error"), "k": np.int8(3), "power": np.float32(1.5)}
    plain = {name: value.item() for name, value in own.items() if name != "class_weight"}
    if "class_weight" in own:
        plain["class_weight"] = {0: 2.0, 1: 3}
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) // 7 % 2
    theirs, ours = factory().set_params(**own).fit(X, y), factory().set_params(**plain).fit(X, y)
    if factory not in NEIGHBOURS:
        assert theirs.model_.recipe == ours.model_.recipe
    bw.save(theirs.model_, tmp_path / "model.json")
    assert bw.load(tmp_path / "model.json").predict(X).tolist() == ours.predict(X).tolist()


def test_a_subclass_checks_its_own_parameters_itself():
    class Mine(bw.TreeClassifier):
        def __init__(self, *, extra="anything", max_depth=None):
            super().__init__(max_depth=max_depth)
            self.extra = extra

    assert Mine(extra=object()).fit(X4, [0, 0, 1, 1]).get_depth() == 1
    with pytest.raises(ParameterError, match="max_depth='deep'"):
        Mine(max_depth="deep").fit(X4, [0, 0, 1, 1])


WITHOUT_EFFECT = [
    (bw.StumpClassifier(grid=0.5), "grid=0.5"),
    (bw.StumpRegressor(grid=5, search="values"), "grid=5"),
    (bw.TreeClassifier(correction="bonferroni"), "correction='bonferroni'"),
    (bw.ID3Regressor(correction="bonferroni"), "correction='bonferroni'"),
    (bw.CARTClassifier(choose="min"), "choose='min'"),
    (bw.CARTRegressor(shrink=1.0), "shrink=1.0"),
    (bw.CARTClassifier(class_weight="balanced", priors=[0.5, 0.5]), "class_weight"),
]


@pytest.mark.parametrize(("estimator", "says"), WITHOUT_EFFECT, ids=str)
def test_a_setting_that_another_one_makes_useless_is_refused(estimator, says):
    with pytest.raises(ParameterError, match=says):
        estimator.fit("no table", None)
