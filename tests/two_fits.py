"""Two fits of one estimator, all that can be asked of it, and who gets a mixture of both.

A reader that asks while another thread fits the estimator again must get the answer of the old fit or of the new one.
"""

from __future__ import annotations

import inspect
import pickle
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from branchwork.errors import BranchworkError

from registry import Factory, for_large_tables

N = 60
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {"a": RNG.normal(size=N), "b": RNG.choice(["red", "green", "blue"], N), "c": np.arange(N) % 7}
)
ROWS = X.head(5)
ROW = X.head(1)
SIDE = (X["a"] + (X["b"] == "red") > 0).to_numpy()
TARGETS = {
    "classes": (np.where(SIDE, "yes", "no"), np.where(SIDE, "no", np.where(X["c"] > 3, "maybe", "always"))),
    "numbers": (np.where(SIDE, 1.0, 5.0), np.where(SIDE, 70.0, X["c"] + 10.0)),
}
"""For each kind of target the first and the second fit: other labels, and another number of them."""

CALLS: dict[str, Callable[[Any], Any]] = {
    "predict": lambda est: est.predict(ROWS),
    "predict_proba": lambda est: est.predict_proba(ROWS),
    "predict_log_proba": lambda est: est.predict_log_proba(ROWS),
    "apply": lambda est: est.apply(ROWS),
    "decision_path": lambda est: est.decision_path(ROWS).toarray(),
    "staged_predict": lambda est: list(est.staged_predict(ROWS)),
    "staged_predict_proba": lambda est: list(est.staged_predict_proba(ROWS)),
    "kneighbors": lambda est: est.kneighbors(ROWS),
    "score": lambda est: est.score(X, _target(est)),
    "diversity": lambda est: str(est.diversity(X, _target(est))),
    "why": lambda est: str(est.why(ROW)),
    "rules": lambda est: str(est.rules()),
    "export": lambda est: est.export("python"),
    "working": lambda est: str(est.working(0, X, _target(est))),
    "to_text": lambda est: est.to_text(),
    "to_dot": lambda est: est.to_dot(),
    "to_dict": lambda est: est.to_dict(),
    "to_svg": lambda est: est.to_svg(X, _target(est)),
    "to_html": lambda est: est.to_html(X, _target(est)),
    "prune": lambda est: est.prune("cost_complexity", alpha=0.01),
    "pruning_path": lambda est: str(est.pruning_path("cost_complexity", alpha=0.01)),
    "cost_complexity_path": lambda est: est.cost_complexity_path(),
    "simplify": lambda est: est.simplify(),
    "snip": lambda est: est.snip(0),
    "get_depth": lambda est: est.get_depth(),
    "get_n_leaves": lambda est: est.get_n_leaves(),
    "alternatives_": lambda est: str(est.alternatives_(2, X=X, y=_target(est))),
    "permutation_importance": lambda est: est.permutation_importance(X, _target(est)),
    "stage_weights": lambda est: str(est.stage_weights(X, _target(est))),
    "__len__": len,
    "__getitem__": lambda est: est[0],
}
"""Everything that a fitted estimator is asked with arguments; attributes are found by their names."""

NOT_ASKED = {
    "fit", "tune", "get_params", "set_params", "get_metadata_routing", "set_fit_request", "set_score_request",
    "widget", "like_rpart", "check_weights",
}  # fmt: skip
"""What does not read a fit, and the widget, which shows the page."""


def _target(est: Any) -> Any:
    """Return the target of the second fit; the first one knows other labels, and says so."""
    return TARGETS["classes" if hasattr(est, "predict_proba") or hasattr(est, "classes_") else "numbers"][1]


def questions(est: Any) -> dict[str, Callable[[Any], Any]]:
    """Return everything public of a fitted estimator, by name."""
    found = dict(CALLS)
    for name in dir(type(est)):
        if name not in found and name.endswith("_") and not name.startswith("_"):
            found[name] = lambda one, name=name: getattr(one, name)
        elif not name.startswith("_") and callable(getattr(type(est), name)):
            assert name in found or name in NOT_ASKED, (
                f"{type(est).__name__}.{name} is in no list of tests/two_fits.py"
            )
    return {name: ask for name, ask in found.items() if hasattr(type(est), name)}


def plain(answer: Any) -> Any:
    """Return an answer in a form that can be compared."""
    if hasattr(answer, "model_"):
        return pickle.dumps(answer.model_), plain(getattr(answer, "classes_", None)), answer.n_features_in_
    if isinstance(answer, np.ndarray):
        return answer.dtype.kind, answer.shape, answer.tolist()
    if isinstance(answer, dict):
        return {name: plain(one) for name, one in answer.items()}
    if isinstance(answer, list | tuple):
        return [plain(one) for one in answer]
    return answer if isinstance(answer, str | int | float | bytes | bool | None) else pickle.dumps(answer)


def answer(est: Any, ask: Callable[[Any], Any]) -> Any:
    """Ask; return what came, a refusal included."""
    try:
        return repr(plain(ask(est)))
    except BranchworkError as error:
        return f"{type(error).__name__}: {error}"


def two(factory: Factory) -> tuple[Any, Any]:
    """Return two fits of one kind of estimator."""
    kind = "classes" if hasattr(type(factory()), "predict_proba") else "numbers"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = (for_large_tables(factory).fit(X, target) for target in TARGETS[kind])
    return first, second


def turning(first: Any, second: Any) -> Any:
    """Return the first fit, as an estimator that becomes the second as soon as something fitted is read from it."""
    kind = type(first)

    class Turning(kind):
        def __getattribute__(self, name: str) -> Any:
            found = super().__getattribute__(name)
            if self is Turning.one and name in Turning.fitted:
                super().__setattr__("__dict__", dict(second.__dict__))
            return found

    Turning.__name__ = Turning.__qualname__ = kind.__name__
    Turning.__signature__ = inspect.signature(kind)
    Turning.one, Turning.fitted = None, frozenset()
    est = Turning.__new__(Turning)
    est.__dict__ = dict(first.__dict__)
    Turning.one, Turning.fitted = (
        est,
        {name for name in first.__dict__ if name not in first.get_params(False)},
    )
    return est


def mixtures(factory: Factory) -> Iterator[str]:
    """Yield what answers by a mixture of two fits, if the second comes in right after the first look."""
    first, second = two(factory)
    for name, ask in questions(first).items():
        expected = {answer(one, ask) for one in (first, second)}
        if answer(turning(first, second), ask) not in expected:
            yield f"{type(first).__name__}.{name}"


def readers_beside_fits(factory: Factory, times: int, readers: int = 2) -> dict[str, int]:
    """Ask in several threads while another one fits again and again; count right and wrong answers."""
    first, second = two(factory)
    targets = TARGETS["classes" if hasattr(type(first), "predict_proba") else "numbers"]
    asked = {
        name: ask for name, ask in questions(first).items() if name in ("predict", "predict_proba", "apply")
    }
    expected = {name: {answer(one, ask) for one in (first, second)} for name, ask in asked.items()}
    est, done, found = (
        for_large_tables(factory).fit(X, targets[0]),
        threading.Event(),
        {"right": 0, "wrong": 0},
    )
    lock = threading.Lock()

    def read() -> None:
        right = wrong = 0
        while not done.is_set():
            for name, ask in asked.items():
                is_right = answer(est, ask) in expected[name]
                right, wrong = right + is_right, wrong + (not is_right)
        with lock:
            found["right"] += right
            found["wrong"] += wrong

    threads = [threading.Thread(target=read) for _ in range(readers)]
    for thread in threads:
        thread.start()
    try:
        for k in range(times):
            est.fit(X, targets[(k + 1) % 2])
    finally:
        done.set()
        for thread in threads:
            thread.join()
    return found
