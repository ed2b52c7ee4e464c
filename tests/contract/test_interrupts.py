"""Ctrl-C is heard at once, and what was fitted before is still there."""

from contract.checks import SANITIZED, child
from ctrl_c import ALLOWED

from registry import ESTIMATORS

LIMIT = ALLOWED * (20 if SANITIZED else 1)

HEADER = """
import functools, json
import numpy as np
import branchwork as bw
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
"""


def test_a_long_fit_stops_at_ctrl_c_and_keeps_what_was_fitted():
    results = child(HEADER + FIT + "print(json.dumps(results))")
    assert list(results) == [factory.__name__ for factory in ESTIMATORS]
    for name, result in results.items():
        assert max(result.pop("waits")) < LIMIT, name
        assert result == {"kept": True, "unfitted": True, "fits again": True}, name


OTHER_WORK = """
with_bar, X, y = long_work(ESTIMATORS[0])

chain = np.arange(5001.0).reshape(-1, 1)
deep = EXACT[0]().fit(chain, np.arange(5001) % 2)
deepest = np.repeat(chain[[deep.tree_.depths[deep.apply(chain)].argmax()]], 200_000, axis=0)

factory = next(f for f in ESTIMATORS if "grid" in f().get_params())
fine = factory().set_params(search="grid", grid=2_000_000)

rows, labels = noise(20_000, 20)
near, far = (bw.NeighboursClassifier().fit(rows[:, :n], labels) for n in (8, 20))

print(json.dumps({
    "neighbours in a k-d tree": heard(lambda: near.predict(np.tile(rows[:, :8], (5, 1))), 0.2),
    "neighbours by brute force": heard(lambda: far.predict(rows), 0.2),
    "a fit with a progress bar": heard(lambda: with_bar.set_params(verbose=1).fit(X, y), 0.3),
    "few rows, which are long work for a deep tree": heard(lambda: deep.predict(deepest), 0.1),
    "a fine grid on a small table": heard(lambda: fine.fit(chain[:200], np.arange(200) % 2), 0.1),
}))
"""


def test_other_long_work_stops_at_ctrl_c():
    waits = child(HEADER + OTHER_WORK)
    assert all(seconds < LIMIT for seconds in waits.values()), waits
