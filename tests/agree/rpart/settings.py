"""The settings under which rpart is asked, as data: for R and for us."""

from __future__ import annotations

from typing import Any

from agree.rpart.tables import RANDOM_CLASSES, RANDOM_NUMBERS, Table

FULL = {"cp": 0.0, "minsplit": 2, "minbucket": 1}
WEIGHTED = {"cp": 0.02, "minsplit": 2, "minbucket": 1}
"""With weights no limits: rpart compares them with rows, we with sums of weights."""
SMALL = {"cp": 0.002, "minsplit": 8, "minbucket": 3}


def cases_of(table: Table) -> dict[str, dict[str, Any]]:
    """Every setting that a table is tried under, by name."""
    return class_cases(table) if table.classes else number_cases(table)


def class_cases(table: Table) -> dict[str, dict[str, Any]]:
    base: dict[str, Any] = {"method": "class", "control": {}}
    count = len(table.classes or ())
    few = table.name in RANDOM_CLASSES
    cases = {
        "default": {**base, "folds": 10},
        "small": {**base, "control": SMALL, "folds": 5},
        "full": {**base, "control": {**FULL, "maxsurrogate": 3}},
        "alone": {**base, "control": {**SMALL, "maxsurrogate": 0}, "folds": 4},
    }
    if few:
        del cases["full" if int(table.name[-1]) % 4 else "alone"]
    if not few or int(table.name.removeprefix("random")) % 6 == 0:
        information = {**base, "control": SMALL, "split": "information", "folds": 3}
        even = [1 / count] * count
        loss = [[0 if i == j else 1 + (i + 2 * j) % 3 for j in range(count)] for i in range(count)]
        cases |= {
            "information": information,
            "prior": {**base, "control": SMALL, "prior": even, "folds": 3},
            "loss": {**base, "control": SMALL, "loss": loss, "folds": 3},
            "both": {**base, "control": SMALL, "loss": loss, "prior": even, "folds": 3},
            "weights": {**base, "control": WEIGHTED, "weights": [1, 2, 1, 3, 1], "folds": 3},
        }
    return cases


def number_cases(table: Table) -> dict[str, dict[str, Any]]:
    base: dict[str, Any] = {"method": "anova", "control": {}}
    cases = {
        "default": {**base, "folds": 10},
        "small": {**base, "control": SMALL, "folds": 5},
        "full": {**base, "control": {**FULL, "maxsurrogate": 3}},
        "alone": {**base, "control": {**SMALL, "maxsurrogate": 0}, "folds": 4},
    }
    if table.name not in RANDOM_NUMBERS:
        cases["weights"] = {**base, "control": WEIGHTED, "weights": [1, 2, 1, 3, 1], "folds": 3}
    if all(isinstance(y, float) and y >= 0 and y == int(y) for y in table.target) and any(table.target):
        counts: dict[str, Any] = {"method": "poisson", "control": {}}
        cases |= {
            "poisson": {**counts, "folds": 10},
            "poisson_small": {**counts, "control": SMALL, "shrink": 0.3, "folds": 5},
        }
    return cases
