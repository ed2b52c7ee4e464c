"""What the default fixes of `look` make one, asked cell by cell in plain Python."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from typing import Any

import numpy as np
from scipy.stats import chi2

import branchwork as bw
from branchwork.study.clean_rows import ROW_FIXES

DROPPED_ON_PURPOSE = {"empty", "constant", "identifier", "target_copy", "same_column"}


def losses(X: Any, y: Any) -> list[str]:
    """Apply every default fix for itself and say what it lost: values that became one although they differ."""
    seen = bw.study.look(X, y)
    found = []
    for finding in seen.findings:
        if not finding.default or finding.fix.name in ROW_FIXES:
            continue
        if finding.fix.name == "drop_column":
            assert finding.kind in DROPPED_ON_PURPOSE, finding
            if finding.kind == "constant" and None in seen.table.column(finding.column):
                found.append(f"{finding.column}: known and missing cells became one")
            continue
        before = seen.table.column(finding.column)
        done = bw.study.clean(seen, fixes=finding).table
        names = [
            name
            for name in done.schema.names
            if name not in seen.table.schema.names or name == finding.column
        ]
        after = list(zip(*(done.column(name) for name in names), strict=True))
        found += [f"{finding.column}: {what}" for what in _merged(before, after, classes(y))]
    return found


def classes(y: Any) -> list[Any]:
    """The target as classes: numbers of many values in ten groups of about equal size."""
    values = [v for v in y if not (v is None or v != v)]
    if len(set(values)) <= 30 or isinstance(values[0], str):
        return values
    return np.searchsorted(np.quantile(values, np.linspace(0.1, 0.9, 9)), values).tolist()


def _merged(before: list[Any], after: list[Any], y: list[Any]) -> list[str]:
    groups: dict[Any, dict[Any, Counter[Any]]] = defaultdict(lambda: defaultdict(Counter))
    for cell, new, label in zip(before, after, y, strict=True):
        groups[new][cell][label] += 1
    found, statistic, freedom = [], 0.0, 0
    for new, cells in groups.items():
        if len(cells) < 2:
            continue
        forms = {_form(cell) for cell in cells}
        if len(forms) > 1 and any(part is not None for part in new) and not _numbers(cells):
            found.append(f"{sorted(map(repr, cells))[:6]} became {new!r}")
        labels = sorted({label for counts in cells.values() for label in counts}, key=repr)
        table = np.array([[counts[label] for label in labels] for counts in cells.values()], float)
        expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
        statistic += 2 * (table[table > 0] * np.log(table[table > 0] / expected[table > 0])).sum()
        freedom += (len(cells) - 1) * (len(labels) - 1)
    if freedom and chi2.sf(statistic, freedom) < 0.001:
        found.append(f"the target tells apart what became one (p {chi2.sf(statistic, freedom):.1e})")
    return found


def _form(cell: Any) -> Any:
    return unicodedata.normalize("NFC", " ".join(cell.split()).lower()) if isinstance(cell, str) else cell


def _numbers(cells: Any) -> bool:
    """Whether all are numbers, perhaps as text: one number in two units or two notations."""
    try:
        return all(float(cell) == float(cell) for cell in cells)
    except (TypeError, ValueError):
        return False
