"""`branchwork curve`: training and validation error against a setting, and the value to choose."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from branchwork.cli import inputs, settings
from branchwork.cli.estimators import (
    StudyOutput,
    Values,
    answers_of,
    check_study_output,
    estimator_of,
    study_method,
    values_of,
    write_study,
)
from branchwork.cli.grow import Folds
from branchwork.cli.held_out import Seed
from branchwork.cli.manners import say
from branchwork.cli.output import AsJson
from branchwork.cli.words import word_option
from branchwork.errors import ParameterError

OVER = (
    "max_depth",
    "max_leaf_nodes",
    "min_samples_leaf",
    "ccp_alpha",
    "confidence",
    "n_estimators",
    "k",
    "train_size",
)


def curve(
    file: inputs.File,
    target: inputs.Target_ = None,
    over: Annotated[
        str,
        typer.Option(
            "--over", metavar="SETTING", help=f"The setting that varies ({', '.join(OVER)}, or any other)."
        ),
    ] = "max_depth",
    values: Values = None,
    method: Annotated[str | None, study_method()] = None,
    choose: Annotated[
        str,
        word_option(
            "--choose",
            words=lambda: ("min", "1se"),
            text="min takes the least validation error, 1se the simplest model within one standard error of it.",
        ),
    ] = "min",
    folds: Folds = None,
    seed: Seed = 0,
    task: inputs.Task = "auto",
    weights: inputs.Weights = None,
    others: settings.Set = None,
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
) -> None:
    """Show training and validation error against a setting, and choose its value.

    \b
      branchwork curve patients.csv --target outcome
      branchwork curve patients.csv --target outcome --over ccp_alpha -o curve.html
      branchwork curve patients.csv --target outcome --over max_depth --choose 1se
      branchwork curve patients.csv --target outcome --over train_size --folds 5

    Simple models underfit: both errors are large. Complex models overfit: they know the training rows by heart and are
    wrong on others. The chosen value lies between.
    """
    from branchwork.cli.procedure import checked_folds
    from branchwork.study.curves import curve as measured

    wanted = check_study_output(output, as_json, file)
    reading = inputs.Reading(missing, input_format, decimal)
    lesson = inputs.lesson(
        file, reading, target=target, task=task, weights=weights, drop=drop, categorical=categorical
    )
    if lesson.table.n_rows < 2:
        raise ParameterError("A table of one row cannot be cross-validated.")
    found = measured(
        estimator_of(method, over, lesson, others),
        lesson.table,
        answers_of(lesson),
        over,
        values_of(values),
        sample_weight=lesson.target.weights,
        folds=checked_folds("--folds", folds, lesson.table.n_rows),
        choose=choose,  # type: ignore[arg-type]
        random_state=seed,
        verbose=sys.stderr.isatty(),
    )
    write_study(found, wanted, output)
    if found.choose is not None and output is not None:
        say(f"wrote {output}; chosen: {over} {found.best_value}")
