"""`branchwork tune`: choose the settings of a method by cross-validation, and save the model."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from branchwork.cli import inputs, settings
from branchwork.cli.estimators import answers_of, estimator_of, study_method, values_of
from branchwork.cli.grow import Folds
from branchwork.cli.output import AsJson, Save, check_output, saved, say_next, write, write_json
from branchwork.cli.words import word_option
from branchwork.errors import ParameterError

MOST_FOLDS = 5
"""Folds unless a number is given: with inner folds the work grows with the square of them."""


def tune(
    file: inputs.File,
    target: inputs.Target_ = None,
    method: Annotated[str | None, study_method()] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="NAME=A,B,…",
            help="Values of a setting to try, as in --grid max_depth=2,4,none. May be repeated; by default the usual "
            "settings of the method.",
        ),
    ] = None,
    choose: Annotated[
        str,
        word_option(
            "--choose",
            words=lambda: ("1se", "min"),
            text="1se takes the fewest leaves within one standard error of the least error, min the least error.",
        ),
    ] = "1se",
    folds: Folds = None,
    nested: Annotated[
        bool,
        typer.Option(
            "--nested/--no-nested",
            help="Estimate the error of the whole procedure by folds that had no part in the choice.",
        ),
    ] = True,
    others: settings.Set = None,
    task: inputs.Task = "auto",
    weights: inputs.Weights = None,
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    output: Save = None,
    as_json: AsJson = False,
) -> None:
    """Choose the settings of a method by cross-validation, and save the model that has them.

    \b
      branchwork tune patients.csv --target outcome -o patients.bw
      branchwork tune patients.csv --target outcome --method optimal -o best.bw
      branchwork tune patients.csv --target outcome --grid max_depth=2,3,none

    The best settings are shown with their errors on rows left out, and the error to expect of the chosen ones on new
    rows: that of the whole procedure, choice included.
    """
    from branchwork.cli.procedure import checked_folds
    from branchwork.study.tuning import tuned

    check_output(output, "a model", file)
    reading = inputs.Reading(missing, input_format, decimal)
    lesson = inputs.lesson(
        file, reading, target=target, task=task, weights=weights, drop=drop, categorical=categorical
    )
    rows = lesson.table.n_rows
    if rows < 3:
        raise ParameterError(
            f"A table of {rows} rows has too few to choose settings by folds; expected 3 or more."
        )
    count = min(MOST_FOLDS, rows) if folds is None else checked_folds("--folds", folds, rows)
    est, found = tuned(
        estimator_of(method, None, lesson, others),
        lesson.table,
        answers_of(lesson),
        grid=_grid(grid),
        sample_weight=lesson.target.weights,
        folds=count,
        choose=choose,  # type: ignore[arg-type]
        nested=nested,
        verbose=sys.stderr.isatty(),
    )
    from dataclasses import replace

    saved(replace(est.model_, target=lesson.target_name), output)
    if as_json:
        write_json(found.to_dict())
        return
    write(str(found), None)
    say_next(output, what="this tree" if len(est.model_.trees) == 1 else "these trees")


def _grid(pairs: list[str] | None) -> dict[str, Any] | None:
    """Return the values of settings by name."""
    if not pairs:
        return None
    found = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        values = values_of(text)
        if not sign or not name or not values:
            raise ParameterError(f"--grid {pair!r}; expected NAME=A,B,…, as in --grid max_depth=2,4,none.")
        found[name] = values
    return found
