"""`branchwork grow`: a file in; the tree, its working, the baseline and the errors out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli import inputs, settings
from branchwork.cli.methods import method_option, recipe_of
from branchwork.cli.output import AsJson, Save, saved, say_next, write_json
from branchwork.cli.progress import progress

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.study.baseline import Baseline
    from branchwork.study.validate import CrossValidation
    from branchwork.view.working import Working


def grow(
    file: inputs.File,
    target: inputs.Target_ = None,
    method: Annotated[str, method_option("The algorithm")] = "id3",
    task: inputs.Task = "auto",
    criterion: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The score of a split; each method has its own default."),
    ] = None,
    max_depth: Annotated[int | None, typer.Option(metavar="N", help="Stop at this depth.")] = None,
    min_samples_split: Annotated[
        float | None,
        typer.Option(metavar="N", help="Lighter nodes are not split; below 1: a share of all weight."),
    ] = None,
    min_samples_leaf: Annotated[
        float | None,
        typer.Option(metavar="N", help="Least total weight of a branch; below 1: a share of all weight."),
    ] = None,
    others: settings.Set = None,
    weights: inputs.Weights = None,
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    input_format: inputs.InputFormat = None,
    folds: Annotated[
        int, typer.Option(metavar="N", help="Folds of cross-validation; 0 to leave it out.")
    ] = 10,
    output: Save = None,
    as_json: AsJson = False,
) -> None:
    """Grow a tree on a file and show the work.

    \b
      branchwork grow play_tennis
      branchwork grow patients.csv --target outcome --drop id -o patients.bw
      branchwork grow patients.csv --target outcome --method c45 --set confidence=0.1
      branchwork grow patients.csv --target outcome --method stump --json > stump.json
    """
    from branchwork.learn.single import learn
    from branchwork.study.baseline import baseline
    from branchwork.study.validate import cross_validate, training_error

    lesson = inputs.lesson(
        file,
        inputs.Reading(missing, input_format),
        target=target,
        task=task,
        weights=weights,
        drop=drop,
        categorical=categorical,
    )
    table, learned = lesson.table, lesson.target
    limits = {
        "criterion": criterion,
        "max_depth": max_depth,
        "min_samples_split": min_samples_split,
        "min_samples_leaf": min_samples_leaf,
    }
    given = {name: value for name, value in limits.items() if value is not None}
    recipe = settings.changed(recipe_of(method, learned), given | settings.settings(others))
    with progress("growing", table.n_rows) as done:
        model, _ = learn(table, learned, recipe, progress=done)
    model = replace(model, target=lesson.target_name)
    saved(model, output)
    always = baseline(learned)
    trained = training_error(model, table, learned)
    with progress("cross-validating", folds) as done:
        validated = (
            cross_validate(table, learned, recipe, folds, progress=done)
            if folds and len(learned) > 1
            else None
        )
    root = _working_of_root(model)
    if as_json:
        write_json(_as_data(model, root, always, trained, validated))
    else:
        _print(model, root, always, trained, validated)
    if output is not None or not as_json:
        say_next(output)


def _working_of_root(model: Model) -> Working:
    from branchwork.view.working import working

    return working(model, 0, model.tree.ledger.page(0) if model.tree.ledger else None, model.unit)


def _as_data(
    model: Model, root: Working, always: Baseline, trained: float, validated: CrossValidation | None
) -> dict[str, Any]:
    return {
        "tree": model.to_dict(),
        "working": root.to_dict(),
        "baseline": {"prediction": always.prediction, "error": always.error},
        "training_error": trained,
        "cross_validated_error": validated.error if validated else None,
        "fold_errors": list(validated.fold_errors) if validated else None,
    }


def _print(
    model: Model, root: Working, always: Baseline, trained: float, validated: CrossValidation | None
) -> None:
    from branchwork.cli.text import baseline_text, error, tree_text
    from branchwork.view.terminal import paint, wants_colour

    colour = wants_colour()

    def title(text: str) -> str:
        return "\n" + paint(text, "bold", colour=colour)

    print(tree_text(model))
    print(title("Why the first split"))
    print(root.to_text(color=colour))
    print(title("How good is it?"))
    print(f"baseline         {baseline_text(always)}")
    print(f"training         {error(model, trained)}")
    if validated:
        print(f"cross-validated  {error(model, validated.error)} ({len(validated.fold_errors)} folds)")
