"""`like_rpart` beside what rpart 4.1.19 answered: trees, surrogates, tables of complexities, and the ways of rows.

A tree is compared node by node, from the root, until the first difference; `difference` says what it is. Every kind
of difference has a cause that docs/algorithms/cart.md tells; their numbers are kept here, so that none comes unseen.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

import branchwork as bw
from agree.rpart.compare import blanked, coded, difference, fitted, table_difference
from agree.rpart.outputs import answers, checksum, stored
from agree.rpart.settings import cases_of
from agree.rpart.tables import csv, names, read
from together import together

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.LossWarning")  # of losses drawn at random

CAUSES = {
    "tie: column": "two columns gain the same; rounding decides in rpart, the earlier column here",
    "tie: cut or groups": "the same within one column",
    "stopped": "the majority, the last resort, is a tie: rpart leaves the row in the node, we send it on",
    "answer": "two classes cost the same; rounding decides in rpart, the earlier label here",
    "surrogate": "weights: rpart counts rows where we add weights, or two surrogates agree equally",
    "rows": "with weights, rpart keeps rows that have no known cell",
    "leaf": "stopped rows, or a tie, further down: one of us cuts that part off",
}


def kind_of(found: str) -> str:
    return found.split(" in node")[0] if found.startswith("tie") else found.split(":")[0]


@cache
def outcome(name: str) -> Counter[str]:
    """What became of the trees of one table."""
    table, kinds = read(name), Counter[str]()
    holes = any(None in row for row in table.cells)
    for setting, how in cases_of(table).items():
        if setting == "alone" and holes:  # without surrogates rpart stops at every missing cell
            continue
        answer = answers()[f"{name} {setting}"]
        est = fitted(table, how)
        numbers: dict[int, int] = {}
        found = difference(est, answer, numbers)
        if found is not None:
            kinds[kind_of(found)] += 1
            continue
        kinds["same"] += 1
        off = table_difference(est, answer)
        assert off in (None, "xerror", "xstd", "nsplit"), (setting, off)
        kinds["same table" if off is None else f"table: {off}"] += 1
        leaves = np.array([numbers[leaf] for leaf in est.apply(blanked(coded(table)[0]))])
        theirs = np.array(answer["blanked"])
        kinds["rows sent"] += len(theirs)
        kinds["rows sent the same way"] += int((leaves == theirs).sum())
    return kinds


@together("name", names())
def test_trees(name):
    assert stored()["checksums"][name] == checksum(csv(read(name))), (
        "the table is not the one rpart was given"
    )
    for kind in outcome(name):
        known = kind in CAUSES or kind.startswith(("same", "rows sent", "table"))
        assert known, kind


def test_how_many_agree():
    total = sum((outcome(name) for name in names()), Counter[str]())
    trees = total["same"] + sum(total[kind] for kind in CAUSES)
    assert trees == 764
    assert total["same"] >= 564
    assert total["same table"] >= 492
    assert total["rows sent the same way"] >= 0.985 * total["rows sent"]
    assert total["leaf"] <= 6 and total["rows"] <= 1


def test_a_row_goes_on_where_rpart_s_would_stop():
    """Four known rows a side, three unknown: rpart leaves them in the root and has a relative error of 0."""
    X = np.array([[1, 2, 3, 4, 5, 6, 7, 8, np.nan, np.nan, np.nan]]).T
    settings = {"cp": 0.0, "min_samples_split": 2, "min_samples_leaf": 1, "xval": None}
    tree = bw.CARTClassifier.like_rpart(**settings).fit(np.hstack([X, np.ones_like(X)]), [*"aaaabbbbabb"])
    assert tree.tree_.n_rows.tolist() == [11, 7, 4]
    assert tree.cp_table_["rel_error"] == [1, 2 / 5]


def test_a_branch_may_have_no_counts():
    """As in rpart: `shrink` keeps its rate above 0. Plain trees refuse it."""
    X, y = np.arange(8.0).reshape(-1, 1), [0, 0, 0, 3, 2, 2, 3, 2]
    limits = {"criterion": "poisson", "min_samples_split": 2, "min_samples_leaf": 2}
    as_rpart = bw.CARTRegressor.like_rpart(**limits, xval=None).fit(X, y)
    assert as_rpart.tree_.n_rows.tolist()[:2] == [8, 3]
    assert 0 < as_rpart.predict(X[:1])[0] < 0.5
    assert (bw.CARTRegressor(**limits).fit(X, y).tree_.value[:, 0] > 0).all()
