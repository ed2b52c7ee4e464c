"""`branchwork compare`: algorithms side by side on one file, and beside the answer that needs none."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from branchwork.cli import inputs
from branchwork.cli.methods import method_option, methods_for, recipe_of
from branchwork.cli.output import AsJson, Output, write, write_json
from branchwork.cli.progress import progress

if TYPE_CHECKING:
    from branchwork.study.baseline import Baseline


@dataclass(frozen=True)
class Result:
    """One algorithm: its error on rows it has not seen and on those it has, its leaves, the time to grow it."""

    method: str
    error: float
    training_error: float
    leaves: int
    seconds: float


def compare(
    file: inputs.File,
    target: inputs.Target_ = None,
    method: Annotated[
        list[str] | None, method_option("An algorithm, otherwise all that can; may be repeated")
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", help="Folds of cross-validation.")] = 10,
    task: inputs.Task = "auto",
    weights: inputs.Weights = None,
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    input_format: inputs.InputFormat = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Compare algorithms on one file, and with the baseline.

    \b
      branchwork compare patients.csv --target outcome
      branchwork compare patients.csv --target outcome --method id3 --method cart --folds 5

    Cross-validated error, error in training, leaves, time. The folds are dealt out without random numbers: the same for
    every algorithm, and every time.
    """
    from branchwork.study.baseline import baseline

    lesson = inputs.lesson(
        file,
        inputs.Reading(missing, input_format),
        target=target,
        task=task,
        weights=weights,
        drop=drop,
        categorical=categorical,
    )
    chosen = list(dict.fromkeys(method or methods_for(lesson.target)))
    results = [_tried(name, lesson, folds) for name in chosen]
    always = baseline(lesson.target)
    if as_json:
        found = {
            "baseline": {"prediction": always.prediction, "error": always.error},
            "folds": min(folds, len(lesson.target)),
            "methods": [asdict(result) for result in results],
        }
        write_json(found, output)
    else:
        write(_table(results, always, min(folds, len(lesson.target))), output)


def _tried(method: str, lesson: inputs.Lesson, folds: int) -> Result:
    from branchwork.learn.single import learn
    from branchwork.study.validate import cross_validate, training_error

    table, target = lesson.table, lesson.target
    recipe = recipe_of(method, target)
    with progress(method, folds) as done:
        validated = cross_validate(table, target, recipe, folds, progress=done)
    start = time.perf_counter()
    model, _ = learn(table, target, recipe)
    seconds = time.perf_counter() - start
    trained = training_error(model, table, target)
    return Result(method, validated.error, trained, model.tree.n_leaves, seconds)


def _table(results: list[Result], always: Baseline, folds: int) -> str:
    from branchwork.cli.text import baseline_text
    from branchwork.view.blocks import Grid, Mark, Sentence
    from branchwork.view.terminal import wants_colour
    from branchwork.view.working_formats import to_text

    def error(value: float) -> str:
        return f"{value:.2%}" if always.counts is not None else f"{value:.6g}"

    best = min((result.error for result in results), default=None)
    marks: list[Mark] = ["chosen" if result.error == best else "" for result in results]
    rows = [
        (
            result.method,
            error(result.error),
            error(result.training_error),
            str(result.leaves),
            f"{result.seconds:.2g} s",
        )
        for result in results
    ]
    first = ("baseline", error(always.error), error(always.error), "1", "")
    header = ("method", "error", "in training", "leaves", "time to grow")
    grid = Grid(header, (first, *rows), ("", *marks), frozenset({0}))
    what = "rows wrong" if always.counts is not None else "root mean squared error"
    words = Sentence(f"error: {what}, in {folds} folds. baseline: {baseline_text(always)}")
    return to_text([grid, words], colour=wants_colour())
