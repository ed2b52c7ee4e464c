"""Documents that run: every example in docstrings, and every block of code of the README and the pages in docs/."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import branchwork

from pages import answers, blocks, refreshed

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))
FIRST = [ROOT / "README.md", ROOT / "docs" / "index.md", ROOT / "docs" / "quickstart.md"]
"""What a stranger runs first; all other pages run in `make docs`."""
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


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.docs] * (path not in FIRST))
        for path in [ROOT / "README.md", *PAGES]
    ],
    ids=lambda p: p.relative_to(ROOT).as_posix(),
)
def test_a_page_runs_and_prints_what_it_shows(path):
    for block, printed in answers(path):
        assert printed == block.text, f"python tests/pages.py {path.relative_to(ROOT)}"


def test_what_a_page_shows_is_compared_and_can_be_written_in(tmp_path):
    page = tmp_path / "README.md"
    text = """Some text.

```python
x = 3
print("is not shown")
```

```pycon
>>> x + 1
4
>>> for k in range(2):
...     print(k)
0
1
>>> {}["gone"]
Traceback (most recent call last):
    ...
KeyError: 'gone'
```

```console
$ make something
$ branchwork --version
branchwork 0.1.0

$ python -c "print('id,age,pulse,outcome')"
id,age,pulse,outcome
$ branchwork grow nothing
branchwork: There is no file 'nothing'.
```
"""
    page.write_text(text, encoding="utf-8")
    assert [printed for _, printed in answers(page)] == [block.text for block in blocks(text)]
    assert refreshed(page) == text
    page.write_text(text.replace("\n4\n", "\n5\n").replace("0.1.0", "0.0.9"), encoding="utf-8")
    assert [printed == block.text for block, printed in answers(page)] == [True, False, False]
    assert refreshed(page) == text


def test_a_page_of_the_documentation_is_given_no_file(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nopen('visits.csv')\n```", encoding="utf-8")
    with pytest.raises(FileNotFoundError):
        answers(page)


def test_a_page_shows_all_messages_of_a_command_or_none(tmp_path):
    page = tmp_path / "page.md"
    code = "import sys; print('data'); print('message', file=sys.stderr)"
    for shown, expected in [("data", "data"), ("data\nmessage", "data\nmessage"), ("dat", "data\nmessage")]:
        page.write_text(f'```console\n$ python -c "{code}"\n{shown}\n```\n', encoding="utf-8")
        ((_, printed),) = answers(page)
        assert printed.split("\n", 1)[1].rstrip() == expected


@pytest.mark.parametrize("block", ["```python\n1 / 0\n```", "```pycon\n>>> 1 / 0\n```"])
def test_code_that_fails_is_noticed(block, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(block, encoding="utf-8")
    with pytest.raises(ZeroDivisionError):
        answers(page)


@pytest.mark.parametrize("command", ["branchwork grow nothing", "python -c 'raise SystemExit(3)'\nshown"])
def test_a_command_that_fails_is_noticed(command, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"```console\n$ {command}\n```", encoding="utf-8")
    with pytest.raises(AssertionError, match="ended with"):
        answers(page)


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


def test_what_is_printed_stands_where_it_is_checked():
    """A fence of plain text would grow stale: pycon and console blocks must print what they show."""
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        assert "```text" not in path.read_text(encoding="utf-8"), path
