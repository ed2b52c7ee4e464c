"""`branchwork export`: a saved model as a program, or in a form that other programs read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from branchwork.cli.inputs import ModelFile, load_any
from branchwork.cli.output import Output, check_output, write
from branchwork.cli.settings import Set, settings
from branchwork.cli.words import word_argument
from branchwork.errors import ParameterError


def languages() -> Iterable[str]:
    """Everything that a model can be written in."""
    from branchwork.export import WRITERS

    return WRITERS


def export(
    model: ModelFile,
    language: Annotated[
        str,
        word_argument(
            "FORMAT",
            words=languages,
            text="python, c, javascript, java, sql, onnx, pmml, json, markdown, latex or questionnaire (a web page).",
        ),
    ],
    dialect: Annotated[str | None, typer.Option(metavar="NAME", help="The dialect of SQL.")] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table to select from, in SQL.")
    ] = None,
    others: Set = None,
    output: Output = None,
) -> None:
    """Write a saved model as a program, or in a format that other programs read.

    \b
      branchwork export patients.bw python -o patients.py
      branchwork export patients.bw sql --dialect duckdb --table patients
      branchwork export patients.bw onnx -o patients.onnx
    """
    check_output(output, "HTML" if language == "questionnaire" else language, model)
    named = {"dialect": dialect, "table": table}
    options = settings(others) | {name: value for name, value in named.items() if value is not None}
    loaded = load_any(model)
    if not hasattr(loaded, "export"):
        raise ParameterError(
            f"{model} holds the rows of nearest neighbours, which no program can be made of. The commands predict and "
            "why take it."
        )
    write(loaded.export(language, **options), output)
