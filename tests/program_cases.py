"""Models of every kind, and rows that are hard on them: for exporters, the model file and the command.

`model_of(seed)` is the same model every time. `hard_rows` stand on cuts and one bit beside them, at both zeros and
infinities, miss cells, and name categories that training never saw.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import branchwork as bw
from branchwork.errors import BranchworkWarning
from branchwork.model.combine import Combine
from branchwork.model.model import Model
from branchwork.table.adapt import to_table
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table

HOSTILE = (
    "'; DROP TABLE t; --",
    '"quoted" \\ back',
    "</script><script>alert(1)</script>",
    "line\nbreak\r\n",
    "größe über 水 🌲",
    "class",
    "",
    " ",
    "*/ int x; /*",
    "\\N{BULLET}\\u0022",
    "${x}`y`{{z}}",
    "%s %d %(x)s",
    "a" * 300,
    "]]><!--&amp;",
    "# {comment} \\end{document}",
    "\u202eright to left",
    "x__y",
    "1",
    "NaN",
    "null",
)
"""Names that mean something to somebody."""

FITS: tuple[tuple[str, Callable[[], Any]], ...] = (
    ("id3", lambda: bw.ID3Classifier()),
    ("id3 majority", lambda: bw.ID3Classifier(handle_unknown="majority")),
    ("c45", lambda: bw.C45Classifier()),
    ("c45 unpruned", lambda: bw.C45Classifier(pruning=None, min_cases=1)),
    ("j48", lambda: bw.C45Classifier(variant="j48")),
    ("cart", lambda: bw.CARTClassifier(max_surrogates=3)),
    ("cart majority", lambda: bw.CARTClassifier(max_surrogates=2, handle_unknown="majority")),
    ("cart regression", lambda: bw.CARTRegressor(max_surrogates=3)),
    ("chaid", lambda: bw.CHAIDClassifier(alpha_merge=0.5, alpha_split=0.5)),
    ("chaid regression", lambda: bw.CHAIDRegressor(alpha_merge=0.5, alpha_split=0.5)),
    ("stump", lambda: bw.StumpClassifier()),
    ("stump regression", lambda: bw.StumpRegressor()),
    ("id3 regression", lambda: bw.ID3Regressor(max_depth=4)),
    *(
        (f"tree {missing} {nominal}", lambda m=missing, n=nominal: bw.TreeClassifier(missing=m, nominal=n))
        for missing in ("branch", "larger", "share", "learn")
        for nominal in ("multiway", "subset", "one_vs_rest")
    ),
    *(
        (f"tree regression {missing}", lambda m=missing: bw.TreeRegressor(missing=m, nominal="subset"))
        for missing in ("branch", "larger", "share", "learn")
    ),
)
"""Kinds of single trees by name."""

VOTES = ("vote", "weighted vote", "weighted vote samme")
ENSEMBLES = ("mean", "sum", "sum exp", "sum logistic", "sum softmax", *VOTES)
KINDS = (*(name for name, _ in FITS), *ENSEMBLES)


def model_of(seed: int, *, kind: str | None = None, hostile: bool = False, rows: int = 120) -> Model:
    """The model of a number; its kind follows from the number, if it is not given."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)] if kind is None else kind
    if kind in VOTES:
        return _vote(kind, rng, hostile, rows)
    if kind in ENSEMBLES:
        return _ensemble(kind, rng, hostile, rows)
    return _single(kind, random_table(rng, rows, hostile=hostile), rng, hostile)


def random_table(rng: np.random.Generator, rows: int, *, hostile: bool = False) -> Table:
    """Numbers of several sizes, text, truth, whole numbers as categories; a tenth of the cells is missing."""
    numbers = [
        rng.normal(size=rows),
        rng.integers(-3, 4, rows).astype(float),
        rng.normal(size=rows) * 10.0 ** rng.integers(-300, 300),
        np.round(rng.normal(size=rows), 1) + 0.1,
    ]
    names = list(HOSTILE) if hostile else [f"column {k}" for k in range(8)]
    rng.shuffle(names)
    words = tuple(HOSTILE[:8]) if hostile else ("calm", "gusty", "mild", "windy")
    columns, arrays = [], []
    for k, cells in enumerate(numbers):
        columns.append(Column(names[k], "numeric"))
        arrays.append(np.where(rng.random(rows) < 0.1, np.nan, cells))
    for k, categories in enumerate((words, (False, True), (1, 2, 30), ("a", "b", "c", "d", "e", "f", "g"))):
        columns.append(Column(names[4 + k], "nominal", categories, declared=True))
        codes = rng.integers(0, len(categories), rows)
        arrays.append(np.where(rng.random(rows) < 0.1, -1, codes).astype(np.int32))
    order = rng.permutation(len(columns)).tolist()
    return Table(Schema(tuple(columns[j] for j in order)), tuple(arrays[j] for j in order))


def _single(
    kind: str, table: Table, rng: np.random.Generator, hostile: bool, weights: np.ndarray | None = None
) -> Model:
    estimator = dict(FITS)[kind]()
    if hasattr(estimator, "max_depth") and estimator.max_depth is None:
        estimator.set_params(max_depth=int(rng.integers(2, 9)))
    score = sum(_signal(column, cells) for column, cells in zip(table.schema, table.arrays, strict=True))
    score = score + rng.normal(size=table.n_rows) * 0.3
    if "regress" in kind:
        y: Any = score.tolist()
    else:
        labels = [("no", "yes", "perhaps"), (0, 1, 2), (False, True), ("it's", '"so"', "\\n")][
            int(rng.integers(0, 4 if hostile else 3))
        ]
        parts = np.searchsorted(np.quantile(score, np.linspace(0, 1, len(labels) + 1)[1:-1]), score)
        y = [labels[part] for part in parts.tolist()]
    if weights is None and rng.random() < 0.3:
        weights = rng.integers(1, 4, table.n_rows).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchworkWarning)
        return estimator.fit(table, y, weights).model_  # type: ignore[no-any-return]


def _signal(column: Column, cells: np.ndarray) -> np.ndarray:
    known = cells >= 0 if column.is_nominal else ~np.isnan(cells)
    values = np.where(known, cells, 0).astype(float)
    largest = np.abs(values).max()
    return values / largest if largest > 0 else values


def _ensemble(kind: str, rng: np.random.Generator, hostile: bool, rows: int) -> Model:
    """Trees of one table, put together by hand."""
    table = random_table(rng, rows, hostile=hostile)
    of_sum = kind != "mean"
    count = int(rng.integers(2, 7))
    fits = ["tree regression larger", "tree regression share", "cart regression"]
    fit = fits[int(rng.integers(0, 3))] if of_sum else "tree share subset"
    same = int(rng.integers(0, 2**31))
    members = []
    for _ in range(count):
        own = np.random.default_rng(int(rng.integers(0, 2**31)) if of_sum else same)
        members.append(_single(fit, table, own, hostile, None if of_sum else rng.random(rows)))
    trees = tuple(member.trees[0] for member in members)
    first = members[0]
    if not of_sum:
        return replace(first, trees=trees, combine=Combine("mean"))
    if kind == "sum softmax":
        outputs = tuple(k % 3 for k in range(count))
        combine = Combine("sum", base=(0.1, -0.2, 0.3), output=outputs, link="softmax")
        return replace(first, trees=trees, labels=("a", "b", "c"), occurring=(0, 1, 2), combine=combine)
    if kind == "sum logistic":
        combine = Combine("sum", base=(0.1,), link="logistic")
        return replace(first, trees=trees, labels=("no", "yes"), occurring=(0, 1), combine=combine)
    link = "exp" if kind == "sum exp" else "identity"
    return replace(first, trees=trees, combine=Combine("sum", base=(0.5,), link=link))


def _vote(kind: str, rng: np.random.Generator, hostile: bool, rows: int) -> Model:
    """Trees that decide for classes, and a weight for each."""
    table = random_table(rng, rows, hostile=hostile)
    fit = ("tree larger subset", "tree branch multiway", "cart")[int(rng.integers(0, 3))]
    same = int(rng.integers(0, 2**31))
    count = int(rng.integers(2, 7))
    members = [
        _single(fit, table, np.random.default_rng(same), hostile, rng.random(rows)) for _ in range(count)
    ]
    trees = tuple(member.trees[0] for member in members)
    if kind == "vote":
        return replace(members[0], trees=trees, combine=Combine("vote"))
    link: Any = "samme" if kind.endswith("samme") else "softmax"
    combine = Combine("weighted_vote", link=link, weights=tuple((rng.random(count) * 2).tolist()))
    return replace(members[0], trees=trees, combine=combine)


def hard_rows(model: Model, count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Rows as mappings of column to value; None is missing, and NaN is too."""
    rng = np.random.default_rng(seed)
    choices = [_choices(model, j) for j in range(len(model.schema))]
    return [
        {
            column.name: choices[j][int(rng.integers(0, len(choices[j])))]
            for j, column in enumerate(model.schema)
        }
        for _ in range(count)
    ]


def _choices(model: Model, j: int) -> list[Any]:
    column = model.schema[j]
    if column.is_nominal:
        strange: Any = "never seen 'before'" if isinstance(column.categories[0], str) else 77
        unseen = [] if isinstance(column.categories[0], bool) else [strange]
        return [*column.categories, *column.categories, None, *unseen]
    cuts = {cut for tree in model.trees for cut in _cuts(tree, j)}
    beside = [x for cut in cuts for x in (cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf))]
    return [
        *beside,
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        None,
        1e308,
        -1e308,
        5e-324,
        -2.0,
        0.1,
        1.0,
        3.0,
    ]


def _cuts(tree: Any, j: int) -> list[float]:
    nodes = np.flatnonzero(tree.feature == j)
    cuts = [tree.cut[node] for node in nodes if not math.isnan(tree.cut[node])]
    for node in nodes[tree.lookup[nodes] >= 0].tolist():
        begin = int(tree.lookup[node])
        cuts.extend(tree.bounds[begin : begin + int(tree.n_children[node]) - 1])
    if tree.surrogates is not None:
        cuts.extend(tree.surrogates.cut[(tree.surrogates.feature == j) & ~np.isnan(tree.surrogates.cut)])
    return [float(cut) for cut in cuts if math.isfinite(cut)]


def table_of(model: Model, rows: list[dict[str, Any]]) -> Table:
    """The rows coded by the model, without a word about unseen categories."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchworkWarning)
        return model.table(_typed(model, rows))


def _typed(model: Model, rows: list[dict[str, Any]]) -> Table:
    """A table of rows, each column taken as what the model has there."""
    tables = [
        to_table(
            {column.name: [row[column.name] for row in rows]}, [0] if column.is_nominal else "from_dtype"
        )
        for column in model.schema
    ]
    return Table(
        Schema(tuple(table.schema[0] for table in tables)), tuple(table.arrays[0] for table in tables)
    )
