"""No estimator escapes the contract."""

from sklearn.base import is_classifier, is_regressor

import branchwork as bw

from registry import CLASSIFIERS, ESTIMATORS, EVERYTHING, EXACT, REGRESSORS, RULE_LISTS


def test_every_public_estimator_is_in_the_registry():
    public = {name for name in bw.__all__ if name.endswith(("Classifier", "Regressor"))}
    assert {type(factory()).__name__ for factory in EVERYTHING} == public


def test_the_registry_knows_classifiers_from_regressors():
    assert [*CLASSIFIERS, *REGRESSORS] == ESTIMATORS
    assert all(is_classifier(factory()) for factory in [*CLASSIFIERS, *RULE_LISTS])
    assert all(is_regressor(factory()) for factory in REGRESSORS)
    assert set(EXACT) <= set(ESTIMATORS)
