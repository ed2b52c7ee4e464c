"""`branchwork why`: the way of one row to its answer, and what would have to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli import inputs
from branchwork.cli.manners import say
from branchwork.cli.output import AsJson, write, write_json
from branchwork.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.neighbours.model import Neighbours
    from branchwork.table.table import Table
    from branchwork.table.target import Target
    from branchwork.tree.ledger import Page
    from branchwork.view.why import PagesOf


def why(
    model: inputs.ModelFile,
    cells: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COLUMN=VALUE",
            help="The cells of the row, where COLUMN= is a missing value; or, with --row, the file that has the row.",
        ),
    ] = None,
    row: Annotated[
        int | None, typer.Option(metavar="N", help="Explain this row of a file, counted from 0.")
    ] = None,
    want: Annotated[
        str | None,
        typer.Option(
            metavar="ANSWER",
            help="Say what to change for this answer: a label, or LOWEST:HIGHEST for a number. By default any other.",
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option(
            "--fixed",
            metavar="COLUMN",
            help="A feature that cannot change, such as the month. May be repeated.",
        ),
    ] = None,
    data: inputs.TrainingData = None,
    target: inputs.AnswerColumn = None,
    weights: inputs.Weights = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    member: inputs.Member = None,
    as_json: AsJson = False,
) -> None:
    """Explain the answer for one row: the path to it, and the smallest change that leads to another answer.

    \b
      branchwork why patients.bw age=50 pulse=66
      branchwork why patients.bw age=50 pulse= --want well
      branchwork why patients.bw age=50 pulse=66 --fixed age
      branchwork why patients.bw --row 3 new.csv
      branchwork why patients.bw age=50 pulse=66 --data patients.csv --target outcome

    With --data, the file that the tree was grown on, each step also names the split that nearly won, if the model does
    not hold it.
    """
    from branchwork.neighbours.model import Neighbours
    from branchwork.view.ensemble_why import ensemble_why
    from branchwork.view.terminal import terminal_width
    from branchwork.view.why import why as view_why

    reading = inputs.Reading(missing, input_format, decimal)
    given = list(cells or ())
    whole = inputs.load_any(model)
    if inputs.is_many(whole) and member is None:
        _refuse_of_one_tree(model, want, fixed, data)
        asked = _from_words(whole, given) if row is None else _from_file(whole, given, row, reading)
        votes = ensemble_why(whole, asked)
        write_json(votes.to_dict()) if as_json else write(
            votes.to_text(hint=False, width=terminal_width()), None
        )
        if votes.worth_a_look is not None:
            say(f"to see how one tree comes to its answer, add --tree {votes.worth_a_look}")
        return
    if isinstance(whole, Neighbours):
        _refuse_of_one_tree(model, want, fixed, data, "no tree")
        asked = _from_words(whole, given) if row is None else _from_file(whole, given, row, reading)
        near = whole.why(asked)
        write_json(near.to_dict()) if as_json else write(str(near), None)
        return
    loaded = inputs.as_tree(whole, model, member)
    one = _from_words(loaded, given) if row is None else _from_file(loaded, given, row, reading)
    found = view_why(
        loaded,
        one,
        want=None if want is None else _wanted(loaded, want),
        fixed=fixed or (),
        pages=None
        if data is None
        else _pages(loaded, inputs.labelled_rows(data, loaded, reading, target, weights)),
    )
    if data is None and loaded.tree.ledger is None:
        say("to see which splits nearly won, name the training data: --data FILE --target COLUMN")
    if as_json:
        write_json(found.to_dict())
    else:
        write(str(found), None)


def _refuse_of_one_tree(
    file: str, want: str | None, fixed: list[str] | None, data: str | None, has: str = "many"
) -> None:
    """Refuse options that are about one tree."""
    for name, given in (("--want", want), ("--fixed", fixed), ("--data", data)):
        if given is not None:
            advice = " Say which one: add --tree 0, say." if has == "many" else ""
            raise ParameterError(f"{name} is about one tree, and {file} has {has}.{advice}")


def _pages(model: Model, rows: tuple[Table, Target]) -> PagesOf:
    from branchwork.cli.evidence import page_again

    def pages(nodes: Sequence[int]) -> dict[int, Page]:
        made = ((node, page_again(model, node, *rows)) for node in nodes)
        return {node: page for node, page in made if page is not None}

    return pages


def _from_file(model: Model | Neighbours, given: Sequence[str], row: int, reading: inputs.Reading) -> Table:
    if len(given) != 1:
        raise ParameterError(
            f"--row {row} needs the file that has the row, and nothing else: branchwork why MODEL --row {row} FILE"
        )
    if row < 0:
        raise ParameterError(f"--row {row}; rows are counted from 0.")
    count = 0
    for block in inputs.blocks(given[0], model.schema, reading, handle_unknown=model.handle_unknown):
        count = block.first_row + block.table.n_rows
        if row < count:
            return block.table.take(slice(row - block.first_row, row - block.first_row + 1))
    raise DataError(
        f"{given[0]} has no row {row}; its rows are 0 to {count - 1}."
        if count
        else f"{given[0]} has no rows."
    )


def _from_words(model: Model | Neighbours, pairs: Sequence[str]) -> dict[str, Any]:
    """Return the row that COLUMN=VALUE words describe; a value that is empty, or not given, is missing."""
    row: dict[str, Any] = dict.fromkeys(model.schema.names)
    given = set()
    for pair in pairs:
        name, text = _parted(model, pair)
        row[name] = _cell(model, name, text)
        given.add(name)
    asked = set(model.schema.names)  # by neighbours, whose distances have a part for every feature
    if (trees := getattr(model, "trees", None)) is not None:
        asked = {model.schema[int(j)].name for tree in trees for j in tree.feature if j >= 0}
    forgotten = [name for name in model.schema.names if name in asked - given]
    if forgotten:
        say(f"not given, so taken as missing: {', '.join(forgotten)}")
    return row


def _parted(model: Model | Neighbours, pair: str) -> tuple[str, str]:
    """Return the name and the value of a word; the name may contain a = itself."""
    known = model.schema.names
    places = [place for place, sign in enumerate(pair) if sign == "="]
    for place in places:
        if pair[:place] in known:
            return pair[:place], pair[place + 1 :]
    if not places:
        raise ParameterError(
            f"{pair!r}; expected COLUMN=VALUE. The columns are {', '.join(map(repr, known[:20]))}."
        )
    name = pair[: places[0]]
    raise DataError(
        f"There is no column {name!r}.{did_you_mean(name, known)} The model knows "
        f"{', '.join(map(repr, known[:20]))}."
    )


def _cell(model: Model | Neighbours, name: str, text: str) -> Any:
    from branchwork.table.csv_rows import category_of
    from branchwork.table.text_cells import parse_number, refuse_inexact

    if text == "":
        return None
    column = model.schema[model.schema.index(name)]
    if column.is_nominal:
        return category_of(column, text)
    number = parse_number(text)
    if number is None:
        raise DataError(f"{name}={text!r}; expected a number, as in training.")
    refuse_inexact(text, number, name, name)
    return number


def _wanted(model: Model, text: str) -> Any:
    """Return the answer that is wanted: a label, or the lowest and the highest number."""
    from branchwork.table.csv_rows import category_of
    from branchwork.table.schema import Column

    if model.labels is not None:
        labels = Column("label", "nominal", model.labels)
        code = labels.code_of.get(category_of(labels, text))
        return text if code is None else model.labels[code]
    try:
        lowest, highest = (float(part) for part in text.split(":"))
    except ValueError:
        raise ParameterError(f"--want {text!r}; expected LOWEST:HIGHEST, as in --want 10:20.") from None
    return lowest, highest
