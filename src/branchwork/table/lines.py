"""Text in UTF-8, whole or some of it at a time, and where it is not UTF-8."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from branchwork.errors import FileFormatError
from branchwork.table.gzipped import bytes_of

_LINE_END = re.compile(rb"\r\n?|\n")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decoded(path: Path, data: bytes) -> str:
    """Return the text of a file in UTF-8, with or without a byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Return the lines of a text file, counted from 1, without their ends."""
    return enumerate(re.split(r"\r\n?|\n", decoded(path, bytes_of(path))), start=1)


def text_of(stream: BinaryIO) -> io.TextIOWrapper:
    """A stream of bytes as text, with or without a byte-order mark; line ends stay as they are."""
    return io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")


def numbered_lines_of(stream: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """The lines of a stream, counted from 1, without their ends."""
    number, text = 0, text_of(stream)
    try:
        for line in text:
            number += 1
            yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise not_utf8(name, error, lines_before=number) from None
    finally:
        text.detach()  # the stream is another's to close


def not_utf8(name: object, error: UnicodeDecodeError, *, lines_before: int = 0) -> FileFormatError:
    """What to say of bytes that are not UTF-8; so many lines came before the piece of text that they are in."""
    line = lines_before + len(_LINE_END.findall(error.object[: error.start])) + 1
    likely = "utf-16" if lines_before == 0 and error.object.startswith(_UTF16_MARKS) else "latin1"
    return FileFormatError(
        f"{name}, line {line}: expected text in UTF-8, found the byte 0x{error.object[error.start]:02x}. "
        f"Convert the file first, for example: iconv -f {likely} -t utf-8"
    )
