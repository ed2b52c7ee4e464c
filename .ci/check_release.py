"""Refuse a release whose tag, version, changelog, citation or address do not fit together.

    python .ci/check_release.py v0.1.0

Needs nothing but Python.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def version(root: Path = ROOT) -> str:
    """Return `__version__`, the one place where the version is written."""
    text = (root / "src" / "branchwork" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, flags=re.MULTILINE)
    assert found, "src/branchwork/__init__.py has no __version__"
    return found[1]


def newest_in_changelog(root: Path = ROOT) -> tuple[str, str]:
    """Return the version and the date at the top of the changelog."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^## \[?([^\s\]]+)\]? [—–-] (.+)$", text, flags=re.MULTILINE)
    assert found, "CHANGELOG.md has no heading such as '## 0.1.0 — 2026-12-31'"
    return found[1], found[2].strip()


def cited_version(root: Path = ROOT) -> str:
    """Return the version in CITATION.cff."""
    text = (root / "CITATION.cff").read_text(encoding="utf-8")
    found = re.search(r"^version: (.+)$", text, flags=re.MULTILINE)
    assert found, "CITATION.cff has no version"
    return found[1].strip().strip("\"'")


def objections(tag: str, root: Path = ROOT) -> list[str]:
    """Return what speaks against releasing this checkout under this tag."""
    found = []
    ours = version(root)
    if tag != f"v{ours}":
        found.append(f"The tag is {tag!r}, but __version__ in src/branchwork/__init__.py asks for 'v{ours}'.")
    newest, date = newest_in_changelog(root)
    if newest != ours:
        found.append(f"The newest version in CHANGELOG.md is {newest}, but __version__ is {ours}.")
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        found.append(
            f"CHANGELOG.md dates version {newest} {date!r}; write the day of the release, as in 2026-12-31."
        )
    if cited_version(root) != ours:
        found.append(f"CITATION.cff names version {cited_version(root)}, but __version__ is {ours}.")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, address in project["urls"].items():
        if ".invalid" in address:
            found.append(
                f"[project.urls] in pyproject.toml has a placeholder for {name}: write the real address."
            )
    return found


if __name__ == "__main__":
    against = objections(sys.argv[1] if len(sys.argv) > 1 else "")
    sys.exit("\n".join(against) or 0)
