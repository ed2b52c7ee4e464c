"""Random tables of 0 and 1, the same every time, for which STreeD has found the least number of errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Table = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]


def tables(count: int = 300) -> Iterator[Table]:
    """Yield features, labels and a depth."""
    rng = np.random.default_rng(20)
    for _ in range(count):
        rows, columns = int(rng.integers(20, 200)), int(rng.integers(2, 10))
        classes, depth = int(rng.integers(2, 4)), int(rng.integers(1, 4))
        X = rng.integers(0, 2, size=(rows, columns))
        yield X, (2 * X[:, 0] + X[:, 1] * X[:, -1] + rng.integers(0, 2, rows)) % classes, depth
