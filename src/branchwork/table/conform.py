"""Prepare a table for prediction: order its columns as in training and code its categories by the model's schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import AbsentColumnError, DataError, UnseenCategoryWarning, did_you_mean, warn
from branchwork.table.schema import Column, Schema, category_key
from branchwork.table.table import MISSING, UNSEEN, Table, read_only

HandleUnknown = Literal["missing", "majority", "error"]


def conform(
    table: Table, schema: Schema, *, handle_unknown: HandleUnknown = "missing", first_row: int = 0
) -> Table:
    """Code a table by the schema of a model; columns of a named table are found by name.

    An unseen category gets a code of its own; the tree then treats it as missing or sends it with the majority. Each
    call gives at most one UnseenCategoryWarning, with columns and counts. Messages count rows from `first_row`.
    """
    if table.schema is schema or (table.schema.is_numeric and table.schema == schema):
        return table
    table = _in_order(table, schema)
    unseen: dict[str, int] = {}
    arrays = []
    for given, wanted, cells in zip(table.schema, schema, table.arrays, strict=True):
        codes = _conform_column(given, wanted, cells, first_row)
        if wanted.is_nominal and (strange := int(np.count_nonzero(codes == UNSEEN))):
            unseen[wanted.name] = strange
            if handle_unknown == "error":
                raise DataError(_describe_unseen(given, wanted, cells, codes, first_row))
        arrays.append(codes)
    warn_of_unseen(unseen, handle_unknown)
    return Table(schema, tuple(arrays))


def warn_of_unseen(rows: Mapping[str, int], handle_unknown: HandleUnknown) -> None:
    """Warn about unseen categories: how many rows of each column have one."""
    if rows:
        counts = ", ".join(f"{name!r} ({count} row{'s' * (count != 1)})" for name, count in rows.items())
        warn(
            f"Categories that were not in the training table: {counts}. They are handled as "
            f"handle_unknown={handle_unknown!r} says.",
            UnseenCategoryWarning,
        )


def _in_order(table: Table, schema: Schema) -> Table:
    if len(table.schema) != len(schema) and not (table.schema.named and schema.named):
        raise DataError(
            f"The table has {len(table.schema)} columns, but the model was trained on {len(schema)}."
        )
    if not (table.schema.named and schema.named) or table.schema.names == schema.names:
        return table
    order = places_of(schema, table.schema.names)
    columns = tuple(table.schema[j] for j in order)
    return Table(Schema(columns), tuple(table.arrays[j] for j in order))


def places_of(schema: Schema, names: Sequence[str]) -> list[int]:
    """Return the position of each column of a schema among the names of a table; a missing column is an error."""
    place = {name: position for position, name in enumerate(names)}
    absent = [name for name in schema.names if name not in place]
    if absent:
        hint = did_you_mean(absent[0], [name for name in names if name not in schema.names])
        shown = ", ".join(map(repr, absent[:12])) + (", …" if len(absent) > 12 else "")
        column, is_missing = ("Column", "is") if len(absent) == 1 else ("Columns", "are")
        message = (
            f"{column} {shown}, which the model was trained on, {is_missing} missing from the table.{hint}"
        )
        raise AbsentColumnError(message, column=absent[0], known=names)
    return [place[name] for name in schema.names]


def _conform_column(
    given: Column, wanted: Column, cells: npt.NDArray[Any], first_row: int
) -> npt.NDArray[Any]:
    if not wanted.is_nominal:
        if given.is_nominal:
            known = np.flatnonzero(cells >= 0)
            if known.size == 0:  # a column whose cells are all missing can be of either kind
                return read_only(np.full(len(cells), np.nan))
            row = int(known[0])
            raise DataError(
                f"Column {wanted.name!r}, row {first_row + row}: expected a number as in training, found "
                f"{given.categories[int(cells[row])]!r}."
            )
        return cells
    if given.is_nominal:
        place = [wanted.code_of.get(category_key(category), UNSEEN) for category in given.categories]
        if place == list(range(len(place))):
            return cells
        return read_only(np.array([UNSEEN, MISSING, *place], np.int32)[cells - UNSEEN])
    return _code_numbers(wanted, cells)


def _code_numbers(wanted: Column, cells: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Code the numbers of a column that was categorical in training."""
    numbers = cells.astype(np.float64)
    values, inverse = np.unique(numbers, return_inverse=True)
    place = [
        MISSING if value != value else wanted.code_of.get(category_key(value), UNSEEN)
        for value in values.tolist()
    ]
    codes: npt.NDArray[np.int32] = np.array(place, np.int32)[inverse]
    return read_only(codes)


def _describe_unseen(
    given: Column, wanted: Column, cells: npt.NDArray[Any], codes: npt.NDArray[np.int32], first_row: int
) -> str:
    row = int(np.flatnonzero(codes == UNSEEN)[0])
    found = given.categories[cells[row]] if given.is_nominal else cells[row].item()
    known = ", ".join(map(repr, wanted.categories[:10])) + (", …" if len(wanted.categories) > 10 else "")
    return (
        f"Column {wanted.name!r}, row {first_row + row}: category {found!r} was not in the training table, "
        f"which has {known}."
    )
