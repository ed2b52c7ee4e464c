"""Files → Table: CSV, TSV, Parquet, ARFF and C4.5's pair, chosen by suffix.

Every column of the file is a column of the table, in the file's order, the target too. CSV declares nothing,
so its text decides; ARFF and C4.5's files declare everything; Parquet has types of its own and needs DuckDB.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import CellTypeError, FileFormatError, MissingExtraError, ParameterError
from branchwork.table.adapt import CategoricalFeatures, to_table
from branchwork.table.arff import read_arff
from branchwork.table.c45_files import read_c45
from branchwork.table.csv_file import read_csv, refuse_duplicates
from branchwork.table.table import Table, check_integer_range


def read(
    path: str | Path,
    *,
    missing: str | Sequence[str] | None = None,
    categorical_features: CategoricalFeatures = "from_dtype",
) -> Table:
    """Read a table from a file; its suffix tells the format.

    Parameters
    ----------
    path : .csv or .txt (with , or ; or tabs), .tsv, .parquet or .pq, .arff, .data or .names (C4.5).
    missing : for .csv, .txt and .tsv only: texts that mean a missing cell, instead of NA, NaN and nan. An
        empty cell always does.
    categorical_features : numeric columns that are categories all the same: names, positions or a mask.

    >>> read("weather.csv", missing="?")  # doctest: +SKIP
    Table(14 rows × 5 columns: outlook, temperature, humidity, windy, play)
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        found = f"the suffix {path.suffix!r}" if suffix else "no suffix"
        raise FileFormatError(f"{path} has {found}; expected one of {', '.join(_READERS)}.")
    if not path.is_file():
        raise FileFormatError(f"{path} is not a file." if path.exists() else f"{path} does not exist.")
    reader = _READERS[suffix]
    if suffix in _DELIMITED:
        reader = partial(reader, missing=_missing_texts(missing))
    elif missing is not None:
        raise ParameterError(
            f"missing={missing!r} is for {', '.join(_DELIMITED)}; {path} says itself what is missing."
        )
    table = reader(path)
    if table.n_rows == 0:
        raise FileFormatError(f"{path} has no rows; expected at least one.")
    return to_table(table, categorical_features)


def _missing_texts(missing: Any) -> list[str] | None:
    if missing is None:
        return None
    texts = [missing] if isinstance(missing, str) else list(missing)
    for text in texts:
        if not isinstance(text, str):
            raise ParameterError(
                f"missing={missing!r} must be texts, as they stand in the file; found {text!r}."
            )
    return texts


def read_parquet(path: Path) -> Table:
    """Read a Parquet file: text and booleans are nominal, numbers and decimals numeric.

    DuckDB gives dictionary-encoded text as text, so its categories come sorted, without a declared order.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("Reading Parquet", "duckdb", extra="io") from None
    file = {"path": glob.escape(str(path.absolute()))}
    source = "read_parquet($path, hive_partitioning = false)"
    try:
        with duckdb.connect() as db:
            found = db.execute(f"DESCRIBE SELECT * FROM {source}", file).fetchall()
            expressions = [_expression(path, name, kind, f"c{j}") for j, (name, kind, *_) in enumerate(found)]
            aliases = ", ".join(f"c{j}" for j in range(len(found)))
            # DuckDB renames columns that differ in case only; the file knows its own names, below its root's.
            schema = db.execute("SELECT name FROM parquet_schema($path)", file).fetchall()
            query = f"SELECT {', '.join(expressions)} FROM {source} AS t({aliases})"
            arrays = db.execute(query, file).fetchnumpy()
    except duckdb.Error as error:
        raise FileFormatError(f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
    names = [name for (name,) in schema[1:]]
    refuse_duplicates(path, names)
    return to_table({name: _plain_cells(name, arrays[f"c{j}"]) for j, name in enumerate(names)})


def _expression(path: Path, name: str, kind: str, column: str) -> str:
    """What to select of a column, by DuckDB's name for its type."""
    if kind in _AS_IT_IS:
        return column
    if kind.startswith("DECIMAL"):  # through text: rounded once, correctly
        return f"CAST(CAST({column} AS VARCHAR) AS DOUBLE) AS {column}"
    if kind == '"NULL"':  # nothing known in it
        return f"CAST({column} AS DOUBLE) AS {column}"
    is_time = kind.startswith(("DATE", "TIME"))
    hint = " Turn dates into numbers first, for example days since a fixed day." if is_time else ""
    raise CellTypeError(
        f"{path}: Column {name!r} is of type {kind}; expected numbers, strings, booleans or categories.{hint}"
    )


def _plain_cells(name: str, cells: Any) -> npt.NDArray[Any]:
    """Cells without a mask: NaN in numbers, None in text and booleans."""
    if not isinstance(cells, np.ma.MaskedArray):
        return np.asarray(cells)
    if cells.dtype.kind == "f":
        return np.ma.filled(cells, np.nan)
    if cells.dtype.kind in "iu":
        check_integer_range(name, np.ma.filled(cells, 0))
        return np.ma.filled(cells.astype(np.float64), np.nan)
    plain = cells.data.astype(object)
    plain[np.ma.getmaskarray(cells)] = None
    return plain


_INTEGERS = {f"{sign}{size}" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")}
_AS_IT_IS = {"VARCHAR", "BOOLEAN", "FLOAT", "DOUBLE"} | _INTEGERS
_DELIMITED: dict[str, Callable[..., Table]] = {
    ".csv": read_csv,
    ".txt": read_csv,
    ".tsv": partial(read_csv, delimiter="\t"),
}
_READERS: dict[str, Callable[..., Table]] = {
    **_DELIMITED,
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".arff": read_arff,
    ".data": read_c45,
    ".names": read_c45,
}
