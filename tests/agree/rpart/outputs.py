"""What rpart answered, read back from answers.zip."""

from __future__ import annotations

import json
import zipfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

ARCHIVE = Path(__file__).parent / "answers.zip"


def checksum(text: str) -> int:
    return zlib.crc32(text.encode())


@cache
def stored() -> dict[str, Any]:
    with zipfile.ZipFile(ARCHIVE) as archive:
        found: dict[str, Any] = json.loads(archive.read("answers.json"))
    return found


@cache
def answers() -> dict[str, dict[str, Any]]:
    """Answers by "table setting"."""
    return {answer["name"]: answer for answer in stored()["answers"]}
