"""Writing a file: whole, or not at all, whatever happens meanwhile.

Models, pages, pictures and the output of commands are all written here, so it stands below every room.

A file is written beside the old one, under a name such as `.5f0c…9a.<random>.part`, and locked until it takes the name
it is for. A process that is ended meanwhile leaves such a file without a lock, and whoever writes the same file next
removes it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from branchwork.errors import ParameterError, shown


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
    _remove_leftovers(target)
    temporary, handle = _new_file(target, path)
    try:
        with os.fdopen(handle, **style) as stream:
            if old is not None:
                temporary.chmod(stat.S_IMODE(old.st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            temporary.replace(target)
    except BaseException:
        with suppress(OSError):  # the first error is the one to tell
            temporary.unlink()
        raise
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
    if target.is_symlink():
        raise OSError(errno.ELOOP, "a link that leads to itself", str(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    if target.exists() and not os.access(target, os.W_OK):
        disk = os.statvfs(target).f_flag if os.name == "posix" else 0
        code = errno.EROFS if disk & getattr(os, "ST_RDONLY", 0) else errno.EACCES
        raise OSError(code, os.strerror(code), str(path))  # EACCES makes it a PermissionError


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that no file can have."""
    name: object = path
    with suppress(TypeError):
        name = os.fspath(path)
    if not isinstance(name, str):
        hint = f"; write {os.fsdecode(name)!r}" if isinstance(name, bytes) else ""
        raise ParameterError(f"{shown(name)} is no file name: expected text or a pathlib.Path{hint}.")
    if "\0" in name:
        raise ParameterError(
            f"The file name {name!r} holds a NUL character at position {name.index(chr(0))}; no file name can."
        )
    if name.endswith(tuple(filter(None, (os.sep, os.altsep)))):
        raise IsADirectoryError(
            errno.EISDIR, "a name that ends so is that of a folder; expected a file", name
        )


def _new_file(target: Path, path: str | os.PathLike[str]) -> tuple[Path, int]:
    """Return a locked file that was not there before; an error names the file that was asked for."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        temporary = target.with_name(f"{_stem(target)}.{uuid4().hex}.part")
        try:
            handle = os.open(temporary, flags, 0o666)
        except OSError as error:
            error.filename = str(path)
            raise
        _lock(handle)
        if temporary.exists():
            return temporary, handle
        os.close(handle)  # another process took it for a leftover before it was locked


def _remove_leftovers(target: Path) -> None:
    """Remove the files of processes that were ended while they wrote this file."""
    with suppress(OSError):
        for leftover in target.parent.glob(f"{_stem(target)}.*.part"):
            with suppress(OSError):
                handle = os.open(leftover, os.O_RDWR)
                try:
                    if _lock(handle):
                        leftover.unlink()
                finally:
                    os.close(handle)


def _stem(target: Path) -> str:
    """Return how the names of the files begin that are to become this one."""
    return "." + hashlib.blake2b(os.fsencode(target.name), digest_size=10).hexdigest()


def _lock(handle: int) -> bool:
    """Lock a file until it is closed; return whether it is ours. Windows has no such lock."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Make sure that the new name is on the disk, too; Windows opens no folders."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
