"""Split rows into training, validation and test rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ParameterError, shown
from branchwork.study.asked import group_codes
from branchwork.study.containers import Rows, check_lengths, rows_of
from branchwork.table import target as targets

NAMES = ("train", "validation", "test")


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a table: their features, their target, and their positions in the whole table, ascending."""

    X: Any
    y: Any
    rows: Rows

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        """Yield X, then y."""
        return iter((self.X, self.y))


@dataclass(frozen=True, eq=False)
class Split:
    """A table in parts: learn from `train`, choose with `validation`, and judge once, at the end, with `test`.

    A part that was not asked for is None.
    """

    train: Part
    validation: Part | None
    test: Part | None

    def __repr__(self) -> str:
        """Show the sizes."""
        sizes = [f"{name} {len(part)}" for name in NAMES if (part := getattr(self, name)) is not None]
        return f"Split({', '.join(sizes)} rows)"


def split(
    X: Any,
    y: Any,
    validation: float = 0.2,
    test: float = 0.2,
    *,
    groups: Any = None,
    seed: int = 0,
) -> Split:
    """Split a table into training, validation and test rows.

    Every part gets its share of every class, or of small and large numbers. The same seed gives the same parts.

    Parameters
    ----------
    X, y : the rows, in any container; the parts come in the same kind of container.
    validation, test : shares below 1, or numbers of rows; 0 means no such part.
    groups : the group of each row, such as the patient it is about: no group is in two parts. Shares are then met as
        closely as whole groups allow, and classes are not balanced.
    seed : the seed of the draws.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> parts = bw.study.split(tennis.X, tennis.y, validation=3, test=3)
    >>> parts
    Split(train 8, validation 3, test 3 rows)
    >>> X_train, y_train = parts.train
    """
    rows = check_lengths(X, y)
    rng = np.random.default_rng(seed_of(seed))
    wanted = {name: _count(name, share, rows) for name, share in (("validation", validation), ("test", test))}
    if sum(wanted.values()) >= rows:
        raise ParameterError(
            f"validation={shown(validation)} and test={shown(test)} leave none of the {rows} rows to train on."
        )
    codes = None if groups is None else group_codes(groups, rows)
    part_of = _by_rows(y, rows, wanted, rng) if codes is None else _by_groups(codes, wanted, rng)
    found: dict[str, Part | None] = {}
    for k, name in enumerate(NAMES):
        places = np.flatnonzero(part_of == k)
        found[name] = Part(rows_of(X, places), rows_of(y, places), places) if len(places) else None
    train = found["train"]
    assert train is not None
    return Split(train, found["validation"], found["test"])


def seed_of(seed: Any) -> int:
    """Refuse a value that is not a seed."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError(f"seed={shown(seed)}; expected a whole number of at least 0.")
    return int(seed)


def _count(name: str, share: Any, rows: int) -> int:
    """Return the number of rows of a part; a share above 0 gives at least one."""
    wrong = isinstance(share, bool) or not isinstance(share, int | float | np.number)
    if not wrong and isinstance(share, int | np.integer) and 0 <= share < rows:
        return int(share)
    if not wrong and isinstance(share, float | np.floating) and 0 <= share < 1:
        return max(1, round(float(share) * rows)) if share > 0 else 0
    raise ParameterError(
        f"{name}={shown(share)}; expected a share from 0 to below 1, or a number of rows below {rows}."
    )


def _by_rows(y: Any, rows: int, wanted: dict[str, int], rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Shuffle the rows, put them in order of their target, and take rows at even distances for each part."""
    order = rng.permutation(rows)
    order = order[np.argsort(_sortable(y)[order], kind="stable")]
    part_of = np.zeros(rows, np.intp)
    left = order
    for name in ("test", "validation"):
        count, size = wanted[name], len(left)
        steps = (np.arange(size + 1) * count + rng.integers(size)) // size
        taken = np.diff(steps) > 0
        part_of[left[taken]] = NAMES.index(name)
        left = left[~taken]
    return part_of


def _sortable(y: Any) -> npt.NDArray[Any]:
    """Return the target as numbers that can be sorted: codes of classes, or the numbers themselves."""
    try:
        numbers = np.asarray(y)
        if numbers.dtype.kind == "f" and numbers.ndim == 1 and not np.isnan(numbers).any():
            return numbers
    except (TypeError, ValueError):
        pass
    return targets.classes(y).codes


def _by_groups(
    codes: npt.NDArray[np.intp], wanted: dict[str, int], rng: np.random.Generator
) -> npt.NDArray[np.intp]:
    """Deal whole groups in random order: test is filled first, then validation; training gets the rest."""
    sizes = np.bincount(codes)
    parts = [name for name in ("test", "validation") if wanted[name]]
    if len(sizes) <= len(parts):
        raise DataError(
            f"groups has {len(sizes)} different groups; {len(parts) + 1} parts need at least {len(parts) + 1}."
        )
    waiting = rng.permutation(len(sizes)).tolist()
    part_of_group = np.zeros(len(sizes), np.intp)
    for k, name in enumerate(parts):
        filled, others = 0, len(parts) - k  # the parts that still need a group each
        while len(waiting) > others and (filled == 0 or _nearer(filled, sizes[waiting[-1]], wanted[name])):
            group = waiting.pop()
            part_of_group[group] = NAMES.index(name)
            filled += int(sizes[group])
    return part_of_group[codes]


def _nearer(filled: int, more: int, wanted: int) -> bool:
    """Return whether another group brings the size of a part closer to the wanted size."""
    return math.fabs(filled + more - wanted) < math.fabs(filled - wanted)
