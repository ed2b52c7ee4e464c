"""Entropy, joint and conditional entropy, gain, gain ratio, Gini index and variance, on labels or on counts.

Every measure of uncertainty here is a function of a table of counts, and everything is in bits.
So labels are counted first (a row of weight k counts as k copies of it, a row of weight 0 as absent),
and then one formula is applied to the counts: the sum of p(cell) * -log2(share of the cell in its total).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "conditional_entropy",
    "entropy",
    "gain_ratio",
    "gini",
    "information_gain",
    "joint_entropy",
    "remainder",
    "specific_conditional_entropy",
    "variance",
    "weighted_variance",
]

_Floats = NDArray[np.float64]
_Codes = NDArray[np.intp]
_Labels = Iterable[Any] | None  # any hashables: a list, a tuple, an array, a pandas or polars series
_Numbers = ArrayLike | None
_Values = Sequence[Any] | NDArray[Any]


def entropy(y: _Labels = None, *, sample_weight: _Numbers = None, counts: _Numbers = None) -> float:
    """Return H(Y), the bits needed on average to tell which value Y has.

    Pass the labels `y` (and a `sample_weight` per row), or `counts`, how often each value occurs.

    >>> entropy(["club", "heart", "spade", "diamond"]), entropy(counts=[2, 1, 1])
    (2.0, 1.5)
    """
    cells = _one_way(counts, sample_weight, y=y)
    return _bits(cells, cells.sum())


def joint_entropy(
    x: _Labels = None, y: _Labels = None, *, sample_weight: _Numbers = None, counts: _Numbers = None
) -> float:
    """Return H(X, Y), the entropy of the pair.

    Pass the labels `x` and `y`, or two-way `counts`: a row for each value of X, a column for each of Y.

    >>> round(joint_entropy(counts=[[24, 1], [25, 50]]), 2)
    1.56
    """
    table = _two_way(counts, sample_weight, x=x, y=y)
    return _bits(table.cells, table.cells.sum())


def conditional_entropy(
    y: _Labels = None, given: _Labels = None, *, sample_weight: _Numbers = None, counts: _Numbers = None
) -> float:
    """Return H(Y | X), what is left to learn about Y on average once X is known.

    Pass the labels `y` and `given` (X), or two-way `counts`: rows for X, columns for Y.

    >>> conditional_entropy(["spam", "spam", "ham", "ham"], [True, True, False, False])
    0.0
    >>> round(conditional_entropy(counts=[[24, 1], [25, 50]]), 2)
    0.75
    """
    return _conditional(_two_way(counts, sample_weight, given=given, y=y))


def specific_conditional_entropy(
    y: _Labels = None,
    given: _Labels = None,
    *,
    equal: Hashable,
    sample_weight: _Numbers = None,
    counts: _Numbers = None,
) -> float:
    """Return H(Y | X = equal), the entropy of Y among the rows where X has that one value.

    `equal` is a value of `given`; with two-way `counts` (rows for X) it is the number of a row, from 0.

    >>> round(specific_conditional_entropy(counts=[[24, 1], [25, 50]], equal=0), 2)
    0.24
    """
    table = _two_way(counts, sample_weight, given=given, y=y)
    cells = table.cells[table.rows == _row_of(table, equal)]
    return _bits(cells, cells.sum())


def remainder(
    y: _Labels = None, x: _Labels = None, *, sample_weight: _Numbers = None, counts: _Numbers = None
) -> float:
    """Return the entropy of `y` that remains after a split on `x`: H(Y | X) under its other name.

    Pass the labels `y` and `x`, or two-way `counts`: rows for X, columns for Y.

    >>> remainder(["spam", "spam", "ham", "ham"], [True, True, False, False])
    0.0
    """
    return _conditional(_two_way(counts, sample_weight, x=x, y=y))


def information_gain(
    y: _Labels = None, x: _Labels = None, *, sample_weight: _Numbers = None, counts: _Numbers = None
) -> float:
    """Return H(Y) - H(Y | X), the bits that knowing `x` saves about `y` (their mutual information).

    Pass the labels `y` and `x`, or two-way `counts`: rows for X, columns for Y. Never below 0.0.

    >>> round(information_gain(counts=[[0, 2], [2, 3]]), 2)
    0.17
    """
    return _gain(_two_way(counts, sample_weight, x=x, y=y))


def gain_ratio(
    y: _Labels = None, x: _Labels = None, *, sample_weight: _Numbers = None, counts: _Numbers = None
) -> float:
    """Return the information gain over the entropy of the feature `x` itself; 0.0 when `x` is constant.

    Pass the labels `y` and `x`, or two-way `counts`: rows for X, columns for Y.

    >>> gain_ratio(["no", "no", "yes", "yes"], ["a", "b", "c", "d"])
    0.5
    """
    table = _two_way(counts, sample_weight, x=x, y=y)
    own = _bits(_totals(table.cells, table.rows), table.cells.sum())
    return min(1.0, _gain(table) / own) if own > 0.0 else 0.0


def gini(y: _Labels = None, *, sample_weight: _Numbers = None, counts: _Numbers = None) -> float:
    """Return the Gini index 1 - sum(p²), the chance that two rows drawn with replacement differ.

    Pass the labels `y` (and a `sample_weight` per row), or `counts`, how often each value occurs.

    >>> gini(["a", "a", "b", "b"]), gini(counts=[2, 1, 1])
    (0.5, 0.625)
    """
    cells = _one_way(counts, sample_weight, y=y)
    p = cells / cells.sum()
    return math.fsum((p * (1.0 - p)).tolist())  # the same sum, without the cancellation near 0


def variance(t: ArrayLike, *, sample_weight: _Numbers = None) -> float:
    """Return the variance of the numbers `t` with n - 1 below; 0.0 for a single row.

    With a `sample_weight` per row the denominator is W - 1, W their sum; W of at most 1 gives 0.0.

    >>> variance([800, 826, 900])
    2692.0
    """
    numbers = _numbers("t", t, 1)
    return _spread(numbers, np.zeros(numbers.size, np.intp), _weights(sample_weight, t=numbers.size))


def weighted_variance(t: ArrayLike, *, by: Iterable[Any], sample_weight: _Numbers = None) -> float:
    """Return the variance of `t` left after a split on `by`: the sum of n_l / n * variance(branch l).

    `by` holds the branch of each row; a `sample_weight` per row turns each n into a sum of weights.

    >>> weighted_variance([800, 826, 900, 2910, 2880, 2820], by=["winter"] * 3 + ["autumn"] * 3)
    2396.0
    """
    numbers = _numbers("t", t, 1)
    (branch,), weights = _coded(sample_weight, {"by": by}, t=numbers.size)
    return _spread(numbers, branch.codes, weights)


# The formulas, on counts.


class _Counted(NamedTuple):
    """The non-empty cells of a two-way table: never more of them than rows of data."""

    cells: _Floats
    rows: _Codes
    columns: _Codes
    row_values: _Values


def _bits(cells: _Floats, totals: Any) -> float:
    """Sum p(cell) * -log2(cell / total), each cell within its own total; empty cells add nothing."""
    shares = cells / totals
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0.0)
    # fsum: the same counts in another order give the very same float. 0.0 - x is never -0.0.
    return 0.0 - math.fsum((cells / cells.sum() * logs).tolist())


def _totals(cells: _Floats, codes: _Codes) -> _Floats:
    return np.asarray(np.bincount(codes, weights=cells), dtype=np.float64)


def _conditional(table: _Counted) -> float:
    return _bits(table.cells, _totals(table.cells, table.rows)[table.rows])


def _gain(table: _Counted) -> float:
    before = _bits(_totals(table.cells, table.columns), table.cells.sum())
    return max(0.0, before - _conditional(table))


def _spread(numbers: _Floats, codes: _Codes, weights: _Floats) -> float:
    """Sum W_l / W * variance(branch l), branch l being the rows of code l."""
    here = weights > 0.0
    _check_finite("t", numbers, here)
    numbers, weights = numbers[here], weights[here]
    first, codes = np.unique(codes[here], return_index=True, return_inverse=True)[1:]
    exponent = int(np.frexp(np.abs(numbers).max())[1]) + 1
    scaled = np.ldexp(numbers, -exponent)  # exact, and now |t| < 1/2: no square and no sum can overflow
    shifted = scaled - scaled[first][codes]  # from the first row of the branch: a constant gives 0 exactly
    totals = _totals(weights, codes)
    means = _totals(weights * shifted, codes) / totals
    squares = _totals(weights * (shifted - means[codes]) ** 2, codes)
    many = totals - 1.0 > 1e-9  # weights that add up to 1 may miss it by rounding
    variances = np.divide(squares, totals - 1.0, out=np.zeros_like(totals), where=many)
    mean = math.fsum((totals / totals.sum() * variances).tolist())
    with np.errstate(over="ignore"):
        return float(np.ldexp(mean, 2 * exponent))


# From labels to counts.


class _Coded(NamedTuple):
    """A column as codes 0, 1, ... into its different values; a missing label has the code -1."""

    codes: _Codes
    values: _Values


def _one_way(counts: _Numbers, sample_weight: _Numbers, **labels: _Labels) -> _Floats:
    """Count each value of the one column in `labels`, or check the counts given in its place."""
    columns = _columns(counts, sample_weight, labels)
    if counts is not None:
        return _amounts("counts", counts, 1)
    (y,), weights = _coded(sample_weight, columns)
    return _totals(weights, y.codes)


def _two_way(counts: _Numbers, sample_weight: _Numbers, **labels: _Labels) -> _Counted:
    """Count each pair of values: the first column in `labels` gives the rows, the second the columns."""
    columns = _columns(counts, sample_weight, labels)
    if counts is not None:
        dense = _amounts("counts", counts, 2)
        rows, across = np.nonzero(dense)
        return _Counted(dense[rows, across], rows, across, range(len(dense)))
    (x, y), weights = _coded(sample_weight, columns)
    pairs, inverse = np.unique(x.codes * len(y.values) + y.codes, return_inverse=True)
    cells = _totals(weights, inverse)
    rows, across = np.divmod(pairs[cells > 0.0], len(y.values))
    return _Counted(cells[cells > 0.0], rows, across, x.values)


def _row_of(table: _Counted, equal: Hashable) -> int:
    """Find the row of a two-way table that stands for the value `equal`; it must not be empty."""
    try:
        row = list(table.row_values).index(equal)
    except (ValueError, TypeError):  # what cannot be compared with the values is not among them either
        row = -1
    if row not in table.rows:
        where = "a row of counts" if isinstance(table.row_values, range) else "a value in given"
        known = [table.row_values[int(full)] for full in np.unique(table.rows)[:8]]
        shown = ", ".join(repr(value.item() if isinstance(value, np.generic) else value) for value in known)
        raise ValueError(f"equal must be {where} with weight above 0, such as {shown}; found {equal!r}")
    return row


def _columns(
    counts: _Numbers, sample_weight: _Numbers, labels: Mapping[str, _Labels]
) -> dict[str, Iterable[Any]]:
    """Return the label columns, none when there are counts. Exactly one of the two must be given."""
    columns = {name: values for name, values in labels.items() if values is not None}
    wanted = " and ".join(labels)
    if counts is None and len(columns) < len(labels):
        found = f"{' and '.join(columns)} alone" if columns else "neither"
        raise ValueError(f"pass either {wanted} or counts; found {found}")
    if counts is not None and columns:
        raise ValueError(f"pass either {wanted} or counts; found both, so leave one of them out")
    if counts is not None and sample_weight is not None:
        raise ValueError("sample_weight goes with labels; found counts: multiply them by the weights instead")
    return columns


def _coded(
    sample_weight: _Numbers, columns: Mapping[str, Iterable[Any]], **sizes: int
) -> tuple[list[_Coded], _Floats]:
    """Turn label columns into codes, with a weight per row; every length must agree, also with `sizes`."""
    coded = {name: _factorise(name, values) for name, values in columns.items()}
    weights = _weights(sample_weight, **sizes, **{name: column.codes.size for name, column in coded.items()})
    for name, column in coded.items():
        missing = np.flatnonzero((column.codes < 0) & (weights > 0.0))
        if missing.size:
            raise ValueError(
                f"{name}[{missing[0]}] is missing; expected a label in every row, found {missing.size} "
                "missing: give each a value of its own or leave the row out"
            )
        column.codes[column.codes < 0] = 0  # of weight 0, so it counts for nothing
    return list(coded.values()), weights


def _factorise(name: str, values: Iterable[Any]) -> _Coded:
    """Number the different values of a column. Values that are equal in Python share a number."""
    column = _items(name, values)
    if isinstance(column, np.ndarray):
        if column.ndim != 1:
            raise ValueError(f"{name} must be one column of labels; found an array of shape {column.shape}")
        if column.dtype.kind in "biufmM":
            levels, codes = np.unique(column, return_inverse=True)
            codes[column != column] = -1  # NaN and NaT differ from themselves
            return _Coded(codes, levels)
        column = column.tolist()
    known: dict[Hashable, int] = {}
    codes = np.empty(len(column), dtype=np.intp)
    for row, value in enumerate(column):
        try:
            codes[row] = -1 if _is_missing(value) else known.setdefault(value, len(known))
        except (TypeError, ValueError):
            found = type(value).__name__
            raise TypeError(f"{name}[{row}] must be hashable to be a label; found {found}") from None
    return _Coded(codes, list(known))


# Checks.


def _is_missing(value: Any) -> bool:
    """Tell None, NaN, NaT and pandas.NA (by the name of its type: comparing it gives no answer)."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _items(name: str, values: Any) -> NDArray[Any] | list[Any]:
    """Return an array if `values` knows how to be one, else a list of its items, unchanged."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # what is masked becomes None
    if hasattr(values, "__array__"):
        return np.asarray(values)
    if isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list, tuple, array or series; found {type(values).__name__}")
    return list(values)


def _numbers(name: str, values: ArrayLike, ndim: int) -> _Floats:
    """Return float64 numbers with `ndim` dimensions, at least one number; what is missing becomes NaN."""
    items = _items(name, values)
    array = items if isinstance(items, np.ndarray) else np.asarray(items, dtype=object)
    if array.ndim != ndim or not array.size:
        shape = "a list of numbers" if ndim == 1 else "a two-way table of numbers"
        raise ValueError(f"{name} must be {shape}, not empty; found shape {array.shape}")
    if array.dtype.kind == "O":
        array = np.array([_number(name, value) for value in array.flat]).reshape(array.shape)
    elif array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers; found {array.dtype}")
    return array.astype(np.float64)


def _number(name: str, value: Any) -> float:
    if _is_missing(value):
        return math.nan
    if not isinstance(value, (Real, Decimal, np.bool_)):
        raise TypeError(f"{name} must hold numbers; found {value!r}")
    return float(value)


def _refuse(name: str, numbers: _Floats, bad: NDArray[np.bool_], complaint: str) -> None:
    """Raise for the first number marked `bad`, naming its place."""
    if bad.any():
        place = np.argwhere(bad)[0].tolist()
        raise ValueError(f"{name}{place} {complaint}; found {numbers[bad][0]}")


def _check_finite(name: str, numbers: _Floats, here: NDArray[np.bool_] | bool = True) -> None:
    """Refuse a missing or infinite number among those marked `here`."""
    _refuse(name, numbers, np.isnan(numbers) & here, "is missing; expected a number")
    _refuse(name, numbers, np.isinf(numbers) & here, "must be finite")


def _amounts(name: str, values: ArrayLike, ndim: int) -> _Floats:
    """Return counts or weights: numbers of at least 0, not all of them 0."""
    amounts = _numbers(name, values, ndim)
    _check_finite(name, amounts)
    _refuse(name, amounts, amounts < 0.0, "must not be negative")
    with np.errstate(over="ignore"):
        total = float(amounts.sum())
    if not 0.0 < total < math.inf:
        raise ValueError(f"{name} must add up to a finite number above 0; found a sum of {total}")
    return amounts


def _weights(sample_weight: _Numbers, **sizes: int) -> _Floats:
    """Return a weight per row, 1 each by default; all columns, of the given sizes, must be equally long."""
    weights = None if sample_weight is None else _amounts("sample_weight", sample_weight, 1)
    if weights is not None:
        sizes["sample_weight"] = weights.size
    if len(set(sizes.values())) > 1:
        found = " and ".join(str(size) for size in sizes.values())
        raise ValueError(f"{' and '.join(sizes)} must have the same length; found {found} rows")
    if 0 in sizes.values():
        raise ValueError(f"{' and '.join(sizes)} must have at least one row; found none")
    return np.ones(next(iter(sizes.values()))) if weights is None else weights
