"""Stopping while growing: beside a recursion that asks at every node before it goes on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import DataError, ParameterError, TargetError
from prune import slow

from tables import Case, cases

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")

CLASS_GROWERS: list[Any] = [bw.ID3Classifier, bw.TreeClassifier]
NUMBER_GROWERS: list[Any] = [bw.ID3Regressor, bw.TreeRegressor]


def answer(case: Case) -> Any:
    return case.y if case.labels is None else pd.Categorical(case.y, categories=case.labels)


def assert_cut_off(node: dict[str, Any], full: dict[str, Any], goes_on: Any) -> None:
    """The stopped tree is the full one as far as `goes_on` says yes."""
    assert (
        node["distribution"] == full["distribution"] if "mean" not in node else node["mean"] == full["mean"]
    )
    if "children" not in full or not goes_on(full):
        assert "children" not in node
        return
    assert node["feature"] == full["feature"]
    for child, full_child in zip(node["children"], full["children"], strict=True):
        assert_cut_off(child, full_child, goes_on)


@pytest.mark.parametrize("grower", [*CLASS_GROWERS, *NUMBER_GROWERS])
@given(data=st.data(), limit=st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0]))
def test_growth_stops_where_chance_could_have_made_the_split(grower, data, limit):
    case = data.draw(cases(classification=grower in CLASS_GROWERS, weighted=False, max_rows=40))
    full = grower().fit(case.table, answer(case)).to_dict()
    stopped = grower(max_p_value=limit).fit(case.table, answer(case)).to_dict()
    assert_cut_off(stopped, full, lambda node: slow.p_value(node) <= limit + 1e-12)


def rows_reaching(full: dict[str, Any], rows: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        for node, _ in slow.shares(full, row):
            found.setdefault(node, []).append(row)
    return found


def number_of_splits(rows: list[dict[str, Any]], kinds: dict[str, str], nominal: str) -> float:
    total = 0.0
    for name, kind in kinds.items():
        values = {row[name] for row in rows if row[name] is not None and row[name] == row[name]}
        k = len(values)
        if k >= 2:
            ways = {"multiway": 1, "one_vs_rest": k, "subset": 2 ** (k - 1) - 1}
            total += k - 1 if kind == "numeric" else ways[nominal]
    return max(total, 1)


@given(data=st.data(), nominal=st.sampled_from(["multiway", "subset", "one_vs_rest"]))
def test_the_correction_counts_what_there_was_to_choose_from(data, nominal):
    case = data.draw(cases(classification=True, weighted=False, max_rows=60))
    settings = {"nominal": nominal, "missing": "larger"}
    full = bw.TreeClassifier(**settings).fit(case.table, answer(case)).to_dict()
    corrected = bw.TreeClassifier(max_p_value=0.3, correction="bonferroni", **settings)
    reached = rows_reaching(full, case.rows())
    kinds = {f"c{j}": kind for j, kind in enumerate(case.kinds)}

    def goes_on(node: dict[str, Any]) -> bool:
        p = slow.p_value(node) * number_of_splits(reached[node["id"]], kinds, nominal)
        return p <= 0.3 or math.isclose(p, 0.3, rel_tol=1e-12)

    assert_cut_off(corrected.fit(case.table, answer(case)).to_dict(), full, goes_on)


@pytest.mark.parametrize("grower", [*CLASS_GROWERS, *NUMBER_GROWERS])
@given(data=st.data())
def test_growth_stops_where_validation_rows_gain_nothing(grower, data):
    case = data.draw(
        cases(classification=grower in CLASS_GROWERS, weighted=False, max_rows=50).filter(
            lambda c: len(c.y) > 1
        )
    )
    n = (len(case.y) + 1) // 2
    X, y, rest = case.table.take(np.arange(n)), answer(case)[:n], np.arange(n, len(case.y))
    full = grower().fit(X, y).to_dict()
    stopped = grower().fit(X, y, X_val=case.table.take(rest), y_val=answer(case)[n:])
    errors = slow.held_out_errors(full, [case.rows()[i] for i in rest], [case.y[i] for i in rest])

    def goes_on(node: dict[str, Any]) -> bool:
        return sum(errors[child["id"]] for child in node["children"]) < errors[node["id"]] - 1e-9

    assert_cut_off(stopped.to_dict(), full, goes_on)


def test_the_reason_is_written_down():
    noise = np.random.default_rng(0)
    X, y = noise.random((60, 2)), noise.integers(0, 2, 60)
    by_chance = bw.TreeClassifier(max_p_value=1e-9).fit(X, y)
    assert "no split is significant" in str(by_chance.working(0))
    idle = bw.TreeClassifier().fit(X, y, X_val=X[:4], y_val=[y[0]] * 4)
    assert idle.get_n_leaves() == 1 and "validation rows" in str(idle.working(0))


def test_refusals():
    X, y = [[1.0], [2.0]], ["a", "b"]
    with pytest.raises(ParameterError, match="max_p_value and max_leaf_nodes do not go together"):
        bw.TreeClassifier(max_p_value=0.1, max_leaf_nodes=4).fit(X, y)
    with pytest.raises(ParameterError, match="correction='bonferoni' is not known"):
        bw.ID3Classifier(max_p_value=0.1, correction="bonferoni").fit(X, y)
    with pytest.raises(ParameterError, match="X_val was given without y_val"):
        bw.ID3Classifier().fit(X, y, X_val=X)
    with pytest.raises(DataError, match="X_val has 2 rows, but y_val has 1"):
        bw.ID3Classifier().fit(X, y, X_val=X, y_val=["a"])
    with pytest.raises(TargetError, match="'c', which was not in the training data"):
        bw.ID3Classifier().fit(X, y, X_val=X, y_val=["a", "c"])
