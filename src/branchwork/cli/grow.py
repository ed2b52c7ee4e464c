"""`branchwork grow`: a file in; the tree, its working, the baseline and the errors out."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from branchwork.cli.json_text import dumps
from branchwork.data import datasets
from branchwork.errors import FileFormatError, ParameterError, did_you_mean
from branchwork.grow import recipes
from branchwork.grow.recipe import Criterion, Recipe, one_of
from branchwork.learn.single import learn
from branchwork.model.describe import to_dict
from branchwork.model.model import Model
from branchwork.study.baseline import Baseline, baseline
from branchwork.study.validate import CrossValidation, cross_validate, training_error
from branchwork.table.adapt import to_table
from branchwork.table.read import read
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target, classes, values
from branchwork.view.terminal import paint, wants_colour
from branchwork.view.text import to_text
from branchwork.view.working import Working, working

MOST_CLASSES = 10
"""A column of whole numbers with more different values than this is a numeric target, unless --task says otherwise."""


class Method(StrEnum):
    """Algorithms by name."""

    id3 = "id3"
    stump = "stump"
    c45 = "c45"
    j48 = "j48"
    cart = "cart"
    tree = "tree"
    chaid = "chaid"


class Task(StrEnum):
    """What the target is."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


RECIPES: dict[tuple[Method, bool], Recipe] = {
    (Method.id3, True): recipes.ID3,
    (Method.id3, False): recipes.ID3_REGRESSION,
    (Method.stump, True): recipes.STUMP,
    (Method.stump, False): recipes.STUMP_REGRESSION,
    (Method.c45, True): recipes.C45,
    (Method.j48, True): recipes.J48,
    (Method.cart, True): recipes.CART,
    (Method.cart, False): recipes.CART_REGRESSION,
    (Method.tree, True): recipes.TREE,
    (Method.tree, False): recipes.TREE_REGRESSION,
    (Method.chaid, True): recipes.CHAID,
    (Method.chaid, False): recipes.CHAID_REGRESSION,
}


def grow(
    file: Annotated[
        str, typer.Argument(help="CSV, Parquet, ARFF or C4.5 file, or the name of a bundled table.")
    ],
    target: Annotated[str | None, typer.Option(help="The column to predict.")] = None,
    method: Annotated[Method, typer.Option(help="The algorithm.")] = Method.id3,
    task: Annotated[
        Task, typer.Option(help="Classes or numbers; auto decides by the target column.")
    ] = Task.auto,
    criterion: Annotated[
        str | None, typer.Option(help="The score of a split; each method has its own default.")
    ] = None,
    max_depth: Annotated[int | None, typer.Option(help="Stop at this depth.")] = None,
    min_samples_split: Annotated[float, typer.Option(help="A lighter node is a leaf.")] = 0,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="A numeric column of categories; may be repeated.")
    ] = None,
    missing: Annotated[
        list[str] | None, typer.Option(help="Text that stands for a missing cell; may be repeated.")
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of cross-validation; 0 to leave it out.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Grow a tree on a file and show the work.

    Examples:

      branchwork grow play_tennis

      branchwork grow patients.csv --target outcome --drop id --max-depth 4

      branchwork grow patients.csv --target outcome --method stump --json > stump.json
    """
    table, wanted = _load(file, target, drop or [], categorical or [], missing)
    learned = _target(wanted, task)
    recipe = _recipe(method, learned, criterion, max_depth, min_samples_split)
    model, _ = learn(table, learned, recipe)
    root = working(model, 0, model.tree.ledger.page(0) if model.tree.ledger else None, recipe.unit)
    always = baseline(learned)
    trained = training_error(model, table, learned)
    validated = cross_validate(table, learned, recipe, folds) if folds and len(learned) > 1 else None
    if as_json:
        print(dumps(_as_data(model, root, always, trained, validated)))
    else:
        _print(model, root, always, trained, validated)


def _load(
    file: str, target: str | None, drop: list[str], categorical: list[str], missing: list[str] | None
) -> tuple[Table, Any]:
    """The table of features, and the target's cells with their categories if the file declares them."""
    if not Path(file).exists() and file in datasets.names():
        bundled = datasets.load(file)
        if target not in (None, bundled.target):
            raise ParameterError(f"The target of the bundled table {file!r} is {bundled.target!r}.")
        return to_table(bundled.X.drop(drop), categorical or None), bundled.y
    if not Path(file).exists():
        raise FileFormatError(f"There is no file {file!r}.{did_you_mean(file, datasets.names())}")
    table = read(file, missing=missing, categorical_features=categorical or "from_dtype")
    if target is None:
        names = ", ".join(map(repr, table.schema.names[:20]))
        raise ParameterError(f"Which column is to be predicted? Say --target NAME. The file has {names}.")
    index = table.schema.index(target)
    column = table.schema[index]
    if column.is_nominal and column.declared:
        wanted: Any = _declared_labels(table, target)
    else:
        wanted = table.column(target)
    return table.drop([target, *drop]), wanted


def _declared_labels(table: Table, target: str) -> Classes:
    index = table.schema.index(target)
    codes = table.arrays[index]
    if (codes < 0).any():
        return classes(table.column(target))  # names the row
    return Classes(codes, table.schema[index].categories, declared=True)


def _target(wanted: Any, task: Task) -> Target:
    if isinstance(wanted, Classes):
        return wanted
    known = {cell for cell in wanted if cell is not None}
    is_numeric = all(isinstance(cell, int | float) for cell in known)
    if task == Task.auto:
        whole = is_numeric and all(float(cell).is_integer() for cell in known)
        regression = is_numeric and not (whole and len(known) <= MOST_CLASSES)
        if is_numeric:
            chosen, other = (
                ("regression", "classification") if regression else ("classification", "regression")
            )
            print(
                f"branchwork: numeric target taken as {chosen}; --task {other} for the other", file=sys.stderr
            )
    else:
        regression = task == Task.regression
    if regression:
        return values(wanted)
    return classes([int(c) if isinstance(c, float) and c.is_integer() else c for c in wanted])


def _recipe(
    method: Method, target: Target, criterion: str | None, max_depth: int | None, min_split: float
) -> Recipe:
    found = RECIPES.get((method, isinstance(target, Classes)))
    if found is None:
        raise ParameterError(
            f"--method {method} learns classes, but the target is numeric. Give --task classification, or a method "
            "for numbers: id3, stump, cart, tree, chaid."
        )
    recipe = found
    if criterion is not None:
        one_of("criterion", criterion, Criterion)
        recipe = recipe.replace(criterion=criterion)
    depth = recipe.stopping.max_depth if max_depth is None else max_depth
    return recipe.replace(stopping=replace(recipe.stopping, max_depth=depth, min_samples_split=min_split))


def _as_data(
    model: Model, root: Working, always: Baseline, trained: float, validated: CrossValidation | None
) -> dict[str, Any]:
    return {
        "tree": to_dict(model),
        "working": root.to_dict(),
        "baseline": {"prediction": always.prediction, "error": always.error},
        "training_error": trained,
        "cross_validated_error": validated.error if validated else None,
        "fold_errors": list(validated.fold_errors) if validated else None,
    }


def _print(
    model: Model, root: Working, always: Baseline, trained: float, validated: CrossValidation | None
) -> None:
    colour = wants_colour()
    tree = model.tree

    def title(text: str) -> str:
        return "\n" + paint(text, "bold", colour=colour)

    def error(value: float) -> str:
        return (
            f"{value:.2%} of rows wrong"
            if model.labels is not None
            else f"root mean squared error {value:.6g}"
        )

    print(
        paint(
            f"Tree: {tree.n_nodes} nodes, {tree.n_leaves} leaves, depth {tree.depth}", "bold", colour=colour
        )
    )
    print(to_text(model, color=colour))
    print(title("Why the first split"))
    print(root.to_text(color=colour))
    print(title("How good is it?"))
    print(f"baseline         {always}")
    print(f"training         {error(trained)}")
    if validated:
        print(f"cross-validated  {error(validated.error)} ({len(validated.fold_errors)} folds)")
