"""Where results go: standard output, or a file that is replaced whole or not at all."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli.manners import say
from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.model.model import Model

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
    from branchwork.files import replacing

    if path is None or path == "-":
        yield sys.stdout
        return
    with replacing(path) as stream:
        yield stream


def write(text: str | bytes, path: str | None) -> None:
    """Write a whole result."""
    from branchwork.files import replacing

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


def saved(model: Model, path: str | None) -> None:
    """Save a model, if that is wanted."""
    if path is not None:
        from branchwork.store.file import save

        save(model, path)


def say_next(path: str | None, name: str = "model.bw") -> None:
    """The next useful command for a tree that was saved, or how to save it."""
    if path is None:
        say(f"to keep this tree, and to show, prune, export it or predict with it, add: -o {name}")
    else:
        say(f"saved {path}. Next: branchwork show {shlex.quote(path)}")
