"""C4.5's trees, unpruned and pruned: ours beside what Release 8 printed, table by table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from agree import c45_outputs
from branchwork.measure.bounds import ErrorBound
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table

OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "gain": {"gain_ratio": False},
    "m5": {"min_cases": 5},
    "c5": {"confidence": 0.05},
}

EQUAL = "two mirrored tests are exactly equal; 32-bit rounding prefers the later one"
WEIGHT = (
    "shared weights add up to exactly the least number of rows; 32-bit rounding, in order of rows, decides"
)
DIFFERENT = {
    ("glass", "default"): EQUAL,
    ("glass", "c5"): EQUAL,
    ("labor", "default"): WEIGHT,
    ("labor", "c5"): WEIGHT,
    ("random02", "default"): EQUAL,
    ("random02", "c5"): EQUAL,
    ("random02", "gain"): EQUAL,
    ("random11", "gain"): WEIGHT,
    ("random24", "default"): WEIGHT,
    ("random24", "c5"): WEIGHT,
}
"""Trees that differ, and why: everywhere it is the original's 32-bit arithmetic."""

DIFFERENT_PRUNED = {
    ("glass", "default"): EQUAL,
    ("random02", "default"): EQUAL,
    ("random02", "gain"): EQUAL,
    ("random02", "c5"): EQUAL,
}
"""The same after pruning, which takes some of the differences away."""


def table_of(given: c45_outputs.Table) -> Table:
    columns, arrays = [], []
    for j, column in enumerate(given.columns):
        cells = [row[j] for row in given.cells]
        if column.values is None:
            columns.append(Column(column.name, "numeric"))
            arrays.append(np.array([np.nan if cell is None else cell for cell in cells], float))
        else:
            columns.append(Column(column.name, "nominal", column.values, declared=True))
            place = {value: code for code, value in enumerate(column.values)}
            arrays.append(np.array([-1 if cell is None else place[cell] for cell in cells], np.int32))
    return Table(Schema(tuple(columns)), tuple(arrays))


def fitted(name: str, option: str, **more: Any) -> bw.C45Classifier:
    given = c45_outputs.read_table(name)
    y = pd.Categorical(given.labels, categories=given.classes)
    return bw.C45Classifier(**OPTIONS[option], **more).fit(table_of(given), y)


def errors_of(leaf: dict[str, Any]) -> float:
    return leaf["weight"] - leaf["distribution"][leaf["prediction"]]


def expected_errors_of(bound: ErrorBound, leaf: dict[str, Any]) -> float:
    return errors_of(leaf) + bound.extra(errors_of(leaf), leaf["weight"])


def first_difference(
    node: dict[str, Any],
    printed: c45_outputs.Printed,
    errors_at: Callable[[dict[str, Any]], float],
    path: str = "root",
) -> str | None:
    if printed.is_leaf:
        errors = errors_at(node)
        ours = (node.get("feature"), node["prediction"], node["weight"], errors)
        same = (
            ours[:2] == (None, printed.label)
            and abs(node["weight"] - printed.weight) <= 0.1
            and abs(errors - printed.errors) <= 0.1
        )
        return (
            None if same else f"{path}: {ours} against leaf {printed.label} {printed.weight}/{printed.errors}"
        )
    if node.get("feature") != printed.feature:
        return f"{path}: {node.get('feature')} against {printed.feature}"
    if printed.kind == "cut":
        if abs(node["cut"] - printed.cut) > 1e-5 * max(1, abs(printed.cut)):
            return f"{path}: {printed.feature} <= {node['cut']} against {printed.cut}"
        keys: list[Any] = ["<=", ">"]
    else:
        keys = [group[0] for group in node["values"]]
    found = (
        first_difference(child, printed.children[key], errors_at, f"{path} > {printed.feature} {key}")
        for child, key in zip(node["children"], keys, strict=True)
    )
    return next((difference for difference in found if difference), None)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", c45_outputs.names())
def test_the_unpruned_tree_is_release_8_s(name, option):
    report = c45_outputs.read_report(name, option)
    tree = fitted(name, option, pruning=None).to_dict()
    difference = first_difference(tree, report.unpruned, errors_of)
    assert (difference is not None) == ((name, option) in DIFFERENT), difference


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", c45_outputs.names())
def test_the_pruned_tree_is_release_8_s(name, option):
    report = c45_outputs.read_report(name, option)
    bound = ErrorBound(OPTIONS[option].get("confidence", 0.25))
    errors = errors_of if report.pruned is report.unpruned else partial(expected_errors_of, bound)
    difference = first_difference(fitted(name, option).to_dict(), report.pruned, errors)
    assert (difference is not None) == ((name, option) in DIFFERENT_PRUNED), difference
