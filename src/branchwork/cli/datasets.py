"""`branchwork datasets`: the bundled tables, listed, or one of them as CSV."""

from __future__ import annotations

import csv
import io
from typing import Annotated, Any

import typer

from branchwork.cli.inputs import bundled_names
from branchwork.cli.output import AsJson, Output, chosen_format, write, write_json
from branchwork.cli.words import completion


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="The table to print as CSV.", autocompletion=completion(bundled_names)
        ),
    ] = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """List the bundled tables, or print one of them as CSV.

    \b
      branchwork datasets
      branchwork datasets play_tennis > tennis.csv
      branchwork grow play_tennis
    """
    formats = ("text", "json", "csv") if name is None else ("csv", "json")
    form = chosen_format(output, formats, as_json=as_json)
    if name is None and form == "text":
        write(_as_text(_listed()), output)
        return
    header, rows = _list() if name is None else _table(name)
    if form == "json":
        write_json([dict(zip(header, row, strict=True)) for row in rows], output)
    else:
        write(_as_csv(header, rows), output)


def _listed() -> list[dict[str, Any]]:
    from branchwork.data.datasets import load, short_names

    found = []
    for name in short_names():
        table = load(name)
        found.append(
            {
                "name": name,
                "rows": table.X.n_rows,
                "columns": len(table.X.schema),
                "target": table.target,
                "about": table.about,
            }
        )
    return found


def _as_text(listed: list[dict[str, Any]]) -> str:
    from branchwork.cli.text import grid
    from branchwork.view.terminal import terminal_width, wants_colour
    from branchwork.view.working_formats import to_text

    rows = [[str(value) for value in one.values()] for one in listed]
    table = grid(list(listed[0]), rows, words=[0, 3, 4], spare=["columns", "rows"])
    return to_text([table], colour=wants_colour(), width=terminal_width())


def _list() -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names of the columns, and a row for each table."""
    found = _listed()
    return list(found[0]), [tuple(one.values()) for one in found]


def _table(name: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names of the columns, the target's last, and the rows."""
    from branchwork.data.datasets import load

    found = load(name)
    columns = [found.X.column(column) for column in found.X.schema.names]
    return [*found.X.schema.names, found.target], list(zip(*columns, found.y, strict=True))


def _as_csv(header: list[str], rows: list[tuple[Any, ...]]) -> str:
    from branchwork.tree.split import number

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([number(c) if isinstance(c, float) else c for c in row] for row in rows)
    return text.getvalue()
