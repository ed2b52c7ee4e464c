"""Read text files compressed with gzip. Their first two bytes give them away; no text in UTF-8 begins with these."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any, BinaryIO, cast

from branchwork.errors import FileFormatError

SUFFIX = ".gz"
_MAGIC = b"\x1f\x8b"


def bytes_of(path: Path) -> bytes:
    """Return the content of a file, unpacked if it is compressed."""
    with path.open("rb") as stream:
        return unpacked(stream, path).read()


def is_gzipped(path: Path) -> bool:
    """Return whether a file is compressed."""
    with path.open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def unpacked(stream: BinaryIO, name: object) -> BinaryIO:
    """Return the stream itself, or a stream of its decompressed content. `name` is what messages call it."""
    if _first_bytes(stream) == _MAGIC:
        return cast(BinaryIO, _Unpacked(stream, name))
    if str(name).lower().endswith(SUFFIX):
        raise FileFormatError(
            f"{name} is not compressed with gzip, although its name ends in {SUFFIX}. If it is plain text, take "
            f"{SUFFIX} off its name."
        )
    return stream


def _first_bytes(stream: BinaryIO) -> bytes:
    """Return the first two bytes without consuming them.

    A stream that cannot be peeked at is taken as not compressed.
    """
    if hasattr(stream, "peek"):
        return bytes(stream.peek(len(_MAGIC))[: len(_MAGIC)])
    if not stream.seekable():
        return b""
    start = stream.tell()
    first = stream.read(len(_MAGIC))
    stream.seek(start)
    return first


class _Unpacked(gzip.GzipFile):
    """A compressed stream; errors about damage name the file."""

    def __init__(self, stream: BinaryIO, name: object) -> None:
        super().__init__(fileobj=stream, mode="rb")
        self._shown = name

    def read(self, size: int | None = -1) -> bytes:
        """Read all, or up to this many bytes."""
        return self._told(super().read, size)

    def read1(self, size: int = -1) -> bytes:
        """Read what is available; text wrappers call this."""
        return self._told(super().read1, size)

    def _told(self, read: Any, size: int | None) -> bytes:
        try:
            return cast(bytes, read(size))
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise FileFormatError(
                f"{self._shown} is compressed with gzip, but damaged or cut short: {error}"
            ) from None
