"""Where the core of this checkout was built, and by which programs: tests build more in the same way."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
SANITIZERS = {"": "none", "1": "BRANCHWORK_SANITIZE", "threads": "BRANCHWORK_SANITIZE_THREADS"}
"""What BRANCHWORK_SANITIZED says, and the option that such a core is built with."""


def settings(folder: Path) -> dict[str, str]:
    """What a build folder was made with."""
    lines = (folder / "CMakeCache.txt").read_text().splitlines()
    pairs = [line.split("=", 1) for line in lines if "=" in line and line[0].isalpha()]
    return {name.split(":")[0]: value for name, value in pairs}


def build_folder() -> Path | None:
    """The newest build folder of this checkout with the sanitizers of this run; None: the core was not built here."""
    wanted = SANITIZERS[os.environ.get("BRANCHWORK_SANITIZED", "")]
    found = []
    for path in ROOT.glob("build/*/CMakeCache.txt"):
        made_with = settings(path.parent)
        in_use = [name for name in SANITIZERS.values() if made_with.get(name) == "ON"]
        if made_with["CMAKE_HOME_DIRECTORY"] == str(ROOT) and (in_use or ["none"]) == [wanted]:
            found.append(path)
    return max(found, key=lambda path: path.stat().st_mtime).parent if found else None
