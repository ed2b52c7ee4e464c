"""Implement `bw.study.look`: a first look at a table, before any model.

X, y ─► table, target ─► one pass per column ─► rows, pairs of columns ─► Look
       (look_input)     (sorted once: summary,   (look_rows,
                         association, picture,     look_redundancy)
                         findings)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from branchwork.errors import ParameterError, shown
from branchwork.learn.progress import progress_bar
from branchwork.learn.threads import in_threads, thread_count
from branchwork.study.look_association import (
    MOST_PERMUTED,
    Association,
    Shuffling,
    TargetGroups,
    associate,
    drawn_rows,
)
from branchwork.study.look_default import judged, rows_judged
from branchwork.study.look_find_column import FINDERS
from branchwork.study.look_find_spelling import similar_spelling, spelling
from branchwork.study.look_find_target import target_copy
from branchwork.study.look_find_values import unreasonable
from branchwork.study.look_finding import KINDS, Finding, Fix
from branchwork.study.look_input import Given, Task, given, target_of
from branchwork.study.look_picture import Painter, Picture
from branchwork.study.look_profile import Profile, profile_of
from branchwork.study.look_redundancy import MOST_SAMPLED, redundancies, same_columns
from branchwork.study.look_result import Feature, Look, TargetLook
from branchwork.study.look_rows import Keys, contradictory_rows, duplicate_rows, key_of_cells, repeats
from branchwork.study.look_summary import Summary, summary_of
from branchwork.table.adapt import CategoricalFeatures
from branchwork.table.target import Classes, Target, Values
from branchwork.tree.split import category, number


def look(
    X: Any,
    y: Any = None,
    *,
    task: Task = "auto",
    categorical_features: CategoricalFeatures = "from_dtype",
    permutations: int = 0,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Look:
    """Look at a table before any model does: what its columns hold, what is odd about them, what they tell.

    The result prints as text. `to_html()` is a page with a picture of every feature against the target, `findings`
    lists what is odd, each with a fix that `bw.study.clean` can apply.

    Parameters
    ----------
    X : a table in any container that `bw.to_table` takes. Columns of dates, and columns that mix numbers and texts, are
        taken as text.
    y : the target: one cell per row, or the name of a column of X. None if there is no target.
    task : "classification", "regression", or "auto": whole numbers with at most ten different values are classes.
    categorical_features : numeric columns to treat as categories: names, positions or a mask.
    permutations : how often the target is shuffled for a permutation test of every feature, on up to 10 000 rows.
        0: not at all.
    random_state : the seed of the permutations, and of the rows that are drawn from a large table.
    n_jobs : the number of threads; -1 for all processors. The result is the same for any number.
    verbose : show a progress bar.

    >>> import branchwork as bw
    >>> seen = bw.study.look({"size": [1.5, 2.5, 2.0, 3.0], "colour": ["red"] * 4}, ["a", "b", "a", "b"])
    >>> [(one.kind, one.column, str(one.fix)) for one in seen.findings]
    [('constant', 'colour', "drop_column('colour')")]
    """
    found = given(X, y, categorical_features)
    with progress_bar(verbose, len(found.table.schema), "looking") as progress:
        return look_at(
            found,
            task=task,
            permutations=permutations,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )


def look_at(
    found: Given,
    *,
    task: Task = "auto",
    permutations: int = 0,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Look:
    """Look at a table that has already been made from any container."""
    permutations = _whole("permutations", permutations)
    seed = _whole("random_state", random_state)
    threads = thread_count(n_jobs)
    found, lost = _with_target(found)
    target = target_of(found, task)
    table = found.table
    study = _Study(
        target,
        None if target is None else TargetGroups.of(target),
        Painter.of(target),
        Shuffling(permutations, drawn_rows(table.n_rows, MOST_PERMUTED, seed), seed)
        if permutations
        else None,
    )
    profiles, features, findings = [], [], list(lost)
    keys = np.zeros(table.n_rows, np.uint64)
    pieces = in_threads(
        partial(_inspect, study), range(len(table.schema)), table.schema, table.arrays, n_jobs=threads
    )
    for done, one in enumerate(pieces, start=1):
        profiles.append(one.profile)
        features.append(Feature(one.summary, one.association, one.picture))
        findings += one.findings
        with np.errstate(over="ignore"):
            keys += one.keys
        if progress is not None:
            progress(done)
    sample = drawn_rows(table.n_rows, MOST_SAMPLED, seed)
    findings += same_columns(profiles, sample)
    findings += _about_rows(found, target, study.groups, profiles, keys)
    order = {kind: k for k, kind in enumerate(KINDS)}
    return Look(
        found,
        target,
        tuple(features),
        None if target is None else _target_look(found, target),
        tuple(sorted(_without_echoes(findings), key=lambda one: order[one.kind])),
        tuple(redundancies(profiles, sample)),
        study.painter.key,
    )


@dataclass(frozen=True, eq=False)
class _Study:
    """What all columns share."""

    target: Target | None
    groups: TargetGroups | None
    painter: Painter
    shuffling: Shuffling | None


@dataclass(frozen=True, eq=False)
class _Piece:
    """The results about one column."""

    profile: Profile
    summary: Summary
    association: Association | None
    picture: Picture
    findings: list[Finding]
    keys: Keys


def _inspect(study: _Study, place: int, column: Any, array: Any) -> _Piece:
    """Find out everything about one column; its sorted values are not kept."""
    profile = profile_of(column, array, ordered=isinstance(study.target, Values))
    finders = (*FINDERS, spelling, similar_spelling)
    findings = [one for finder in finders if (one := finder(profile)) is not None]
    findings += unreasonable(profile)
    if study.target is not None and (copy := target_copy(profile, study.target)) is not None:
        findings.append(copy)
    findings = [judged(one, column, profile.array, study.groups) for one in findings]
    association = None if study.groups is None else associate(profile, study.groups, study.shuffling, place)
    return _Piece(
        profile.light(array),
        summary_of(profile),
        association,
        study.painter.paint(profile),
        findings,
        key_of_cells(profile, place),
    )


def _with_target(found: Given) -> tuple[Given, list[Finding]]:
    """Leave out rows whose target is missing, and say so."""
    missing = found.target_is_missing
    if not missing.any():
        return found, []
    rows = np.flatnonzero(missing)
    if len(rows) == len(missing):
        raise ParameterError(
            "y has no known cell. Give a target with known cells, or y=None to look without one."
        )
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    left = len(missing) - len(rows)
    message = f"Row {rows[0]}{more}: the target is missing. Only the other {left} rows are looked at."
    finding = Finding(
        "missing_target", None, message, Fix("drop_missing_target"), len(rows), tuple(rows[:5].tolist())
    )
    return found.take(~missing), [finding]


def _about_rows(
    found: Given, target: Target | None, groups: TargetGroups | None, profiles: list[Profile], keys: Keys
) -> list[Finding]:
    """Find duplicate and contradictory rows."""
    arrays = list(found.table.arrays)
    if target is None or found.column is None or found.cells is None:
        same = repeats(keys, arrays, profiles, len(profiles))
        return [one for one in [duplicate_rows(same)] if one is not None]
    own = profile_of(found.column, found.cells).light(found.cells)
    with np.errstate(over="ignore"):
        whole = keys + key_of_cells(own, len(profiles))
    alike = repeats(keys, arrays, profiles, len(profiles))
    if not len(alike.rows):
        return []
    same = repeats(whole, [*arrays, found.cells], [*profiles, own], len(profiles))
    copies = duplicate_rows(same)
    if copies is not None:
        copies = rows_judged(copies, same.rows, found.table.n_rows, groups)
    both = (copies, contradictory_rows(alike, target, partial(_say, target)))
    return [one for one in both if one is not None]


def _say(target: Target, row: int) -> str:
    if isinstance(target, Classes):
        return category(target.labels[int(target.codes[row])])
    return number(float(target.values[row]))


def _without_echoes(findings: list[Finding]) -> list[Finding]:
    """Leave out findings about columns that repeat a copy of the target, because both are copies of it."""
    copies = {one.column for one in findings if one.kind == "target_copy"}
    return [
        one for one in findings if not (one.kind in ("same_column", "identifier") and one.column in copies)
    ]


def _target_look(found: Given, target: Target) -> TargetLook:
    name = "y" if found.column is None else found.column.name
    if isinstance(target, Classes):
        counts = np.bincount(target.codes, minlength=len(target.labels)).tolist()
        return TargetLook(name, tuple(zip(target.labels, counts, strict=True)), None)
    assert found.column is not None
    return TargetLook(name, None, summary_of(profile_of(replace(found.column), target.values)))


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ParameterError(f"{name}={shown(value)}; expected a whole number, 0 or more.")
    return int(value)
