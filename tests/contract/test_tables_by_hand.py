"""A Table made by hand is checked like any other: wrong codes and types are refused, and never reach the core."""

import pytest

from contract.checks import SANITIZED, child

SCRIPT = """
import json, resource
import numpy as np
import branchwork as bw
from branchwork.errors import BranchworkError
from registry import ESTIMATORS

ROWS = 100
TARGET = [0, 1] * (ROWS // 2)
NOMINAL, NUMERIC = bw.Column("a", "nominal", ("x", "y")), bw.Column("a", "numeric")
GOOD = {NOMINAL: np.array(TARGET, np.int32), NUMERIC: np.arange(ROWS, dtype=float)}
CASES = {
    "a code above the categories": (NOMINAL, np.full(ROWS, 5, np.int32)),
    "a code far above the categories": (NOMINAL, np.full(ROWS, 10**6, np.int32)),
    "a code that nearly overflows": (NOMINAL, np.full(ROWS, 2**31 - 1, np.int32)),
    "one code above the categories": (NOMINAL, np.array([2] + [0] * (ROWS - 1), np.int32)),
    "a code below missing": (NOMINAL, np.full(ROWS, -2, np.int32)),
    "a code far below missing": (NOMINAL, np.full(ROWS, -(10**6), np.int32)),
    "the smallest code": (NOMINAL, np.full(ROWS, -(2**31), np.int32)),
    "codes of another width": (NOMINAL, np.zeros(ROWS, np.int64)),
    "codes that are floats": (NOMINAL, np.full(ROWS, 0.5)),
    "codes that are words": (NOMINAL, np.array(["x", "y"] * (ROWS // 2))),
    "codes in two dimensions": (NOMINAL, np.zeros((ROWS, 2), np.int32)),
    "codes in a list": (NOMINAL, TARGET),
    "numbers that are words": (NUMERIC, np.array(["x"] * ROWS)),
    "numbers that are objects": (NUMERIC, np.array([1.5] * ROWS, object)),
    "numbers that are complex": (NUMERIC, np.zeros(ROWS, complex)),
    "numbers that are dates": (NUMERIC, np.zeros(ROWS, "M8[D]")),
    "numbers in two dimensions": (NUMERIC, np.zeros((ROWS, 2))),
    "numbers beyond 2^53": (NUMERIC, np.array([2**53, 2**53 + 1] * (ROWS // 2))),
}

def fit(factory, column, cells):
    factory().fit(bw.Table(bw.Schema((column,)), (cells,)), TARGET)

def predict(factory, column, cells):
    estimator = factory().fit(bw.Table(bw.Schema((column,)), (GOOD[column],)), TARGET)
    estimator.predict(bw.Table(bw.Schema((column,)), (cells,)))

def outcome(work):
    try:
        work()
    except BranchworkError as error:
        return "refused" if "'a'" in str(error) else f"names no column: {error}"
    except BaseException as error:
        return repr(error)[:200]
    return "accepted"

resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
found = {}
for what, (column, cells) in CASES.items():
    for factory in ESTIMATORS:
        for work in (fit, predict) if column in GOOD else (fit,):
            found[f"{factory.__name__} {work.__name__} {what}"] = outcome(lambda: work(factory, column, cells))
print(json.dumps(found))
"""


MAY_BE_TAKEN = (
    "predict a code below missing",
    "codes of another width",
    "codes in a list",
    "numbers that are objects",
)
"""An unseen category has the code -2 at prediction; the others can be converted."""


@pytest.mark.skipif(SANITIZED, reason="limits its address space")
def test_a_table_made_by_hand_is_refused_if_it_is_wrong():
    found = child(SCRIPT, "-W", "ignore")
    assert len(found) > 100
    wrong = {
        case: outcome
        for case, outcome in found.items()
        if outcome != "refused" and not (outcome == "accepted" and case.endswith(MAY_BE_TAKEN))
    }
    assert not wrong, "\n".join(f"{case}: {outcome}" for case, outcome in wrong.items())
