"""Read a file in the columns of a model, block by block, so that it may be larger than memory.

The training data decide what a cell is, not the other cells of its block: a numeric column stays numeric in a block
without numbers, and "01" stays a label in a block where all labels look like numbers.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from branchwork.errors import DataError, FileFormatError, ParameterError, UnseenCategoryWarning
from branchwork.table.arff_rows import ArffRows
from branchwork.table.c45_files import c45_names
from branchwork.table.cells import assemble
from branchwork.table.conform import HandleUnknown, conform, places_of, warn_of_unseen
from branchwork.table.csv_rows import CsvRows
from branchwork.table.decimal_comma import Decimal, check_decimal
from branchwork.table.gzipped import unpacked
from branchwork.table.parquet_file import ParquetRows
from branchwork.table.read import known_suffix, missing_texts, read, refuse_text_options
from branchwork.table.rows import Batch, RowReader, TableRows
from branchwork.table.schema import Schema
from branchwork.table.table import UNSEEN, Table
from branchwork.table.text_cells import refuse_duplicates

ROWS = 131_072
"""The largest number of rows in a block."""
STREAM = "standard input"
"""The name of a stream in messages."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a file.

    Parameters
    ----------
    table : the columns of the schema, coded by it.
    first_row : the number of the first row in the file, counted from 0.
    kept : all columns of the file as they are, if that was asked for.
    unseen : how many rows have a category that training never saw, by column.
    """

    table: Table
    first_row: int
    kept: tuple[Sequence[Any], ...]
    unseen: dict[str, int]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The names of a file's columns, and its rows block by block."""

    names: tuple[str, ...]
    blocks: Iterator[Block]

    def __iter__(self) -> Iterator[Block]:
        """Iterate over the blocks, once."""
        return self.blocks


def read_blocks(
    file: str | Path | BinaryIO | Table,
    schema: Schema,
    *,
    missing: str | Sequence[str] | None = None,
    suffix: str | None = None,
    decimal: Decimal | None = None,
    handle_unknown: HandleUnknown = "missing",
    rows: int = ROWS,
    keep: bool = False,
    name: str = STREAM,
) -> Blocks:
    """Read a file in the columns of a schema, block by block.

    Parameters
    ----------
    file : a path, a stream of bytes (CSV or ARFF), or a table in memory.
    schema : the columns that are wanted, by name; columns of an unnamed schema are taken in order.
    missing, suffix, decimal : as for `read`; a stream is CSV unless the suffix says otherwise.
    handle_unknown : "error" refuses a category that training never saw.
    rows : the largest number of rows in a block.
    keep : also return all columns as they are in the file.
    name : what messages call a stream.
    """
    if rows < 1:
        raise ParameterError(f"rows={rows}; expected at least 1.")
    found, closing = _open(file, missing, suffix, decimal, None if keep else schema, name)
    with ExitStack() as until_here:
        until_here.push(closing)
        places = _places(schema, found.names)
        until_here.pop_all()
    chosen = list(range(len(found.names))) if keep else list(dict.fromkeys(places))

    def blocks() -> Iterator[Block]:
        with closing:
            for batch in found.batches(chosen, rows):
                yield _block(batch, found, schema, places, chosen, handle_unknown, keep)

    return Blocks(found.names, blocks())


def read_like(blocks: Blocks, schema: Schema, *, handle_unknown: HandleUnknown = "missing") -> Table:
    """Return all blocks as one table, with one warning about all unseen categories."""
    found = list(blocks)
    if not found:
        raise FileFormatError("There are no rows; expected at least one.")
    unseen: Counter[str] = Counter()
    for block in found:
        unseen.update(block.unseen)
    warn_of_unseen(unseen, handle_unknown)
    columns = zip(*(block.table.arrays for block in found), strict=True)
    return Table(schema, tuple(np.concatenate(arrays) for arrays in columns))


def _block(
    batch: Batch,
    found: RowReader,
    schema: Schema,
    places: list[int],
    chosen: list[int],
    handle_unknown: HandleUnknown,
    keep: bool,
) -> Block:
    raw = dict(zip(chosen, batch.columns, strict=True))
    cells = [
        found.column(wanted, place, raw[place], batch.where)
        for wanted, place in zip(schema, places, strict=True)
    ]
    table = assemble(cells, named=schema.named, rows=0)
    with warnings.catch_warnings():
        # One warning at the end gives the counts of all blocks.
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        coded = conform(table, schema, handle_unknown=handle_unknown, first_row=batch.first_row)
    unseen = {
        column.name: count
        for column, array in zip(schema, coded.arrays, strict=True)
        if column.is_nominal and (count := int(np.count_nonzero(array == UNSEEN)))
    }
    kept = tuple(found.shown(place, raw[place]) for place in chosen) if keep else ()
    return Block(coded, batch.first_row, kept, unseen)


def _places(schema: Schema, names: Sequence[str]) -> list[int]:
    if schema.named or set(schema.names) <= set(names):
        return places_of(schema, names)
    if len(names) != len(schema):
        raise DataError(f"The file has {len(names)} columns, but the model was trained on {len(schema)}.")
    return list(range(len(schema)))


# ---- the formats -------------------------------------------------------------------------------------------


def _open(
    file: str | Path | BinaryIO | Table,
    missing: Any,
    suffix: str | None,
    decimal: Any,
    only: Schema | None,
    name: str,
) -> tuple[RowReader, ExitStack]:
    """Return a reader of a file's rows, and what to close after the last row.

    `only` lists the columns that will be read; None means all of them. `name` is what messages call a stream.
    """
    closing = ExitStack()
    if isinstance(file, Table):
        return TableRows(file), closing
    if not isinstance(file, str | Path):
        suffix = suffix or ".csv"
        if suffix not in _STREAMED:
            raise FileFormatError(
                f"{name} cannot be read as {suffix}; expected one of {', '.join(_STREAMED)}."
            )
        return _STREAMED[suffix](
            unpacked(file, name), name, **_text_options(suffix, missing, decimal, name)
        ), closing
    path = Path(file)
    suffix = known_suffix(path, suffix)
    if suffix not in _STREAMED and suffix not in _PARQUET:
        table = read(path, missing=missing, suffix=suffix, decimal=decimal, drop=_spare(path, only))
        return TableRows(table), closing
    options = _text_options(suffix, missing, decimal, path)
    if not path.exists():
        raise FileFormatError(f"{path} does not exist.")
    if suffix in _PARQUET:
        parquet = ParquetRows(path, as_arrays=only is not None)
        refuse_duplicates(path, parquet.names)
        return parquet, closing
    with ExitStack() as until_here:
        stream = until_here.enter_context(path.open("rb"))
        found = _STREAMED[suffix](unpacked(stream, path), str(path), **options)
        closing = until_here.pop_all()
    return found, closing


def _spare(path: Path, only: Schema | None) -> list[str]:
    """Return the columns of C4.5's files that nobody reads, so that their cells are not checked."""
    if only is None or not path.exists():
        return []
    names = c45_names(path)
    return [name for name in names if name not in only.names] if set(only.names) <= set(names) else []


def _text_options(suffix: str, missing: Any, decimal: Any, name: object) -> dict[str, Any]:
    if suffix in _DELIMITED:
        return {"missing": missing_texts(missing), "decimal": check_decimal(decimal)}
    refuse_text_options(name, missing, decimal)
    return {}


_PARQUET = (".parquet", ".pq")
_DELIMITED: dict[str, Callable[..., RowReader]] = {
    ".csv": CsvRows,
    ".txt": CsvRows,
    ".tsv": partial(CsvRows, delimiter="\t"),
}
_STREAMED: dict[str, Callable[..., RowReader]] = {**_DELIMITED, ".arff": ArffRows}
