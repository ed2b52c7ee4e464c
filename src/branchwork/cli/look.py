"""`branchwork look`: a first look at a table, before any model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from branchwork.cli import inputs
from branchwork.cli.manners import say
from branchwork.cli.output import AsJson, Output, chosen_format, is_standard, write
from branchwork.cli.words import word_option

if TYPE_CHECKING:
    from branchwork.study.look_result import Look


def _text(seen: Look, file: str, to_terminal: bool) -> str:
    from branchwork.view.terminal import terminal_width, wants_colour

    if not to_terminal:
        return seen.to_text()
    return seen.to_text(color=wants_colour(), width=terminal_width())


def _html(seen: Look, file: str, to_terminal: bool) -> str:
    name = "standard input" if file == "-" else Path(file).name
    return seen.to_html(title=f"A first look at {name}")


def _json(seen: Look, file: str, to_terminal: bool) -> str:
    from branchwork.cli.json_text import dumps

    return dumps(seen.to_dict())


FORMATS: dict[str, Callable[[Look, str, bool], str]] = {"text": _text, "html": _html, "json": _json}


def look(
    file: inputs.File,
    target: inputs.Target_ = None,
    task: inputs.Task = "auto",
    form: Annotated[
        str | None,
        word_option(
            "--format",
            words=lambda: FORMATS,
            text=f"The format: {', '.join(FORMATS)}. By default the name of the output file decides, or else text.",
        ),
    ] = None,
    permutations: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Also test every feature by shuffling the target N times, on up to 10 000 rows.",
        ),
    ] = 0,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="The seed of the shuffles and of the rows that are drawn.")
    ] = 0,
    drop: inputs.Drop = None,
    categorical: inputs.Categorical = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Look at a table before growing anything: what its columns hold, what is odd, and what tells about the target.

    \b
      branchwork look patients.csv --target outcome
      branchwork look patients.csv --target outcome -o patients.html
      branchwork look patients.csv --json

    Findings such as identifiers, outliers, sentinels, duplicate rows and copies of the target come with a fix by name,
    which bw.study.clean applies in Python. The page (-o FILE.html) has a picture of every feature against the target.
    """
    from branchwork.cli.progress import progress
    from branchwork.errors import MixedColumnWarning
    from branchwork.study.look_at import look_at

    form = chosen_format(output, FORMATS, file, form=form, as_json=as_json)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)  # a finding says the same
        found = inputs.columns_and_target(
            file,
            inputs.Reading(missing, input_format, decimal),
            target=target,
            drop=drop,
            categorical=categorical,
        )
    with progress("looking", len(found.table.schema)) as done:
        seen = look_at(
            found,
            task=task,  # type: ignore[arg-type]  # checked by its option
            permutations=permutations,
            random_state=seed,
            n_jobs=-1,
            progress=done,
        )
    write(FORMATS[form](seen, file, is_standard(output)), output)
    if not is_standard(output):
        count = len(seen.findings)
        say(f"wrote {output}; {count or 'no'} {'finding' if count == 1 else 'findings'}")
