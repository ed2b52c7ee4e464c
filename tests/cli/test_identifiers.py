"""Columns that look like identifiers, on the command line: one line on standard error whose advice works."""

import json
import re
import shlex

import pytest

from commands import call

ROWS = [
    (f"T{k:03d}", f"{k // 2} Main St" if k < 50 else "", k % 5, "yes" if k % 5 > 2 else "no")
    for k in range(60)
]


@pytest.fixture
def tickets(tmp_path):
    path = tmp_path / "tickets.csv"
    lines = ["ticket,home address,age,survived", *(",".join(map(str, row)) for row in ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def told(done):
    assert done.exit_code == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "identifier" in line]


def advice(line):
    """What the line proposes in brackets: the options that leave columns out, and those that merge values."""
    drop, merge = re.fullmatch(
        r".*\((--drop .*)\), or merge rare values \(grow (.*); id3 .*\)\.", line
    ).groups()
    return shlex.split(drop), shlex.split(merge)


@pytest.mark.parametrize("method", ["id3", "stump", "c45", "j48", "cart", "tree", "chaid"])
def test_grow_says_it_in_one_line_and_the_advice_works(tickets, method):
    given = ["grow", tickets, "--target", "survived", "--method", method, "--folds", 3]
    (line,) = told(call(*given))
    assert line.startswith(
        "branchwork: Columns 'ticket' (60 values in 60 cells), 'home address' (25 values in 50 "
    )
    assert "X.drop" not in line
    drop, merge = advice(line)
    assert drop == ["--drop", "ticket", "--drop", "home address"]
    assert not told(call(*given, *drop))
    if method in ("id3", "stump"):
        assert "id3 and stump have no such setting" in line
        given[given.index(method)] = "c45"
    assert not told(call(*given, *merge))


def test_compare_says_it_once_for_all_methods(tickets):
    given = ["compare", tickets, "--target", "survived", "--folds", 3]
    (line,) = told(call(*given))
    assert not told(call(*given, *advice(line)[0]))


@pytest.mark.parametrize(("setting", "levels"), [("min_category_rows=3", 1), ("max_levels=3", 4)])
def test_a_saved_model_knows_how_rare_categories_were_merged(tickets, tmp_path, setting, levels):
    path = tmp_path / "model.json"
    given = ["grow", tickets, "--target", "survived", "--method", "cart", "--folds", 0]
    assert call(*given, "--drop", "ticket", "--set", setting, "-o", path).exit_code == 0
    model = json.loads(path.read_text(encoding="utf-8"))
    name, value = setting.split("=")
    assert model["recipe"]["search"][name] == int(value)
    column = model["columns"][0]
    rare = column["rare"]
    assert len(column["categories"]) - len(rare) + 1 == levels


@pytest.mark.parametrize("setting", ["min_category_rows=few", "max_levels=0", "min_category_row=5"])
def test_a_wrong_setting_is_refused_by_name(tickets, setting):
    done = call("grow", tickets, "--target", "survived", "--set", setting)
    assert done.exit_code == 2
    assert setting.split("=")[0] in done.stderr
