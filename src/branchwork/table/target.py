"""The target: classes or numbers, with weights. The only place that tells the two tasks apart."""

from __future__ import annotations

import numbers
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import TargetError, WeightError
from branchwork.table.adapt import factorised, frame_column, is_missing, object_column
from branchwork.table.schema import Column
from branchwork.table.table import read_only


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes: one code per row into the labels.

    `labels` are in declared order (pandas category, polars Enum, ARFF, .names), otherwise sorted; majority ties go
    to the earlier. A declared class without rows is a label too.
    """

    codes: npt.NDArray[np.int32]
    labels: tuple[Hashable, ...]
    weights: npt.NDArray[np.float64] | None = None
    declared: bool = False

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.codes)

    @cached_property
    def core(self) -> _core.Target:
        """The target as the core sees it."""
        return _core.Target.classes(self.codes, len(self.labels), self.weights)

    @cached_property
    def counts(self) -> npt.NDArray[np.float64]:
        """Weight of each label."""
        return np.bincount(self.codes, self.weights, minlength=len(self.labels)).astype(np.float64)

    def take(self, rows: npt.NDArray[Any]) -> Classes:
        """Return the target of only these rows."""
        weights = None if self.weights is None else read_only(self.weights[rows])
        return replace(self, codes=read_only(self.codes[rows]), weights=weights)

    def forget_undeclared(self) -> Classes:
        """Return the target without labels that no row has, except declared ones."""
        present = np.bincount(self.codes, minlength=len(self.labels)) > 0
        if self.declared or present.all():
            return self
        new_code = (np.cumsum(present) - 1).astype(np.int32)
        labels = tuple(label for label, here in zip(self.labels, present, strict=True) if here)
        return replace(self, codes=read_only(new_code[self.codes]), labels=labels)


@dataclass(frozen=True, eq=False)
class Values:
    """Numbers: one per row."""

    values: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    @cached_property
    def core(self) -> _core.Target:
        """The target as the core sees it."""
        return _core.Target.values(self.values, self.weights)

    def take(self, rows: npt.NDArray[Any]) -> Values:
        """Return the target of only these rows."""
        weights = None if self.weights is None else read_only(self.weights[rows])
        return Values(read_only(self.values[rows]), weights)

    def forget_undeclared(self) -> Values:
        """Numbers declare nothing."""
        return self


Target = Classes | Values


def classes(y: Any, sample_weight: Any = None) -> Classes:
    """Make a target of classes from any sequence of hashable labels.

    >>> classes(["yes", "no", "yes"]).labels
    ('no', 'yes')
    """
    column, codes = _label_column(y)
    _refuse_missing("y", codes < 0)
    if not len(codes):
        raise TargetError("y has no rows. At least one is needed.")
    return Classes(codes, column.categories, weights(sample_weight, len(codes)), column.declared)


def values(y: Any, sample_weight: Any = None) -> Values:
    """Make a target of numbers.

    >>> values([1, 2.5]).values.tolist()
    [1.0, 2.5]
    """
    array = _as_array(y)
    if array.dtype.kind == "c":
        raise TargetError("Complex data not supported: y holds complex numbers.")
    if array.dtype.kind == "O":
        _, array = object_column("y", array.tolist())
    elif array.dtype.kind not in "fiub":
        raise TargetError(f"y holds {array.dtype}; a regression target must hold numbers.")
    if array.dtype.kind == "i" and array.dtype.itemsize == 4 and _holds_text(y):
        raise TargetError("y holds text; a regression target must hold numbers.")
    numeric = np.ascontiguousarray(array, dtype=np.float64)
    if not len(numeric):
        raise TargetError("y has no rows. At least one is needed.")
    _refuse_missing("y", np.isnan(numeric))
    infinite = np.flatnonzero(np.isinf(numeric))
    if infinite.size:
        row = int(infinite[0])
        raise TargetError(f"y, row {row}: {numeric[row]} is not a finite number (Input y contains infinity).")
    return Values(read_only(numeric), weights(sample_weight, len(numeric)))


def weights(sample_weight: Any, rows: int) -> npt.NDArray[np.float64] | None:
    """Check sample weights: one per row, finite, not negative, not all zero. None or all ones: every row counts once."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(rows, sample_weight, dtype=np.float64)
    try:
        array = np.ascontiguousarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise WeightError(f"sample_weight must be numbers: {error}.") from None
    if array.shape != (rows,):
        shape = f"{len(array)} weights" if array.ndim == 1 else f"shape {array.shape}"
        raise WeightError(f"sample_weight has {shape}, but there are {rows} rows. Sample weights must be 1D, one per row.")
    for wrong, what in ((~np.isfinite(array), "a finite number"), (array < 0, "zero or more")):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise WeightError(f"sample_weight, row {row}: {array[row]} found, but a weight must be {what}.")
    if not array.any():
        raise WeightError("sample_weight is zero for every row (Sample weights must not be all zero): nothing is left to learn from.")
    if (array == 1).all():
        return None
    return read_only(array)


def _label_column(y: Any) -> tuple[Column, npt.NDArray[np.int32]]:
    series = _as_series(y)
    if series is not None:
        column, cells = frame_column("y", series)
    else:
        array = _as_array(y)
        if array.dtype.kind == "c":
            raise TargetError("Complex data not supported: y holds complex numbers.")
        if array.dtype.kind == "O":
            column, cells = factorised("y", [None if is_missing(cell) else cell for cell in _hashable(array.tolist())])
        else:
            column, cells = Column("y", "numeric"), array
    if column.is_nominal:
        return column, cells
    _refuse_missing("y", np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(len(cells), bool))
    found, codes = np.unique(cells, return_inverse=True)
    return Column("y", "nominal", tuple(found.tolist())), read_only(codes.astype(np.int32).reshape(-1))


def _hashable(labels: list[Any]) -> list[Any]:
    for row, label in enumerate(labels):
        try:
            hash(label)
        except TypeError:
            raise TargetError(f"y, row {row}: {label!r} is not hashable, so it cannot be a label.") from None
    return labels


def _as_series(y: Any) -> Any:
    """A narwhals series, or None for arrays and lists."""
    if isinstance(y, np.ndarray | list | tuple | range):
        return None
    import narwhals.stable.v2 as nw

    try:
        return nw.from_native(y, series_only=True)
    except TypeError:
        if hasattr(y, "__arrow_c_array__") or hasattr(y, "__arrow_c_stream__"):
            import pyarrow as pa

            return nw.from_native(pa.chunked_array(y), series_only=True)
        return None


def _as_array(y: Any) -> npt.NDArray[Any]:
    if isinstance(y, list | tuple):
        array = np.empty(len(y), dtype=object)
        array[:] = y
        kinds = {type(label) for label in y}
        if kinds and kinds <= {int, float}:
            array = np.array(y)
    else:
        series = _as_series(y)
        array = np.asarray(y if series is None else series.to_numpy())
    if array.ndim != 1:
        raise TargetError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return array


def _holds_text(y: Any) -> bool:
    return any(isinstance(label, str) for label in np.asarray(y, dtype=object).ravel()[:1])


def _refuse_missing(what: str, missing: npt.NDArray[np.bool_]) -> None:
    if missing.any():
        rows = np.flatnonzero(missing)
        more = f" and {rows.size - 1} more" if rows.size > 1 else ""
        raise TargetError(
            f"{what}, row {int(rows[0])}{more}: the target is missing (Input y contains NaN). Drop these rows or fill them in."
        )
