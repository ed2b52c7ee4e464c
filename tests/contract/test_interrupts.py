"""Ctrl-C is heard at once, and what was fitted before is still there."""

import os

import pytest
from contract.checks import child
from registry import ESTIMATORS, EXACT

SLOW = bool(os.environ.get("BRANCHWORK_SANITIZED"))
LIMIT = 1.0 if SLOW else 0.2

HEADER = """
import json, os, signal, threading, time
import numpy as np
import registry

def interrupted(work, after=0.3):
    '''Seconds from Ctrl-C to KeyboardInterrupt; None if the work was done before it came.'''
    sent = []
    def send():
        time.sleep(after)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    sender = threading.Thread(target=send)
    try:
        sender.start()
        work()
        sender.join()
        time.sleep(0.1)
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0] if not done(work) else None
    return None

def done(work):
    return False

factory = next(f for f in registry.ESTIMATORS if f.__name__ == NAME)
small_X, small_y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
chain_X, chain_y = np.arange(20_001.0).reshape(-1, 1), np.arange(20_001) % 2
"""

FIT = """
estimator = factory().fit(small_X, small_y)
model, answers, names = estimator.model_, estimator.predict(small_X).tolist(), sorted(vars(estimator))
if "search" in estimator.get_params():  # every value of 60 000 rows against all of them
    estimator.set_params(search="values")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 3)), rng.integers(0, 2, size=60_000)
else:
    X, y = chain_X, chain_y
waits = [interrupted(lambda: estimator.set_params(n_jobs=k).fit(X, y)) for k in (1, 2, 1)]
fresh = factory().set_params(**estimator.get_params())
interrupted(lambda: fresh.fit(X, y))
kept = estimator.model_ is model and sorted(vars(estimator)) == names
kept = kept and estimator.predict(small_X).tolist() == answers
again = estimator.fit(small_X, small_y).predict(small_X).tolist() == answers  # and the next fit is as good as any
print(json.dumps({"waits": waits, "kept": kept, "unfitted": not hasattr(fresh, "model_"), "again": again}))
"""


def in_time(waits):
    assert all(wait is not None for wait in waits), "the work was over before Ctrl-C came"
    return min(waits) < LIMIT


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_a_long_fit_stops_at_ctrl_c_and_keeps_what_was_fitted(factory):
    result = child(f"NAME = {factory.__name__!r}\n" + HEADER + FIT)
    assert in_time(result.pop("waits"))
    assert result == {"kept": True, "unfitted": True, "again": True}


VERBOSE = """
estimator = factory().set_params(verbose=1)
if "search" in estimator.get_params():
    estimator.set_params(search="values")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 3)), rng.integers(0, 2, size=60_000)
else:
    X, y = chain_X, chain_y
print(json.dumps([interrupted(lambda: estimator.fit(X, y)) for _ in range(3)]))
"""


def test_a_progress_bar_does_not_delay_ctrl_c():
    assert in_time(child(f"NAME = {ESTIMATORS[0].__name__!r}\n" + HEADER + VERBOSE))


PREDICT = """
estimator = factory().fit(chain_X, chain_y)
X = np.repeat(chain_X, 3, axis=0)
print(json.dumps([interrupted(lambda: estimator.predict(X), after=0.1) for _ in range(3)]))
"""


def test_a_long_prediction_stops_at_ctrl_c():
    """A deep tree makes few rows long work."""
    assert in_time(child(f"NAME = {EXACT[0].__name__!r}\n" + HEADER + PREDICT))


GRID = """
estimator = factory().set_params(search="grid", grid=10_000_000)
X, y = np.arange(200.0).reshape(-1, 1), np.arange(200) % 2
print(json.dumps([interrupted(lambda: estimator.fit(X, y)) for _ in range(2)]))
"""


@pytest.mark.parametrize("factory", [f for f in ESTIMATORS if "grid" in f().get_params()][:1])
def test_long_work_on_a_small_table_stops_at_ctrl_c(factory):
    assert in_time(child(f"NAME = {factory.__name__!r}\n" + HEADER + GRID))
