"""What the contract tests share: small tables, and the promises that every refused and every accepted fit keeps."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier

from branchwork.errors import BranchworkError
from branchwork.neighbours.model import Neighbours
from branchwork.store.neighbours import neighbour_arrays_of
from branchwork.tree.check import check

from registry import Factory

NAN = float("nan")
TESTS = Path(__file__).parent.parent
SANITIZED = bool(os.environ.get("BRANCHWORK_SANITIZED"))
"""The core is built with sanitizers: it is slow, and its address space cannot be limited."""
THREADS_WATCHED = os.environ.get("BRANCHWORK_SANITIZED") == "threads"
"""The sanitizer is ThreadSanitizer, which does not know what becomes of threads when a process forks."""

X4 = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 6.0], [4.0, 6.0]])
Y4 = np.array([0, 0, 1, 1])


def some_target(estimator: Any, rows: int) -> list[Any]:
    """A target that every estimator takes, with both of its values in the first two rows."""
    halves = [row % 2 for row in range(rows)]
    return (
        ["no" if half == 0 else "yes" for half in halves]
        if is_classifier(estimator)
        else [float(h) for h in halves]
    )


def refused(estimator: Any, X: Any, y: Any, *says: str, weight: Any = None) -> str:
    """Check that a fit is refused as documented, in these words, and that nothing of the estimator changed."""
    before = dict(vars(estimator))
    with pytest.raises(BranchworkError) as caught:
        estimator.fit(X, y, sample_weight=weight)
    message = str(caught.value)
    assert isinstance(caught.value, ValueError | TypeError)
    for words in says:
        assert words in message, f"{words!r} is not said in: {message}"
    after = vars(estimator)
    assert list(after) == list(before)
    assert all(after[name] is before[name] for name in before), "a refused fit changed the estimator"
    return message


def refused_fresh_and_fitted(factory: Factory, X: Any, y: Any, *says: str, weight: Any = None) -> None:
    """The same, for an estimator that was never fitted and for one that was."""
    fresh = factory()
    refused(fresh, X, y, *says, weight=weight)
    assert not hasattr(fresh, "model_")
    fitted = factory().fit(X4, some_target(factory(), 4))
    model, answers = fitted.model_, fitted.predict(X4)
    refused(fitted, X, y, *says, weight=weight)
    assert fitted.model_ is model
    assert fitted.predict(X4).tolist() == answers.tolist()


def sound(estimator: Any, X: Any, weighted: bool = False) -> None:
    """Check that a fitted tree is valid and finite, that its rows add up, and that no answer is NaN."""
    model = estimator.model_
    for tree in getattr(model, "trees", ()):  # neighbours have none
        check(tree, model.schema)
        for name in ("value", "distribution", "weight", "impurity", "gain"):
            array = getattr(tree, name)
            assert array is None or np.isfinite(array).all(), f"{name} holds {array[~np.isfinite(array)][:3]}"
        assert (tree.impurity >= 0).all()
        if not weighted and not hasattr(estimator, "stages_"):  # the rows of AdaBoost are weighted
            assert tree.weight.tolist() == tree.n_rows.tolist()
    answers = estimator.predict(X)
    if is_classifier(estimator):
        assert set(answers.tolist()) <= set(estimator.classes_.tolist())
        shares = estimator.predict_proba(X)
        assert np.isfinite(shares).all()
        assert shares.sum(axis=1) == pytest.approx(1)
    else:
        assert np.isfinite(answers).all()


def arrays(estimator: Any) -> dict[str, Any]:
    """Everything that a tree holds, or the rows of neighbours, byte for byte, with columns and labels."""
    model = estimator.model_
    found: dict[str, Any] = {"schema": model.schema, "labels": model.labels}
    if isinstance(model, Neighbours):
        return found | {name: array.tobytes() for name, array in neighbour_arrays_of(model).items()}
    for k, tree in enumerate(model.trees):
        for owner in (tree, tree.ledger) if tree.ledger else (tree,):
            for field in dataclasses.fields(owner):
                array = getattr(owner, field.name)
                if isinstance(array, np.ndarray):
                    key = f"{k} {type(owner).__name__} {field.name}"
                    found[key] = (array.dtype, array.shape, array.tobytes())
    return found


def environment(**variables: str) -> dict[str, str]:
    """The environment of another Python that can import the registry, with these variables."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]), **variables}


def child(script: str, *flags: str, timeout: float = 600, **variables: str) -> Any:
    """Run a script in a Python of its own that can import the registry; return what it prints as JSON last.

    The timeout is that of a hang. On a busy machine the work may take ten times as long as on an idle one.
    """
    done = subprocess.run(
        [sys.executable, *flags, "-c", script],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment(**variables),
    )
    assert done.returncode == 0, f"exit code {done.returncode}:\n{done.stderr[-3000:]}"
    return json.loads(done.stdout.splitlines()[-1])
