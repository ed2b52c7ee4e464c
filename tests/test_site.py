"""The documentation site: it builds without a warning, asks the network for nothing and names everything public."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import branchwork as bw

from check_site import loaded_from_elsewhere
from docstrings import to_rst
from make_pictures import DRAWN, PICTURES, picture

DOCS = Path(__file__).parent.parent / "docs"


def test_the_site_builds_loads_nothing_from_elsewhere_and_names_everything_public(tmp_path):
    for library in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(library, reason=f"{library} is not installed: pip install --group docs")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", DOCS, tmp_path]
    built = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert built.returncode == 0, built.stderr
    assert loaded_from_elsewhere(tmp_path) == []
    api = (tmp_path / "api.html").read_text(encoding="utf-8")
    for name in bw.__all__:
        assert f'id="branchwork.{name}"' in api or f'id="module-branchwork.{name}"' in api, name


def test_what_is_loaded_from_elsewhere_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="https://a.org">a link</a><script src="https://b.org/b.js"></script>'
        '<link rel="stylesheet" href="//c.org/c.css"><img alt="" src="own.svg"><link rel="canonical" href="https://d.org">'
    )
    (tmp_path / "a.css").write_text('@import "https://e.org/e.css"; p { background: url(f.png) }')
    found = [line.split(": ")[1] for line in loaded_from_elsewhere(tmp_path)]
    assert found == ["https://e.org/e.css", "https://b.org/b.js", "//c.org/c.css"]


def test_docstrings_are_text_with_code_examples_and_parameters():
    lines = [
        "Cuts a_b * c in `d_`s.",
        "",
        "Parameters",
        "----------",
        "x, y (both) : what",
        "    they are.",
        "",
    ]
    assert to_rst([*lines, ">>> f(1)", "2", "", "    drawn |"]) == [
        "Cuts a\\_b \\* c in ``d_``\\ s.",
        "",
        ".. rubric:: Parameters",
        "",
        "``x``, ``y`` (both)",
        "   what they are.",
        "",
        ".. code-block:: pycon",
        "",
        "   >>> f(1)",
        "   2",
        "",
        ".. code-block:: text",
        "",
        "    drawn |",
        "",
    ]


@pytest.mark.parametrize("name", [*PICTURES, *DRAWN])
def test_the_pictures_are_those_of_today(name):
    drawn = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn == picture(name), "python docs/make_pictures.py"


def test_the_first_tree_takes_six_lines():
    page = (DOCS / "quickstart.md").read_text(encoding="utf-8")
    first = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    assert len(first.splitlines()) <= 6 and "to_svg()" in first
