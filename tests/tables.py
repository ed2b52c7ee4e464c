"""Random small tables for Hypothesis: mixed columns, ties, missing cells, declared and absent categories, weights."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target, Values

EXAMPLES = int(os.environ.get("BRANCHWORK_EXAMPLES", "150"))
"""Examples of each property; `make deep` asks for many more."""

settings.register_profile("branchwork", max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES <= 150)
settings.load_profile("branchwork")


@dataclass(frozen=True)
class Case:
    """One random table in plain Python and as the library takes it."""

    kinds: tuple[str, ...]
    cells: tuple[list[Any], ...]  # by column; None is missing
    categories: tuple[list[str], ...]
    labels: list[str] | None
    y: list[Any]
    weights: list[float] | None

    @property
    def table(self) -> Table:
        columns, arrays = [], []
        for j, (kind, cells) in enumerate(zip(self.kinds, self.cells, strict=True)):
            if kind == "numeric":
                columns.append(Column(f"c{j}", "numeric"))
                arrays.append(np.array([np.nan if c is None else c for c in cells], dtype=np.float64))
            else:
                place = {category: code for code, category in enumerate(self.categories[j])}
                columns.append(Column(f"c{j}", "nominal", tuple(self.categories[j]), declared=True))
                arrays.append(np.array([-1 if c is None else place[c] for c in cells], dtype=np.int32))
        return Table(Schema(tuple(columns)), tuple(arrays))

    @property
    def target(self) -> Target:
        weights = None if self.weights is None else np.array(self.weights, dtype=np.float64)
        if self.labels is None:
            return Values(np.array(self.y, dtype=np.float64), weights)
        codes = np.array([self.labels.index(label) for label in self.y], dtype=np.int32)
        return Classes(codes, tuple(self.labels), weights, declared=True)

    def rows(self) -> list[dict[str, Any]]:
        return [{f"c{j}": cells[i] for j, cells in enumerate(self.cells)} for i in range(len(self.y))]

    def repeated(self) -> Case:
        """The same table with a row of weight k written k times."""
        assert self.weights is not None
        order = [i for i, w in enumerate(self.weights) for _ in range(int(w))]
        cells = tuple([column[i] for i in order] for column in self.cells)
        return Case(self.kinds, cells, self.categories, self.labels, [self.y[i] for i in order], None)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    classification: bool | None = None,
    weighted: bool | None = None,
    missing: bool = True,
    max_rows: int = 22,
    max_columns: int = 4,
) -> Case:
    n = draw(st.integers(1, max_rows))
    kinds = tuple(draw(st.lists(st.sampled_from(["numeric", "nominal"]), min_size=1, max_size=max_columns)))
    cells, categories = [], []
    for kind in kinds:
        holes = missing and draw(st.booleans())
        if kind == "numeric":
            cell: st.SearchStrategy[Any] = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0, 7.0])
            categories.append([])
        else:
            names = draw(st.sampled_from([["a"], ["b", "a"], ["a", "b", "c"], ["d", "c", "b", "a"]]))
            cell = st.sampled_from(names)
            categories.append(list(names))
        if holes:
            cell = st.one_of(st.none(), cell)
        cells.append(draw(st.lists(cell, min_size=n, max_size=n)))
    if classification is None:
        classification = draw(st.booleans())
    labels = (
        draw(st.sampled_from([["no", "yes"], ["yes", "no"], ["x", "z", "y"]])) if classification else None
    )
    outcome: st.SearchStrategy[Any] = (
        st.sampled_from(labels) if labels else st.sampled_from([0.0, 1.0, 2.0, 3.0, 10.0])
    )
    y = draw(st.lists(outcome, min_size=n, max_size=n))
    if weighted is None:
        weighted = draw(st.booleans())
    weights = None
    if weighted:
        weights = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=n, max_size=n))
        if not any(weights):
            weights[draw(st.integers(0, n - 1))] = 1.0
    return Case(kinds, tuple(cells), tuple(categories), labels, y, weights)
