"""A terminal of any width and colour: lines fit, wide characters align, classes have the colours of the pictures."""

import io
import re
import sys

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import branchwork as bw
from branchwork.table.wide_text import cells
from branchwork.view.class_key import key_of
from branchwork.view.palette import LIGHT
from branchwork.view.terminal import folded, paint

COLOURED_DOT = re.compile(r"\x1b\[(38;[0-9;]+)m●\x1b\[0m (?:\x1b\[\d+m)?([^\s\x1b]+)")
PLAIN = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = [40, 60, 80, 100, 160]


def passengers(n=400):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "舱位 class": rng.choice(["一等", "二等", "三等"], n),
            "age": rng.normal(30, 9, n).round(2),
            "a feature with quite a long name": rng.choice(
                ["e\u0301tudiant", "👩\u200d🔬 scientist", "x"], n
            ),
            "fare": rng.lognormal(3, 1, n),
        }
    )
    y = np.where((X["age"] > 30) ^ (X["舱位 class"] == "一等") ^ (rng.random(n) < 0.1), "yes", "no")
    return X, pd.Series(y, name="survived")


X, Y = passengers()
TREE = bw.C45Classifier().fit(X, Y)
NUMBERS = bw.CARTRegressor(max_depth=3).fit(X.drop(columns="fare"), X["fare"] * 1e6)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    def use(columns, **variables):
        monkeypatch.setattr(sys, "stdout", Terminal())
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "xterm-256color")
        for name in ("NO_COLOR", "COLORTERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return use


SHOWN = {
    "tree": lambda width: TREE.to_text(width=width),
    "tree of numbers": lambda width: NUMBERS.to_text(width=width),
    "working": lambda width: TREE.working(0).to_text(width=width),
    "working with cuts": lambda width: TREE.working(0, X, Y, cuts=True, top=2).to_text(width=width),
    "rules": lambda width: TREE.rules().to_text(width=width),
    "why": lambda width: TREE.why(X.iloc[0]).to_text(width=width),
    "neighbours": lambda width: bw.NeighboursClassifier(3).fit(X, Y).why(X.iloc[0]).to_text(width=width),
    "look": lambda width: bw.study.look(X, Y).to_text(width=width),
    "report": lambda width: bw.study.report(TREE, X, Y, n_bootstrap=10).to_text(width=width),
    "compare": lambda width: COMPARED.to_text(width=width),
    "tune": lambda width: TUNED.to_text(width=width),
    "stability": lambda width: STABLE.to_text(width=width),
    "difference": lambda width: bw.study.compare_trees(TREE, bw.CARTClassifier().fit(X, Y)).to_text(
        width=width
    ),
}
COMPARED = bw.study.compare(
    {"tree": bw.TreeClassifier(max_depth=2), "stump": bw.StumpClassifier()}, X, Y, cv=3
)
TUNED = (
    bw.TreeClassifier()
    .tune(X, Y, grid={"max_depth": [1, 2], "min_samples_leaf": [1, 5]}, nested=False)
    .tuning_
)
STABLE = bw.study.stability(bw.TreeClassifier(max_depth=2), X, Y, n=10)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("what", SHOWN)
def test_no_line_is_wider_than_the_terminal(what, width):
    lines = SHOWN[what](width).splitlines()
    too_wide = [line for line in lines if cells(PLAIN.sub("", line)) > width]
    assert not too_wide


@pytest.mark.parametrize("what", SHOWN)
def test_a_wide_terminal_shows_what_a_file_gets(what):
    wide, any_width = SHOWN[what](400), SHOWN[what](None)
    assert "".join(wide.split()) == "".join(any_width.split()) and "No room for" not in wide


@pytest.mark.parametrize("what", ["working", "look", "report", "rules", "compare"])
def test_columns_that_are_left_out_are_named(what):
    text = " ".join(SHOWN[what](60).split())
    assert re.search(r"No room for: .+\. A wider terminal shows more\.", text)


def test_printing_fits_the_terminal_and_a_pipe_gets_everything(terminal):
    whole = str(TREE.working(0)), str(TREE.rules()), str(TUNED), str(COMPARED)
    terminal(60)
    fitted = str(TREE.working(0)), str(TREE.rules()), str(TUNED), str(COMPARED)
    for text in fitted:
        assert max(cells(PLAIN.sub("", line)) for line in text.splitlines()) <= 60
    sys.stdout = io.StringIO()
    assert (str(TREE.working(0)), str(TREE.rules()), str(TUNED), str(COMPARED)) == whole


def test_rich_drops_the_same_columns():
    console = Console(file=io.StringIO(), width=80, color_system=None)
    console.print(TREE.working(0))
    printed = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert max(map(cells, printed)) <= 80
    table = TREE.working(0).to_text(color=False, width=80).splitlines()[1:6]
    assert [line for line in table if line not in printed] == []


def test_rows_align_whatever_their_letters():
    lines = TREE.to_text(color=False).splitlines()[1:]
    ends = {cells(line[: re.search(r"\d rows?\b", line).start()]) for line in lines}
    assert len(ends) == 1 and any("等" in line for line in lines)


def test_classes_have_the_colours_of_the_pictures(terminal):
    terminal(200, COLORTERM="truecolor")
    found = dict(reversed(one) for one in COLOURED_DOT.findall(TREE.to_text()))
    colours = key_of(TREE.model_).colours(LIGHT)
    wanted = [f"38;2;{int(c[1:3], 16)};{int(c[3:5], 16)};{int(c[5:7], 16)}" for c in colours]
    assert [found[label] for label in TREE.model_.labels] == wanted
    assert {found["no:"], found["yes:"]} == set(wanted)
    terminal(200)
    assert set(re.findall(r"38;(\d);", TREE.to_text())) == {"5"}, "256 colours where there are no others"


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours_where_they_are_not_wanted(terminal, variables):
    terminal(80, **variables)
    assert "\x1b" not in TREE.to_text() and "●" not in TREE.to_text()


def test_a_pipe_gets_no_colours():
    assert "\x1b" not in TREE.to_text() and "●" not in TREE.to_text()


def test_a_coloured_tree_can_be_read_back():
    text = TREE.to_text(full=True, color=True)
    model = bw.hand_tree(text, X, Y.to_numpy())
    assert model.target == "survived" and model.to_text() == TREE.to_text()


def test_sentences_are_folded_between_words():
    assert folded("one two three", None) == "one two three"
    assert folded("one two three", 8, "  ") == "one two\n  three"
    assert folded("   one two", 8, "     ") == "   one\n     two"


def test_a_colour_is_painted_only_where_there_are_colours():
    assert paint("x", "bold", "#0072b2", colour=False) == "x"
    assert paint("", "bold", colour=True) == ""
