"""The notebook about a real table runs, shows what is stored in it, and what its text says about numbers is true."""

import json
from pathlib import Path

import pytest

from notebooks import ran, text_of, written

PATH = Path(__file__).parent.parent / "docs" / "notebooks" / "from-csv-to-a-judged-tree.ipynb"


@pytest.fixture(scope="module")
def again():
    return ran(PATH)


def test_it_shows_what_is_stored(again):
    assert written(again) == PATH.read_text(encoding="utf-8"), f"python tests/notebooks.py {PATH}"


def test_it_can_be_opened_by_jupyter():
    notebook = json.loads(PATH.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids) and notebook["cells"][0]["cell_type"] == "markdown"


def test_what_its_text_says_is_true(again):
    told = "".join("".join(cell["source"]) for cell in again["cells"] if cell["cell_type"] == "markdown")
    shown = text_of(again)
    assert "Nothing odd was found" in told and "findings: []" in shown
    assert "only 142 test rows" in told and "TreeClassifier for diagnosis on 142 rows" in shown
    assert "Eight malignant tumours are overlooked" in told and "malignant       8         45" in shown
    assert (
        "a probability of 0.027" in told
        and "leaf 3: probability of malignant 0.025 in training, 0.027" in shown
    )
    assert "the interval of the threshold begins at 0" in told and "0.456 (0 to 0.456): cost per row" in shown
    verdicts = [line.split()[-1] for line in shown.splitlines() if line.endswith(("better", "worse", "sure"))]
    assert "surely better than the baseline in every figure" in told and set(verdicts) == {"better"}
    assert "142 of 142 answers are the same" in shown
