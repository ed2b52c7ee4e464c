"""The tables as the library takes them, each made once."""

from __future__ import annotations

from functools import cache

import pandas as pd

from agree import c45_outputs
from agree.as_table import as_table, as_target
from agree.j48 import tables
from branchwork.table.table import Table


@cache
def given(name: str) -> c45_outputs.Table:
    return tables.read(name)


@cache
def coded(name: str) -> tuple[Table, pd.Categorical]:
    return as_table(given(name)), as_target(given(name))


@cache
def asked(name: str) -> Table:
    """The rows that Weka was asked for probabilities of."""
    return as_table(tables.asked(given(name)))
