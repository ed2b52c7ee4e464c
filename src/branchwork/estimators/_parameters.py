"""The check of every parameter of every estimator: by its name, or, for words and truths, by its type.

`criterion: Literal["gini", "entropy"]` in a constructor says all there is to check, and so does `collapse: bool`. All
other parameters have a check in `CHECKS`. `fit` calls them all before it looks at the data; what depends on other
parameters is checked by the recipe, and what depends on the data, such as labels, where the data are known.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.grow import recipe
from branchwork.grow.checks import Check, count_or_share, number_in, true_or_false, whole_number, word_in
from branchwork.learn.costs import check_loss, check_priors
from branchwork.learn.features import check_max_features
from branchwork.learn.prune_cv import check_folds
from branchwork.learn.threads import check_n_jobs
from branchwork.measure.own_score import Score
from branchwork.table.adapt import check_categorical_features
from branchwork.table.target import check_class_weight

RandomState = int | np.random.RandomState | None
"""What scikit-learn takes as a seed. A single tree draws nothing at random and does not depend on it."""
ForestClassWeight = Mapping[Any, float] | Literal["balanced", "balanced_subsample"] | None
"""Weights of classes, as in a single tree, or so that all classes of each sample count the same."""


def _check_verbose(name: str, value: Any) -> Any:
    if not isinstance(value, numbers.Integral | np.bool_) or value < 0:
        raise ParameterError(f"{name}={shown(value)}; expected 0 or 1, or True or False.")
    return value


def _check_random_state(name: str, value: Any) -> Any:
    """Take what scikit-learn takes, although nothing is drawn."""
    is_whole = not isinstance(value, bool) and isinstance(value, numbers.Integral)
    is_seed = is_whole and 0 <= int(value) < 2**32
    if value is not None and not is_seed and not isinstance(value, np.random.RandomState):
        raise ParameterError(
            f"{name}={shown(value)}; expected None, a whole number from 0 to {2**32 - 1}, or a NumPy RandomState."
        )
    return value


def _check_max_samples(name: str, value: Any) -> Any:
    return value if value is None else count_or_share(name, value, "None (as many as there are rows)")


def _check_forest_class_weight(name: str, value: Any) -> Any:
    is_subsample = isinstance(value, str) and value == "balanced_subsample"
    return value if is_subsample else check_class_weight(name, value)


def _check_estimator(name: str, value: Any) -> Any:
    """Take an estimator that is not a class; which ones an ensemble can use, it knows itself."""
    if value is None or (
        hasattr(value, "fit") and hasattr(value, "get_params") and not isinstance(value, type)
    ):
        return value
    raise ParameterError(f"{name}={shown(value)}; expected an estimator, such as TreeClassifier(), or None.")


def _check_callback(name: str, value: Any) -> Any:
    if value is None or callable(value):
        return value
    raise ParameterError(f"{name}={shown(value)}; expected a function of a number and a tree, or None.")


def _check_k(name: str, value: Any) -> Any:
    if isinstance(value, str):
        if value == "cv":
            return value
        raise ParameterError(f'{name}={shown(value)} is not known; expected a whole number or "cv".')
    return whole_number(name, value, low=1)


def _check_feature_weights(name: str, value: Any) -> Any:
    """Take None, "cv", numbers, or a mapping of names to numbers; how many features there are, the table knows."""
    if value is None or (isinstance(value, str) and value == "cv"):
        return value
    if isinstance(value, str | bytes) or not hasattr(value, "__len__") or getattr(value, "ndim", 1) != 1:
        raise ParameterError(
            f'{name}={shown(value)}; expected None, "cv", a number per feature, or a mapping of feature to number.'
        )
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, weight in pairs:
        number_in(f"{name}[{shown(key)}]", weight, low=0, high=1e6)
    return value


CHECKS: dict[str, Check] = {
    **recipe.CHECKS,
    "class_weight": check_class_weight,
    "categorical_features": check_categorical_features,
    "n_jobs": check_n_jobs,
    "verbose": _check_verbose,
    "random_state": _check_random_state,
    "min_cases": partial(number_in, low=1),
    "cp": partial(number_in, low=0),
    "shrink": partial(number_in, low=0),
    "priors": check_priors,
    "loss": check_loss,
    "xval": check_folds,
    # ensembles
    "estimator": _check_estimator,
    "n_estimators": partial(whole_number, low=1),
    "max_features": check_max_features,
    "max_samples": _check_max_samples,
    "n_iter_no_change": partial(whole_number, low=1, none=True),
    "tol": partial(number_in, low=0),
    "learning_rate": partial(number_in, low=0, low_excluded=True),
    "callback": _check_callback,
    # neighbours
    "k": _check_k,
    "power": partial(number_in, low=0, low_excluded=True),
    "feature_weights": _check_feature_weights,
}
"""Checks of parameters whose type does not say what is allowed. Where it does, the type is what counts."""


def seed_of(random_state: Any) -> int:
    """Return the seed of all draws: None is 0, so that the same call gives the same model."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(random_state.randint(2**31))


def check_parameters(estimator: Any) -> None:
    """Refuse a wrong parameter by its name, and say what is allowed."""
    kind: type = type(estimator)
    for name, check in checks_of(_own_class(kind)).items():
        check(name, getattr(estimator, name))


def checked_recipe(estimator: Any, settings: dict[str, Any] | None = None) -> recipe.Recipe:
    """Check all parameters and return the estimator's recipe; estimators with equal plain settings share one.

    `settings` are those of the estimator (`settings_of`), if they are known already.

    A study fits the same settings many times, and checking 25 parameters takes longer than growing a small tree.
    """
    kind: type = type(estimator)
    values = (settings_of(estimator) if settings is None else settings).values()
    if not _PLAIN.issuperset(map(type, values)) or kind is not _own_class(kind):
        check_parameters(estimator)
        return estimator._recipe()  # type: ignore[no-any-return]
    key = (
        kind,
        *values,
        *map(type, values),
    )  # 1, 1.0 and True are equal, but not all of them may be allowed
    found = _RECIPES.get(key)
    if found is None:
        check_parameters(estimator)
        found = estimator._recipe()
        if len(_RECIPES) >= _MOST_RECIPES:
            _RECIPES.clear()
        _RECIPES[key] = found
    return found


_PLAIN = frozenset((str, int, float, bool, type(None)))
_MOST_RECIPES = 256
_RECIPES: dict[tuple[Any, ...], recipe.Recipe] = {}
"""Recipes by class, settings and their types. They cannot change, so threads may share them."""


def settings_of(estimator: Any) -> dict[str, Any]:
    """Return the parameters as `get_params(deep=False)` does; scikit-learn reads the signature anew on every call."""
    kind: type = type(estimator)
    return {name: getattr(estimator, name) for name in _parameter_names(kind)}


@lru_cache(maxsize=64)
def _parameter_names(kind: type) -> tuple[str, ...]:
    return tuple(kind._get_param_names())  # type: ignore[attr-defined]


@lru_cache(maxsize=64)
def checks_of(estimator: type) -> dict[str, Check]:
    """Return the check of every parameter of an estimator of this package."""
    types = get_type_hints(estimator.__init__)  # type: ignore[misc]
    return {name: _check_of(name, types[name]) for name in types if name != "return"}


def _check_of(name: str, kind: Any) -> Check:
    if kind is bool:
        return true_or_false
    if kind == ForestClassWeight:
        return _check_forest_class_weight
    parts = get_args(kind) if get_origin(kind) is not Literal else (kind,)
    if Score in parts:
        return recipe.criterion_in(next(part for part in parts if part is not Score))
    if parts and all(part is type(None) or get_origin(part) is Literal for part in parts):
        return word_in(kind)
    return CHECKS[name]


@lru_cache(maxsize=64)
def _own_class(kind: type) -> type:
    """The class of this package that an estimator is, or is derived from; others check their own parameters."""
    package = __name__.partition(".")[0]
    return next(base for base in kind.__mro__ if base.__module__.partition(".")[0] == package)
