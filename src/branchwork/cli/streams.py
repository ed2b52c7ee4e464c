"""Input that can be read only once: standard input, and pipes such as those of `<(…)` in a shell.

Nothing in their names tells the format, so an option does, or else their first bytes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO

from branchwork.errors import BranchworkError, BranchworkWarning, FileFormatError, warn

STANDARD_INPUT = "standard input"
LOOKED_AT = 64
"""Bytes that tell the format."""


def is_stream(file: str) -> bool:
    """Return whether a file is read once, from its beginning: standard input, a pipe or a device."""
    path = Path(file)
    return (
        file == "-" or file.startswith("/dev/") or (path.exists() and not (path.is_file() or path.is_dir()))
    )


def name_of(file: str) -> str:
    """Return what messages call a stream."""
    return STANDARD_INPUT if file == "-" else file


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """Open a stream for reading."""
    if file != "-":
        with Path(file).open("rb") as stream:
            yield stream
        return
    if sys.stdin is None:
        raise FileFormatError("Standard input is closed, so there is nothing to read.")
    yield sys.stdin.buffer


def suffix_of(stream: BinaryIO) -> str:
    """Return the format of a stream, as the end of a file's name: Parquet and ARFF show it in their first bytes."""
    start = stream.peek(LOOKED_AT)[:LOOKED_AT] if hasattr(stream, "peek") else b""
    if start.startswith(b"PAR1"):
        return ".parquet"
    text = start.decode("utf-8-sig", errors="replace").lstrip().lower()
    return ".arff" if text.startswith(("@relation", "%")) else ".csv"


@contextmanager
def spooled(file: str, suffix: str | None, stream: BinaryIO | None = None) -> Iterator[Path]:
    """Copy a stream to a file that can be read more than once; errors and warnings still name the stream.

    `stream` is the stream itself, if it is open already.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        opened(file) if stream is None else nullcontext(stream) as stream,
    ):
        path = Path(folder) / f"input{suffix or suffix_of(stream)}"
        with path.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        with _named(path, name_of(file)):
            yield path


@contextmanager
def _named(path: Path, name: str) -> Iterator[None]:
    """Call a file by another name in errors and warnings."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", BranchworkWarning)
            yield
    except BranchworkError as error:
        raise type(error)(str(error).replace(str(path), name)) from None
    for warning in caught:
        warn(str(warning.message).replace(str(path), name), warning.category)
