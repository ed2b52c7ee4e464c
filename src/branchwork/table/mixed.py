"""Warn once about columns of a CSV file that a few texts turned from numbers into categories."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from branchwork.errors import MixedColumnWarning, warn
from branchwork.table.csv_records import SPACES
from branchwork.table.schema import Column
from branchwork.table.table import Table
from branchwork.table.text_cells import parse_number

FEWEST_NUMBERS = 10
"""Columns with fewer numbers than this are not examined: there is too little to tell what was meant."""
LARGEST_SHARE_OF_TEXT = 0.1
"""Columns with a larger share of texts among their known cells are taken for categories."""
MOST_COLUMNS = 5
"""The largest number of columns that a warning describes."""
MOST_TEXTS = 8
"""The largest number of texts that the advice lists."""


@dataclass(frozen=True)
class Mixed:
    """A column of numbers with a few texts in it."""

    column: Column
    row: int  # of the first text
    texts: tuple[str, ...]  # the distinct ones, in order of appearance
    n_texts: int
    n_numbers: int


def warn_of_mixed(
    path: Path,
    table: Table,
    *,
    intended: Collection[int],
    missing: Sequence[str],
    lines_of_rows: Callable[[Sequence[int]], list[int]],
    number: Callable[[str], float | None],
) -> None:
    """Warn once about all columns whose cells are nearly all numbers, but which were read as categories.

    Parameters
    ----------
    intended : positions of the columns that the caller named as categorical.
    missing : texts that were read as missing, for the advice.
    lines_of_rows : finds the lines of rows of the file. It is called only if there is something to report.
    number : reads a number as the file was read; None: the text is none.
    """
    columns = [
        mixed
        for place, (column, codes) in enumerate(zip(table.schema, table.arrays, strict=True))
        if column.is_nominal
        and place not in intended
        and (mixed := mixed_column(column, codes, number)) is not None
    ]
    if not columns:
        return
    told = columns[:MOST_COLUMNS]
    rows = sorted({mixed.row for mixed in told})
    line = dict(zip(rows, lines_of_rows(rows), strict=True))
    texts = list(dict.fromkeys(text for mixed in told for text in mixed.texts))
    names = [mixed.column.name for mixed in told]
    more = f", and {len(columns) - len(told)} more" if len(columns) > len(told) else ""
    described = "; ".join(_described(mixed, line[mixed.row]) for mixed in told)
    warn(f"{path}: {described}{more}. {_advice(texts, names, missing)}", MixedColumnWarning)


def mixed_column(
    column: Column, codes: npt.NDArray[np.int32], number: Callable[[str], float | None] = parse_number
) -> Mixed | None:
    """Return what makes a column of categories look like numbers, or None if nothing does."""
    counts = np.bincount(codes[codes >= 0], minlength=len(column.categories))
    known = int(counts.sum())
    n_texts, texts = 0, []
    for code, category in enumerate(column.categories):
        if counts[code] and number(str(category).strip(SPACES)) is None:
            n_texts += int(counts[code])
            texts.append(code)
            if n_texts > LARGEST_SHARE_OF_TEXT * known:
                return None
    if not n_texts or known - n_texts < FEWEST_NUMBERS:
        return None
    rows = np.flatnonzero(np.isin(codes, texts))
    found = tuple(str(column.categories[code]) for code in dict.fromkeys(codes[rows].tolist()))
    return Mixed(column, int(rows[0]), found, n_texts, known - n_texts)


def _described(mixed: Mixed, line: int) -> str:
    others = mixed.n_texts - 1
    also = f" and {others} more such cell{'s' * (others > 1)}" if others else ""
    return (
        f"column {mixed.column.name!r} was read as categories because of {mixed.texts[0]!r} in line {line}{also} "
        f"({mixed.n_numbers} other cells are numbers)"
    )


def _advice(texts: Sequence[str], names: Sequence[str], missing: Sequence[str]) -> str:
    marked = [*missing, *texts[:MOST_TEXTS]]
    which = repr(texts[0]) if len(texts) == 1 else "such a text"
    rest = " and the other texts" if len(texts) > MOST_TEXTS else ""
    return (
        f"If {which} means a missing cell, read the file with missing={marked!r}{rest} "
        f"({_options('missing', marked)}). "
        f"If categories are meant, say categorical_features={list(names)!r} ({_options('categorical', names)})."
    )


def _options(option: str, values: Sequence[str]) -> str:
    """Return the same advice for the command line."""
    return " ".join(f"--{option} {shlex.quote(value)}" for value in values)
