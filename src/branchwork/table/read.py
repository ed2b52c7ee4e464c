"""Read a file into a Table: CSV, TSV, Parquet, ARFF or C4.5's pair of files, chosen by suffix.

Every column of the file that is not dropped becomes a column of the table, the target included, in the file's order. In
CSV, the text of the cells decides the kind of a column; ARFF and C4.5's files declare it; Parquet has types of its own
and needs DuckDB.
Text files may be compressed with gzip.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from branchwork.errors import FileFormatError, ParameterError
from branchwork.table.adapt import CategoricalFeatures, chosen_positions, to_table
from branchwork.table.arff import read_arff
from branchwork.table.c45_files import read_c45
from branchwork.table.csv_file import MISSING_TEXT, lines_of_rows, number_reader, read_csv
from branchwork.table.decimal_comma import Decimal, check_decimal
from branchwork.table.gzipped import SUFFIX as GZ
from branchwork.table.leave_out import advising
from branchwork.table.mixed import warn_of_mixed
from branchwork.table.parquet_file import read_parquet
from branchwork.table.table import Table


def read(
    path: str | Path,
    *,
    missing: str | Sequence[str] | None = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    drop: str | Sequence[str] | None = None,
    suffix: str | None = None,
    decimal: Decimal | None = None,
) -> Table:
    """Read a table from a file; the suffix determines the format.

    In .csv, .txt and .tsv, spaces and tabs around a cell or a name are not part of it unless it stands in quotes. A
    column whose cells are nearly all numbers, but not all, is read as categories, with a MixedColumnWarning.

    Parameters
    ----------
    path : .csv or .txt (with , ; tab or | between the cells, whichever the header has most of, or what a first line
        such as sep=; declares), .tsv, .arff, each of them also with .gz; .parquet or .pq; .data or .names (C4.5).
    missing : for .csv, .txt and .tsv only: texts that mean a missing cell, instead of NA, NaN and nan. An
        empty cell always does.
    categorical_features : numeric columns to treat as categories: names, positions or a mask. Positions and masks do
        not count dropped columns.
    drop : the name of a column to leave out, or several names. The cells of a dropped column are not checked.
    suffix : read the file as if its name ended with this.
    decimal : for .csv, .txt and .tsv only: the decimal mark, "." or ",". None: a point, or a comma in columns whose
        cells are all numbers like 12,5, unless commas separate the cells; a DecimalWarning says so.

    >>> read("weather.csv", missing="?")  # doctest: +SKIP
    Table(14 rows × 5 columns: outlook, temperature, humidity, windy, play)
    """
    path = Path(path)
    if path.is_dir():
        raise FileFormatError(f"{path} is a folder; expected a file.")
    suffix = known_suffix(path, suffix)
    if not path.is_file():
        raise FileFormatError(f"{path} is not a file." if path.exists() else f"{path} does not exist.")
    reader = partial(_READERS[suffix], drop=drop)
    if suffix in _DELIMITED:
        reader = partial(reader, missing=missing_texts(missing), decimal=check_decimal(decimal))
    else:
        refuse_text_options(path, missing, decimal)
    with advising(
        lambda name: f"drop=[{name!r}] in bw.read, or --drop {shlex.quote(name)} on the command line"
    ):
        table = reader(path)
    if table.n_rows == 0:
        raise FileFormatError(f"{path} has no rows; expected at least one.")
    if suffix in _DELIMITED:
        warn_of_mixed(
            path,
            table,
            intended=chosen_positions(categorical_features, table.schema),
            missing=list(MISSING_TEXT) if missing is None else missing_texts(missing) or [],
            lines_of_rows=partial(lines_of_rows, path, delimiter=_DELIMITER.get(suffix)),
            number=number_reader(path, _DELIMITER.get(suffix), decimal),
        )
    return to_table(table, categorical_features)


def known_suffix(path: Path, suffix: str | None = None) -> str:
    """Return the suffix that determines how to read a file, the given one or its own, in lower case and without .gz."""
    name = path.name if suffix is None else f"file{suffix}"
    packed = name.lower().endswith(GZ)
    own = Path(name[: -len(GZ)] if packed else name).suffix
    if own.lower() not in (_MAY_BE_PACKED if packed else _READERS):
        found = f"the suffix {own + GZ * packed!r}" if own or packed else "no suffix"
        known = [*_READERS, *(f"{other}{GZ}" for other in _MAY_BE_PACKED)]
        raise FileFormatError(
            f"{path} has {found}; expected one of {', '.join(known)}. For another name, say "
            "suffix='.csv' in bw.read, or --input-format csv on the command line."
        )
    return own.lower()


def refuse_text_options(path: object, missing: Any, decimal: Any) -> None:
    """Refuse options of text files for a format that says itself which cells are missing, and what numbers are."""
    if missing is not None:
        raise ParameterError(
            f"missing={missing!r} is for {', '.join(_DELIMITED)}; {path} has its own way to mark missing cells."
        )
    if decimal is not None:
        raise ParameterError(
            f"decimal={decimal!r} is for {', '.join(_DELIMITED)}; {path} has its own way to write numbers."
        )


def missing_texts(missing: Any) -> list[str] | None:
    """Return the texts that mean a missing cell as a list; None means the usual ones."""
    if missing is None:
        return None
    texts = [missing] if isinstance(missing, str) else list(missing)
    for text in texts:
        if not isinstance(text, str):
            raise ParameterError(
                f"missing={missing!r} must be texts, as they stand in the file; found {text!r}."
            )
    return texts


_DELIMITER = {".tsv": "\t"}
_DELIMITED: dict[str, Callable[..., Table]] = {
    suffix: partial(read_csv, delimiter=_DELIMITER.get(suffix)) for suffix in (".csv", ".txt", ".tsv")
}
_MAY_BE_PACKED = (*_DELIMITED, ".arff")
_READERS: dict[str, Callable[..., Table]] = {
    **_DELIMITED,
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".arff": read_arff,
    ".data": read_c45,
    ".names": read_c45,
}
