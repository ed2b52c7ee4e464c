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
from branchwork.rules.condition import Among, Interval
from branchwork.rules.rule_list import RuleList
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table

from program_cases import KINDS, hard_rows, model_of, random_table, table_of
from tables import DEEP

MODELS = 330 if DEEP else len(KINDS)
ROWS = 10_000 if DEEP else 150
A_PROGRAM = 40


@dataclass(frozen=True)
class Case:
    """A model, rows, and its answers."""

    name: str
    model: Model | RuleList
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
        one_leaf = isinstance(self.model, RuleList) or (
            self.model.combine.kind == "single" and not self.model.tree.shares_rows
        )
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


def rule_lists() -> Iterator[Case]:
    """Lists of rules: post-pruned ones, those of whole trees, and odd ones."""
    for seed in range(MODELS // 4):
        rng = np.random.default_rng(seed)
        table = random_table(rng, 150, hostile=seed % 3 == 2)
        y = rng.choice(["no", "yes", "perhaps"], 150).tolist()
        unknown = ("missing", "majority")[seed % 2]
        method = ("c4.5rules", "mitchell")[seed // 2 % 2]
        estimator = bw.RuleListClassifier(method=method, handle_unknown=unknown, confidence=0.9).fit(table, y)
        yield Case(f"{method} {seed}", estimator.rules_, hard_rows(estimator.model_, ROWS, seed))
    for kind in (
        "id3",
        "id3 majority",
        "chaid",
        "tree learn subset",
        "tree regression branch",
        "stump regression",
        "cart",
    ):
        model = model_of(7, kind=kind, hostile=True)
        for rules in (model.rules(), model.rules(simplify=True)):
            yield Case(f"rules of {kind}", rules, hard_rows(model, ROWS, 7))
    yield from _odd_rules()


def _odd_rules() -> Iterator[Case]:
    """Intervals that nothing is in, or everything; sets of no category, or of all; a rule without conditions."""
    model = model_of(0, kind="id3")
    number = next(j for j, column in enumerate(model.schema) if not column.is_nominal)
    word = next(j for j, column in enumerate(model.schema) if column.is_nominal)
    every = tuple(range(len(model.schema[word].categories)))
    limits = (None, -math.inf, -0.0, 0.5, math.inf)
    conditions: list[Any] = [
        *(Interval(number, a, b, missing) for a in limits for b in limits for missing in (False, True)),
        *(
            Among(word, codes, missing, unseen)
            for codes in ((), every[:1], every)
            for missing in (False, True)
            for unseen in (False, True)
        ),
    ]
    rows = hard_rows(model, 60, 3)
    known = model.rules()[0]
    for k, one in enumerate(conditions):
        other = conditions[(7 * k + 3) % len(conditions)]
        rules = tuple(
            known.replace(
                conditions=those,
                prediction=model.labels[code],
                value=tuple(np.eye(len(model.labels))[code].tolist()),
            )
            for code, those in enumerate(((one,), (other, one)))
        )
        yield Case(f"odd {k}", replace(model.rules(), rules=rules), rows)
    never = replace(
        model.rules(), rules=(*model.rules()[:2], known.replace(conditions=()), *model.rules()[2:])
    )
    yield Case("a rule without conditions", never, rows)
    yield Case("no rule at all", replace(never, rules=()), rows)


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
