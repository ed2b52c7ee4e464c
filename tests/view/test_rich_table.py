"""The working in a terminal of any width: no word and no number is ever parted."""

import io

import numpy as np
import pytest
from rich.console import Console

import branchwork as bw


def printed(working, width):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(working)
    return console.file.getvalue()


def workings():
    for name, estimator in (
        ("play_tennis", bw.ID3Classifier()),
        ("restaurant", bw.CHAIDClassifier()),
        ("vegetation", bw.C45Classifier()),
        ("bike_rentals", bw.ID3Regressor()),
    ):
        data = bw.datasets.load(name)
        yield name, estimator.fit(data.X, data.y).working(0, data.X, data.y)
    X = np.random.default_rng(0).normal(size=(60, 3))
    yield "prices", bw.CARTRegressor().fit(X, X[:, 0] * 3e5 + 1.5e6).working(0)


WORKINGS = dict(workings())


@pytest.mark.parametrize("width", [20, 30, 40, 60, 72, 80, 100, 120, 200])
@pytest.mark.parametrize("name", WORKINGS)
def test_no_word_and_no_number_is_parted(name, width):
    text = printed(WORKINGS[name], width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    whole = f"{WORKINGS[name].to_text(color=False)} There is no room for:"
    known = {word.strip(",.─") for word in whole.split()}
    assert {word.strip(",.─") for word in text.split()} <= known


@pytest.mark.parametrize("name", WORKINGS)
def test_what_is_left_out_is_told_and_nothing_is_where_there_is_room(name):
    header = WORKINGS[name].to_text(color=False).splitlines()[1].split("  ")
    columns = [heading.strip() for heading in header if heading.strip()]
    narrow, wide = printed(WORKINGS[name], 80), printed(WORKINGS[name], 250)
    assert "no room" not in wide
    told = narrow.rsplit("There is no room for: ", 1)[1] if "no room" in narrow else ""
    for column in columns:
        shown = set(column.split()) <= set(narrow.split("─")[0].split())
        assert shown != (column in told.strip().rstrip(".").split(", ")), column


def test_a_narrow_terminal_tells_everything_in_lines():
    text = " ".join(printed(WORKINGS["play_tennis"], 30).split())
    assert "Outlook = Overcast | Rain | Sunny before 0.9403, remainder 0.6935, gain 0.2467" in text
    assert "─" not in text and text.endswith("another column gains more")


def test_a_name_wider_than_the_terminal_is_folded_not_lost():
    name = "x" * 90
    working = bw.ID3Classifier().fit({name: ["a", "b"]}, [0, 1]).working(0)
    assert name in printed(working, 50).replace("\n", "")
