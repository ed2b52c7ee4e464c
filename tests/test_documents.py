"""Documents that run: every example in docstrings, and every Python and console block of the README."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import branchwork

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(branchwork.__path__, "branchwork.")
    if not m.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_docstring_examples():
    finder = doctest.DocTestFinder()
    count = sum(len(t.examples) for m in MODULES for t in finder.find(importlib.import_module(m)))
    assert count >= 40


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(
    "path", sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]), ids=lambda p: p.name
)
def test_python_blocks_run(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    for block in blocks(path, "python"):
        exec(compile(block, str(path), "exec"), {})


def test_the_readme_shows_what_the_command_prints():
    (block,) = [b for b in blocks(ROOT / "README.md", "console") if "branchwork grow play_tennis" in b]
    shown = block.split("$ branchwork grow play_tennis\n")[1].split("\n\n$ ")[0]
    command = [sys.executable, "-m", "branchwork", "grow", "play_tennis"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    assert printed.strip() == shown.strip()


def test_links_between_documents_lead_somewhere():
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            if not link.startswith("http"):
                assert (path.parent / link).exists(), f"{path.name}: {link}"
