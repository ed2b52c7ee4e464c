"""Read text in UTF-8, whole or in pieces, and report where a text is not UTF-8."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from branchwork.errors import FileFormatError
from branchwork.table.gzipped import bytes_of

_LINE_END = re.compile(rb"\r\n?|\n")
_FIRST_LINE = re.compile(r"[\r\n]*[^\r\n]*")
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
"""Byte-order marks of encodings that are not read."""
LOOKED_AT = 4096
"""Bytes at the beginning of a file that tell its encoding."""


def decoded(path: Path, data: bytes) -> str:
    """Return the text of a file in UTF-8, with or without a byte-order mark."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None
    refuse_wide(path, text[:LOOKED_AT])
    return text


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Return the lines of a text file, counted from 1, without their ends."""
    return enumerate(re.split(r"\r\n?|\n", decoded(path, bytes_of(path))), start=1)


def text_of(stream: BinaryIO) -> io.TextIOWrapper:
    """Return a stream of bytes as text, with or without a byte-order mark; line ends stay as they are."""
    return io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")


def numbered_lines_of(stream: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """Iterate over the lines of a stream, counted from 1, without their ends."""
    number, text = 0, text_of(stream)
    try:
        for line in text:
            number += 1
            if number == 1:
                refuse_wide(name, line)
            yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise not_utf8(name, error, lines_before=number) from None
    finally:
        with suppress(ValueError):  # the stream was closed in the meantime
            text.detach()  # the caller closes the stream


def refuse_wide(name: object, start: str) -> None:
    """Refuse text in UTF-16 or UTF-32 without a byte-order mark, which as UTF-8 has NUL characters between the others.

    `start` is the beginning of the text, with at least its first line. NUL characters in later lines are cells.
    """
    first_line = _FIRST_LINE.match(start)[0]  # type: ignore[index]  # matches any text
    if "\0" not in first_line:
        return
    encoding = _wide_encoding(start.encode())
    if encoding is not None:
        raise FileFormatError(
            f"{name} looks like text in {encoding.upper()}; expected text in UTF-8. {_conversion(encoding)}"
        )
    raise FileFormatError(
        f"{name}, line 1: expected text in UTF-8, found a NUL character. Is it a text file?"
    )


def not_utf8(name: object, error: UnicodeDecodeError, *, lines_before: int = 0) -> FileFormatError:
    """Return the message for bytes that are not UTF-8, in a piece of text that follows this many lines."""
    data = error.object
    line = lines_before + len(_LINE_END.findall(data[: error.start])) + 1
    likely = _wide_encoding(data) if lines_before == 0 else None
    return FileFormatError(
        f"{name}, line {line}: expected text in UTF-8, found the byte 0x{data[error.start]:02x}. "
        f"{_conversion(likely or 'latin1')}"
    )


def _conversion(encoding: str) -> str:
    return f"Convert the file first, for example: iconv -f {encoding} -t utf-8"


def _wide_encoding(data: bytes) -> str | None:
    """Return the name of an encoding of two or four bytes per character, if the data are in one.

    Line ends and delimiters are below 128, so one of their bytes is not 0 and all others are; its place is the order:

        UTF-16LE  61 00 2c 00        UTF-16BE  00 61 00 2c        UTF-32LE  61 00 00 00
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    start = data[: min(len(data), LOOKED_AT) // 4 * 4] or data
    zeros = [start[place::4].count(0) for place in range(4)]
    most = len(start) // 4
    if most and zeros[2:] == [most, most]:
        return "utf-32le"
    if most and zeros[:2] == [most, most]:
        return "utf-32be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if odd and not even:
        return "utf-16le"
    return "utf-16be" if even and not odd else None
