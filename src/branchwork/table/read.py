"""Files → Table: CSV, TSV, Parquet, ARFF and C4.5's pair, chosen by suffix.

Every column of the file is a column of the table, in the file's order, the target too. CSV declares nothing,
so its text decides; ARFF and C4.5's files declare everything; Parquet has types of its own and needs DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from branchwork.errors import FileFormatError, ParameterError
from branchwork.table.adapt import CategoricalFeatures, to_table
from branchwork.table.arff import read_arff
from branchwork.table.c45_files import read_c45
from branchwork.table.csv_file import read_csv
from branchwork.table.parquet_file import read_parquet
from branchwork.table.table import Table


def read(
    path: str | Path,
    *,
    missing: str | Sequence[str] | None = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    suffix: str | None = None,
) -> Table:
    """Read a table from a file; its suffix tells the format.

    Parameters
    ----------
    path : .csv or .txt (with , or ; or tabs), .tsv, .parquet or .pq, .arff, .data or .names (C4.5).
    missing : for .csv, .txt and .tsv only: texts that mean a missing cell, instead of NA, NaN and nan. An
        empty cell always does.
    categorical_features : numeric columns that are categories all the same: names, positions or a mask.
    suffix : read the file as if its name ended so.

    >>> read("weather.csv", missing="?")  # doctest: +SKIP
    Table(14 rows × 5 columns: outlook, temperature, humidity, windy, play)
    """
    path = Path(path)
    suffix = known_suffix(path, suffix)
    if not path.is_file():
        raise FileFormatError(f"{path} is not a file." if path.exists() else f"{path} does not exist.")
    reader = _READERS[suffix]
    if suffix in _DELIMITED:
        reader = partial(reader, missing=missing_texts(missing))
    elif missing is not None:
        raise ParameterError(says_itself(missing, path))
    table = reader(path)
    if table.n_rows == 0:
        raise FileFormatError(f"{path} has no rows; expected at least one.")
    return to_table(table, categorical_features)


def known_suffix(path: Path, suffix: str | None = None) -> str:
    """The suffix that tells how to read a file: the given one, or its own."""
    own = path.suffix if suffix is None else suffix
    if own.lower() not in _READERS:
        found = f"the suffix {own!r}" if own else "no suffix"
        raise FileFormatError(f"{path} has {found}; expected one of {', '.join(_READERS)}.")
    return own.lower()


def says_itself(missing: Any, path: object) -> str:
    """What to say of texts for missing cells where a file has a way of its own."""
    return f"missing={missing!r} is for {', '.join(_DELIMITED)}; {path} says itself what is missing."


def missing_texts(missing: Any) -> list[str] | None:
    """Texts that mean a missing cell, as a list; None: the usual ones."""
    if missing is None:
        return None
    texts = [missing] if isinstance(missing, str) else list(missing)
    for text in texts:
        if not isinstance(text, str):
            raise ParameterError(
                f"missing={missing!r} must be texts, as they stand in the file; found {text!r}."
            )
    return texts


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
