"""`branchwork evaluate`: how good a saved model is, on rows that it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from branchwork.cli import inputs
from branchwork.cli.held_out import Seed
from branchwork.cli.manners import say
from branchwork.cli.output import (
    JUDGEMENTS,
    AsJson,
    Output,
    check_output,
    chosen_format,
    is_standard,
    saved,
    write_judgement,
)
from branchwork.cli.words import completion, word_option
from branchwork.errors import ParameterError


def evaluate(
    model: inputs.ModelFile,
    file: inputs.File,
    target: inputs.AnswerColumn = None,
    train: Annotated[
        str | None,
        typer.Option(
            "--train",
            metavar="FILE",
            help="The training rows: the baseline and drift are then about them, and figures are shown for them, too.",
            autocompletion=completion(inputs.bundled_names),
        ),
    ] = None,
    subgroup: Annotated[
        list[str] | None,
        typer.Option("--subgroup", metavar="COLUMN", help="Show errors by this column. May be repeated."),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            "--positive",
            metavar="LABEL",
            help="Of two classes, the one that thresholds and AUC are about; by default the second.",
        ),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            metavar="RIGHT:GIVEN=NUMBER",
            help="The cost of predicting class GIVEN for a row of class RIGHT; 1 by default. May be repeated.",
        ),
    ] = None,
    level: Annotated[
        float, typer.Option("--level", metavar="SHARE", help="The confidence level of the intervals.")
    ] = 0.95,
    bootstrap: Annotated[
        int | None,
        typer.Option(
            "--bootstrap",
            metavar="N",
            min=0,
            help="Draws of rows for an interval: 1000, or 200 for more than 20 000 rows. 0: only intervals of shares.",
        ),
    ] = None,
    seed: Seed = 0,
    calibrated: Annotated[
        str | None,
        typer.Option(
            "--calibrated",
            metavar="MODEL",
            help="Also save a copy of the tree whose probabilities are corrected by these rows. Judge it on others.",
        ),
    ] = None,
    weights: inputs.Weights = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    form: Annotated[
        str | None,
        word_option(
            "--format",
            words=lambda: JUDGEMENTS,
            text=f"The format: {', '.join(JUDGEMENTS)}. By default the name of the output file decides, or else text.",
        ),
    ] = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Judge a saved model on rows that it was not trained on, beside always giving the same answer.

    \b
      branchwork evaluate patients.bw later.csv --target outcome
      branchwork evaluate patients.bw later.csv --target outcome -o report.html
      branchwork evaluate patients.bw later.csv --target outcome --json

    Every figure has an interval. The page (-o FILE.html) has the confusion matrix beside the tree, ROC,
    precision-recall and calibration curves, the best threshold, errors by leaf, and whether training and test rows
    differ in each node.
    """
    from branchwork.cli.judged_rows import judged_rows
    from branchwork.cli.progress import progress
    from branchwork.study.asked import seed_of
    from branchwork.study.calibration import calibrate
    from branchwork.study.intervals import check_level
    from branchwork.study.report_answers import ask
    from branchwork.study.report_on import default_repeats, judged
    from branchwork.study.report_pool import Settings

    form = chosen_format(output, JUDGEMENTS, model, file, train, form=form, as_json=as_json)
    if calibrated is not None:
        check_output(calibrated, "a model", model, file, train)
    loaded = inputs.load_any(model)
    if calibrated is not None:
        inputs.as_tree(loaded, model)
    reading = inputs.Reading(missing, input_format, decimal)
    wanted = list(dict.fromkeys(subgroup or ()))
    rows = judged_rows(file, loaded, reading, target=target, weights=weights, others=wanted)
    before = None if train is None else judged_rows(train, loaded, reading, target=target)
    asked = ask(loaded, rows.X, rows.y, rows.weights, -1)
    labels = asked.answers.labels
    repeats = default_repeats(len(asked.answers)) if bootstrap is None else bootstrap
    with progress("judging", repeats) as done:
        found = judged(
            loaded,
            asked,
            train=None if before is None else (before.X, before.y),
            subgroup=rows.others or None,
            positive=None if positive is None else _label("--positive", positive, labels or ()),
            loss=None if not cost else _loss(cost, labels),
            settings=Settings(check_level("--level", level), repeats, seed_of(seed), 1),
            progress=done,
        )
    told = [note.replace("train=(X, y)", "--train FILE") for note in found.notes]
    found = replace(found, notes=tuple(told))
    write_judgement(found, form, f"How good is {model}?", output)
    if not is_standard(output):
        first = found.figures[0]
        say(f"wrote {output}; {first.title} {first.value.value:.4g}, baseline {first.baseline.value:.4g}")
    if calibrated is not None:
        saved(calibrate(loaded, rows.X, rows.y), calibrated)
        say(f"saved {calibrated}, with probabilities corrected by these rows. Judge it on other rows.")


def _label(option: str, text: str, labels: Sequence[Any]) -> Any:
    """Return the label that is written like this."""
    for label in labels:
        if str(label) == text:
            return label
    known = ", ".join(map(str, labels)) or "none: the model predicts numbers"
    raise ParameterError(f"{option} {text!r} is no class. The classes are {known}.")


def _loss(costs: Sequence[str], labels: tuple[Any, ...] | None) -> list[list[float]]:
    """Return the table of costs that some texts tell of."""
    if labels is None:
        raise ParameterError("--cost is about classes, but the model predicts numbers.")
    table = [[float(t != s) for s in range(len(labels))] for t in range(len(labels))]
    places = {(str(t), str(s)): (j, k) for j, t in enumerate(labels) for k, s in enumerate(labels) if j != k}
    for given in costs:
        pair, _, number = given.rpartition("=")
        found = next((at for (t, s), at in places.items() if f"{t}:{s}" == pair), None)
        try:
            price = float(number)
        except ValueError:
            found = None
        if found is None:
            example = next(iter(places), ("ill", "well"))
            raise ParameterError(
                f"--cost {given!r}; expected two different classes and a number, such as --cost "
                f"{example[0]}:{example[1]}=5. The classes are {', '.join(map(str, labels))}."
            )
        table[found[0]][found[1]] = price
    return table
