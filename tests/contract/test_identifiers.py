"""Columns that look like identifiers: every estimator warns once per fit, by name, and the advice helps."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

import branchwork as bw
from branchwork.errors import BranchworkWarning, IdentifierWarning
from contract.checks import some_target

from registry import CLASSIFIERS, EVERYTHING

ROWS = 60
FRAME = pd.DataFrame(
    {
        "ticket": [f"T{row:03d}" for row in range(ROWS)],
        "age": np.arange(ROWS) % 7 + 0.5,
        "cabin": [f"C{row // 2}" if row < 50 else None for row in range(ROWS)],  # 25 values in 50 cells
        "deck": ["ABC"[row % 3] for row in range(ROWS)],
        "street": [f"S{row % 25}" for row in range(ROWS)],  # 25 values in 60 cells
        "pair": [f"P{row % 20}" if row < 20 else None for row in range(ROWS)],  # 20 values in 20 cells
    }
)
WITH_LIMITS = [factory for factory in EVERYTHING if "max_levels" in factory().get_params()]


def told(action):
    """What is said of identifiers while something is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BranchworkWarning)
        action()
    return [one.message for one in caught if isinstance(one.message, IdentifierWarning)]


@pytest.mark.parametrize("factory", EVERYTHING)
def test_every_fit_says_once_which_columns_and_what_to_do(factory):
    y = some_target(factory(), ROWS)
    (warning,) = told(lambda: factory().fit(FRAME, y))
    assert warning.columns == ("ticket", "cabin")
    text = str(warning)
    assert "'ticket' (60 values in 60 cells), 'cabin' (25 values in 50 cells) look like identifiers" in text
    assert "X.drop(columns=['ticket', 'cabin'])" in text
    assert "min_category_rows=10" in text
    assert not told(lambda: factory().fit(FRAME.drop(columns=["ticket", "cabin"]), y))
    (alone,) = told(lambda: factory().fit(FRAME.drop(columns=["ticket"]), y))
    assert "Column 'cabin' (25 values in 50 cells) looks like an identifier" in str(alone)


@pytest.mark.parametrize("factory", WITH_LIMITS)
def test_merging_rare_values_ends_the_warning(factory):
    y = some_target(factory(), ROWS)
    weights = np.where(np.arange(ROWS) % 2, 0.5, 7.0)
    assert not told(lambda: factory(min_category_rows=10).fit(FRAME, y))
    assert not told(lambda: factory(max_levels=20).fit(FRAME, y))
    (warning,) = told(lambda: factory(min_category_rows=1, max_levels=55).fit(FRAME, y))
    assert "'ticket' (56 values in 60 cells)" in str(warning)  # 55, and "other"
    (weighted,) = told(lambda: factory().fit(FRAME, y, sample_weight=weights))
    assert weighted.enough == 70
    assert not told(lambda: factory(min_category_rows=weighted.enough).fit(FRAME, y, sample_weight=weights))


@pytest.mark.parametrize("factory", EVERYTHING)
def test_levels_that_occur_in_rows_of_some_weight_are_counted(factory):
    y = some_target(factory(), ROWS)
    weights = (np.arange(ROWS) < 20).astype(float)  # 20 values are left
    assert not told(lambda: factory().fit(FRAME, y, sample_weight=weights))
    declared = FRAME[["age", "deck"]].assign(
        deck=pd.Categorical(FRAME["deck"], list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    )
    assert not told(lambda: factory().fit(declared, y))


@pytest.mark.parametrize(
    "estimator",
    [
        bw.CARTClassifier(xval=4, choose="1se"),
        bw.CARTClassifier.like_rpart(),
        bw.CARTRegressor(xval=4),
        bw.C45Classifier(pruning="reduced_error"),
    ],
)
def test_folds_and_held_out_rows_say_nothing_more(estimator):
    y = some_target(estimator, ROWS)
    assert len(told(lambda: estimator.fit(FRAME, y))) == 1


@pytest.mark.parametrize("factory", CLASSIFIERS)
def test_nothing_after_the_fit_says_it_again(factory):
    y = some_target(factory(), ROWS)
    fitted = factory()
    assert is_classifier(fitted)
    assert len(told(lambda: fitted.fit(FRAME, y, X_val=FRAME, y_val=y))) == 1
    assert not told(lambda: fitted.predict(FRAME))
    assert not told(lambda: fitted.working(0, FRAME, y))
    if not fitted.tree_.shares_rows:
        assert not told(lambda: fitted.prune("cost_complexity", FRAME, y, folds=3))


def test_ordinal_features_are_no_identifiers():
    y = some_target(bw.CHAIDClassifier(), ROWS)
    assert not told(lambda: bw.CHAIDClassifier(ordinal_features=["ticket", "cabin"]).fit(FRAME, y))


def test_of_very_many_columns_the_first_are_named():
    y = some_target(bw.TreeClassifier(), ROWS)
    many = pd.DataFrame({f"id{k}": FRAME["ticket"] for k in range(25)})
    (warning,) = told(lambda: bw.TreeClassifier().fit(many, y))
    assert len(warning.columns) == 25
    assert "'id19' (60 values in 60 cells) and 5 more" in str(warning)
    assert "'id20'" not in str(warning)
