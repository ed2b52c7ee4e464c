"""Our trees beside rpart's answers: the first difference, and what it is."""

from __future__ import annotations

from typing import Any

import numpy as np

import branchwork as bw
from agree.rpart.tables import Table
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table as CoreTable

TOLERANCE = 1e-6
SIDES = {1: 0, 3: 1, 2: -1}
"""rpart's codes of left, right and absent."""


def coded(table: Table) -> tuple[CoreTable, Any]:
    """The table as ours; classes and values in the order that rpart has them."""
    columns, arrays = [], []
    for j, column in enumerate(table.columns):
        if column.values is None:
            columns.append(Column(column.name, "numeric"))
            arrays.append(np.array([np.nan if cell is None else cell for cell in table.column(j)], float))
        else:
            columns.append(Column(column.name, "nominal", column.values, declared=True))
            place = {None: -1} | {value: code for code, value in enumerate(column.values)}
            arrays.append(np.array([place[cell] for cell in table.column(j)], np.int32))
    if table.classes is None:
        y: Any = np.array(table.target, float)
    else:
        y = np.array([table.classes.index(label) for label in table.target])
    return CoreTable(Schema(tuple(columns)), tuple(arrays)), y


def blanked(table: CoreTable) -> CoreTable:
    """The table without the cells that the R script blanks."""
    arrays = []
    for j, (column, cells) in enumerate(zip(table.schema, table.arrays, strict=True)):
        gone = (np.arange(1, len(cells) + 1) * 7 + (j + 1) * 13) % 5 == 0
        arrays.append(np.where(gone, -1 if column.is_nominal else np.nan, cells).astype(cells.dtype))
    return CoreTable(table.schema, tuple(arrays))


def estimator(settings: dict[str, Any], rows: int) -> Any:
    """Our estimator for settings of rpart."""
    control = settings["control"]
    changes: dict[str, Any] = {"xval": None}
    names = {
        "cp": "cp",
        "minsplit": "min_samples_split",
        "minbucket": "min_samples_leaf",
        "maxsurrogate": "max_surrogates",
    }
    changes |= {names[name]: value for name, value in control.items()}
    if "folds" in settings:
        changes["xval"] = np.arange(rows) % settings["folds"]
    if settings["method"] != "class":
        if settings["method"] == "poisson":
            changes |= {"criterion": "poisson", "shrink": settings.get("shrink", 1.0)}
        return bw.CARTRegressor.like_rpart(**changes)
    if settings.get("split") == "information":
        changes["criterion"] = "entropy"
    return bw.CARTClassifier.like_rpart(**changes, priors=settings.get("prior"), loss=settings.get("loss"))


def fitted(table: Table, settings: dict[str, Any]) -> Any:
    X, y = coded(table)
    weights = settings.get("weights")
    sample_weight = None if weights is None else np.resize(np.array(weights, float), len(y))
    return estimator(settings, len(y)).fit(X, y, sample_weight=sample_weight)


def difference(est: Any, answer: dict[str, Any], numbers: dict[int, int] | None = None) -> str | None:
    """What differs first, walking down both trees; None: nothing. Writes rpart's numbers of our nodes."""
    tree, schema = est.tree_, est.schema_
    place = {node: k for k, node in enumerate(answer["node"])}
    starts, at = [], 0
    for k, name in enumerate(answer["var"]):
        starts.append(at)
        if name != "<leaf>":
            at += 1 + answer["ncompete"][k] + answer["nsurrogate"][k]
    pairs = [(0, 1)]
    for node, number in pairs:
        k = place[number]
        if numbers is not None:
            numbers[node] = number
        if answer["var"][k] != "<leaf>" and stopped(answer, place, number):
            return f"stopped: rows in node {number}"
        if not close(tree.n_rows[node], answer["n"][k]):
            return f"rows: {tree.n_rows[node]} against {answer['n'][k]} in node {number}"
        offset = 0 if tree.distribution is None else 1
        value = tree.value[node, 0] if tree.distribution is None else tree.decision[node]
        if not close(value, answer["yval"][k] - offset):
            return f"answer: {value} against {answer['yval'][k] - offset} in node {number}"
        if answer["prob"] is not None and not close(tree.value[node], np.atleast_2d(answer["prob"])[k]):
            return f"probability in node {number}"
        if tree.is_leaf(node) != (answer["var"][k] == "<leaf>"):
            return f"leaf: {tree.is_leaf(node)} against {answer['var'][k]} in node {number}"
        if tree.is_leaf(node):
            continue
        first = starts[k]
        if f"x{tree.feature[node] + 1}" != answer["var"][k]:
            return kind_of_tie(est, node, answer, first, answer["ncompete"][k]) + f" in node {number}"
        flip = compared(tree, schema, node, answer, first)
        if flip is None:
            return f"tie: cut or groups in node {number}"
        surrogates = first + 1 + answer["ncompete"][k]
        found = surrogate_difference(
            tree, schema, node, answer, range(surrogates, surrogates + answer["nsurrogate"][k]), flip
        )
        if found is not None:
            return f"surrogate: {found} in node {number}"
        children = list(tree.children(node))[:: -1 if flip else 1]
        pairs += [(children[0], 2 * number), (children[1], 2 * number + 1)]
    return None


def stopped(answer: dict[str, Any], place: dict[int, int], number: int) -> bool:
    """Did rpart leave rows in an inner node? It does so where the majority, the last resort, is a tie."""
    below = answer["n"][place[2 * number]] + answer["n"][place[2 * number + 1]]
    return bool(below < answer["n"][place[number]])


def close(ours: Any, theirs: Any) -> bool:
    return bool(np.allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE))


def kind_of_tie(est: Any, node: int, answer: dict[str, Any], first: int, competitors: int) -> str:
    """Another column: a tie if rpart has ours among its competitors, with the same improvement."""
    ours = f"x{est.tree_.feature[node] + 1}"
    for q in range(first + 1, first + 1 + competitors):
        same = abs(answer["splits"][q][2] - answer["splits"][first][2]) <= 1e-9 * abs(
            answer["splits"][first][2]
        )
        if answer["split_var"][q] == ours and same:
            return "tie: column"
    return f"column: {ours} against {answer['split_var'][first]}"


def compared(tree: Any, schema: Any, node: int, answer: dict[str, Any], q: int) -> bool | None:
    """Whether the branches stand the other way round; None: the split is another."""
    _, ncat, _, index, _ = answer["splits"][q]
    if not schema[int(tree.feature[node])].is_nominal:
        return bool(ncat > 0) if close(tree.cut[node], index) else None
    begin = int(tree.lookup[node]) + 1
    theirs = np.array([SIDES[side] for side in answer["csplit"][int(index) - 1][: int(ncat)]])
    ours = tree.pool[begin : begin + len(theirs)]
    if tree.surrogates is None:
        ours = np.where(theirs < 0, -1, ours)
    if (ours == theirs).all():
        return False
    return True if (np.where(ours < 0, -1, 1 - ours) == theirs).all() else None


def surrogate_difference(
    tree: Any, schema: Any, node: int, answer: dict[str, Any], places: range, flip: bool
) -> str | None:
    levels = [len(column.categories) for column in schema]
    ours = [] if tree.surrogates is None else tree.surrogates.of(node, levels)
    names = [answer["split_var"][q] for q in places]
    if [f"x{s.feature + 1}" for s in ours] != names:
        return f"{[f'x{s.feature + 1}' for s in ours]} against {names}"
    for s, q in zip(ours, places, strict=True):
        _, ncat, agreement, index, adjusted = answer["splits"][q]
        if not close((s.agreement, s.adjusted), (agreement, adjusted)):
            return f"agreement of x{s.feature + 1}: {s.agreement} against {agreement}"
        if s.children is None:
            if not close(s.cut, index):
                return f"cut {s.cut} against {index}"
            if (s.low_child ^ flip) != (ncat > 0):
                return "direction"
        else:
            theirs = [SIDES[side] for side in answer["csplit"][int(index) - 1][: int(ncat)]]
            if [side if side < 0 else side ^ flip for side in s.children] != theirs:
                return f"groups {s.children} against {theirs}"
    return None


def table_difference(est: Any, answer: dict[str, Any]) -> str | None:
    """What differs in the table of complexities."""
    theirs = np.atleast_2d(np.array(answer["cptable"], float))
    ours = np.array(list(est.cp_table_.values())).T
    if len(theirs) == 1:  # a single leaf: rpart has zeros there
        return None if len(ours) == 1 else "nsplit"
    if len(ours) != len(theirs) or (ours[:, 1] != theirs[:, 1]).any():
        return "nsplit"
    for k, name in enumerate(est.cp_table_):
        if not close(ours[:, k], theirs[:, k]):
            return str(name)
    return None
