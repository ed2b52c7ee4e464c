"""`branchwork prune`: a saved tree in, a smaller one out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated

import typer

from branchwork.cli import inputs
from branchwork.cli.manners import say
from branchwork.cli.output import AsJson, Save, saved, say_next, write, write_json
from branchwork.cli.settings import Set, settings
from branchwork.cli.words import completion, word_option
from branchwork.errors import ParameterError


def method_names() -> Iterable[str]:
    """Every way to prune."""
    from branchwork.prune.methods import METHODS

    return METHODS


def prune(
    model: inputs.ModelFile,
    method: Annotated[
        str,
        word_option(
            "--method",
            words=method_names,
            text="reduced_error (FILE: rows that did not grow the tree), cost_complexity (alpha; or FILE: the training "
            "rows, folds and choose), error_based (confidence; FILE: the training rows, optional), pessimistic, "
            "minimum_error (m), mdl, significance (max_p_value).",
        ),
    ],
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Rows to prune by, where a method asks for them; - for standard input.",
            autocompletion=completion(inputs.bundled_names),
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of FILE with the right answers.")
    ] = None,
    others: Set = None,
    missing: inputs.Missing = None,
    input_format: inputs.InputFormat = None,
    member: inputs.Member = None,
    output: Save = None,
    as_json: AsJson = False,
) -> None:
    """Prune a saved tree and show what is left.

    \b
      branchwork prune patients.bw --method pessimistic -o small.bw
      branchwork prune patients.bw new.csv --target outcome --method reduced_error -o small.bw
      branchwork prune patients.bw --method cost_complexity --set alpha=0.01 -o small.bw
    """
    from branchwork.cli.text import tree_text
    from branchwork.learn.prune_model import prune_model

    _check_rows(method, file, model)
    loaded = inputs.load_tree(model, member)
    reading = inputs.Reading(missing, input_format)
    rows = None if file is None else inputs.labelled_rows(file, loaded, reading, target)
    outcome = prune_model(loaded, method, rows, settings(others))
    pruned = replace(loaded, trees=(outcome.tree,))
    saved(pruned, output)
    before, after = loaded.tree.n_leaves, pruned.tree.n_leaves
    if as_json:
        write_json({"tree": pruned.to_dict(), "leaves_before": before, "leaves": after})
    else:
        write(tree_text(pruned), None)
    say(f"{before} leaves before, {after} now")
    if output is not None or not as_json:
        say_next(output, "small.bw")


def _check_rows(method: str, file: str | None, model: str) -> None:
    """Refuse rows that a method does not look at, and a method that goes without those it needs."""
    from branchwork.learn.prune_model import rows_of

    needed = rows_of(method)
    if file is None and needed == "held-out":
        raise ParameterError(
            f"--method {method} needs rows that did not grow the tree: branchwork prune {model} FILE --target COLUMN "
            f"--method {method}"
        )
    if file is not None and needed == "none":
        raise ParameterError(f"--method {method} looks at the tree alone; leave {file} out.")
