"""`branchwork export`: a saved model as a program, or in a form that other programs read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from branchwork.cli.inputs import ModelFile, load_any
from branchwork.cli.output import Output, chosen_format, is_standard, write
from branchwork.cli.settings import Set, settings
from branchwork.cli.words import word_argument
from branchwork.errors import ParameterError


def languages() -> Iterable[str]:
    """Everything that a model can be written in."""
    from branchwork.export import WRITERS

    return WRITERS


def _file_format(language: str) -> str:
    return "html" if language == "questionnaire" else language


def export(
    model: ModelFile,
    language: Annotated[
        str | None,
        word_argument(
            "[FORMAT]",
            words=languages,
            text="python, c, javascript, java, sql, onnx, pmml, json, markdown, latex or questionnaire (a web page). "
            "By default the name of the output file decides.",
        ),
    ] = None,
    dialect: Annotated[str | None, typer.Option(metavar="NAME", help="The dialect of SQL.")] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table to select from, in SQL.")
    ] = None,
    others: Set = None,
    output: Output = None,
) -> None:
    """Write a saved model as a program, or in a format that other programs read.

    \b
      branchwork export patients.bw -o patients.py
      branchwork export patients.bw python
      branchwork export patients.bw sql --dialect duckdb --table patients
      branchwork export patients.bw onnx -o patients.onnx
    """
    if language is None and (is_standard(output) or not Path(str(output)).suffix):
        raise ParameterError(
            f"Which format? Say branchwork export {model} python, or name a file that tells: -o model.py. The formats "
            f"are {', '.join(languages())}."
        )
    form = chosen_format(
        output, map(_file_format, languages()), model, form=language and _file_format(language)
    )
    language = language or ("questionnaire" if form == "html" else form)
    named = {"dialect": dialect, "table": table}
    options = settings(others) | {name: value for name, value in named.items() if value is not None}
    loaded = load_any(model)
    if not hasattr(loaded, "export"):
        raise ParameterError(
            f"{model} holds the rows of nearest neighbours, which no program can be made of. The commands predict and "
            "why take it."
        )
    write(loaded.export(language, **options), output)
