"""Writing a file: whole, or not at all, whatever happens meanwhile.

Models, pages, pictures and the output of commands are all written here, so it stands below every room.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from branchwork.errors import ParameterError


@contextmanager
def replacing(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[Any]:
    """A stream to a new file beside the old one, which takes its name when all is safely on the disk.

    A link stays a link: what it leads to is written. The permissions of the old file are kept, and what is
    write-protected stays. Pipes and devices are written to as they are.
    """
    check_name(path)
    target = Path(os.path.realpath(path))
    style: dict[str, Any] = {"mode": "wb"} if binary else {"mode": "w", "encoding": "utf-8", "newline": "\n"}
    old = target.stat() if target.exists() else None
    if old is not None and not stat.S_ISREG(old.st_mode):
        with target.open(**style) as stream:
            yield stream
        return
    check_place(path)
    temporary = target.with_name(f".{uuid4().hex}.part")
    try:
        with os.fdopen(_new_file(temporary, path), **style) as stream:
            if old is not None:
                temporary.chmod(stat.S_IMODE(old.st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


def save_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write text to a file; nobody ever finds half of it."""
    with replacing(path) as stream:
        stream.write(text)
    return Path(path)


def save_bytes(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write bytes to a file; nobody ever finds half of them."""
    with replacing(path, binary=True) as stream:
        stream.write(data)
    return Path(path)


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a file that cannot be written: its folder does not exist, or it is write-protected or a folder itself."""
    check_name(path)
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that no file can have."""
    name = os.fspath(path)
    if "\0" in name:
        raise ParameterError(
            f"The file name {name!r} holds a NUL character at position {name.index(chr(0))}; no file name can."
        )
    if name.endswith(tuple(filter(None, (os.sep, os.altsep)))):
        raise IsADirectoryError(
            errno.EISDIR, "a name that ends so is that of a folder; expected a file", name
        )


def _new_file(temporary: Path, path: str | os.PathLike[str]) -> int:
    """A file that was not there before; an error names the file that was asked for."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        return os.open(temporary, flags, 0o666)
    except OSError as error:
        error.filename = str(path)
        raise


def _sync_folder(folder: Path) -> None:
    """Make sure that the new name is on the disk, too; Windows opens no folders."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
