"""Ctrl-C is heard at once, and what was fitted before is still there."""

import pytest

from contract.checks import SANITIZED, THREADS_WATCHED, child
from deep.interrupt import delays_of

from registry import ESTIMATORS, EXACT

# Seconds, the best of a few times: the machine may be busy, and ThreadSanitizer makes everything ten times slower.
LIMIT = 2.0 if THREADS_WATCHED else 1.0 if SANITIZED else 0.2

HEADER = """
import functools, json, os, signal, threading, time
import numpy as np
from registry import ESTIMATORS, EXACT

def interrupted(work, after=0.3):
    '''Seconds from Ctrl-C to KeyboardInterrupt; None if the work was over before it came.'''
    sent, over = [], False
    def send():
        time.sleep(after)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    sender = threading.Thread(target=send)
    try:
        sender.start()
        work()
        over = True
        sender.join()
        time.sleep(1)
    except KeyboardInterrupt:
        return None if over else time.perf_counter() - sent[0]

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
"""

FIT = """
small_X, small_y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
results = {}
for factory in ESTIMATORS:
    estimator, X, y = long_work(factory)
    fresh = factory().set_params(**estimator.get_params())
    estimator.fit(small_X, small_y)
    model, names, answers = estimator.model_, sorted(vars(estimator)), estimator.predict(small_X).tolist()
    waits = [
        interrupted(lambda: estimator.set_params(n_jobs=n_jobs).fit(X, y), after)
        for n_jobs, after in ((1, 0.1), (2, 0.2), (1, 0.3))
    ]
    kept = estimator.model_ is model and sorted(vars(estimator)) == names
    results[factory.__name__] = {
        "waits": [*waits, interrupted(lambda: fresh.fit(X, y), after=0.1)],
        "kept": kept and estimator.predict(small_X).tolist() == answers,
        "unfitted": sorted(vars(fresh)) == sorted(fresh.get_params()),
        "fits again": estimator.fit(small_X, small_y).predict(small_X).tolist() == answers,
    }
print(json.dumps(results))
"""


def in_time(waits):
    assert None not in waits, "the work was over before Ctrl-C came"
    return min(waits) < LIMIT


def test_a_long_fit_stops_at_ctrl_c_and_keeps_what_was_fitted():
    results = child(HEADER + FIT)
    assert list(results) == [factory.__name__ for factory in ESTIMATORS]
    for name, result in results.items():
        assert in_time(result.pop("waits")), name
        assert result == {"kept": True, "unfitted": True, "fits again": True}, name


VERBOSE = """
estimator, X, y = long_work(ESTIMATORS[0])
print(json.dumps([interrupted(lambda: estimator.set_params(verbose=1).fit(X, y)) for _ in range(3)]))
"""


def test_a_progress_bar_does_not_delay_ctrl_c():
    assert in_time(child(HEADER + VERBOSE))


PREDICT = """
X, y = np.arange(5001.0).reshape(-1, 1), np.arange(5001) % 2
estimator = EXACT[0]().fit(X, y)
deepest = np.repeat(X[[estimator.tree_.depths[estimator.apply(X)].argmax()]], 200_000, axis=0)
print(json.dumps([interrupted(lambda: estimator.predict(deepest), after=0.1) for _ in range(3)]))
"""


def test_a_long_prediction_stops_at_ctrl_c():
    """Few rows are long work for a deep tree."""
    assert EXACT
    assert in_time(child(HEADER + PREDICT))


GRID = """
factory = next(f for f in ESTIMATORS if "grid" in f().get_params())
estimator = factory().set_params(search="grid", grid=2_000_000)
X, y = np.arange(200.0).reshape(-1, 1), np.arange(200) % 2
print(json.dumps([interrupted(lambda: estimator.fit(X, y), after=0.1) for _ in range(2)]))
"""


def test_long_work_on_a_small_table_stops_at_ctrl_c():
    assert in_time(child(HEADER + GRID))


@pytest.mark.parametrize(
    "call",
    [
        "missing: share",
        "surrogates",
        "C4.5's pruning",
        "cross-validation",
        "prepared columns",
        "drawn samples",
        "tallies",
    ],
)
def test_a_long_call_stops_at_ctrl_c_at_any_moment(call):
    """Some of the calls of tests/deep/interrupt.py, two signals each."""
    found = delays_of(call, times=2, seed=1)
    assert "failed" not in found, found
    delays = [delay for _, delay in found["delays"]]
    assert delays, "the work was over before Ctrl-C came"
    assert min(delays) < LIMIT
