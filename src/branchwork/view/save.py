"""Writing to a file: whole, or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4


@contextmanager
def replacing(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[Any]:
    """A stream to a file that takes its name when all is written; on failure the old file stays as it was.

    Pipes and devices are written to as they are; a link keeps leading where it led, and a file keeps its permissions.
    """
    target = Path(path).resolve()
    style: dict[str, Any] = {"mode": "wb"} if binary else {"mode": "w", "encoding": "utf-8", "newline": "\n"}
    if target.exists() and not target.is_file():
        with target.open(**style) as stream:
            yield stream
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    temporary = target.with_name(f".{uuid4().hex}.part")
    try:
        with temporary.open(**style) as stream:
            if target.exists():
                temporary.chmod(target.stat().st_mode)
            yield stream
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def save_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write text to a file by way of another one beside it, so that nobody ever finds half of it."""
    with replacing(path) as stream:
        stream.write(text)
    return Path(path)
