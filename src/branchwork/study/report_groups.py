"""Measure the errors of a model in subgroups of the rows, by a column."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from branchwork.errors import DataError, ParameterError, did_you_mean, shown
from branchwork.measure.chance import chi_square
from branchwork.study.intervals import Estimate, weighted_share
from branchwork.study.look_input import lenient_table
from branchwork.study.report_answers import Answers, Codes, Floats
from branchwork.table.schema import Column
from branchwork.table.table import Table
from branchwork.tree.split import category, harmless, rounded

MOST_VALUES = 10
"""Numbers with more distinct values are divided into quarters of the rows."""
MOST_GROUPS = 30
"""The largest number of groups of a column: the most frequent categories; all others are one group."""


@dataclass(frozen=True)
class Group:
    """Some rows, and the errors of the model on them.

    Parameters
    ----------
    name : the value of the column as text.
    n_rows, weight : the number of rows and their weight.
    figures : by name. Classes: `error`; for two classes also `predicted` (the share predicted to be of the positive
        class), `recall` and `precision`. Numbers: `bias`, `mae` and `rmse`.
    """

    name: str
    n_rows: int
    weight: float
    figures: dict[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**vars(self), "figures": {name: one.to_dict() for name, one in self.figures.items()}}


@dataclass(frozen=True)
class Subgroups:
    """The groups of one column, and the p-value of the difference of their error rates."""

    column: str
    groups: tuple[Group, ...]
    p_value: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "column": self.column,
            "p_value": self.p_value,
            "groups": [one.to_dict() for one in self.groups],
        }


@dataclass(frozen=True, eq=False)
class Parted:
    """The rows of a table in groups: the name of the column, names of the groups, and the group of each row."""

    column: str
    names: tuple[str, ...]
    of_row: Codes


def parted(subgroup: Any, X: Any, rows: Codes) -> list[Parted]:
    """Return the groups of each requested column.

    Parameters
    ----------
    subgroup : the name of a column of X, several names, one cell for each row, or columns of such cells by name.
    X : the rows that are judged.
    rows : their positions among the given rows.
    """
    if subgroup is None:
        return []
    if isinstance(subgroup, Mapping):
        return [_of_cells(name, cells, rows) for name, cells in subgroup.items()]
    names = [subgroup] if isinstance(subgroup, str) else subgroup
    if (
        isinstance(names, list | tuple)
        and len(names) < 2 + len(rows)
        and all(isinstance(n, str) for n in names)
    ):
        table = lenient_table(X)
        if len(names) == 1 or set(names) & set(table.schema.names):
            return [_of_column(table, name) for name in names]
    return [_of_cells(str(getattr(subgroup, "name", None) or "subgroup"), subgroup, rows)]


def _of_column(table: Table, name: str) -> Parted:
    if name not in table.schema.names:
        known = table.schema.names
        raise ParameterError(
            f"subgroup={name!r}: X has no such column.{did_you_mean(name, known)} It has {shown(list(known))}."
        )
    place = table.schema.index(name)
    return _parted(table.schema[place], table.arrays[place])


def _of_cells(name: str, cells: Any, rows: Codes) -> Parted:
    table = lenient_table({name: cells})
    if table.n_rows <= int(rows.max()):
        raise DataError(f"subgroup {name!r} has {table.n_rows} cells; expected one for each row of X.")
    return _parted(table.schema[0], table.arrays[0][rows])


def _parted(column: Column, cells: Any) -> Parted:
    if column.is_nominal:
        return _by_category(column, np.asarray(cells, np.intp))
    numbers = np.asarray(cells, np.float64)
    values = np.unique(numbers[~np.isnan(numbers)])
    if len(values) <= MOST_VALUES:
        names = [rounded(value) for value in values.tolist()]
        return _with_missing(column.name, names, np.searchsorted(values, numbers), np.isnan(numbers))
    bounds = np.unique(np.quantile(numbers[~np.isnan(numbers)], [0.25, 0.5, 0.75]))
    texts = [rounded(bound) for bound in bounds.tolist()]
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    names = [f"up to {texts[0]}", *between, f"above {texts[-1]}"]
    return _with_missing(column.name, names, np.searchsorted(bounds, numbers), np.isnan(numbers))


def _by_category(column: Column, codes: Codes) -> Parted:
    missing = codes < 0
    counts = np.bincount(codes[~missing], minlength=len(column.categories))
    order = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    kept = np.sort(order if len(order) <= MOST_GROUPS else order[: MOST_GROUPS - 1])
    place = np.full(len(column.categories), len(kept), np.intp)
    place[kept] = np.arange(len(kept))
    names = [_said(column.categories[k]) for k in kept.tolist()]
    if len(order) > len(kept):
        names.append(f"{len(order) - len(kept)} others")
    return _with_missing(column.name, names, np.where(missing, 0, place[codes]), missing)


def _said(value: Hashable) -> str:
    return harmless(category(value))


def _with_missing(column: str, names: Sequence[str], of_row: Codes, missing: Any) -> Parted:
    found = np.where(missing, len(names), of_row).astype(np.intp)
    return Parted(column, (*names, "missing") if missing.any() else tuple(names), found)


def class_groups(answers: Answers, groups: Parted, positive: int | None, level: float) -> Subgroups:
    """Return the error rates of groups; for two classes also how often the positive class is predicted."""
    counts = np.zeros((len(groups.names), 2))
    lines = []
    for k, name in enumerate(groups.names):
        rows = groups.of_row == k
        mass, wrong = answers.mass[rows], answers.is_wrong[rows]
        counts[k] = [wrong.sum(), (~wrong).sum()]
        figures = {"error": weighted_share(mass, wrong, level=level)}
        if positive is not None:
            truth, said = answers.truth[rows] == positive, answers.said[rows] == positive
            figures["predicted"] = weighted_share(mass, said, level=level)
            figures["recall"] = weighted_share(mass[truth], said[truth], level=level)
            figures["precision"] = weighted_share(mass[said], truth[said], level=level)
        lines.append(Group(name, int(rows.sum()), float(mass.sum()), figures))
    return Subgroups(groups.column, tuple(lines), chi_square(counts)[1])


def number_figures(answers: Answers, groups: Parted) -> Any:
    """Return a function from counts of rows to the mean, mean absolute and root mean squared error of each group."""
    error, mass, count = answers.truth - answers.said, answers.mass, len(groups.names)
    parts = (mass, mass * error, mass * np.abs(error), mass * error**2)

    def figures(counts: Floats) -> Floats:
        total, *sums = (np.bincount(groups.of_row, counts * part, count) for part in parts)
        none = np.full(count, np.nan)
        bias, size, squared = (np.divide(one, total, out=none.copy(), where=total > 0) for one in sums)
        return np.concatenate([bias, size, np.sqrt(squared)])

    return figures


def number_groups(answers: Answers, groups: Parted, found: Sequence[Estimate]) -> Subgroups:
    """Return the errors of groups; `found` are the figures of `number_figures`."""
    count = len(groups.names)
    lines = []
    for k, name in enumerate(groups.names):
        rows = groups.of_row == k
        figures = {"bias": found[k], "mae": found[count + k], "rmse": found[2 * count + k]}
        lines.append(Group(name, int(rows.sum()), float(answers.mass[rows].sum()), figures))
    return Subgroups(groups.column, tuple(lines), None)
