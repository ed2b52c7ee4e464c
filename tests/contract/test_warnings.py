"""Every warning names the user's own line, however the estimator was called."""

import inspect
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline

import branchwork as bw
from branchwork import errors
from branchwork.errors import (
    BoostingWarning,
    BranchworkWarning,
    DecimalWarning,
    IdentifierWarning,
    InterruptedWarning,
    LossWarning,
    LowWeightWarning,
    MixedColumnWarning,
    OneClassWarning,
    OutOfBagWarning,
    UnseenCategoryWarning,
)

NUMBERS = np.arange(40.0).reshape(20, 2)
NAMED = {"a": NUMBERS[:, 0], "b": NUMBERS[:, 1]}
HALVES = np.arange(20) // 10
WORDS = {"c": ["x", "y"] * 10}


def one_class(wrap):
    wrap(bw.TreeClassifier()).fit(NUMBERS, np.zeros(20, int))


def low_weight(wrap):
    tree = wrap(bw.C45Classifier())
    weights = np.full(20, 0.05)
    if hasattr(tree, "steps"):
        tree.fit(NUMBERS, HALVES, **{f"{tree.steps[-1][0]}__sample_weight": weights})
    else:
        tree.fit(NUMBERS, HALVES, sample_weight=weights)


def column_vector(wrap):
    wrap(bw.TreeRegressor()).fit(NUMBERS, HALVES.reshape(-1, 1))


def unseen_category(wrap):
    wrap(bw.TreeClassifier()).fit(WORDS, HALVES).predict({"c": ["z"]})


def unseen_category_of_a_model(wrap):
    bw.TreeClassifier().fit(WORDS, HALVES).model_.predict({"c": ["z"]})


def names_at_prediction_only(wrap):
    wrap(bw.TreeClassifier()).fit(NUMBERS, HALVES).predict_proba(bw.to_table(NAMED))


def names_at_fit_only(wrap):
    wrap(bw.TreeRegressor()).fit(bw.to_table(NAMED), HALVES).score(NUMBERS, HALVES)


def identifier(wrap):
    wrap(bw.TreeClassifier()).fit({"c": [f"id{k}" for k in range(40)]}, np.arange(40) // 20)


def mixed_column(wrap):
    """Reading a file has nothing to do with estimators."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("size\n" + "\n".join(map(str, range(20))) + "\noops\n")
        file.flush()
        bw.read(file.name)


def out_of_bag(wrap):
    wrap(bw.RandomForestClassifier(1, oob_score=True)).fit(NUMBERS, HALVES)


def boosting(wrap):
    wrap(bw.AdaBoostClassifier(algorithm="m1")).fit(np.zeros((20, 1)), np.arange(20) % 3)


def losses_the_wrong_way_round(wrap):
    X, rng = np.arange(600.0)[:, None], np.random.default_rng(0)
    y = rng.random(600) < np.where(X[:, 0] > 500, 0.45, 0.04)
    wrap(bw.CARTClassifier(loss=[[0, 5], [1, 0]], xval=5, cp=0.01)).fit(X, y)


def interrupted(wrap):
    wrap(bw.RandomForestClassifier(3, on_interrupt="keep", callback=press_ctrl_c)).fit(NUMBERS, HALVES)


def press_ctrl_c(number, tree):
    raise KeyboardInterrupt


def decimal_commas(wrap):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_text("a;b\n1,5;2\n2,5;3\n")
        bw.read(path)


TRIGGERS = [
    (decimal_commas, DecimalWarning),
    (out_of_bag, OutOfBagWarning),
    (boosting, BoostingWarning),
    (interrupted, InterruptedWarning),
    (identifier, IdentifierWarning),
    (mixed_column, MixedColumnWarning),
    (one_class, OneClassWarning),
    (low_weight, LowWeightWarning),
    (losses_the_wrong_way_round, LossWarning),
    (column_vector, DataConversionWarning),
    (unseen_category, UnseenCategoryWarning),
    (unseen_category_of_a_model, UnseenCategoryWarning),
    (names_at_prediction_only, UserWarning),
    (names_at_fit_only, UserWarning),
]
WRAPPERS = {
    "directly": lambda estimator: estimator,
    "as a clone": clone,
    "in a pipeline": lambda estimator: make_pipeline("passthrough", estimator),
}


def kinds(base=BranchworkWarning):
    return {kind for child in base.__subclasses__() for kind in (child, *kinds(child))}


def test_every_kind_of_warning_has_a_trigger():
    own = {kind for kind in kinds() if kind.__module__ == errors.__name__}
    assert own <= {kind for _, kind in TRIGGERS}


def caught_here(call, kind):
    """Check that there are such warnings and that all name a line of this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    found = [warning for warning in caught if issubclass(warning.category, kind)]
    assert found, [str(warning.message) for warning in caught]
    assert {warning.filename for warning in found} == {__file__}
    return found


@pytest.mark.parametrize("how", WRAPPERS)
@pytest.mark.parametrize(("trigger", "kind"), TRIGGERS, ids=lambda case: getattr(case, "__name__", ""))
def test_a_warning_names_the_line_of_the_user(trigger, kind, how):
    for warning in caught_here(lambda: trigger(WRAPPERS[how]), kind):
        lines, first = inspect.getsourcelines(trigger)
        assert first < warning.lineno < first + len(lines)


CALLS = {
    "cross_val_score": lambda tree: cross_val_score(tree, NUMBERS, np.zeros(20, int), cv=2),
    "cross_validate": lambda tree: cross_validate(tree, NUMBERS, np.zeros(20, int), cv=2),
    "GridSearchCV": lambda tree: GridSearchCV(tree, {"max_depth": [1, 2]}, cv=2).fit(
        NUMBERS, np.zeros(20, int)
    ),
    "a meta-estimator": lambda tree: AdaBoostClassifier(tree, n_estimators=1).fit(
        NUMBERS, HALVES, sample_weight=np.where(HALVES == 1, 1.0, 0.0)
    ),
}


@pytest.mark.parametrize("how", CALLS)
def test_a_warning_under_scikit_learn_names_the_line_of_the_user(how):
    caught_here(lambda: CALLS[how](bw.TreeClassifier()), OneClassWarning)


def test_in_a_thread_of_its_own_a_warning_still_arrives():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        thread = threading.Thread(target=bw.TreeClassifier().fit, args=(NUMBERS, np.zeros(20, int)))
        thread.start()
        thread.join()
    assert [warning.category for warning in caught] == [OneClassWarning]
    assert caught[0].filename == threading.__file__  # there is no line of the user


def test_a_package_with_a_name_that_begins_alike_is_not_ours(tmp_path, monkeypatch):
    module = tmp_path / "branchwork_extra.py"
    module.write_text("def fit(tree, X, y):\n    tree.fit(X, y)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import branchwork_extra

    with pytest.warns(OneClassWarning) as caught:
        branchwork_extra.fit(bw.TreeClassifier(), NUMBERS, np.zeros(20))
    assert caught[0].filename == str(module)
    del sys.modules["branchwork_extra"]


def test_nothing_warns_past_the_one_door():
    """Only errors.warn finds the user's line, so nothing else may call warnings.warn."""
    root = Path(bw.__file__).parent
    direct = [path for path in root.rglob("*.py") if "warnings.warn(" in path.read_text(encoding="utf-8")]
    assert [path.name for path in direct] == ["errors.py"]
    assert not [path for path in root.rglob("*.py") if "warn=True" in path.read_text(encoding="utf-8")]
