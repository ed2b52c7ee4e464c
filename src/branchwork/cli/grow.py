"""`branchwork grow`: a file in; the tree, its working, the baseline and the errors out."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli import inputs, settings
from branchwork.cli.ensembles import METHODS as ENSEMBLES
from branchwork.cli.ensembles import EnsembleProcedure, ensemble_of
from branchwork.cli.held_out import HeldOut, Seed, Test, Validation, hold_out
from branchwork.cli.help import LIMITS, RESULTS
from branchwork.cli.manners import say
from branchwork.cli.methods import default_method, method_option
from branchwork.cli.output import TO_DRAW, AsJson, Save, check_output, saved, say_next, write_json
from branchwork.cli.progress import progress

if TYPE_CHECKING:
    from branchwork.cli.procedure import Learned, Procedure
    from branchwork.model.model import Model
    from branchwork.study.baseline import Baseline
    from branchwork.study.validate import CrossValidation
    from branchwork.view.working import Working

Full = Annotated[
    bool,
    typer.Option(
        "--full", help="Print the whole tree, not only what fits a screen.", rich_help_panel=RESULTS
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="The number of folds of cross-validation; 0 leaves it out. By default 10, 5 above 10 000 rows and 3 "
        "above 100 000.",
    ),
]


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the command tells about a tree."""

    procedure: Procedure
    learned: Learned
    root: Working
    always: Baseline
    trained: float
    validated: CrossValidation | None
    held_out: HeldOut

    @property
    def model(self) -> Model:
        """The model."""
        return self.learned.model


def grow(
    file: inputs.File,
    target: inputs.Target_ = None,
    method: Annotated[
        str | None,
        method_option("The algorithm; by default c45 for classes and cart for numbers", ensembles=True),
    ] = None,
    task: inputs.Task = "auto",
    others: settings.Set = None,
    folds: Folds = None,
    validation: Validation = None,
    test: Test = None,
    seed: Seed = 0,
    criterion: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The score by which splits are chosen; each method has its own default."
        ),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(metavar="N", help="Nodes at this depth are not split.", rich_help_panel=LIMITS),
    ] = None,
    min_samples_split: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Nodes with less total weight than this are not split (a row weighs 1 without --weights). "
            "Below 1: a share of all weight.",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    min_samples_leaf: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="A split that makes a branch with less total weight than this is not made. Below 1: a share of all "
            "weight.",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    weights: inputs.Weights = None,
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    output: Save = None,
    full: Full = False,
    as_json: AsJson = False,
) -> None:
    """Grow a decision tree on a table, prune it, and show the work.

    Prints the tree, why its first split was chosen, and how often it is wrong on rows that it has not seen.

    \b
      branchwork grow play_tennis
      branchwork grow patients.csv --target outcome --drop id -o patients.bw
      branchwork grow patients.csv --target outcome --method id3
      branchwork grow patients.csv --target outcome --method c45 --set confidence=0.1
      branchwork grow patients.csv --target outcome --method cart --set xval=none
      branchwork grow patients.csv --target outcome --set 'class_weight={"ill": 5}'
      branchwork grow patients.csv --target pulse --json > pulse.json
      branchwork grow patients.csv --target outcome --validation 0.2 --test 0.2
      branchwork grow patients.csv --target outcome --method forest

    The methods bagging, forest, extra and adaboost grow many trees: --set n_estimators=200 says how many.

    C4.5 learns classes and CART learns numbers, unless --method says otherwise. CART is pruned by cross-validation:
    the smallest tree whose error is within one standard error of the least one is kept.
    """
    from branchwork.cli.evidence import root_working
    from branchwork.cli.procedure import checked_folds, procedure_of
    from branchwork.study.baseline import baseline
    from branchwork.study.validate import cross_validate, training_error

    check_output(output, "a model", file, hint=TO_DRAW)
    lesson = inputs.lesson(
        file,
        inputs.Reading(missing, input_format, decimal),
        target=target,
        task=task,
        weights=weights,
        drop=drop,
        categorical=categorical,
    )
    lesson, held_out = hold_out(lesson, validation, test, seed)
    table, answers = lesson.table, lesson.target
    limits = {
        "criterion": criterion,
        "max_depth": max_depth,
        "min_samples_split": min_samples_split,
        "min_samples_leaf": min_samples_leaf,
    }
    changes = settings.limits(limits, method or default_method(answers)) | settings.settings(others)
    parts = (
        0
        if folds == 0 or (folds is None and (len(answers) < 2 or validation is not None))
        else checked_folds("--folds", folds, len(answers))
    )
    if method in ENSEMBLES:
        changes = {"random_state": seed} | changes
        _grow_many(ensemble_of(method, answers, changes), lesson, held_out, parts, output, as_json)
        return
    procedure = procedure_of(method, answers, changes).pruned_by(held_out.parts.get("validation"))
    procedure.check_parts(parts)
    with progress("growing", table.n_rows) as done:
        learned = procedure.learn(table, answers, progress=done)
    learned = replace(learned, model=replace(learned.model, target=lesson.target_name))
    saved(learned.model, output)
    with progress("cross-validating", parts) as done:
        validated = (
            cross_validate(table, answers, procedure.model_of, parts, progress=done) if parts else None
        )
    report = Report(
        procedure,
        learned,
        root_working(learned.model, table, procedure.counted(answers)),
        baseline(answers),
        training_error(learned.model, table, answers),
        validated,
        held_out,
    )
    if as_json:
        write_json(_as_data(report))
    else:
        _print(report, output, full)
    if learned.model.tree.n_nodes == 1 and learned.leaves_grown > 1:
        say(
            "pruning left a single leaf: no version of this tree was clearly better on unseen rows. Add --set "
            f"{procedure.unpruned} to see the whole tree, or --drop a column that misleads it"
        )
    if output is not None or not as_json:
        say_next(output)


def _grow_many(
    procedure: EnsembleProcedure,
    lesson: inputs.Lesson,
    held_out: HeldOut,
    folds: int,
    output: str | None,
    as_json: bool,
) -> None:
    """Grow an ensemble, and tell how good it is."""
    from branchwork.cli.ensembles import describe, importances_text, measured_text
    from branchwork.cli.text import baseline_text, error
    from branchwork.study.baseline import baseline
    from branchwork.study.validate import cross_validate, training_error
    from branchwork.view.terminal import paint, wants_colour

    table, answers = lesson.table, lesson.target
    with progress("growing", procedure.steps(table.n_rows)) as done:
        model = procedure.learn(table, answers, progress=done, measure=True)
    model = replace(model, target=lesson.target_name)
    saved(model, output)
    with progress("cross-validating", folds) as done:
        validated = (
            cross_validate(table, answers, lambda X, y, _: procedure.learn(X, y), folds, progress=done)
            if folds
            else None
        )
    always, trained = baseline(answers), training_error(model, table, answers)
    if as_json:
        write_json(
            {
                "method": procedure.method,
                "trees": len(model.trees),
                "leaves": [tree.n_leaves for tree in model.trees],
                "importances": dict(
                    zip(model.schema.names, model.feature_importances_.tolist(), strict=True)
                ),
                "errors": [list(pair) for pair in (model.ensemble.errors if model.ensemble else ())],
                "baseline": {"prediction": always.prediction, "error": always.error},
                "training_error": trained,
                "cross_validated_error": validated.error if validated else None,
                "fold_errors": list(validated.fold_errors) if validated else None,
                **_held_out_data(held_out, model),
            }
        )
    else:
        colour = wants_colour()
        print(describe(model))
        print("\n" + paint("Which features matter", "bold", colour=colour))
        print(importances_text(model))
        print("\n" + paint("How good is it?", "bold", colour=colour))
        print(baseline_text(always))
        print(f"training         {error(model, trained)}")
        if (measured := measured_text(model)) is not None:
            print(measured)
        if validated:
            print(f"cross-validated  {error(model, validated.error)} ({len(validated.fold_errors)} folds)")
        _print_held_out(held_out, model)
    if output is not None or not as_json:
        say_next(output, what="these trees")


def _as_data(report: Report) -> dict[str, Any]:
    validated = report.validated
    return {
        "method": report.procedure.method,
        "pruning": report.procedure.pruning,
        "leaves_before_pruning": report.learned.leaves_grown,
        "tree": report.model.to_dict(),
        "working": report.root.to_dict(),
        "baseline": {"prediction": report.always.prediction, "error": report.always.error},
        "training_error": report.trained,
        "cross_validated_error": validated.error if validated else None,
        "fold_errors": list(validated.fold_errors) if validated else None,
        **_held_out_data(report.held_out, report.model),
    }


def _held_out_data(held_out: HeldOut, model: Model) -> dict[str, Any]:
    """Return the errors on rows that were kept apart, by name."""
    return {f"{name}_error": error for name, error in held_out.errors(model).items()}


def _print_held_out(held_out: HeldOut, model: Model) -> None:
    from branchwork.cli.text import error

    for name, found in held_out.errors(model).items():
        count = held_out.size(name)
        print(f"{name:<16} {error(model, found)} ({count} row{'s' * (count != 1)})")


def _print(report: Report, output: str | None, full: bool) -> None:
    from branchwork.cli.evidence import best_of
    from branchwork.cli.screen import fitted_tree
    from branchwork.cli.text import baseline_text, error, tree_text, working_text
    from branchwork.view.terminal import folded, paint, terminal_width, wants_colour

    colour = wants_colour()

    def title(text: str) -> str:
        return "\n" + paint(text, "bold", colour=colour)

    model = report.model
    print(folded(report.procedure.describe(report.learned), terminal_width(), "  "))
    print(tree_text(model) if full else fitted_tree(model, output and shlex.quote(output)))
    pruned_away = model.tree.n_nodes == 1 and report.learned.leaves_grown > 1
    print(title("What the first split was, before pruning" if pruned_away else "Why the first split"))
    best, more = best_of(model, report.root)
    print(working_text(best) + (f"\n{more}" if more else ""))
    print(title("How good is it?"))
    print(baseline_text(report.always))
    print(f"training         {error(model, report.trained)}")
    if report.validated:
        folds = len(report.validated.fold_errors)
        print(f"cross-validated  {error(model, report.validated.error)} ({folds} folds)")
    _print_held_out(report.held_out, model)
