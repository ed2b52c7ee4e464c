"""Documents that run: every example in docstrings, and every block of code of the README and the pages in docs/."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import branchwork

from pages import answers, blocks

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))
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


def test_the_readme_runs_and_prints_what_it_shows(monkeypatch):
    monkeypatch.chdir(ROOT)
    for block, printed in answers(ROOT / "README.md"):
        assert printed == block.text


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.relative_to(ROOT / "docs").as_posix())
def test_a_page_runs_and_prints_what_it_shows(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block, printed in answers(path):
        assert printed == block.text, f"python tests/pages.py {path.relative_to(ROOT)}"


def test_every_block_of_code_is_one_that_runs():
    for path in [ROOT / "README.md", *PAGES]:
        text = path.read_text(encoding="utf-8")
        fences = re.findall(r"^\s*```+(python|pycon|console|py|bash|sh)\b", text, re.MULTILINE)
        assert len(fences) == len(blocks(text)), path


def test_links_between_documents_lead_somewhere():
    for path in [*ROOT.glob("*.md"), *PAGES, *(ROOT / "benchmarks").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
            if not link.startswith("http"):
                assert (path.parent / link).exists(), f"{path.name}: {link}"
