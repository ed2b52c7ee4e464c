"""Ctrl-C is heard at once, and what was fitted before is still there."""

from contract.checks import SANITIZED, child
from ctrl_c import ALLOWED

from registry import ESTIMATORS, EXACT

LIMIT = ALLOWED * (20 if SANITIZED else 1)

HEADER = """
import functools, json
import numpy as np
from ctrl_c import interrupted
from registry import ESTIMATORS, EXACT

@functools.cache
def noise(rows, columns):
    '''Noise: there is always something left to split.'''
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, columns)), rng.integers(0, 2, size=rows)

def long_work(factory):
    '''An estimator and a table that keep each other busy for seconds.'''
    if "alpha_split" in factory().get_params():  # everything is significant
        return factory().set_params(alpha_split=1.0), *noise(500_000, 16)
    if "search" not in factory().get_params():
        return factory(), *noise(500_000, 16)
    # every value of many rows against all of them
    return factory().set_params(search="values"), *noise(60_000, 3)

def heard(work, after):
    return interrupted(work, after).processor_seconds
"""

FIT = """
small_X, small_y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
results = {}
for factory in ESTIMATORS:
    estimator, X, y = long_work(factory)
    fresh = factory().set_params(**estimator.get_params())
    estimator.fit(small_X, small_y)
    model, names, answers = estimator.model_, sorted(vars(estimator)), estimator.predict(small_X).tolist()
    waits = [heard(lambda: estimator.set_params(n_jobs=n_jobs).fit(X, y), 0.1 * n_jobs) for n_jobs in (1, 2)]
    kept = estimator.model_ is model and sorted(vars(estimator)) == names
    results[factory.__name__] = {
        "waits": [*waits, heard(lambda: fresh.fit(X, y), 0.05)],
        "kept": kept and estimator.predict(small_X).tolist() == answers,
        "unfitted": sorted(vars(fresh)) == sorted(fresh.get_params()),
        "fits again": estimator.fit(small_X, small_y).predict(small_X).tolist() == answers,
    }
print(json.dumps(results))
"""


def test_a_long_fit_stops_at_ctrl_c_and_keeps_what_was_fitted():
    results = child(HEADER + FIT)
    assert list(results) == [factory.__name__ for factory in ESTIMATORS]
    for name, result in results.items():
        assert max(result.pop("waits")) < LIMIT, name
        assert result == {"kept": True, "unfitted": True, "fits again": True}, name


VERBOSE = """
estimator, X, y = long_work(ESTIMATORS[0])
print(json.dumps(heard(lambda: estimator.set_params(verbose=1).fit(X, y), 0.3)))
"""


def test_a_progress_bar_does_not_delay_ctrl_c():
    assert child(HEADER + VERBOSE) < LIMIT


PREDICT = """
X, y = np.arange(5001.0).reshape(-1, 1), np.arange(5001) % 2
estimator = EXACT[0]().fit(X, y)
deepest = np.repeat(X[[estimator.tree_.depths[estimator.apply(X)].argmax()]], 200_000, axis=0)
print(json.dumps(heard(lambda: estimator.predict(deepest), 0.1)))
"""


def test_a_long_prediction_stops_at_ctrl_c():
    """Few rows are long work for a deep tree."""
    assert EXACT
    assert child(HEADER + PREDICT) < LIMIT


GRID = """
factory = next(f for f in ESTIMATORS if "grid" in f().get_params())
estimator = factory().set_params(search="grid", grid=2_000_000)
X, y = np.arange(200.0).reshape(-1, 1), np.arange(200) % 2
print(json.dumps(heard(lambda: estimator.fit(X, y), 0.1)))
"""


def test_long_work_on_a_small_table_stops_at_ctrl_c():
    assert child(HEADER + GRID) < LIMIT
