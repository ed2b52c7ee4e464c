"""The columns of a table as inputs of an ONNX graph: numbers unchanged, categories as codes; NaN is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from branchwork.errors import ParameterError
from branchwork.export.constants import exact_double, keys
from branchwork.export.names import never_empty
from branchwork.export.onnx_graph import ML, Graph, Type, Value
from branchwork.export.onnx_trees import FIRST_CODE, UNSEEN_CODE
from branchwork.export.program import Field, Program

Inputs = Literal["columns", "matrix"]


@dataclass(frozen=True)
class Matrix:
    """A matrix of doubles in the graph: its name, its width, and the column of each field that is tested."""

    name: str
    width: int
    place: dict[int, int]


def inputs_of(written: Program, inputs: Inputs) -> list[Value]:
    """Return the inputs of the graph."""
    if inputs == "matrix":
        return [Value("X", "double", ("rows", len(written.fields)), "All columns, in order; NaN is missing.")]
    names = never_empty(field.name for field in written.fields)
    for name in names:
        refuse_strange_text(name)
    return [
        Value(name, _input_type(field), ("rows", 1), field.name)
        for name, field in zip(names, written.fields, strict=True)
    ]


def _input_type(field: Field) -> Type:
    if field.type == "mixed":
        raise ParameterError(
            f"Column {field.name!r} has categories of several types; a column of ONNX has one. Make them all text."
        )
    return "double" if field.type == "number" else "string"


def refuse_strange_text(text: str) -> None:
    """Refuse text with lone surrogates, which some file names have."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"{text!r} cannot be written in UTF-8, which ONNX needs.") from None


def matrix_of(graph: Graph, written: Program, inputs: Inputs, missing: str) -> Matrix:
    """Put all columns that are tested side by side."""
    if inputs == "matrix":
        width = len(written.fields)
        return Matrix(graph.inputs[0].name, width, {position: position for position in range(width)})
    place = {position: column for column, position in enumerate(written.asked or (0,))}
    columns = [
        _coded(
            graph,
            graph.inputs[position].name,
            written.fields[position],
            position in written.tells_unseen,
            missing,
        )
        for position in place
    ]
    return Matrix(graph.add("Concat", *columns, axis=1), len(columns), place)


def _coded(graph: Graph, name: str, field: Field, tells_unseen: bool, missing: str) -> str:
    """Return a categorical column as codes; missing is NaN."""
    if not field.is_nominal:
        return name
    of_numbers = field.type == "number"
    codes = _number_codes(field) if of_numbers else _text_codes(field, missing)
    unseen = UNSEEN_CODE if tells_unseen else np.nan
    found = graph.add(
        "LabelEncoder",
        name,
        domain=ML,
        keys_tensor=np.array(list(codes), np.float64 if of_numbers else object),
        values_tensor=np.array(list(codes.values()), np.float64),
        default_tensor=np.array([unseen]),
    )
    if of_numbers and tells_unseen:  # readers do not agree on NaN as a key
        return graph.add("Where", graph.add("IsNaN", name), graph.constant(np.float64(np.nan)), found)
    return found


def _number_codes(field: Field) -> dict[Any, float]:
    what = f"A category of column {field.name!r}"
    return {exact_double(key, what): code + FIRST_CODE for key, code in keys(field)}


def _text_codes(field: Field, missing: str) -> dict[Any, float]:
    codes: dict[Any, float] = {
        key: code + FIRST_CODE for key, code in field.column.code_of.items() if isinstance(key, str)
    }
    if missing in codes:
        raise ParameterError(
            f"Column {field.name!r} has the category {missing!r}, which stands for missing values. Choose "
            "another text, such as missing='?'."
        )
    for text in codes:
        refuse_strange_text(text)
    return codes | {missing: np.nan}
