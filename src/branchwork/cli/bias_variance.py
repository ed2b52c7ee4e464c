"""`branchwork bias-variance`: what the error of a method is made of."""

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
from branchwork.cli.held_out import Seed
from branchwork.cli.manners import say
from branchwork.cli.output import AsJson
from branchwork.cli.words import word_option


def bias_variance(
    file: inputs.File,
    target: inputs.Target_ = None,
    over: Annotated[
        str | None,
        typer.Option(
            "--over", metavar="SETTING", help="A setting to take the error apart for; needs --values."
        ),
    ] = None,
    values: Values = None,
    method: Annotated[str | None, study_method()] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", help="The number of training sets.")
    ] = 100,
    train: Annotated[
        int | None,
        typer.Option(
            "--n-train", metavar="N", help="Rows of each training set; by default half of the pool."
        ),
    ] = None,
    bootstrap: Annotated[
        bool, typer.Option("--bootstrap", help="Draw training sets with replacement.")
    ] = False,
    loss: Annotated[
        str,
        word_option(
            "--loss",
            words=lambda: ("kohavi_wolpert", "domingos"),
            text="How the error of classes is taken apart: kohavi_wolpert or domingos.",
        ),
    ] = "kohavi_wolpert",
    correction: Annotated[
        str,
        word_option(
            "--correction",
            words=lambda: ("none", "both", "weka"),
            text="none: the parts add up to the error; both: unbiased for few training sets; weka: as BVDecompose.",
        ),
    ] = "none",
    seed: Seed = 0,
    task: inputs.Task = "auto",
    others: settings.Set = None,
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
) -> None:
    """Take the error of a method apart into bias and variance.

    \b
      branchwork bias-variance patients.csv --target outcome
      branchwork bias-variance patients.csv --target outcome -o parts.html
      branchwork bias-variance play_tennis --over max_depth --values 1,2

    A quarter of the rows are asked about; many training sets are drawn from the others. Bias is what the models get
    wrong together, variance is how much they differ. The noise of a file is not known, so it is part of the bias.
    """
    from branchwork.study.decompose import bias_variance as taken_apart

    wanted = check_study_output(output, as_json, file)
    reading = inputs.Reading(missing, input_format, decimal)
    lesson = inputs.lesson(file, reading, target=target, task=task, drop=drop, categorical=categorical)
    found = taken_apart(
        estimator_of(method, over, lesson, others),
        data=(lesson.table, answers_of(lesson)),
        n_train=train,
        n_repeats=repeats,
        draw="bootstrap" if bootstrap else "subset",
        method=loss,  # type: ignore[arg-type]
        correction=correction,  # type: ignore[arg-type]
        over=over,
        values=values_of(values),
        random_state=seed,
        verbose=sys.stderr.isatty(),
    )
    write_study(found, wanted, output)
    if output is not None:
        say(f"wrote {output}")
