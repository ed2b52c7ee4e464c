"""J48's probabilities, smoothed (-A) or not, beside ours: up to 60 rows a table, half of them with holes.

Weka smooths every leaf by itself, (n_c + 1) / (n + K), and mixes the leaves of a shared row afterwards; so do we. But
its K counts declared classes, ours those that occur: a class without rows has no column in predict_proba. In a single
leaf the shares of the classes that occur are the same either way; in a mixture small leaves count for less in Weka's.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import branchwork as bw
from agree.j48 import outputs, tables
from agree.j48.coded import asked, coded, given
from together import together

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")

OPTIONS: dict[str, dict[str, Any]] = {
    "shares": {"pruning": None},
    "laplace": {"smoothing": "laplace"},
    "laplace_unpruned": {"smoothing": "laplace", "pruning": None},
    "laplace_reduced": {"smoothing": "laplace", "pruning": "reduced_error", "collapse": False},
}
PRINTED = 0.00051
"""Weka prints three decimals."""


@cache
def fitted(name: str, option: str) -> bw.C45Classifier:
    return bw.C45Classifier(variant="j48", **OPTIONS[option]).fit(*coded(name))


def both(name: str, option: str) -> tuple[Any, Any]:
    """Our probabilities and Weka's, of the classes that occur."""
    est = fitted(name, option)
    theirs = np.array(outputs.probabilities(name, option))
    places = [given(name).classes.index(label) for label in est.classes_]
    return est.predict_proba(asked(name)), theirs[:, places]


def has_absent_classes(name: str) -> bool:
    return set(given(name).classes) > set(given(name).labels)


@pytest.mark.parametrize("option", OPTIONS)
@together("name", tables.names())
def test_probabilities_are_weka_s(name, option):
    ours, theirs = both(name, option)
    if option != "shares" and has_absent_classes(name):
        shares = fitted(name, option).model_.shares(asked(name))
        alone = np.diff(shares.starts) == 1
        rounding = len(ours[0]) * PRINTED / theirs.sum(axis=1, keepdims=True)
        close = abs(ours - theirs / theirs.sum(axis=1, keepdims=True)) <= rounding
        assert close[alone].all()
    else:
        assert ours == pytest.approx(theirs, rel=0, abs=PRINTED)


def test_most_tables_are_compared_in_full():
    whole = [name for name in tables.names() if not has_absent_classes(name)]
    assert len(whole) > 190
    assert sum(None in cells for name in whole for cells in tables.asked(given(name)).cells) > 4000


def test_declared_classes_count_in_weka_s_smoothing():
    """mixed001 declares classes that no row has: Weka's K is larger."""
    ours, theirs = both("mixed001", "laplace")
    assert ours.sum(axis=1) == pytest.approx(1)
    assert (theirs.sum(axis=1) < 0.999).all()
