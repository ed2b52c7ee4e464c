"""Check training rows, as every learner does."""

from __future__ import annotations

from branchwork.errors import DataError
from branchwork.table.table import UNSEEN, Table
from branchwork.table.target import Target


def check_rows(table: Table, target: Target) -> None:
    """Refuse a table without rows, and one with more or fewer rows than the target."""
    if table.n_rows == 0:
        raise DataError(
            f"Found array with 0 sample(s) (shape={table.shape}) while a minimum of 1 is required."
        )
    if table.n_rows != len(target):
        raise DataError(
            f"X has {table.n_rows} rows, but y has {len(target)}: inconsistent numbers of samples. Every row needs one."
        )


def refuse_unseen(table: Table) -> None:
    """Refuse a table that was coded for prediction and has unseen categories."""
    if table.first_unseen is not None:
        name, row = table.first_unseen
        raise DataError(
            f"Column {name!r}, row {row}: the code {UNSEEN} means an unseen category; not in training."
        )
