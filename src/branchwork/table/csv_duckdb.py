"""Read CSV with DuckDB: the same columns as csv_file.py makes with the csv module, but faster."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from branchwork.table.cells import Cells
from branchwork.table.csv_records import SPACES, declared_delimiter
from branchwork.table.gzipped import is_gzipped
from branchwork.table.schema import Column
from branchwork.table.table import LARGEST_EXACT_INTEGER, MISSING, read_only
from branchwork.table.text_cells import NUMBER

WIDE = 200
"""From this many columns on, DuckDB's time and memory, which grow with the square of the columns, matter."""
BYTES_PER_PAIR = 64
"""A file of fewer bytes for each pair of columns is read faster by the csv module, whose time grows with the bytes."""


def cells_by_duckdb(
    path: Path, data: bytes, names: Sequence[str], places: Sequence[int], delimiter: str, gone: Sequence[str]
) -> list[Cells] | None:
    """Read some columns with DuckDB. Return None if it is not installed or if the csv module must read the file.

    Parameters
    ----------
    data : the text of the file, decompressed.
    places : the positions of the columns to read. The cells of other columns are not checked.
    gone : texts that mean a missing cell.
    """
    # DuckDB reads a blank line as a cell if there is one column, misreads headers that contain a line end, accepts
    # spaces beside quotes, and overlooks a quote behind a byte-order mark. If no quote stands beside a blank, no
    # quoted cell begins or ends with a blank, so all cells can be trimmed.
    strange = (b' "', b'" ', b'\t"', b'"\t', b'\xef\xbb\xbf"')
    if len(names) == 1 or any("\r" in name or "\n" in name for name in names):
        return None
    if b'"' in data and any(pair in data for pair in strange):
        return None
    if len(names) >= WIDE and len(data) < BYTES_PER_PAIR * len(names) ** 2:
        return None
    try:
        import duckdb
    except ImportError:
        return None
    declaration = b""
    if declared_delimiter(data[:32].decode(errors="replace")) is not None:
        declaration = data[: data.find(b"\n") + 1]
        if len(declaration.splitlines()) != 1:  # lines that end in a carriage return alone
            return None
    skipped = 1 if declaration else 0
    kept = frozenset(places)
    columns = [f"c{j}" for j in range(len(names))]
    absent = ", ".join("'" + text.replace("'", "''") + "'" for text in gone)
    known = (  # trimming is slow, so trim only cells with a space
        f"CASE WHEN {c} IN ({absent}) THEN NULL WHEN contains({c}, ' ') OR contains({c}, '\t') THEN "
        f"CASE WHEN trim({c}, '{SPACES}') IN ({absent}) THEN NULL ELSE trim({c}, '{SPACES}') END ELSE {c} END AS {c}"
        if j in kept
        else c
        for j, c in enumerate(columns)
    )
    compression = "gzip" if is_gzipped(path) else "none"
    options = (
        "columns = $columns, delim = $delimiter, header = true, quote = '\"', escape = '\"', comment = '', "
        f"skip = {skipped}, strict_mode = true, auto_detect = false, compression = '{compression}', "
        "hive_partitioning = false"
    )
    query = f"CREATE TEMP TABLE cells AS SELECT {', '.join(known)} FROM read_csv($path, {options})"
    types = dict.fromkeys(columns, "VARCHAR")
    try:
        with duckdb.connect() as db:
            here = glob.escape(str(path.absolute()))
            db.execute(query, {"path": here, "columns": types, "delimiter": delimiter})
            return _typed(db, data[len(declaration) :], names, places, delimiter)
    except duckdb.Error:
        return None  # the csv module reads what DuckDB cannot, or reports what is wrong and on which line


def _typed(
    db: Any, data: bytes, names: Sequence[str], places: Sequence[int], delimiter: str
) -> list[Cells] | None:
    """Return some columns of the DuckDB table `cells`, which holds text; NULL is a missing value."""

    def one(expressions: Sequence[str]) -> tuple[Any, ...]:
        return tuple(db.execute(f"SELECT {', '.join(expressions)} FROM cells").fetchone())

    def filled(expression: str, missing: float) -> Any:
        found = db.execute(f"SELECT {expression} AS found FROM cells").fetchnumpy()["found"]
        return read_only(np.ma.filled(found, missing))

    # DuckDB drops one empty field too many at the end of a row: no delimiter of the file may be left over.
    inside = [
        f"coalesce(sum(strlen(c{j}) - strlen(replace(c{j}, '{delimiter}', ''))), 0)"
        for j in range(len(names))
    ]
    rows, *in_cells = one(["count(*)", *(inside if b'"' in data else [])])
    between = (len(names) - 1) * (rows + 1)
    if data.count(delimiter.encode()) != between + sum(in_cells) + "".join(names).count(delimiter):
        return None
    columns = [f"c{j}" for j in places]
    exact = r"[+-]?[0-9]{16,}(\.[0-9]*)?"  # perhaps beyond ±2^53
    number, written_out, digits = (f"'[{SPACES}]*{text}[{SPACES}]*'" for text in (NUMBER, exact, ".*[0-9].*"))
    kinds = one([f"coalesce(bool_and(regexp_full_match({c}, {number})), true)" for c in columns])
    cells: list[Cells] = []
    for place, c, numeric in zip(places, columns, kinds, strict=True):
        if not numeric:
            found = f"SELECT DISTINCT {c} FROM cells WHERE {c} IS NOT NULL ORDER BY {c}"
            db.execute(f"CREATE TYPE of_{c} AS ENUM ({found})")
            (categories,) = db.execute(f"SELECT enum_range(CAST(NULL AS of_{c}))").fetchone()
            codes = filled(f"CAST(enum_code(CAST({c} AS of_{c})) AS INTEGER)", MISSING)
            cells.append((Column(names[place], "nominal", tuple(categories)), codes))
            continue
        values = filled(f"CAST({c} AS DOUBLE)", np.nan)
        for suspect, text in (
            (np.abs(values) >= LARGEST_EXACT_INTEGER, written_out),
            (np.isinf(values), digits),
        ):
            if suspect.any() and _some_match(db, c, text, infinite=text is digits):
                return None  # a number that float64 cannot hold, perhaps
        cells.append((Column(names[place], "numeric"), values))
    return cells


def _some_match(db: Any, column: str, pattern: str, *, infinite: bool) -> bool:
    """Return whether the text of some cell, or of some cell that became infinite, matches a pattern."""
    among = f"WHERE isinf(CAST({column} AS DOUBLE))" if infinite else ""
    found = db.execute(
        f"SELECT bool_or(regexp_full_match({column}, {pattern})) FROM cells {among}"
    ).fetchone()
    return bool(found[0])
