"""Seal a file with SHA-256 over every byte of it, with zeros in place of the seal itself.

No text of a user comes before the seal, so its first occurrence is the right one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from branchwork.store.strict import refuse

BLANK = "0" * 64
HEXADECIMAL = re.compile(r"[0-9a-f]{64}")


def sealed(head: bytes, body: Sequence[bytes | memoryview] = ()) -> bytes:
    """Return the bytes of a file with the seal in place of the first blank, which is in its head."""
    seal = _digest(head, body).encode()
    return b"".join([head.replace(BLANK.encode(), seal, 1), *body])


def check_seal(found: Any, head: bytes, body: bytes | memoryview = b"") -> None:
    """Refuse a file that differs from what was sealed; the seal is at its beginning."""
    if not isinstance(found, str) or not HEXADECIMAL.fullmatch(found):
        refuse("sha256", "expected 64 hexadecimal digits")
    if _digest(head.replace(found.encode(), BLANK.encode(), 1), [body]) != found:
        refuse("sha256", "the file was changed or damaged after it was written")


def _digest(head: bytes, body: Sequence[bytes | memoryview]) -> str:
    digest = hashlib.sha256(head)
    for part in body:
        digest.update(part)
    return digest.hexdigest()
