"""Random tables for optimal trees, as the brute force of optimal_slow.py and as the library take them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchwork.grow.optimal_settings import Optimal
from branchwork.grow.recipe import Recipe, Stopping
from branchwork.grow.recipes import OPTIMAL, OPTIMAL_REGRESSION
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target, Values
from grow.optimal_slow import Problem, error_matrix


@dataclass
class Case:
    """One problem in both forms."""

    slow: Problem
    table: Table
    target: Target
    recipe: Recipe
    depth: int
    leaves: int | None

    @property
    def least(self) -> float:
        """The least cost by brute force."""
        return self.slow.solve(self.depth, self.leaves)


def case(seed: int, **fixed: Any) -> Case:
    """Draw a table of up to eleven rows with numbers, categories, missing cells, weights, costs and limits."""
    r = random.Random(seed)
    n, p, classes = r.randint(2, 11), r.randint(1, 3), r.randint(2, 4)
    numbers = fixed.get("numbers", r.random() < 0.25)
    missing, nominal = r.random() < 0.4, r.random() < 0.5
    columns: list[tuple[Any, list[float]]] = []
    arrays, schema = [], []
    for j in range(p):
        absent = [missing and r.random() < 0.25 for _ in range(n)]
        if nominal and r.random() < 0.6:
            levels = r.randint(2, 4)
            cells = [-1 if gone else r.randrange(levels) for gone in absent]
            columns.append(("nominal", [float(c) for c in cells]))
            arrays.append(np.array(cells, np.int32))
            schema.append(Column(f"c{j}", "nominal", tuple("abcd"[:levels])))
        else:
            values = r.randint(2, 12)
            numeric = [math.nan if gone else float(r.randrange(values)) for gone in absent]
            columns.append(("numeric", numeric))
            arrays.append(np.array(numeric))
            schema.append(Column(f"c{j}", "numeric"))
    y = [r.gauss(0, 1) if numbers else float(r.randrange(classes)) for _ in range(n)]
    weighted = r.choice(["no", "no", "whole", "real"])
    weights = {"no": lambda: 1.0, "whole": lambda: float(r.randint(1, 4)), "real": lambda: r.random() + 0.01}
    w = [weights[weighted]() for _ in range(n)]
    loss = None if numbers else error_matrix(classes)
    costly = not numbers and r.random() < 0.3
    if costly:
        loss = [[0.0 if c == k else r.choice([1, 2, 5, 0.7]) for k in range(classes)] for c in range(classes)]
    share, min_leaf, groups = r.choice([0, 0, 0.02, 0.1]), r.choice([0, 0, 2, 3]), r.random() < 0.3
    depth, leaves = r.randint(0, 3), r.choice([None, None, None, 2, 3, 4, 5])
    target: Target
    own = None if weighted == "no" else np.array(w)
    if numbers:
        target = Values(np.array(y), own)
        whole = Problem(columns, y, None, w).leaf(tuple(range(n)))
    else:
        target = Classes(np.array(y, np.int32), tuple(range(classes)), own, declared=True)
        whole = sum(w)
    slow = Problem(columns, y, loss, w, share * whole, min_leaf, groups)
    base = OPTIMAL_REGRESSION if numbers else OPTIMAL
    recipe = base.replace(
        search=base.search.replace(nominal="subset" if groups else "one_vs_rest"),
        stopping=Stopping(depth, 0, min_leaf, leaves),
        optimal=Optimal(leaf_penalty=share, loss=loss if costly else None),
    )
    return Case(slow, Table(Schema(tuple(schema)), tuple(arrays)), target, recipe, depth, leaves)
