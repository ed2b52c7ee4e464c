"""Notebooks run and show what is stored in them; the one about the lectures has all their tables and numbers."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from branchwork.data import datasets
from notebooks import ran, text_of, written

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
LECTURE = FOLDER / "from-id3-to-a-forest.ipynb"
NUMBERS = json.loads((Path(__file__).parent / "lecture_numbers.json").read_text())


@pytest.mark.docs
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_stored(path):
    assert written(ran(path)) == path.read_text(encoding="utf-8"), f"python tests/notebooks.py {path}"


def test_what_a_notebook_shows_is_compared(tmp_path):
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["print(1)\n", "2 + 3"]}
    shown = [
        {"name": "stdout", "output_type": "stream", "text": ["1\n"]},
        {
            "data": {"text/plain": ["5"]},
            "execution_count": 1,
            "metadata": {},
            "output_type": "execute_result",
        },
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(
        json.dumps({"cells": [{**cell, "outputs": []}, {"cell_type": "markdown", "source": ["x"]}]})
    )
    found = ran(path)
    assert found["cells"][0]["outputs"] == shown and text_of(found) == "1\n\n5\n"


def test_a_value_that_has_html_is_shown_as_html(tmp_path):
    source = ["class Table:\n", "    def _repr_html_(self):\n", "        return '<b>3</b>'\n", "Table()"]
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": source, "outputs": []}
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": [cell]}))
    (output,) = ran(path)["cells"][0]["outputs"]
    assert output["data"]["text/html"] == ["<b>3</b>"] and "Table object" in output["data"]["text/plain"][0]


@pytest.fixture(scope="module")
def notebook():
    return json.loads(LECTURE.read_text(encoding="utf-8"))


def test_every_bundled_table_is_in_the_lecture(notebook):
    source = "".join("".join(cell["source"]) for cell in notebook["cells"])
    assert [name for name in datasets.short_names() if f'load("{name}")' not in source] == []


def decimals(number, digits):
    return f"{number:.{digits}f}"


def wanted():
    """Every number of the lectures as the notebook prints it, with the line that it stands in."""
    entropy = NUMBERS["entropy"]
    yield "a card of 52", decimals(entropy["cards_52"], 4)
    yield "a suit of 4", str(entropy["suits_4"])
    yield "a fair coin", str(entropy["fair_coin"])
    yield "a certain answer", str(entropy["certain"])
    for cards, bits in entropy["card_sets"]:
        yield f"cards {cards}", decimals(bits, 2)
    rain = NUMBERS["rain_cloud"]
    yield "H(rain, clouds)", decimals(rain["H_joint"], 2)
    yield "H(clouds | it rains)", decimals(rain["H_cloud_given_rain"], 2)
    yield "H(clouds | rain)", decimals(rain["H_cloud_given_x"], 2)
    fruit = NUMBERS["fruit"]
    yield "before", decimals(fruit["H"], 2)
    for split, digits in (("A", 2), ("B", 3)):
        yield f"split {split}", decimals(fruit[f"gain_{split}"], digits)
        yield f"split {split}", fruit[f"error_{split}"]
    for table in ("spam6", "playtennis_mitchell14", "restaurant_russell_norvig12"):
        yield "entropy (bits)", decimals(NUMBERS[table]["H"], 4)
        for key in ("gain", "remainder", "gain_ratio"):
            for feature, number in NUMBERS[table].get(key, {}).items():
                yield feature, decimals(number, 4)
    yield "before", decimals(NUMBERS["vegetation7"]["H"], 4)
    for cut, numbers in NUMBERS["vegetation7"]["elevation"].items():
        for number in numbers.values():
            yield f"ELEVATION <= {cut}", decimals(number, 4)
    bikes = NUMBERS["bike_rentals12"]
    for name, number in bikes["variance"].items():
        if isinstance(number, float):
            words = f"variance, work day {name[9:]}" if name.startswith("work_day") else f"variance in {name}"
            yield words, str(round(number, 4))
    for feature, number in bikes["weighted_variance"].items():
        yield f"weighted by {feature}", str(round(number, 4))
    for leaves in bikes["leaves"].values():
        for day, mean in leaves.items():
            yield f"WORK DAY = {day}", f"→ RENTALS: {mean}"
    yield "always predict", f"predict {NUMBERS['food_allergy5_sixfoods']['mode']} (1: 4, 0: 1)"
    for rule, share in NUMBERS["food_allergy6_egg_milk_fish"]["accuracy"].items():
        yield "no question" if rule == "()" else rule.replace(">", " > "), share
    for rule, share in NUMBERS["food_allergy11_milk_sorted_bonus"]["accuracy"].items():
        cut = {"()": "no question", "Milk>0": "Milk > 0.15", "Milk>0.3": "Milk > 0.45"}[rule]
        yield cut, str(Fraction(share))
    yield "the first question alone", NUMBERS["food_allergy11_egg_milk"]["root"]["accuracy"]
    for tree in "AB":
        yield f"tree {tree}", NUMBERS["iris7_predictions"][f"error_{tree}"]


def test_every_number_of_the_lectures_is_printed(notebook):
    lines = text_of(notebook).splitlines()
    found = list(wanted())
    assert len(found) > 70
    for words, number in found:
        fits = re.compile(rf"(?<![\d.]){re.escape(number)}(?![\d])")
        assert any(words in line and fits.search(line) for line in lines), (words, number)


def test_the_tree_and_the_answer_of_the_lecture_are_there(notebook):
    text = text_of(notebook)
    assert (
        NUMBERS["playtennis_mitchell14"]["query"]["answer"] + "\nThe answer is PlayTennis: No (100%)" in text
    )
    for line in (
        "├─ Egg <= 1.5 → Sick?: 0",
        "└─ Milk > 0.45 → Sick?: 1",
        "ELEVATION <= 2250 → VEGETATION: riparian",
        "STREAM = false → VEGETATION: chaparral",
    ):
        assert line in text
    pictures = [
        o for c in notebook["cells"] for o in c.get("outputs", ()) if "image/svg+xml" in o.get("data", {})
    ]
    assert len(pictures) == 1
