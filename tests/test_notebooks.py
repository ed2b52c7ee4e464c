"""Notebooks in docs/ run, and show what they show."""

import json
from pathlib import Path

import pytest

from notebooks import read, run, write

NOTEBOOKS = sorted((Path(__file__).parent.parent / "docs" / "notebooks").glob("*.ipynb"))


def test_there_is_a_notebook():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_shows(path):
    given = read(path)
    found = run(given)
    for cell, again in zip(given["cells"], found["cells"], strict=True):
        assert again == cell, f"python tests/notebooks.py {path}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_well_formed(path):
    notebook = read(path)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert notebook["cells"][0]["cell_type"] == "markdown"


def test_what_a_cell_shows_is_compared_and_can_be_written_in(tmp_path):
    def cell(source):
        return {"cell_type": "code", "id": "a", "metadata": {}, "source": [source], "outputs": []}

    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": [cell("x = 2\nprint(x)"), cell("x + 1"), cell("x = 5")]}))
    write(path)
    first, second, third = read(path)["cells"]
    assert first["outputs"][0]["text"] == ["2\n"] and second["outputs"][0]["data"] == {"text/plain": ["3"]}
    assert third["outputs"] == [] and run(read(path)) == read(path)
    changed = read(path)
    changed["cells"][0]["source"] = ["x = 3\nprint(x)"]
    assert run(changed) != changed
