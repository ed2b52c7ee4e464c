"""Choose two columns to show, and the values at which all others are held."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ParameterError, did_you_mean
from branchwork.model.model import Model
from branchwork.rules.condition import Among, Plain
from branchwork.study.boxes import just
from branchwork.table.adapt import positions
from branchwork.table.schema import Column, category_key
from branchwork.table.table import Table
from branchwork.tree.split import category, harmless, number

Features = Sequence[str | int] | None
Fixed = Mapping[str | int, Any] | None


@dataclass(frozen=True)
class Held:
    """A column held at a value, how that was chosen, and the condition that cells of this value pass."""

    feature: int
    value: Any
    chosen: str
    condition: Plain

    def describe(self, column: Column) -> str:
        """Describe it in words: "age = 31 (median)"."""
        value = category(self.value) if column.is_nominal else number(self.value)
        return f"{harmless(column.name)} = {harmless(value)} ({self.chosen})"


def two_features(model: Model, features: Features) -> tuple[int, int]:
    """Return the positions of the requested columns, or of those that the tree tests, filled up with other columns."""
    if len(model.schema) < 2:
        raise ParameterError("Regions lie in the plane of two columns, but the tree was trained on one.")
    if features is not None:
        chosen = positions("features", features, model.schema)
        if len(chosen) != 2 or chosen[0] == chosen[1]:
            raise ParameterError(f"features={features!r}; expected two different columns.")
        return chosen[0], chosen[1]
    tested = tested_features(model)
    if len(tested) > 2:
        names = ", ".join(repr(model.schema[feature].name) for feature in tested[:6])
        more = ", …" if len(tested) > 6 else ""
        first = tuple(model.schema[feature].name for feature in tested[:2])
        raise ParameterError(
            f"The tree tests {len(tested)} columns: {names}{more}. Choose two, as in features={first!r}; the others "
            "are held at the values in fixed={…}, or at their median or most frequent category."
        )
    others = [feature for feature in range(len(model.schema)) if feature not in tested]
    across, up = sorted([*tested, *others][:2])
    return across, up


def tested_features(model: Model) -> list[int]:
    """The columns that the tree tests."""
    return sorted(set(model.tree.feature[model.tree.feature >= 0].tolist()))


def _asked_features(model: Model) -> set[int]:
    """Return the columns that the tree tests, surrogates included."""
    surrogates = model.tree.surrogates
    stand_ins = [] if surrogates is None else surrogates.feature.tolist()
    return {*tested_features(model), *stand_ins}


def held_off(model: Model, table: Table, plane: tuple[int, int], fixed: Fixed) -> list[Held]:
    """Return the tested columns off a plane, each held at its given value, or at the middle of its cells."""
    if not isinstance(fixed, Mapping | None):
        raise ParameterError(f"fixed={fixed!r}; expected a mapping of column to value, or None.")
    fixed = fixed or {}
    given = dict(zip(positions("fixed", list(fixed), model.schema), fixed.values(), strict=True))
    for feature in plane:
        if feature in given:
            name = model.schema[feature].name
            raise ParameterError(f"fixed holds {name!r}, which is one of the two columns to be looked at.")
    return [
        _held_as_given(feature, model.schema[feature], given[feature])
        if feature in given
        else _held_in_the_middle(feature, model.schema[feature], table.arrays[feature])
        for feature in sorted(_asked_features(model).union(given).difference(plane))
    ]


def _held_as_given(feature: int, column: Column, value: Any) -> Held:
    if column.is_nominal:
        code = column.code_of.get(category_key(value))
        if code is None:
            hint = did_you_mean(str(value), map(str, column.categories))
            raise ParameterError(f"fixed[{column.name!r}]={value!r} is no category of that column.{hint}")
        return Held(feature, column.categories[code], "as given", Among(feature, (code,)))
    if not isinstance(value, numbers.Real) or math.isnan(value):
        raise ParameterError(f"fixed[{column.name!r}]={value!r}; expected a number.")
    return Held(feature, float(value), "as given", just(feature, float(value)))


def _held_in_the_middle(feature: int, column: Column, cells: npt.NDArray[Any]) -> Held:
    """Hold a column at its most frequent category (ties go to the earlier) or at its median (of two, the lower)."""
    known = cells[cells >= 0] if column.is_nominal else np.sort(cells[~np.isnan(cells)])
    if not len(known):
        raise DataError(
            f"Column {column.name!r} has no known cell to hold it at. Give one: fixed={{{column.name!r}: …}}."
        )
    if column.is_nominal:
        code = int(np.argmax(np.bincount(known)))
        return Held(feature, column.categories[code], "most frequent", Among(feature, (code,)))
    median = float(known[(len(known) - 1) // 2])
    return Held(feature, median, "median", just(feature, median))
