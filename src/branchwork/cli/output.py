"""Where results go: standard output, or a file that is replaced whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Annotated, Any

import typer

from branchwork.errors import ParameterError

Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of standard output."),
]
Save = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Save the model: .bw, or readable .json.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def is_standard(path: str | None) -> bool:
    """Whether results go to standard output."""
    return path in (None, "-")


@contextmanager
def sink(path: str | None) -> Iterator[IO[str]]:
    """Standard output, or a file that takes its name when all is written."""
    from branchwork.view.save import replacing

    if path is None or path == "-":
        yield sys.stdout
        return
    with replacing(path) as stream:
        yield stream


def write(text: str | bytes, path: str | None) -> None:
    """Write a whole result."""
    from branchwork.view.save import replacing

    if isinstance(text, str):
        with sink(path) as stream:
            stream.write(text if text.endswith("\n") else text + "\n")
        return
    if path is None or path == "-":
        if sys.stdout.isatty():
            raise ParameterError(
                "This is no text; a terminal cannot show it. Write it to a file with -o FILE."
            )
        sys.stdout.buffer.write(text)
        return
    with replacing(path, binary=True) as raw:
        raw.write(text)


def write_json(value: Any, path: str | None = None) -> None:
    """Write one JSON value."""
    from branchwork.cli.json_text import dumps

    write(dumps(value), path)


def save(model: Any, path: str) -> None:
    """Save a model, and say what comes next."""
    from branchwork.cli.manners import say
    from branchwork.store.file import save as save_model

    save_model(model, path)
    say(f"saved {os.fspath(path)}. Next: branchwork show {quoted(path)}")


def quoted(word: str) -> str:
    """A word as a shell takes it."""
    import shlex

    return shlex.quote(word)
