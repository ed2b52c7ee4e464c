"""`branchwork prune`: a saved tree in, a smaller one out."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated

import typer

from branchwork.cli import inputs
from branchwork.cli.grow import Full
from branchwork.cli.manners import say
from branchwork.cli.output import TO_DRAW, AsJson, Save, check_output, saved, say_next, write, write_json
from branchwork.cli.prune_path import show_path
from branchwork.cli.settings import Set, settings
from branchwork.cli.words import completion, word_option
from branchwork.errors import ParameterError


def method_names() -> Iterable[str]:
    """Return the name of every way to prune."""
    from branchwork.prune.methods import METHODS

    return METHODS


def prune(
    model: inputs.ModelFile,
    method: Annotated[
        str,
        word_option(
            "--method",
            words=method_names,
            text="How to prune, with the names that --set takes: reduced_error (FILE has rows that the tree was not "
            "grown on; with folds, the training rows), cost_complexity (alpha; or folds and choose, and FILE has the "
            "training rows), error_based (confidence; FILE may have the training rows), pessimistic, minimum_error "
            "(m), mdl, significance (max_p_value).",
        ),
    ],
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Rows to prune by, if the method asks for them; - for standard input.",
            autocompletion=completion(inputs.bundled_names),
        ),
    ] = None,
    target: inputs.AnswerColumn = None,
    others: Set = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    member: inputs.Member = None,
    output: Save = None,
    full: Full = False,
    as_json: AsJson = False,
) -> None:
    """Prune a saved tree and show the smaller one.

    \b
      branchwork prune patients.bw --method pessimistic -o small.bw
      branchwork prune patients.bw --method cost_complexity
      branchwork prune patients.bw --method cost_complexity --set alpha=0.01
      branchwork prune patients.bw later.csv --target outcome --method reduced_error

    Without an alpha, cost_complexity lists the trees there are to choose from.
    """
    from branchwork.cli.procedure import checked_folds
    from branchwork.cli.screen import fitted_tree
    from branchwork.cli.text import tree_text
    from branchwork.learn.prune_model import prune_model

    check_output(output, "a model", model, file, hint=TO_DRAW)
    _check_rows(method, file, model)
    options = settings(others)
    asks_for_path = method == "cost_complexity" and file is None and "alpha" not in options
    if asks_for_path and output is not None:
        raise ParameterError(
            "--method cost_complexity needs --set alpha=NUMBER to make a smaller tree. To see the numbers there are "
            f"to choose from, leave out -o {output}."
        )
    loaded = inputs.load_tree(model, member)
    if asks_for_path:
        show_path(loaded, model, options, as_json)
        return
    reading = inputs.Reading(missing, input_format, decimal)
    rows = None if file is None else inputs.labelled_rows(file, loaded, reading, target)
    if rows is not None and isinstance(options.get("folds"), int):
        checked_folds("--set folds:", options["folds"], len(rows[1]))
    outcome = prune_model(loaded, method, rows, options)
    pruned = replace(loaded, trees=(outcome.tree,))
    saved(pruned, output)
    before, after = loaded.tree.n_leaves, pruned.tree.n_leaves
    if as_json:
        write_json({"tree": pruned.to_dict(), "leaves_before": before, "leaves": after})
    else:
        write(tree_text(pruned) if full else fitted_tree(pruned, output and shlex.quote(output)), None)
    say(f"{before} leaves before, {after} now")
    if output is not None or not as_json:
        say_next(output, "small.bw")


def _check_rows(method: str, file: str | None, model: str) -> None:
    """Refuse rows that a method does not use, and a method that lacks the rows it needs."""
    from branchwork.learn.prune_model import rows_of

    needed = rows_of(method)
    if file is None and needed == "held-out":
        raise ParameterError(
            f"--method {method} needs rows that did not grow the tree: branchwork prune {model} FILE --target COLUMN "
            f"--method {method}"
        )
    if file is not None and needed == "none":
        raise ParameterError(f"--method {method} uses only the tree; leave {file} out.")
