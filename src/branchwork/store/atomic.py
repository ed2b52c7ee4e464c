"""Writing a file: whole, or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from uuid import uuid4

from branchwork.errors import FileFormatError


def replace_file(path: Path, data: bytes) -> None:
    """Write bytes to a new file beside the old one, see them safely on the disk, and give it the old one's name.

    A link stays a link: what it points to is written. The permissions of the old file are kept.
    """
    target = Path(os.path.realpath(path))
    old = target.stat() if target.exists() else None
    if old is not None and not stat.S_ISREG(old.st_mode):
        raise FileFormatError(f"{path} is not a file.")
    temporary = target.with_name(f".{uuid4().hex}.part")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            if old is not None:
                temporary.chmod(stat.S_IMODE(old.st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make sure that the new name is on the disk, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
