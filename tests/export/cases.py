"""Models for exported programs, the rows they are tried on, and what the library answers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

import branchwork as bw
from branchwork.errors import BranchworkWarning
from branchwork.export.program import Field, program
from branchwork.model.model import Model
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table

from program_cases import KINDS, hard_rows, model_of, table_of
from tables import EXAMPLES

DEEP = EXAMPLES > 150
MODELS = 330 if DEEP else len(KINDS)
ROWS = 10_000 if DEEP else 150
A_PROGRAM = 40


@dataclass(frozen=True)
class Case:
    """A model, rows, and its answers."""

    name: str
    model: Model
    rows: list[dict[str, Any]]

    @cached_property
    def predicted(self) -> list[Any]:
        return self.model.predict(self._table).tolist()

    @cached_property
    def probabilities(self) -> np.ndarray | None:
        return None if self.model.labels is None else self.model.predict_proba(self._table)

    @property
    def cells(self) -> list[list[float]]:
        """Numbers and codes of every row, as the program form takes them."""
        return np.stack([array.astype(float) for array in self._table.arrays], axis=1).tolist()

    @cached_property
    def _table(self) -> Table:
        return table_of(self.model, self.rows)

    def check(self, predicted: list[Any], probabilities: Any) -> None:
        """What a program found is what the model says: of one leaf to the last bit, of sums to 1e-12."""
        one_leaf = self.model.combine.kind == "single" and not self.model.tree.shares_rows
        tolerance = 0.0 if one_leaf else 1e-12
        if self.model.labels is None:
            found, expected = np.array(predicted), np.array(self.predicted)
            assert (np.abs(found - expected) <= tolerance * np.maximum(1, np.abs(expected))).all(), self.name
            return
        assert predicted == self.predicted, self.name
        assert [type(label) for label in predicted] == [type(label) for label in self.predicted]
        assert np.abs(np.array(probabilities) - self.probabilities).max() <= tolerance, self.name


def in_batches(made: Callable[[], Iterator[Case]]) -> Iterator[list[Case]]:
    """So many cases at a time that they fit into one program."""
    waiting = made()
    while some := list(islice(waiting, A_PROGRAM)):
        yield some


def coded(some: list[Case]) -> tuple[list[np.ndarray], list[str]]:
    """The cells of all cases as doubles, for programs that read files: text as a place in the texts, which come, too.

    NaN is a missing number, -1 is missing text or truth. The labels are among the texts.
    """
    texts: dict[str, int] = {}
    arrays = []
    for case in some:
        for label in case.model.labels or ():
            if isinstance(label, str):
                texts.setdefault(label, len(texts))
        fields = program(case.model).fields
        arrays.append(np.array([[_coded(row[f.name], f, texts) for f in fields] for row in case.rows]))
    return arrays, list(texts)


def _coded(value: Any, field: Field, texts: dict[str, int]) -> float:
    if field.type == "number":
        return math.nan if value is None else value
    if value is None:
        return -1
    return texts.setdefault(value, len(texts)) if field.type == "text" else value


def cases() -> Iterator[Case]:
    """Every kind of model, as many as there is time for; every third has hostile names."""
    for seed in range(MODELS):
        model = model_of(seed, hostile=seed % 3 == 2)
        yield Case(f"{KINDS[seed % len(KINDS)]} {seed}", model, hard_rows(model, ROWS, seed))


def special() -> Iterator[Case]:
    """Shapes that chance does not make: one leaf, many branches, many categories, a class that never occurs."""
    for name, model in (
        ("one leaf", _fitted(bw.TreeClassifier(max_depth=0), [f"g{k % 3}" for k in range(9)], 0)),
        ("wide", _fitted(bw.ID3Classifier(), [f"city {k * 7 % 60}" for k in range(600)], 1)),
        ("wide and shared", _fitted(bw.C45Classifier(min_cases=1, pruning=None), _cities(60), 2)),
        ("wide with the majority", _fitted(bw.ID3Classifier(handle_unknown="majority"), _cities(40), 3)),
        ("many in two groups", _fitted(bw.TreeClassifier(nominal="subset"), _cities(90), 4)),
        (
            "many in groups and shared",
            _fitted(bw.TreeClassifier(nominal="subset", missing="share"), _cities(90), 5),
        ),
        ("many for substitutes", _fitted(bw.CARTClassifier(max_surrogates=2), _cities(50), 6)),
        ("of one category", _fitted(bw.TreeClassifier(), ["only"] * 200, 7)),
        ("classes that never occur", _unseen_class()),
        ("many intervals", _intervals()),
    ):
        yield Case(name, model, hard_rows(model, ROWS, 5))


def _cities(count: int) -> list[str]:
    return [f"city {k * 31 % count}" for k in range(8 * count)]


def _fitted(estimator: Any, cities: list[str], seed: int) -> Model:
    rng = np.random.default_rng(seed)
    rows = len(cities)
    lake = rng.choice([None, "Como", "Garda"], rows)
    depth = np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows))
    high = np.array([len(set(city)) + sum(map(ord, city)) % 7 for city in cities])
    y = np.where(high + np.nan_to_num(depth) > np.median(high), "high", "low").tolist()
    cells = [None if rng.random() < 0.1 else city for city in cities]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchworkWarning)
        return estimator.fit(bw.to_table({"city": cells, "lake": lake.tolist(), "depth": depth}), y).model_


def _unseen_class() -> Model:
    model = model_of(3, kind="tree share subset")
    labels = (-5, *model.labels, 99)
    tree = model.tree
    zero = np.zeros((tree.n_nodes, 1))
    value = np.concatenate((zero, tree.value, zero), axis=1)
    distribution = np.concatenate((zero, tree.distribution, zero), axis=1)
    wide = tree.replace(value=value, distribution=distribution)
    return replace(model, labels=labels, trees=(wide,), occurring=None)


def _intervals() -> Model:
    """A numeric column in a dozen intervals."""
    rng = np.random.default_rng(9)
    x = np.where(rng.random(2000) < 0.05, np.nan, rng.integers(0, 24, 2000).astype(float))
    table = Table(Schema((Column("x", "numeric"),)), (x,))
    y = np.where(np.isnan(x), 50, x**2) + rng.normal(size=2000)
    estimator = bw.CHAIDRegressor(
        alpha_merge=0.9999, alpha_split=0.99, bins=24, min_samples_split=2000, min_samples_leaf=1
    )
    return estimator.fit(table, y.tolist()).model_
