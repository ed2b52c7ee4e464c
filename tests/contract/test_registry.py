"""No estimator escapes the contract."""

from sklearn.base import is_classifier, is_regressor

import branchwork as bw

from registry import (
    ALL,
    CLASS_ENSEMBLES,
    CLASSIFIERS,
    ENSEMBLES,
    ESTIMATORS,
    EXACT,
    NEIGHBOURS,
    NUMBER_ENSEMBLES,
    REGRESSORS,
    RULE_LISTS,
    VOTES,
)


def test_every_public_estimator_is_in_the_registry():
    public = {name for name in bw.__all__ if name.endswith(("Classifier", "Regressor"))}
    assert {type(factory()).__name__ for factory in [*ALL, *VOTES]} == public


def test_the_registry_knows_classifiers_from_regressors():
    assert [*CLASSIFIERS, *REGRESSORS] == ESTIMATORS
    assert all(is_classifier(factory()) for factory in [*CLASSIFIERS, *RULE_LISTS, *CLASS_ENSEMBLES])
    assert all(is_regressor(factory()) for factory in [*REGRESSORS, *NUMBER_ENSEMBLES])
    assert [is_classifier(factory()) for factory in NEIGHBOURS] == [True, False]
    assert [*CLASS_ENSEMBLES, *NUMBER_ENSEMBLES] == ENSEMBLES
    assert set(EXACT) <= set(ESTIMATORS)
