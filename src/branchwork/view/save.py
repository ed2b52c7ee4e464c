"""Writing a picture to a file: whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4


def save_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write text to a file by way of another one beside it, so that nobody ever finds half of it."""
    target = Path(path)
    temporary = target.with_name(f".{uuid4().hex}.part")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return target
