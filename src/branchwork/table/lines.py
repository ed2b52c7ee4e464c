"""The lines of a text in UTF-8, one at a time, however long the text is."""

from __future__ import annotations

import io
from typing import BinaryIO

from branchwork.errors import FileFormatError

_FIRST_BAD = 0xDC00
"""A byte that is not UTF-8 stands in the text as this plus the byte."""


class Lines:
    """Lines with their ends, as the csv module wants them; knows the number of the last and how much has gone by."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._text = io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline="")
        self._name = name
        self.number = 0
        self.characters = 0

    def __iter__(self) -> Lines:
        """Iterate once."""
        return self

    def __next__(self) -> str:
        """Return the next line."""
        line = next(self._text)
        self.number += 1
        self.characters += len(line)
        if not line.isascii():
            self._refuse_bad(line)
        return line

    def _refuse_bad(self, line: str) -> None:
        try:
            line.encode()
        except UnicodeEncodeError as error:
            byte = ord(line[error.start]) - _FIRST_BAD
            raise FileFormatError(not_utf8(self._name, self.number, byte)) from None


def not_utf8(name: object, line: int, byte: int) -> str:
    """What to say of a byte that is not UTF-8."""
    return (
        f"{name}, line {line}: expected text in UTF-8, found the byte 0x{byte:02x}. "
        "Convert the file first, for example: iconv -f latin1 -t utf-8"
    )
