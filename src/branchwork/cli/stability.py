"""`branchwork stability`: how much of a tree comes back on bootstrap samples."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from branchwork.cli import inputs, settings
from branchwork.cli.estimators import (
    StudyOutput,
    answers_of,
    check_study_output,
    estimator_of,
    study_method,
    write_study,
)
from branchwork.cli.held_out import Seed
from branchwork.cli.manners import say
from branchwork.cli.output import AsJson


def stability(
    file: inputs.File,
    target: inputs.Target_ = None,
    method: Annotated[str | None, study_method()] = None,
    samples: Annotated[
        int, typer.Option("--samples", "-n", metavar="N", help="The number of bootstrap samples.")
    ] = 100,
    seed: Seed = 0,
    others: settings.Set = None,
    task: inputs.Task = "auto",
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
) -> None:
    """Show how much of a tree comes back when it is grown again on bootstrap samples.

    \b
      branchwork stability patients.csv --target outcome
      branchwork stability patients.csv --target outcome -o trust.html
      branchwork stability patients.csv --target outcome --set max_depth=3

    The page answers "How much should I trust this tree?": how often each split comes back, how far trees of other
    samples are from this one, and an interval for what each leaf says.
    """
    from branchwork.study.bootstrap_trees import stability as measured

    wanted = check_study_output(output, as_json, file)
    reading = inputs.Reading(missing, input_format, decimal)
    lesson = inputs.lesson(file, reading, target=target, task=task, drop=drop, categorical=categorical)
    found = measured(
        estimator_of(method, None, lesson, others),
        lesson.table,
        answers_of(lesson),
        samples,
        random_state=seed,
        verbose=sys.stderr.isatty(),
    )
    write_study(found, wanted, output)
    if output is not None:
        say(f"wrote {output}; the first split comes back in {found.root:.0%} of the trees")
