"""Rows to judge a model by: features as the model reads them, right answers as they are, and columns for subgroups.

A right answer may be missing, or be a label that the model never saw: a report counts both instead of refusing them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchwork.cli import inputs
from branchwork.errors import MixedColumnWarning, ParameterError, did_you_mean

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.study.look_input import Given


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Features, right answers (None: missing), sample weights if asked for, and the cells of other columns by name."""

    X: Any
    y: Any
    weights: Any
    others: dict[str, list[Any]]


def judged_rows(
    file: str,
    model: Any,
    reading: inputs.Reading,
    *,
    target: str | None,
    weights: str | None = None,
    others: Sequence[str] = (),
) -> JudgedRows:
    """Read the rows of a file for a model of any kind."""
    from branchwork.model.model import Model

    target = target or model.target if hasattr(model, "target") else target
    if target is None:
        raise ParameterError("Which column has the right answers? Say --target NAME.")
    if isinstance(model, Model):
        if target in model.schema.names:
            raise ParameterError(f"--target {target!r} is a column that the model predicts from.")
        return _by_schema(file, model, reading, target, weights, others)
    whole = _whole(file, reading, target)
    return JudgedRows(whole.table, _cells(whole), _column(whole, weights), _columns(whole, others))


def _by_schema(
    file: str,
    model: Model,
    reading: inputs.Reading,
    target: str,
    weights: str | None,
    others: Sequence[str],
) -> JudgedRows:
    """Read features and answers by the schema of the model; other columns, and unknown labels, by a second look."""
    from branchwork.errors import AbsentColumnError
    from branchwork.table.blocks import read_like
    from branchwork.table.schema import Column, Schema

    kind = "numeric" if model.labels is None else "nominal"
    answers = Column(target, kind, model.labels or ())  # type: ignore[arg-type]
    beside = () if weights is None else (Column(weights, "numeric"),)
    schema = Schema((*model.schema.columns, answers, *beside))
    try:
        found = inputs.blocks(file, schema, reading)
    except AbsentColumnError as error:
        raise (inputs.no_such_target(error, model) if error.column == target else error) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unseen categories are told when the model is asked
        read = read_like(found, schema, handle_unknown=model.handle_unknown)
    features = read.drop([target] if weights is None else [target, weights])
    codes = read.arrays[len(model.schema)]
    strange = model.labels is not None and bool((codes < -1).any())
    beyond = [name for name in others if name not in model.schema.names]
    whole = _again(file, reading, target) if strange or beyond else None
    y: Any = read.column(target)
    if whole is not None and strange:
        y = [
            cell if code < -1 else own
            for code, cell, own in zip(codes.tolist(), _cells(whole), y, strict=True)
        ]
    cells = {} if whole is None else _columns(whole, beyond)
    cells |= {name: features.column(name) for name in others if name not in beyond}
    return JudgedRows(features, y, None if weights is None else read.column(weights), cells)


def _again(file: str, reading: inputs.Reading, target: str) -> Given:
    if file == "-":
        raise ParameterError(
            "Standard input can be read only once, and this needs a second look: for a --subgroup that the model does "
            "not use, or for labels that it never saw. Write the rows to a file first."
        )
    return _whole(file, reading, target)


def _whole(file: str, reading: inputs.Reading, target: str) -> Given:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)
        return inputs.columns_and_target(file, reading, target=target)


def _cells(whole: Given) -> list[Any]:
    """Return the right answers; whole numbers are integers, as labels are."""
    assert whole.column is not None and whole.cells is not None
    if whole.column.is_nominal:
        return [None if code < 0 else whole.column.categories[code] for code in whole.cells.tolist()]
    return [
        None if cell != cell else int(cell) if float(cell).is_integer() else cell
        for cell in whole.cells.tolist()
    ]


def _columns(whole: Given, names: Sequence[str]) -> dict[str, list[Any]]:
    known = whole.table.schema.names
    for name in names:
        if name not in known:
            raise ParameterError(
                f"--subgroup {name!r}: the table has no such column.{did_you_mean(name, known)}"
            )
    return {name: whole.table.column(name) for name in names}


def _column(whole: Given, name: str | None) -> Any:
    return None if name is None else whole.table.column(name)
