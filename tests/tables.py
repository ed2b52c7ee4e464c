"""Random small tables for Hypothesis: mixed columns, ties, missing cells, declared and absent categories, weights.

`cases()` are tables alone; `open_cases()` come with class weights and any combination of settings.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from branchwork.grow.recipe import Recipe, Search, Stopping
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target, Values

import oracle

EXAMPLES = int(os.environ.get("BRANCHWORK_EXAMPLES", "40"))
"""Examples of each property; `make deep` asks for many more."""

DEEP = EXAMPLES > 40
"""Whether this is one of the long campaigns of `make deep`."""

OF_EACH = EXAMPLES if DEEP else min(EXAMPLES, 15)
"""Examples for each of a dozen algorithms or settings, where these are tested one by one for the same property."""

settings.register_profile("branchwork", max_examples=EXAMPLES, deadline=None, derandomize=not DEEP)
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

    @property
    def columns(self) -> list[oracle.Column]:
        """The table as the oracle takes it."""
        return [
            oracle.Column(f"c{j}", kind, cells, self.categories[j])
            for j, (kind, cells) in enumerate(zip(self.kinds, self.cells, strict=True))
        ]

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


# ---------------------------------------------------------------------------------- tables with all the settings


CLASS_CRITERIA = ("accuracy", "entropy", "gini", "gain_ratio")
VALUE_CRITERIA = ("variance", "squared_error", "poisson")
TARGETS = [-1.5, 0.0, 1.0, 2.0, 3.0, 10.0]
COUNTS = [0.0, 0.0, 1.0, 2.0, 3.0, 10.0]


@dataclass(frozen=True)
class OpenCase(Case):
    """A random table and what is to be made of it."""

    class_weights: dict[str, float] | None
    settings: oracle.Settings

    @property
    def recipe(self) -> Recipe:
        settings = self.settings
        return Recipe(
            "open",
            settings.criterion,
            Search(cuts=settings.cuts, cut=settings.cut, nominal=settings.nominal, missing=settings.missing),
            Stopping(
                settings.max_depth,
                settings.min_samples_split,
                settings.min_samples_leaf,
                settings.max_leaf_nodes,
                settings.min_gain or 0,
                settings.min_impurity_decrease or 0,
                min_weight_fraction_leaf=settings.min_weight_fraction_leaf,
            ),
            order=settings.order,
            zero_gain=settings.zero_gain,
        )

    @property
    def weighted_target(self) -> Target:
        """The target with its class weights."""
        target = self.target
        return target.weighted(self.class_weights) if isinstance(target, Classes) else target

    def grow_by_oracle(self) -> oracle.Node:
        return oracle.grow(
            self.columns,
            self.y,
            self.settings,
            labels=self.labels,
            weights=self.weights,
            class_weights=self.class_weights,
        )


@st.composite
def open_cases(
    draw: st.DrawFn,
    *,
    classification: bool | None = None,
    weighted: bool | None = None,
    holes: bool = True,
    max_rows: int = 18,
    max_columns: int = 3,
    **pinned: Any,
) -> OpenCase:
    """Tables with settings; `pinned` settings are not drawn: `open_cases(missing="share", nominal="subset")`."""
    if classification is None:
        classification = (
            pinned["criterion"] in CLASS_CRITERIA if "criterion" in pinned else draw(st.booleans())
        )
    chosen = draw(open_settings(classification, pinned))
    n = draw(st.sampled_from(range(1, max_rows + 1)))  # all sizes alike; integers() prefers small ones
    kinds = tuple(draw(st.lists(st.sampled_from(["numeric", "nominal"]), min_size=1, max_size=max_columns)))
    cells, categories = [], []
    for kind in kinds:
        names = sorted("fbcade"[: draw(st.integers(1, 6))], reverse=draw(st.booleans()))
        categories.append([] if kind == "numeric" else names)
        numbers = [-2.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0, 7.0]
        cell: st.SearchStrategy[Any] = st.sampled_from(numbers if kind == "numeric" else names)
        if holes and draw(st.booleans()):
            cell = st.one_of(st.none(), cell, cell, cell)
        cells.append(draw(st.lists(cell, min_size=n, max_size=n)))

    labels = class_weights = None
    if classification:
        labels = draw(st.sampled_from([["no", "yes"], ["yes", "no"], ["x", "z", "y"]]))
        if draw(st.booleans()):
            class_weights = {label: draw(st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0])) for label in labels}
    outcomes = labels or (COUNTS if chosen.criterion == "poisson" else TARGETS)
    y = draw(st.lists(st.sampled_from(outcomes), min_size=n, max_size=n))
    weights = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = draw(
            st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0]), min_size=n, max_size=n)
        )
        if not any(weights):
            weights[draw(st.integers(0, n - 1))] = 1.0
    if chosen.criterion == "poisson" and not any(t * w for t, w in zip(y, weights or [1] * n, strict=True)):
        y[next(i for i in range(n) if weights is None or weights[i])] = 1.0
    return OpenCase(kinds, tuple(cells), tuple(categories), labels, y, weights, class_weights, chosen)


@st.composite
def open_settings(draw: st.DrawFn, classification: bool, pinned: dict[str, Any]) -> oracle.Settings:
    """Any combination of settings. Limits are odd numbers, lest rounding decide whether a gain reaches one.

    For the same reason limits of weight are odd where rows are shared: thirds that add to 1 need not do so in floats.
    """
    missing = pinned.get("missing") or draw(st.sampled_from(["branch", "larger", "share", "learn"]))
    choices: dict[str, list[Any]] = {
        "criterion": list(CLASS_CRITERIA if classification else VALUE_CRITERIA),
        "cuts": ["all", "all", "changes"],
        "zero_gain": [True, False],
        "nominal": ["multiway", "subset", "one_vs_rest"],
        "cut": ["midpoint", "data"],
        "order": ["depth", "breadth", "best"],
        "min_samples_split": [0],
    }
    if draw(st.booleans()):
        choices |= {
            "max_depth": [None, None, None, 0, 1, 2, 3],
            "min_samples_split": [0, 2.37, 4.41] if missing == "share" else [0, 2, 4, 5.5],
            "min_samples_leaf": [0, 0, 1.37, 2.41] if missing == "share" else [0, 0, 1, 2, 2.5],
            "min_weight_fraction_leaf": [0, 0, 0, 0.06137, 0.2113],
            "min_impurity_decrease": [0, 0, 0, 0.01371, 0.07313],
            "min_gain": [None, 0, 0, 0.01733, 0.11093],
            "max_leaf_nodes": [None, None, None, 1, 2, 3, 5, 8],
        }
    drawn = {name: draw(st.sampled_from(values)) for name, values in choices.items() if name not in pinned}
    return oracle.Settings(**{**drawn, "missing": missing, **pinned})
