"""`branchwork diff`: where two saved trees differ, and on which rows they disagree."""

from __future__ import annotations

from typing import Annotated

import typer

from branchwork.cli import inputs
from branchwork.cli.manners import say
from branchwork.cli.output import JUDGEMENTS, AsJson, Output, chosen_format, is_standard, write_judgement
from branchwork.cli.words import completion, word_option


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A saved model of one tree.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one, for the same target.")],
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Rows to ask both trees about; - for standard input.",
            autocompletion=completion(inputs.bundled_names),
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", metavar="COLUMN", help="The column with the right answers: which tree is right?"
        ),
    ] = None,
    member: inputs.Member = None,
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
    """Lay two saved trees on top of each other, and find the rows on which they disagree.

    \b
      branchwork diff patients.bw older.bw
      branchwork diff patients.bw older.bw later.csv --target outcome
      branchwork diff patients.bw older.bw later.csv -o diff.html

    Nodes are compared at the same place below the root.
    """
    from branchwork.cli.judged_rows import judged_rows
    from branchwork.errors import ParameterError
    from branchwork.study.tree_difference import compare_trees
    from branchwork.table.blocks import read_like

    form = chosen_format(output, JUDGEMENTS, a, b, file, form=form, as_json=as_json)
    first, second = (inputs.load_tree(path, member) for path in (a, b))
    X = y = None
    if file is None and target is not None:
        raise ParameterError("--target was given without FILE, the rows that it has the answers of.")
    reading = inputs.Reading(missing, input_format, decimal)
    if file is not None and first.schema.names != second.schema.names:
        X = inputs.columns_and_target(file, reading, target=target).table
        y = None if target is None else judged_rows(file, first, reading, target=target).y
    elif file is not None and target is not None:
        rows = judged_rows(file, first, reading, target=target)
        X, y = rows.X, rows.y
    elif file is not None:
        X = read_like(inputs.blocks(file, first.schema, reading), first.schema)
    found = compare_trees(first, second, X, y)
    write_judgement(found, form, f"{a} and {b}", output)
    if not is_standard(output):
        say(f"wrote {output}; {len(found.differences)} of {len(found.pairs)} places differ")
