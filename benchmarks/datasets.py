"""Data for the benchmarks: made up by formula, or read from a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from timing import LeftOutError

Floats = npt.NDArray[np.floating]


def gaussian(rows: int, columns: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """X of normal numbers; y is the sign of column 3 with as much noise again."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    return X, (X[:, 3] + rng.standard_normal(rows) > 0).astype(np.int64)


def logistic(
    rows: int, columns: int, seed: int = 0
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64], Floats]:
    """X of normal float32, y drawn with probability 1 / (1 + exp(-z)), and z: eight columns add up, some in pairs."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns), dtype=np.float32)
    z = X[:, :8] @ np.random.default_rng(0).standard_normal(8)
    z = z + 1.5 * np.sin(2 * X[:, 0] * X[:, 1]) + X[:, 2] * X[:, 3] - (X[:, 4] > 0.3) * X[:, 5]
    return X, (rng.random(rows) < 1 / (1 + np.exp(-z))).astype(np.int64), z


def mixed(rows: int) -> tuple[pd.DataFrame, npt.NDArray[np.int64]]:
    """Four numeric columns, four nominal ones of five levels, and three classes of which a fifth is noise."""
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((rows, 4))
    codes = rng.integers(0, 5, (rows, 4))
    y = (numbers[:, 0] + codes[:, 0] > 2).astype(np.int64) + (numbers[:, 1] > codes[:, 1] - 2)
    y = np.where(rng.random(rows) < 0.2, rng.integers(0, 3, rows), y)
    frame = pd.DataFrame(numbers, columns=[f"number{j}" for j in range(4)])
    for j in range(4):
        frame[f"level{j}"] = pd.Categorical.from_codes(codes[:, j], list("abcde"))
    return frame, y


def stored(folder: Path | None, name: str) -> tuple[pd.DataFrame, list[str]]:
    """A nominal table of the folder; its target is the last column. Missing cells become a category, "?"."""
    frame = _parquet(folder, name).fillna("?")
    return frame.iloc[:, :-1], frame.iloc[:, -1].tolist()


def real(folder: Path | None, name: str) -> tuple[pd.DataFrame, npt.NDArray[np.str_] | Floats]:
    """A table of the folder as it is, and its last column as labels or as numbers."""
    frame = _parquet(folder, name)
    target = frame.iloc[:, -1]
    is_numeric = pd.api.types.is_numeric_dtype(target)
    return frame.iloc[:, :-1], target.to_numpy(np.float64 if is_numeric else str)


def _parquet(folder: Path | None, name: str) -> pd.DataFrame:
    if folder is None:
        raise LeftOutError(f"needs --data FOLDER with {name}.parquet")
    path = folder / f"{name}.parquet"
    if not path.exists():
        raise LeftOutError(f"{name}.parquet is not in the folder given by --data")
    return pd.read_parquet(path)


def write_arff(path: Path, X: pd.DataFrame, y: Iterable[str]) -> None:
    """The same table for Weka. Categories are declared in sorted order, as ours are."""
    frame = X.assign(**{"class": y})
    declared = [f"@attribute {_quoted(name)} {_declared(frame[name])}" for name in frame]
    columns = [_cells(frame[name]) for name in frame]
    rows = map(",".join, zip(*columns, strict=True))
    path.write_text("\n".join(["@relation table", *declared, "@data", *rows, ""]), encoding="utf-8")


def _declared(column: pd.Series) -> str:
    if pd.api.types.is_numeric_dtype(column):
        return "numeric"
    return f"{{{','.join(map(_quoted, sorted(set(column.dropna()))))}}}"


def _cells(column: pd.Series) -> list[str]:
    text = repr if pd.api.types.is_numeric_dtype(column) else _quoted
    return [
        "?" if missing else text(cell) for cell, missing in zip(column.tolist(), column.isna(), strict=True)
    ]


def _quoted(text: object) -> str:
    return "'" + str(text).replace("\\", "\\\\").replace("'", "\\'") + "'"
