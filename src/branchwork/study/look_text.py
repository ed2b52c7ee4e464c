"""Write a look as text for a terminal: findings, target, and a table of the columns."""

from __future__ import annotations

import textwrap

from branchwork.study.look_finding import Finding
from branchwork.study.look_result import Feature, Look, TargetLook
from branchwork.tree.split import category, class_share, harmless, rounded
from branchwork.view.blocks import Grid, Mark
from branchwork.view.digits import chance, percent, shortened
from branchwork.view.terminal import folded, paint
from branchwork.view.working_formats import to_text

WIDTH = 110
"""Sentences are wrapped at this width."""
WIDEST_NAME = 28
MOST_COLUMNS = 60
"""The largest number of columns that are listed: those that tell most about the target."""
MOST_PAIRS = 8
CORRECTED = "corrected"
"""The column that features are ordered by: bits beyond those that chance gives on average."""
SPARE = ("ratio", "permuted", "Spearman", "Pearson", "kind", "distinct", "p value", "missing", "bits")
"""Columns that a narrow terminal leaves out, this one first."""
MOST_CLASSES = 10


def look_text(seen: Look, *, color: bool = False, width: int | None = None) -> str:
    """Write a look as text, in lines of at most this many columns; None: tables may have any width."""
    wide = WIDTH if width is None else min(WIDTH, width)
    parts = [paint(folded(headline(seen), width), "bold", colour=color), *_findings(seen, color, wide)]
    if seen.target_look is not None:
        target = _target(seen.target_look)
        parts += ["", paint("The target", "bold", colour=color), folded(target, width and wide, "  ")]
    table = to_text([_columns(seen)], colour=color, width=width)
    parts += ["", paint(folded(_title(seen), width), "bold", colour=color), table]
    if unchangeable := seen.unchangeable:
        parts.append(folded(_cannot_change(unchangeable), width))
    left = len(seen.features) - MOST_COLUMNS
    if left > 0:
        parts.append(f"… and {left} more column{'s' * (left > 1)}; to_dict() has them all.")
    parts += _pairs(seen, color)
    return "\n".join(parts)


def headline(seen: Look) -> str:
    """Say how large the table is.

    >>> import branchwork as bw
    >>> headline(bw.study.look({"x": [1.0, None]}))
    '2 rows, 1 column; 1 of 2 cells is missing (50%)'
    """
    cells = seen.n_rows * len(seen.features)
    missing = sum(one.summary.missing for one in seen.features)
    size = f"{counted(seen.n_rows, 'row')}, {counted(len(seen.features), 'column')}"
    if not missing:
        return f"{size}; no cell is missing"
    return f"{size}; {missing} of {cells} cells {'is' if missing == 1 else 'are'} missing ({percent(missing / cells)})"


def counted(n: int, noun: str) -> str:
    """Return a number and its noun: 1 row, 2 rows."""
    return f"{n} {noun}{'s' * (n != 1)}"


def _findings(seen: Look, color: bool, wide: int) -> list[str]:
    n = len(seen.findings)
    lines = ["", paint(counted(n, "finding") if n else "No findings", "bold", colour=color)]
    for number, one in enumerate(seen.findings, start=1):
        lines += _finding(number, one, color, wide)
    return lines


def _finding(number: int, one: Finding, color: bool, wide: int) -> list[str]:
    first = f"{number:>3}. {harmless(one.message)}"
    sentence = textwrap.wrap(first, wide, subsequent_indent="     ", break_on_hyphens=False)
    fix = textwrap.wrap(
        f"{'fix' if one.default else 'proposal'}: {shortened(str(one.fix), 300)}",
        wide,
        initial_indent="     ",
        subsequent_indent="          ",
        break_on_hyphens=False,
    )
    return [*sentence, *(paint(line, "cyan", colour=color) for line in fix)]


def _target(target: TargetLook) -> str:
    name = harmless(target.name)
    if target.classes is not None:
        total = sum(count for _, count in target.classes)
        shown = sorted(target.classes, key=lambda one: -one[1])[:MOST_CLASSES]
        listed = "   ".join(
            class_share(shortened(harmless(category(label)), WIDEST_NAME), str(count), percent(count / total))
            for label, count in shown
        )
        left = len(target.classes) - len(shown)
        more = f"   and {left} more" if left else ""
        return (
            f"{name}: {counted(len(target.classes), 'class').replace('classs', 'classes')}   {listed}{more}"
        )
    assert target.summary is not None
    one = target.summary
    spread = "" if one.deviation is None else f", standard deviation {rounded(one.deviation)}"
    return (
        f"{name}: numbers from {rounded(one.minimum or 0.0)} to {rounded(one.maximum or 0.0)}, median "
        f"{rounded(one.median or 0.0)}, mean {rounded(one.mean or 0.0)}{spread}"
    )


def _cannot_change(names: tuple[str, ...]) -> str:
    listed = ", ".join(shortened(harmless(name), WIDEST_NAME) for name in names[:MOST_CLASSES])
    more = f" and {len(names) - MOST_CLASSES} more" if len(names) > MOST_CLASSES else ""
    return f"Dates and identifiers, which nobody can change: {listed}{more}; see why(row, fixed=[…])."


def _title(seen: Look) -> str:
    return (
        "The columns" if seen.target is None else "The columns, those first that tell most about the target"
    )


def _columns(seen: Look) -> Grid:
    shown = seen.ranked()[:MOST_COLUMNS]
    header = ["column", "kind", "missing", "distinct", "values"]
    has_target = seen.target is not None
    permuted = any(one.association and one.association.permutation_p is not None for one in shown)
    numeric_target = seen.target_look is not None and seen.target_look.classes is None
    if has_target:
        header += ["bits", CORRECTED, "p value", *(["permuted"] if permuted else []), "ratio"]
    if numeric_target:
        header += ["Pearson", "Spearman"]
    rows = []
    for one in shown:
        summary = one.summary
        line = [
            shortened(harmless(summary.name), WIDEST_NAME),
            summary.kind,
            "" if not summary.missing else percent(summary.missing / seen.n_rows),
            str(summary.distinct),
            values_text(one),
        ]
        if has_target:
            line += _associated(one, permuted, numeric_target)
        rows.append(tuple(line))
    marks: list[Mark] = [""] * len(rows)
    return Grid(tuple(header), tuple(rows), tuple(marks), frozenset({0, 1, 4}), SPARE)


def _associated(one: Feature, permuted: bool, numeric_target: bool) -> list[str]:
    found = one.association
    assert found is not None
    cells = [f"{found.mutual_information:.4f}", f"{found.corrected_information:.4f}", chance(found.p_value)]
    if permuted:
        cells.append("" if found.permutation_p is None else f"{found.permutation_p:.3g}")
    cells.append(signed(found.correlation_ratio))
    return [*cells, signed(found.pearson), signed(found.spearman)] if numeric_target else cells


def signed(value: float | None) -> str:
    """Return a correlation with two decimals, or nothing if there is none."""
    return "" if value is None else f"{value + 0.0:.2f}"


def values_text(one: Feature) -> str:
    """Say in a few words what a column holds: its range and median, or its most frequent categories.

    >>> import branchwork as bw
    >>> [values_text(one) for one in bw.study.look({"x": [1.0, 2, 9], "c": ["a", "b", "b"]}).features]
    ['1 to 9, median 2', 'b: 67%, a: 33%']
    """
    summary = one.summary
    if not summary.known:
        return "nothing known"
    if summary.kind == "numeric" and summary.median is not None:
        low, high, middle = (rounded(x or 0.0) for x in (summary.minimum, summary.maximum, summary.median))
        return f"{low} to {high}, median {middle}"
    some = [
        f"{shortened(harmless(category(value)), 16)}: {percent(count / summary.known)}"
        for value, count in summary.most_frequent[:3]
    ]
    left = summary.distinct - len(some)
    return ", ".join([*some, *([f"{left} more"] if left > 0 else [])])


def _pairs(seen: Look, color: bool) -> list[str]:
    if not seen.redundancy:
        return []
    lines = ["", paint("Columns that depend strongly on each other", "bold", colour=color)]
    for one in seen.redundancy[:MOST_PAIRS]:
        how = (
            f"they share {percent(one.strength)} of their information"
            if one.spearman is None
            else f"correlation of ranks {one.spearman:.3f}"
        )
        lines.append(f"  {harmless(one.one)} and {harmless(one.other)}: {how}")
    left = len(seen.redundancy) - MOST_PAIRS
    return [*lines, f"  … and {counted(left, 'more pair')}"] if left > 0 else lines
