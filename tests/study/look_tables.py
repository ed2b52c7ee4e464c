"""Clean tables, and the twelve defects that tests plant into them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

import branchwork as bw

Columns = dict[str, Any]


def mixed_table(n: int = 300, seed: int = 0) -> tuple[Columns, list[str]]:
    """Numbers and categories with a target that depends on them."""
    chance = np.random.default_rng(seed)
    weight = chance.normal(70, 12, n)
    income = np.exp(chance.normal(10, 0.8, n))
    town = chance.choice(["Aberdeen", "Bergen", "New York", "São Paulo"], n)
    visits = chance.poisson(3, n)
    y = np.where(weight + 4 * visits + chance.normal(0, 5, n) > 82, "ill", "well")
    columns = {"weight": weight, "income": income, "town": town.tolist(), "visits": visits}
    return columns, y.tolist()


def regression_table(n: int = 300, seed: int = 1) -> tuple[Columns, np.ndarray]:
    columns, _ = mixed_table(n, seed)
    chance = np.random.default_rng(seed + 1)
    return columns, 3 * columns["weight"] + columns["visits"] ** 2 + chance.normal(0, 4, n)


def _sklearn(load: Callable[..., Any]) -> tuple[Columns, Any]:
    found = load()
    return {str(name): found.data[:, j] for j, name in enumerate(found.feature_names)}, found.target


def _grid() -> tuple[Columns, list[str]]:
    """Every combination of some categories, once: as in tables of cars or of nursery schools."""
    cells = np.array(np.meshgrid(range(4), range(4), range(3), range(3), range(4))).reshape(5, -1)
    y = np.where(cells.sum(axis=0) > 7, "good", "bad")
    return {f"c{j}": [f"v{k}" for k in column] for j, column in enumerate(cells)}, y.tolist()


def _votes() -> tuple[Columns, list[str]]:
    """Answers of yes and no that go together, so that many rows are equal by chance."""
    chance = np.random.default_rng(7)
    party = chance.integers(0, 2, 300)
    answers = (chance.random((300, 8)) < np.where(party, 0.85, 0.15)[:, None]).astype(int)
    columns = {f"vote{j}": np.array(["no", "yes"])[answers[:, j]].tolist() for j in range(8)}
    return columns, np.array(["left", "right"])[party].tolist()


def _incomes() -> tuple[Columns, np.ndarray]:
    """Heavy tails: nothing in them is an outlier."""
    chance = np.random.default_rng(8)
    columns = {
        "pareto": chance.pareto(1.5, 2_000) + 1,
        "lognormal": np.exp(chance.normal(0, 1.5, 2_000)),
        "exponential": chance.exponential(3, 2_000),
        "counts": chance.geometric(0.2, 2_000),
        "mostly zero": np.where(chance.random(2_000) < 0.9, 0, chance.exponential(50, 2_000)),
    }
    return columns, chance.normal(size=2_000)


CLEAN: dict[str, tuple[Columns, Any]] = {
    "iris": _sklearn(load_iris),
    "wine": _sklearn(load_wine),
    "breast cancer": _sklearn(load_breast_cancer),
    "diabetes": _sklearn(load_diabetes),
    "mixed": mixed_table(),
    "regression": regression_table(),
    "grid": _grid(),
    "votes": _votes(),
    "incomes": _incomes(),
    "tennis": (lambda table: ({name: table.X.column(name) for name in table.X.schema.names}, list(table.y)))(
        bw.datasets.load("play_tennis")
    ),
}
"""Ten tables without a defect."""


def changed(columns: Columns, name: str, rows: Any, cells: Any) -> Columns:
    """Return the columns with some cells of one of them replaced; numbers stay numbers unless a text is put in."""
    old = columns[name]
    new = list(old) if isinstance(cells, str) or isinstance(old, list) else np.array(old, float)
    for k, row in enumerate(np.atleast_1d(rows).tolist()):
        new[row] = cells if np.ndim(cells) == 0 else cells[k]
    return {**columns, name: new}


def with_rows(columns: Columns, rows: Any) -> Columns:
    """Return the columns with copies of some rows at their end."""
    return {
        name: [*cells, *(cells[r] for r in rows)]
        if isinstance(cells, list)
        else np.concatenate([cells, cells[rows]])
        for name, cells in columns.items()
    }
