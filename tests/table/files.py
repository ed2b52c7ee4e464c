"""What the tests of readers share: files written for a test, and refusals that name them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from branchwork.errors import FileFormatError
from branchwork.table.read import read
from branchwork.table.table import Table


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def facts(table: Table) -> dict[str, object]:
    """Everything that tells one table from another, with NaN and -0.0 told apart by their bits."""
    return {
        column.name: (column, array.dtype.str, np.where(array != array, np.nan, array).tobytes())
        for column, array in zip(table.schema, table.arrays, strict=True)
    }


def refused(path: Path, *fragments: str, error: type[Exception] = FileFormatError, **options: object) -> None:
    with pytest.raises(error) as caught:
        read(path, **options)  # type: ignore[arg-type]
    for fragment in (str(path), *fragments):
        assert fragment in str(caught.value)
