"""Raise errors for failed checks, which name the field and the first place where it is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import TreeError

Mask = npt.NDArray[np.bool_]


def require(holds: bool | np.bool_, message: str) -> None:
    """Raise TreeError unless something holds."""
    if not holds:
        raise TreeError(f"Not a valid tree: {message}.")


def require_everywhere(holds: Mask, message: str, ids: npt.NDArray[np.integer] | None = None) -> None:
    """Raise TreeError unless a condition holds everywhere; {} in the message is the first place where it does not.

    `ids` has the names of the places, if they are not 0, 1, 2, …
    """
    # `all` would need two more calls, and a file has many checks.
    if not np.logical_and.reduce(holds, axis=None):
        first = int(np.argmin(holds)) // (holds.size // len(holds))
        raise TreeError(f"Not a valid tree: {message.format(first if ids is None else int(ids[first]))}.")


def require_array(name: str, array: Any, dtype: type[np.generic], shape: tuple[int | None, ...]) -> None:
    """Raise TreeError unless this is an array of that type and shape; None allows any length."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise TreeError(f"Not a valid tree: {name} is of type {found}, expected {np.dtype(dtype)}.")
    if array.shape != shape and not _fits(array.shape, shape):
        expected = ", ".join("…" if n is None else str(n) for n in shape) + "," * (len(shape) == 1)
        raise TreeError(f"Not a valid tree: {name} has shape {array.shape}, expected ({expected}).")


def _fits(found: tuple[int, ...], shape: tuple[int | None, ...]) -> bool:
    if len(found) != len(shape):
        return False
    return all(n in (None, m) for n, m in zip(shape, found, strict=True))


def require_packed(name: str, array: npt.NDArray[Any]) -> None:
    """Raise TreeError unless the core can walk over the array as it lies in memory."""
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        raise TreeError(f"Not a valid tree: {name} is not contiguous in memory.")


def slots_of(
    begin: npt.NDArray[np.integer], size: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the places begin, begin + 1, … of several runs, one run after the other, and the run of each place."""
    sizes = size.astype(np.int64)
    run = np.repeat(np.arange(len(sizes)), sizes)
    before = np.cumsum(sizes) - sizes
    return np.arange(len(run)) + (begin.astype(np.int64) - before)[run], run
