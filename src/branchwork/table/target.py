"""Hold the target: classes or numbers, with weights. Only this file tells the two tasks apart."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.errors import ParameterError, TargetError, WeightError, shown
from branchwork.lazy import cached_property
from branchwork.table.cells import Cells, array_column, factorised, is_missing, object_array, plain_value
from branchwork.table.frames import as_series, frame_column, holds_objects
from branchwork.table.schema import Column
from branchwork.table.table import check_integer_range, read_only

LARGEST_SCALE = 1e100
"""The largest and the smallest sum of weights, and number to be squared."""
MOST_DIGITS = 4000
"""The largest number of digits of an integer label. Python does not print integers of more than 4 300 digits."""
LARGEST_LABEL = 10**MOST_DIGITS
MOST_CLASSES = 10
"""A column of whole numbers with more different values than this is a numeric target, unless the caller decides."""


ClassWeight = Mapping[Any, float] | Literal["balanced"] | None
"""Weights of classes: by label (1 for labels that are not given), or "balanced", so that all classes count the same."""


@dataclass(frozen=True, eq=False)
class Classes:
    """A target of classes: for each row, the code of its label.

    `labels` are in declared order (pandas category, polars Enum, ARFF, .names), otherwise sorted; ties for the
    majority go to the earlier label. A declared class without rows is a label, too.
    """

    codes: npt.NDArray[np.int32]
    labels: tuple[Hashable, ...]
    weights: npt.NDArray[np.float64] | None = None
    declared: bool = False
    class_weights: npt.NDArray[np.float64] | None = None
    """The weight of each label. It is already part of `weights`, but limits on samples do not count it."""

    def __reduce__(self) -> tuple[type[Classes], tuple[Any, ...]]:
        """Pickle everything but what the core borrows."""
        return Classes, (self.codes, self.labels, self.weights, self.declared, self.class_weights)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.codes)

    @cached_property
    def core(self) -> _core.Target:
        """The target as the core sees it."""
        per_weight = None if self.class_weights is None else 1 / self.class_weights
        return _core.Target.classes(self.codes, len(self.labels), self.weights, per_weight)

    @cached_property
    def counts(self) -> npt.NDArray[np.float64]:
        """Weight of each label."""
        return np.bincount(self.codes, self.weights, minlength=len(self.labels)).astype(np.float64)

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return _sum(self.weights, len(self))

    @property
    def sample_weights(self) -> npt.NDArray[np.float64] | None:
        """Weight of each row without that of its class; None: every row counts once."""
        if self.weights is None or self.class_weights is None:
            return self.weights
        return np.asarray(self.weights / self.class_weights[self.codes])

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
        class_weights = None if self.class_weights is None else self.class_weights[present]
        return replace(
            self, codes=read_only(new_code[self.codes]), labels=labels, class_weights=class_weights
        )

    def in_labels(self, labels: tuple[Hashable, ...]) -> Classes:
        """Return the same target in the labels of a model, which may be more, and in another order."""
        place = {label: code for code, label in enumerate(labels)}
        strange = [label for label in self.labels if label not in place]
        if strange:
            raise TargetError(f"y holds the label {strange[0]!r}, which was not in the training data.")
        own = np.array([place[label] for label in self.labels], np.int32)
        target = Classes(own[self.codes], labels, self.weights, declared=True)
        if self.class_weights is None:
            return target
        factors = np.ones(len(labels))
        factors[own] = self.class_weights
        return replace(target, class_weights=factors)

    def weighted(self, class_weight: ClassWeight) -> Classes:
        """Return the target with every row's weight multiplied by that of its class."""
        factors = _class_factors(class_weight, self)
        if factors is None or (factors == 1).all():
            return self
        sample = np.ones(len(self)) if self.weights is None else self.weights
        weights = read_only(sample * factors[self.codes])
        _refuse_total(weights)
        return replace(self, weights=weights, class_weights=factors)


@dataclass(frozen=True, eq=False)
class Values:
    """A target of numbers: one per row."""

    values: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64] | None = None

    def __reduce__(self) -> tuple[type[Values], tuple[Any, ...]]:
        """Pickle everything but what the core borrows."""
        return Values, (self.values, self.weights)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    @cached_property
    def core(self) -> _core.Target:
        """The target as the core sees it."""
        return _core.Target.values(self.values, self.weights)

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return _sum(self.weights, len(self))

    @property
    def sample_weights(self) -> npt.NDArray[np.float64] | None:
        """Weight of each row; None: every row counts once."""
        return self.weights

    def take(self, rows: npt.NDArray[Any]) -> Values:
        """Return the target of only these rows."""
        weights = None if self.weights is None else read_only(self.weights[rows])
        return Values(read_only(self.values[rows]), weights)

    def forget_undeclared(self) -> Values:
        """Return the same target: numbers have no labels."""
        return self


Target = Classes | Values


def classes(y: Any, sample_weight: Any = None) -> Classes:
    """Make a target of classes from any sequence of hashable labels.

    Labels are the same if they are equal in Python, as 1 and 1.0 are. A mix of booleans and numbers is refused: True
    equals 1 in Python, but someone who writes both means two classes.

    >>> classes(["yes", "no", "yes"]).labels
    ('no', 'yes')
    """
    column, codes = _label_column(y)
    if not len(codes):
        raise TargetError("y has no rows. At least one is needed.")
    return Classes(codes, column.categories, weights(sample_weight, len(codes)), column.declared)


def values(y: Any, sample_weight: Any = None) -> Values:
    """Make a target of numbers; True counts as 1 and False as 0.

    >>> values([1, 2.5]).values.tolist()
    [1.0, 2.5]
    """
    series, array = _one_column(y)
    numeric = _as_numbers("y", array_column("y", array) if series is None else frame_column("y", series))
    if not len(numeric):
        raise TargetError("y has no rows. At least one is needed.")
    _refuse_missing("y", np.isnan(numeric))
    infinite = np.flatnonzero(np.isinf(numeric))
    if infinite.size:
        row = int(infinite[0])
        raise TargetError(f"y, row {row}: {numeric[row]} is not a finite number (Input y contains infinity).")
    _refuse_scale(numeric)
    return Values(read_only(numeric), weights(sample_weight, len(numeric)))


def values_are_classes(values: npt.NDArray[np.float64]) -> bool:
    """Return whether numbers look like labels: whole, and at most ten different ones.

    >>> values_are_classes(np.array([0.0, 1.0, 1.0])), values_are_classes(np.array([0.5, 1.0]))
    (True, False)
    """
    found: set[float] = set()
    for start in range(0, len(values), 4096):  # for most columns, the first rows settle the question
        found.update(np.unique(values[start : start + 4096]).tolist())
        if len(found) > MOST_CLASSES or not all(value.is_integer() for value in found):
            return False
    return True


def weights(sample_weight: Any, rows: int) -> npt.NDArray[np.float64] | None:
    """Check sample weights: one per row, finite, not negative, not all zero.

    Weights that are None, or all 1, count every row once.
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Real):
        try:
            sample_weight = np.full(rows, float(sample_weight))
        except OverflowError:
            raise WeightError(
                f"sample_weight={shown(sample_weight, 40)}; expected a finite number, or one per row."
            ) from None
    series = as_series(sample_weight)
    given = np.asanyarray(sample_weight) if series is None else series
    if given.shape != (rows,):
        shape = f"{given.shape[0]} weights" if len(given.shape) == 1 else f"shape {given.shape}"
        raise WeightError(
            f"sample_weight has {shape}, but there are {rows} rows. Sample weights must be 1D, one per row."
        )
    name = "sample_weight"
    cells = array_column(name, given) if series is None else frame_column(name, series)
    array = _as_numbers(name, cells)
    for wrong, what in ((~np.isfinite(array), "a finite number"), (array < 0, "zero or more")):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise WeightError(f"sample_weight, row {row}: {array[row]} found, but a weight must be {what}.")
    if not array.any():
        raise WeightError(
            "sample_weight is zero for every row (Sample weights must not be all zero): nothing is left to "
            "learn from."
        )
    if (array == 1).all():
        return None
    _refuse_total(array)
    return read_only(array)


def _sum(weights: npt.NDArray[np.float64] | None, rows: int) -> float:
    return float(rows) if weights is None else math.fsum(weights)


def check_class_weight(name: str, value: Any) -> Any:
    """Refuse what is neither None, "balanced" nor a mapping of label to a number above 0."""
    if value is None or (isinstance(value, str) and value == "balanced"):
        return value
    if not isinstance(value, Mapping):
        raise ParameterError(
            f'{name}={shown(value)}; expected None, "balanced" or a mapping of label to weight.'
        )
    for label, weight in value.items():
        is_number = isinstance(weight, numbers.Real) and not isinstance(weight, bool)
        try:
            factor = float(weight) if is_number else math.nan
        except OverflowError:
            factor = math.inf
        if not 0 < factor <= LARGEST_SCALE:
            raise ParameterError(
                f"{name}[{shown(label)}]={shown(weight)}; expected a number above 0, up to {LARGEST_SCALE:g}."
            )
    return value


def _class_factors(class_weight: ClassWeight, target: Classes) -> npt.NDArray[np.float64] | None:
    """Return the weight of each label. "balanced" counts rows, not their weights, as scikit-learn does."""
    check_class_weight("class_weight", class_weight)
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        rows = np.bincount(target.codes, minlength=len(target.labels))
        present = rows > 0
        return np.where(present, len(target) / (present.sum() * np.where(present, rows, 1)), 1.0)
    _refuse_strange_labels(class_weight, target)
    return np.array([float(class_weight.get(label, 1)) for label in target.labels])


def _refuse_strange_labels(class_weight: Mapping[Any, float], target: Classes) -> None:
    """Refuse a key that is no class, unless every class has a key: some rows of a table may lack a class."""
    strange = [label for label in class_weight if label not in target.labels]
    rows = np.bincount(target.codes, minlength=len(target.labels))
    left_out = [
        label
        for label, count in zip(target.labels, rows.tolist(), strict=True)
        if count and label not in class_weight
    ]
    if strange and left_out:
        alike = [label for label in left_out if str(label) == str(strange[0])]
        hint = f" Did you mean {alike[0]!r}?" if alike else ""
        raise ParameterError(
            f"class_weight has a weight for {shown(strange[0])}, which is no class of y.{hint} "
            f"The classes are {shown(list(target.labels))}."
        )


def _refuse_total(array: npt.NDArray[np.float64]) -> None:
    """Refuse weights whose sum cannot be squared."""
    with np.errstate(over="ignore"):  # an overflow becomes infinite, which is refused
        total = float(array.sum())
    if not 1 / LARGEST_SCALE <= total <= LARGEST_SCALE:
        row = int(np.argmax(array))
        raise WeightError(
            f"sample_weight, row {row}: with {array[row]} the weights sum to {total:.3g}, beyond what can be squared. "
            f"Scale them: expected a sum from {1 / LARGEST_SCALE:g} to {LARGEST_SCALE:g}."
        )


def _refuse_scale(numeric: npt.NDArray[np.float64]) -> None:
    """Refuse numbers whose squares, or whose differences' squares, float64 cannot hold."""
    row = int(np.argmax(np.abs(numeric)))
    spread = float(numeric.max() / 2 - numeric.min() / 2)
    if abs(numeric[row]) > LARGEST_SCALE:
        raise TargetError(
            f"y, row {row}: {numeric[row]} is beyond ±{LARGEST_SCALE:g}, where squares overflow. Scale y."
        )
    if 0 < spread < 1 / LARGEST_SCALE:
        raise TargetError(f"y has differences below {1 / LARGEST_SCALE:g}, whose squares vanish. Scale y.")


def _label_column(y: Any) -> Cells:
    """Return the labels as a nominal column. Integers of any size may be labels, and so may any hashable object."""
    series, array = _one_column(y)
    if series is not None and holds_objects(series):
        return _known(_any_labels(series.to_list()))
    if series is not None and series.dtype.is_integer():
        array = np.asarray(series.to_numpy())
    elif series is not None or array.dtype.kind not in "fiubUSOT":
        column, array = array_column("y", array) if series is None else frame_column("y", series)
        if column.is_nominal:
            return _known((column, array))
    if array.dtype.kind in "OT" or (isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array)):
        return _known(_any_labels(array.tolist()))
    if array.dtype.kind == "f":
        _refuse_missing("y", np.isnan(array))
    found, codes = _distinct(np.asarray(array))
    return Column("y", "nominal", tuple(found.tolist())), read_only(codes)


def _known(labels: Cells) -> Cells:
    """Refuse labels of which some are missing."""
    _refuse_missing("y", labels[1] < 0)
    return labels


_HASHED: dict[str, tuple[Any, _core.Unit]] = {
    "i": (np.int64, _core.Unit.integer),
    "u": (np.uint64, _core.Unit.unsigned_integer),
    "U": (None, _core.Unit.character),
    "S": (None, _core.Unit.byte),
}
"""For each kind of array whose items can be hashed: the type that it is widened to, and how two items are compared."""


def _distinct(labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Return the sorted distinct labels, and each row's position among them."""
    kind, dtype = labels.dtype.kind, labels.dtype
    if kind in _HASHED and dtype.itemsize:
        wider, unit = _HASHED[kind]
        native = wider or (dtype if dtype.isnative else dtype.newbyteorder("="))
        run = np.array(labels, native)  # a copy: items are compared more than once
        codes, first = _core.distinct(run.view(np.uint8), run.itemsize, unit)
        return run[first], codes
    found, places = np.unique(labels, return_inverse=True)
    return found, places.astype(np.int32)


def _any_labels(given: list[Any]) -> Cells:
    labels = [None if is_missing(label) else plain_value(label) for label in given]
    kinds = {type(label) for label in labels}
    _refuse_strange_numbers(labels, kinds)
    if bool in kinds and any(issubclass(kind, numbers.Number) for kind in kinds - {bool}):
        _refuse_booleans_beside_numbers(labels)
    try:
        return factorised("y", labels)
    except TypeError:
        row = next(row for row, label in enumerate(labels) if not _is_hashable(label))
        raise TargetError(
            f"y, row {row}: {labels[row]!r} is not hashable, so it cannot be a label."
        ) from None


def _refuse_strange_numbers(labels: list[Any], kinds: set[type]) -> None:
    """Refuse complex numbers, and integers of more digits than Python writes."""
    if any(issubclass(kind, numbers.Complex) and not issubclass(kind, numbers.Real) for kind in kinds):
        row = next(
            row
            for row, label in enumerate(labels)
            if isinstance(label, numbers.Complex) and not isinstance(label, numbers.Real)
        )
        raise TargetError(f"Complex data not supported: y, row {row} is {shown(labels[row])}.")
    if int in kinds:
        for row, label in enumerate(labels):
            if isinstance(label, int) and abs(label) >= LARGEST_LABEL:
                raise TargetError(
                    f"y, row {row}: the label is an integer of more than {MOST_DIGITS} digits. Make it text, for "
                    "example a name."
                )


def _refuse_booleans_beside_numbers(labels: list[Any]) -> None:
    rows = [row for row, label in enumerate(labels) if isinstance(label, numbers.Number)]
    first = isinstance(labels[rows[0]], bool)
    row = next(row for row in rows if isinstance(labels[row], bool) != first)
    found, earlier = ("number", "booleans") if first else ("boolean", "numbers")
    raise TargetError(
        f"y, row {row}: {labels[row]!r} is a {found}, but earlier labels are {earlier}. True and 1 are equal: "
        "make them all one kind."
    )


def _is_hashable(label: Any) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def _one_column(y: Any) -> tuple[Any, npt.NDArray[Any]]:
    """Return the target as a series if it is one, and otherwise as an array."""
    series = as_series(y)
    if series is not None:
        return series, np.empty(0)
    array = object_array(y) if isinstance(y, list | tuple) else np.asanyarray(y)
    if array.ndim != 1:
        raise TargetError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    if array.dtype.kind == "c":
        raise TargetError("Complex data not supported: y holds complex numbers.")
    return None, array


def _as_numbers(what: str, column_and_cells: Cells) -> npt.NDArray[np.float64]:
    column, cells = column_and_cells
    if not column.is_nominal:
        check_integer_range(what, cells)
        return np.array(cells, dtype=np.float64)  # a copy: the core relies on what was checked
    known = np.flatnonzero(cells >= 0)
    if known.size and not all(isinstance(category, numbers.Real) for category in column.categories):
        row = int(known[0])
        found = column.categories[cells[row]]
        wrong = TargetError if what == "y" else WeightError
        raise wrong(f"{what}, row {row}: expected a number, found {found!r}.")
    value_of: npt.NDArray[np.float64] = np.array([np.nan, *column.categories], dtype=np.float64)
    return np.asarray(value_of[cells + 1])


def _refuse_missing(what: str, missing: npt.NDArray[np.bool_]) -> None:
    if missing.any():
        rows = np.flatnonzero(missing)
        more = f" and {rows.size - 1} more" if rows.size > 1 else ""
        raise TargetError(
            f"{what}, row {int(rows[0])}{more}: the target is missing (Input y contains NaN). "
            "Drop these rows or fill them in."
        )
