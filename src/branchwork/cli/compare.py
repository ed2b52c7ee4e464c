"""`branchwork compare`: algorithms side by side on one file, and beside the answer that needs none."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from branchwork.cli import inputs
from branchwork.cli.grow import Folds
from branchwork.cli.methods import ON_REQUEST, method_option, methods_for
from branchwork.cli.output import AsJson, Output, chosen_format, write, write_json
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
        list[str] | None,
        method_option(
            "An algorithm to compare. May be repeated; by default all that can learn the target, except optimal, which "
            "may take long"
        ),
    ] = None,
    folds: Folds = None,
    task: inputs.Task = "auto",
    weights: inputs.Weights = None,
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    input_format: inputs.InputFormat = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Compare algorithms on one table, and with always giving the same answer.

    \b
      branchwork compare patients.csv --target outcome
      branchwork compare patients.csv --target outcome --method id3 --method cart

    Each algorithm is shown with its cross-validated error, its error on the training rows, the number of leaves, and
    the time it took. All are tested on the same folds, which are dealt out without random numbers. Trees are pruned as
    `branchwork grow` prunes them.
    """
    from branchwork.cli.procedure import checked_folds
    from branchwork.study.baseline import baseline

    form = chosen_format(output, ("text", "json"), file, as_json=as_json)
    lesson = inputs.lesson(
        file,
        inputs.Reading(missing, input_format),
        target=target,
        task=task,
        weights=weights,
        drop=drop,
        categorical=categorical,
    )
    usual = [name for name in methods_for(lesson.target) if name not in ON_REQUEST]
    chosen = list(dict.fromkeys(method or usual))
    parts = checked_folds("--folds", folds, len(lesson.target))
    results = [_tried(name, lesson, parts) for name in chosen]
    always = baseline(lesson.target)
    if form == "json":
        found = {
            "baseline": {"prediction": always.prediction, "error": always.error},
            "folds": parts,
            "methods": [asdict(result) for result in results],
        }
        write_json(found, output)
    else:
        write(_table(results, always, parts), output)


def _tried(method: str, lesson: inputs.Lesson, folds: int) -> Result:
    from branchwork.cli.procedure import procedure_of
    from branchwork.study.validate import cross_validate, training_error

    table, target = lesson.table, lesson.target
    procedure = procedure_of(method, target, {})
    with progress(method, folds) as done:
        validated = cross_validate(table, target, procedure.model_of, folds, progress=done)
    start = time.perf_counter()
    model = procedure.learn(table, target).model
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
