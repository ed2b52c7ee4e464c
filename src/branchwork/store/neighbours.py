"""Write and read neighbours in a model file: the settings, and the training rows as arrays or lines of JSON.

    .bw      column.0, column.1, …    a number (NaN: missing) or a code (-1: missing) per row
             answer                   a number, or the code of a label, per row
             weight                   only if rows have weights
    .json    {"cells": ["Sunny", 21.5, null], "answer": "No", "weight": 2.0}

Everything is checked when it is read, and the search is built, so that a loaded model can predict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from branchwork.errors import BranchworkError
from branchwork.neighbours.distance import Metric
from branchwork.neighbours.model import Neighbours
from branchwork.neighbours.votes import Weights
from branchwork.store.about import handling_from, labels_from, labels_of, schema_from, schema_of
from branchwork.store.rows import Names
from branchwork.store.strict import (
    a_list,
    a_number,
    a_whole,
    an_object,
    are_whole,
    number_as_json,
    one_of,
    refuse,
)
from branchwork.store.values import as_json, from_json
from branchwork.table.conform import HandleUnknown
from branchwork.table.schema import Schema
from branchwork.table.table import MISSING, Table, read_only
from branchwork.table.target import Classes, Target, Values, weights

NEIGHBOUR_WORDS = ("columns", "named", "labels", "handle_unknown", "neighbours")
"""The names in a file with neighbours, besides its heading and its rows."""
SETTINGS = ("rows", "k", "metric", "weights", "power", "feature_weights", "target", "declared")
MOST_ROWS = 2**32 - 1
LARGEST_STRETCH = 1e6
Array = npt.NDArray[Any]


# ---- from neighbours


def neighbour_words_of(model: Neighbours) -> dict[str, Any]:
    """Return everything except the rows, as JSON."""
    return {
        **schema_of(model.schema),
        "labels": labels_of(model.labels),
        "handle_unknown": model.handle_unknown,
        "neighbours": {
            "rows": model.rows.n_rows,
            "k": model.k,
            "metric": model.metric,
            "weights": model.weights,
            "power": float(model.power),
            "feature_weights": [float(one) for one in model.feature_weights],
            "target": None if model.target is None else as_json(model.target, "neighbours.target"),
            "declared": isinstance(model.answers, Classes) and model.answers.declared,
        },
    }


def neighbour_arrays_of(model: Neighbours) -> dict[str, Array]:
    """Return the rows as named arrays."""
    found = {
        f"column.{j}": np.ascontiguousarray(cells, np.int32 if column.is_nominal else np.float64)
        for j, (column, cells) in enumerate(zip(model.schema, model.rows.arrays, strict=True))
    }
    target = model.answers
    found["answer"] = target.codes if isinstance(target, Classes) else target.values
    if target.weights is not None:
        found["weight"] = target.weights
    return {name: np.ascontiguousarray(array) for name, array in found.items()}


def neighbour_rows_of(model: Neighbours) -> list[dict[str, Any]]:
    """Return the rows as JSON, one object per row."""
    names, target = Names(model.schema), model.answers
    columns = [
        [names.categories[j][code] if code >= 0 else None for code in cells.tolist()]
        if names.is_nominal[j]
        else [number_as_json(float(cell)) for cell in cells.tolist()]
        for j, cells in enumerate(model.rows.arrays)
    ]
    labels = labels_of(model.labels)
    told = (
        [labels[code] for code in target.codes.tolist()]
        if isinstance(target, Classes) and labels is not None
        else []
        if isinstance(target, Classes)
        else target.values.tolist()
    )
    found = [
        {"cells": list(cells), "answer": answer}
        for cells, answer in zip(zip(*columns, strict=True), told, strict=True)
    ]
    if target.weights is not None:
        for row, weight in zip(found, target.weights.tolist(), strict=True):
            row["weight"] = weight
    return found


# ---- to neighbours


def tensors_of(found: dict[str, Any]) -> dict[str, tuple[str, int]]:
    """Return the type and the length that each array of a .bw file must have; `weight` may be absent."""
    schema = schema_from(found)
    section = an_object(found["neighbours"], "neighbours", SETTINGS)
    n = a_whole(section["rows"], "neighbours.rows", 1, MOST_ROWS)
    kinds = {f"column.{j}": ("I32" if column.is_nominal else "F64", n) for j, column in enumerate(schema)}
    kinds["answer"] = ("F64" if found["labels"] is None else "I32", n)
    return {**kinds, "weight": ("F64", n)}


def arrays_from(
    found: dict[str, Any], entries: dict[str, Any], body: npt.NDArray[np.uint8]
) -> dict[str, Array]:
    """Return the arrays of a .bw file; they fill it, one after the other."""
    wanted = tensors_of(found)
    arrays: dict[str, Array] = {}
    at = 0
    for name, entry in entries.items():
        if name not in wanted:
            refuse(name, "no array of neighbours has this name")
        kind, length = wanted[name]
        an_object(entry, name, ("dtype", "shape", "data_offsets"))
        if entry["dtype"] != kind or entry["shape"] != [length]:
            refuse(name, f"expected {length} numbers of type {kind}")
        if not are_whole(entry["data_offsets"], 2, len(body)):
            refuse(f"{name}.data_offsets", f"expected 2 whole numbers from 0 to {len(body)}")
        begin, end = entry["data_offsets"]
        dtype = np.dtype("<i4" if kind == "I32" else "<f8")
        if begin != at or end - begin != length * dtype.itemsize:
            refuse(f"{name}.data_offsets", "they do not fit the shape, or the array before")
        arrays[name] = body[begin:end].copy().view(dtype).astype(dtype.newbyteorder("="), copy=False)
        at = end
    if at != len(body):
        refuse("header", f"the arrays take {at} bytes, but the file has {len(body)} for them")
    for name in wanted:
        if name not in arrays and name != "weight":
            refuse(name, "the array is missing")
    return arrays


def arrays_from_rows(found: dict[str, Any], given: Any) -> dict[str, Array]:
    """Return the arrays of the rows of a .json file."""
    schema, labels = schema_from(found), labels_from(found["labels"])
    section = an_object(found["neighbours"], "neighbours", SETTINGS)
    n = a_whole(section["rows"], "neighbours.rows", 1, MOST_ROWS)
    rows = a_list(given, "rows", n)
    weighted = isinstance(rows[0], dict) and "weight" in rows[0]
    for k, row in enumerate(rows):
        an_object(row, f"rows[{k}]", ("cells", "answer", *(["weight"] if weighted else [])))
        a_list(row["cells"], f"rows[{k}].cells", len(schema))
    names = Names(schema)
    arrays: dict[str, Array] = {
        f"column.{j}": _column([row["cells"][j] for row in rows], names, j) for j in range(len(schema))
    }
    told = [row["answer"] for row in rows]
    if labels is None:
        arrays["answer"] = np.array([a_number(y, f"rows[{k}].answer") for k, y in enumerate(told)])
    else:
        code_of = {Names.key(as_json(label, "labels")): code for code, label in enumerate(labels)}
        codes = [code_of.get(Names.key(label), -1) for label in told]
        arrays["answer"] = np.array(codes, np.int32)
    if weighted:
        arrays["weight"] = np.array([a_number(r["weight"], f"rows[{k}].weight") for k, r in enumerate(rows)])
    return arrays


def _column(cells: list[Any], names: Names, j: int) -> Array:
    if not names.is_nominal[j]:
        return np.array([a_number(cell, f"rows[{k}].cells[{j}]") for k, cell in enumerate(cells)])
    codes = [MISSING if cell is None else names.codes[j].get(Names.key(cell), -2) for cell in cells]
    if min(codes) < MISSING:
        refuse(f"rows[{codes.index(-2)}].cells[{j}]", "no category of the column has this value")
    return np.array(codes, np.int32)


def neighbours_from(found: dict[str, Any], arrays: Mapping[str, Array]) -> Neighbours:
    """Make neighbours from settings and arrays, and check them."""
    schema, labels = schema_from(found), labels_from(found["labels"])
    section = an_object(found["neighbours"], "neighbours", SETTINGS)
    table = _table(schema, arrays)
    answers = _answers(arrays, labels, declared=section["declared"] is True)
    metric: Metric = one_of(section["metric"], "neighbours.metric", get_args(Metric))  # type: ignore[assignment]
    votes: Weights = one_of(section["weights"], "neighbours.weights", get_args(Weights))  # type: ignore[assignment]
    power = a_number(section["power"], "neighbours.power")
    if not 0 < power < math.inf:
        refuse("neighbours.power", "expected a number above 0")
    if not isinstance(section["declared"], bool) or (labels is None and section["declared"]):
        refuse("neighbours.declared", "expected true or false, and false for numbers")
    name = None if section["target"] is None else from_json(section["target"], "neighbours.target")
    if name is not None and not isinstance(name, str):
        refuse("neighbours.target", "expected text")
    k = a_whole(section["k"], "neighbours.k", 1, MOST_ROWS)
    handling = _handling(found["handle_unknown"])
    stretches = _stretches(section["feature_weights"], len(schema))
    try:
        return Neighbours(table, answers, k, metric, votes, power, stretches, handling, name).prepare()
    except BranchworkError as error:
        refuse("neighbours", str(error).rstrip("."))


def _handling(found: Any) -> HandleUnknown:
    handling = handling_from(found)
    if handling == "majority":
        refuse("handle_unknown", "neighbours have no majority to send a category to")
    return handling


def _stretches(found: Any, n_features: int) -> tuple[float, ...]:
    given = a_list(found, "neighbours.feature_weights", n_features)
    stretches = tuple(a_number(one, f"neighbours.feature_weights[{j}]") for j, one in enumerate(given))
    for j, one in enumerate(stretches):
        if not 0 <= one <= LARGEST_STRETCH:
            refuse(f"neighbours.feature_weights[{j}]", f"expected a number from 0 to {LARGEST_STRETCH:g}")
    return stretches


def _table(schema: Schema, arrays: Mapping[str, Array]) -> Table:
    for j, column in enumerate(schema):
        cells = arrays[f"column.{j}"]
        if column.is_nominal and not ((cells >= MISSING) & (cells < len(column.categories))).all():
            refuse(f"column.{j}", "a code that no category has")
        if not column.is_nominal and np.isinf(cells).any():
            refuse(f"column.{j}", "a number that is not finite")
    return Table(schema, tuple(arrays[f"column.{j}"] for j in range(len(schema))))


def _answers(arrays: Mapping[str, Array], labels: tuple[Any, ...] | None, *, declared: bool) -> Target:
    answer = arrays["answer"]
    try:
        given = weights(arrays.get("weight"), len(answer))
    except BranchworkError as error:
        refuse("weight", str(error).rstrip("."))
    if labels is None:
        if not np.isfinite(answer).all():
            refuse("answer", "a number that is not finite")
        return Values(read_only(answer), given)
    if not ((answer >= 0) & (answer < len(labels))).all():
        refuse("answer", "a code that no label has")
    return Classes(read_only(answer), labels, given, declared)
