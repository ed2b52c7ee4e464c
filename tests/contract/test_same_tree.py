"""One table, one tree: without a seed, after a fork, and in many threads at once."""

import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

import branchwork._core
from branchwork.errors import ParameterError
from contract.checks import SANITIZED, THREADS_WATCHED, arrays, child, some_target, sound
from together import together

from registry import EAGER, ESTIMATORS, EVERYTHING, for_large_tables
from tables import DEEP


def large_table(rows=20_000):
    """Numbers, whole numbers, words and flags, a tenth of the cells missing."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame(
        {
            "normal": rng.normal(size=rows),
            "whole": rng.integers(0, 50, size=rows).astype(float),
            "skewed": rng.exponential(size=rows) ** 3,
            "colour": rng.choice(["red", "green", "blue", "grey"], size=rows),
            "letter": rng.choice(list("abcdefghij"), size=rows),
            "flag": rng.random(rows) < 0.3,
        }
    ).astype({"colour": object, "letter": object, "flag": object})
    score = X["normal"] + (X["colour"] == "red") + 0.05 * X["whole"] + rng.normal(size=rows)
    for name in X:
        X.loc[rng.random(rows) < 0.1, name] = None
    return X, score.to_numpy()


@pytest.fixture(scope="module")
def large():
    """Make the table once."""
    X, score = large_table()
    return X, {True: np.digitize(score, [0.5, 1.5, 2.5]), False: score}


@pytest.fixture(scope="module")
def serial(large):
    """Fit each estimator once on one thread."""
    fitted = {}

    def of(factory):
        if factory not in fitted:
            estimator = for_large_tables(factory).set_params(n_jobs=1)
            fitted[factory] = estimator.fit(large[0], large[1][is_classifier(estimator)])
        return fitted[factory]

    return of


@pytest.mark.parametrize("factory", EAGER)
def test_two_fits_without_a_seed_give_the_same_tree(factory, large, serial):
    again = clone(serial(factory)).fit(large[0], large[1][is_classifier(factory())])
    assert arrays(again) == arrays(serial(factory))
    sound(again, large[0])
    assert again.get_depth() >= 1


@pytest.mark.parametrize("factory", EVERYTHING)
@together("n_jobs", [0, "two", 1.0, True, float("nan"), [2]])
def test_a_number_of_threads_that_is_none_is_refused(factory, n_jobs):
    estimator = factory().set_params(n_jobs=n_jobs)
    y = some_target(estimator, 4)
    with pytest.raises(ParameterError, match="n_jobs"):
        estimator.fit([[1.0], [2.0], [3.0], [4.0]], y)
    assert not hasattr(estimator, "model_")
    fitted = factory().fit([[1.0], [2.0], [3.0], [4.0]], y).set_params(n_jobs=n_jobs)
    with pytest.raises(ParameterError, match="n_jobs"):
        fitted.predict([[1.0]])


@pytest.mark.parametrize("factory", EVERYTHING)
@together("n_jobs", [2**31, 2**63, 10**30])
def test_a_huge_number_of_threads_is_cut_down_or_refused_by_name(factory, n_jobs):
    estimator = factory().set_params(n_jobs=n_jobs)
    try:
        estimator.fit([[1.0], [2.0], [3.0], [4.0]], some_target(estimator, 4))
    except ParameterError as error:
        assert "n_jobs" in str(error)


MANY_THREADS = """
import json, resource
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))  # room for some threads, not for all of them
from registry import EAGER, ESTIMATORS
import branchwork.errors
X, y = [[float(k)] for k in range(20)], [0, 1] * 10
for factory in ESTIMATORS:
    try:
        answers = factory().set_params(n_jobs=5000).fit(X, y).predict(X)
        assert len(answers) == 20
    except (branchwork.errors.BranchworkError, MemoryError):
        pass
print(json.dumps("done"))
"""


@pytest.mark.skipif(SANITIZED, reason="limits its address space")
def test_more_threads_than_the_machine_can_start_are_no_hang_and_no_crash():
    assert child(MANY_THREADS) == "done"


FORK = """
import json, os, signal, sys, time
import numpy as np
from contract.checks import arrays
from registry import EAGER, ESTIMATORS
X = np.random.default_rng(0).normal(size=(30_000, 4))
y = (X[:, 0] > 0) * 1 + (X[:, 1] > 1)
results = {}
for factory in ESTIMATORS:
    parent = factory().set_params(n_jobs=2).fit(X, y)
    answers = parent.predict(X)
    process = os.fork()
    if process == 0:
        fresh = factory().set_params(n_jobs=2).fit(X, y)
        same = arrays(fresh) == arrays(parent)
        same = same and (fresh.predict(X) == answers).all() and (parent.predict(X) == answers).all()
        os._exit(0 if same else 1)
    until = time.monotonic() + 300
    done, status = 0, None
    while not done and time.monotonic() < until:
        done, status = os.waitpid(process, os.WNOHANG)
        time.sleep(0.01)
    if not done:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        status = "hangs"
    assert (parent.predict(X) == answers).all()
    results[factory.__name__] = status
print(json.dumps(results))
"""


@pytest.mark.skipif(THREADS_WATCHED, reason="ThreadSanitizer cannot follow a fork")
def test_a_forked_child_fits_and_predicts_like_its_parent():
    results = child(FORK, "-W", "ignore::DeprecationWarning")
    assert results == {factory.__name__: 0 for factory in ESTIMATORS}


def in_threads(count, work):
    """What `work` returns in each of many threads that start together."""
    results, barrier = [None] * count, threading.Barrier(count)

    def run(k):
        barrier.wait()
        results[k] = work()

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize("factory", ESTIMATORS)
@pytest.mark.parametrize("n_jobs", [1, 2] if DEEP else [2])
def test_many_threads_predict_what_one_predicts(factory, n_jobs, large, serial):
    X, estimator = large[0], clone(serial(factory)).set_params(n_jobs=n_jobs)
    estimator.fit(X, large[1][is_classifier(estimator)])  # nothing cached yet
    expected = serial(factory).predict(X).tobytes()
    assert in_threads(8, lambda: [estimator.predict(X).tobytes() for _ in range(2)]) == [[expected] * 2] * 8


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_many_threads_fit_what_one_fits(factory, large, serial):
    X, y = large[0][:2000], large[1][is_classifier(factory())][:2000]
    expected = arrays(for_large_tables(factory).fit(X, y))
    assert all(
        found == expected
        for found in in_threads(8, lambda: arrays(for_large_tables(factory).set_params(n_jobs=2).fit(X, y)))
    )


def test_the_core_brings_no_openmp_with_it():
    library = Path(branchwork._core.__file__).read_bytes()
    assert not any(name in library for name in (b"libgomp", b"libomp", b"libiomp", b"GOMP_"))
