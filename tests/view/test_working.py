"""The working of a node as a table in every format, and why candidates lose."""

import dataclasses
import html.parser
import io
import re

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import branchwork as bw
from branchwork.errors import MissingExtraError, ParameterError
from branchwork.tree.ledger import REASONS, reason
from branchwork.view.working_formats import FORMATS

HOSTILE = {
    "HTML": "<script>alert('x')</script><b>&amp;",
    "TeX": "\\input{x} 50% a_b $x$ #1 ~ ^ {y}",
    "Markdown": "a|b `c` *d* [e](javascript:f) <g> | # ~~h~~",
    "control": "\x1b[31m\n\r\x00",
    "rich": "[bold]x[/bold] [link=y]z",
}
STYLES = ("table", "lecture")


@pytest.fixture(scope="module")
def tennis():
    return bw.datasets.load("play_tennis")


@pytest.fixture(scope="module")
def tree(tennis):
    return bw.ID3Classifier().fit(tennis.X, tennis.y)


def hostile(name: str, style: str) -> bw.Working:
    """The working of a tree whose columns, categories and labels have this name."""
    X, y = {name: [1.0, 2, 1, 2], "c": [name, "o", name, "o"]}, [name, "other", name, "other"]
    return bw.ID3Classifier().fit(X, y).working(0, X, y, style=style)


class Tags(html.parser.HTMLParser):
    """Every tag of a page, and what is left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


# ---- formats


def test_every_format_has_its_method():
    assert list(FORMATS) == ["text", "markdown", "latex", "html"]
    assert all(callable(getattr(bw.Working, f"to_{name}")) for name in FORMATS)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_holds_the_numbers_and_is_the_same_twice(tree, tennis, name, style):
    works = [tree.working(0, tennis.X, tennis.y, style=style) for _ in range(2)]
    first, second = (getattr(work, f"to_{name}")() for work in works)
    assert first == second
    for piece in ("Outlook", "Temperature", "0.9403", "0.6935", "0.2467", "0.1518", "0.0481", "0.0292"):
        assert piece in first


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("name", FORMATS)
def test_words_of_the_table_are_never_obeyed(name, what, style):
    text = getattr(hostile(HOSTILE[what], style), f"to_{name}")()
    assert text.replace("\n", "").isprintable()
    if name == "html":
        tags = Tags(text)
        assert not tags.open and not tags.seen & {"script", "b", "g"}
    if name in ("html", "markdown"):
        assert "<script" not in text and "<b>" not in text and "<g>" not in text
    if name == "markdown":
        assert not re.search(r"(?<!\\)\]\(", text)  # no link
        assert text.count("$$") % 2 == 0 and "$x$" not in text.replace("\\$", "")
        rows = [line for line in text.splitlines() if line.startswith("|")]
        bars = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
        assert len(bars) == (1 if style == "table" else 0)
    if name == "latex":
        assert "\\input" not in text and not re.search(r"(?<!\\)[#%~]", text)
        assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
        rows = [line for line in text.splitlines() if line.endswith("\\\\") and style == "table"]
        assert len({len(re.findall(r"(?<!\\)&", line)) for line in rows}) == (style == "table")


def test_markdown_is_a_table_with_a_rule(tree):
    title, header, rule, *rows = tree.working().to_markdown().replace("\n\n", "\n").splitlines()
    assert title == "**Node 0: 14 rows, entropy (bits) 0.9403**"
    assert header.startswith("| feature | test | before |")
    assert rule == "| :-- | :-- | --: | --: | --: | --: | --: | --: | --: | :-- |"
    assert rows[0].startswith(
        "| Outlook | Outlook = Overcast \\| Rain \\| Sunny | 0.9403 | 0.6935 | 0.2467 |"
    )
    assert len(rows) == 4


def test_latex_is_a_plain_tabular(tree):
    text = tree.working().to_latex()
    assert "\\begin{tabular}{llrrrrrrrl}\n\\hline\nfeature & test & before &" in text
    assert "Humidity & Humidity = High \\textbar{} Normal & 0.9403 & 0.7885 & 0.1518 &" in text
    assert text.endswith("\\hline\n\\end{tabular}\n") and "rule" not in text


def test_a_notebook_shows_the_html(tree):
    work = tree.working()
    assert work._repr_html_() == work.to_html() and "<table>" in work.to_html()
    assert not Tags(work.to_html()).open


def test_html_tells_the_winner_and_the_cuts_apart():
    data = bw.datasets.load("vegetation")
    work = bw.ID3Classifier().fit(data.X, data.y).working(0, data.X, data.y, cuts=True)
    page = work.to_html()
    assert page.count('<tr class="chosen">') == 1 and page.count('<tr class="detail">') == 4


def test_a_data_frame_has_the_rows_without_cuts():
    data = bw.datasets.load("vegetation")
    work = bw.ID3Classifier().fit(data.X, data.y).working(0, data.X, data.y, cuts=True)
    frame = work.to_frame()
    wanted = [{key: value for key, value in row.items() if key != "cuts"} for row in work.to_dict()]
    assert list(frame.columns) == list(wanted[0])
    assert frame["gain"].dtype == float and frame["gain"].tolist() == [row["gain"] for row in wanted]
    assert frame["verdict"].tolist() == ["lower_gain", "lower_gain", "chosen"]


def test_a_leaf_has_a_data_frame_too(tree):
    frame = tree.working(1).to_frame()
    assert len(frame) == 0 and "gain_ratio" in frame.columns


def test_a_missing_pandas_is_named(tree, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"to_frame\(\) needs pandas.*pip install"):
        tree.working().to_frame()


@pytest.mark.parametrize("style", STYLES)
def test_rich_prints_it_and_reads_no_markup(style):
    out = io.StringIO()
    Console(file=out, width=300, color_system=None).print(hostile(HOSTILE["rich"], style))
    assert "[bold]x[/bold] [link=y]z" in out.getvalue()
    assert ("Verdict" in out.getvalue()) == (style == "lecture")


def test_a_working_is_a_frozen_value(tree):
    work = tree.working()
    with pytest.raises(dataclasses.FrozenInstanceError):
        work.node = 3
    rows = work.to_dict()
    rows[0]["gain"] = 7
    assert work.to_dict()[0]["gain"] != 7


def test_an_unknown_style_is_refused(tree):
    with pytest.raises(ParameterError, match="Did you mean 'lecture'"):
        tree.working(style="lectures")


# ---- why candidates lose


def verdicts(work: bw.Working) -> dict[str, str]:
    return {row["feature"]: row["verdict"] for row in work.to_dict()}


def shown(work: bw.Working, feature: str) -> str:
    (line,) = [line for line in str(work).splitlines() if line.startswith(feature)]
    return line


def test_below_average_gain_is_shown(tennis):
    work = bw.C45Classifier().fit(tennis.X, tennis.y).working()
    assert verdicts(work) == {
        "Outlook": "chosen",
        "Temperature": "below_average",
        "Humidity": "lower_gain",
        "Wind": "below_average",
    }
    assert "gains less than the columns do on average" in shown(work, "Wind")
    assert "another column has a larger gain ratio" in shown(work, "Humidity")


def test_too_few_rows_are_shown():
    X, y = {"a": [0.0] + [1.0] * 9, "b": [0.0] * 5 + [1.0] * 5}, [0] * 4 + [1] * 6
    work = bw.CARTClassifier(min_samples_leaf=2).fit(X, y).working()
    assert verdicts(work) == {"a": "too_few_rows", "b": "chosen"}
    assert "every split would leave a branch with too few rows" in shown(work, "a")


def test_not_significant_is_shown():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"signal": np.repeat([0, 1], 30), "noise": rng.integers(0, 2, 60)})
    y = X["signal"].map({0: "a", 1: "b"})
    work = bw.CHAIDClassifier().fit(X, y).working()
    assert verdicts(work) == {"signal": "chosen", "noise": "not_significant"}
    assert "not significant" in shown(work, "noise")


def test_a_tie_lost_to_an_earlier_column_is_shown():
    data = bw.datasets.load("vegetation")
    work = bw.ID3Classifier().fit(data.X, data.y).working(1)
    assert verdicts(work)["STREAM"] == "chosen" and verdicts(work)["ELEVATION"] == "tie_lost"
    assert "as good as the chosen one, which comes earlier in the table" in shown(work, "ELEVATION")


def test_all_other_reasons_are_shown(tennis, tree):
    found = set()
    X = pd.DataFrame({"a": [0.0, 0, 1, 1], "one": [3.0] * 4, "nothing": [0.0, 1, 0, 1]})
    works = [
        bw.CARTClassifier().fit(X, list("xxyy")).working(),
        bw.CARTClassifier().fit(X[["nothing"]], list("xxyy")).working(),
        tree.working(3),
        bw.TreeClassifier(min_impurity_decrease=0.9).fit(X, list("xxyy")).working(),
        bw.CHAIDClassifier()
        .fit(
            pd.DataFrame({"a": np.repeat([0, 1], 30), "b": np.r_[np.repeat([0, 1], 30)[1:], 1]}),
            np.repeat([0, 1], 30),
        )
        .working(),
    ]
    for work in works:
        for row in work.to_dict():
            found.add(row["verdict"])
            assert row["reason"] == REASONS[row["verdict"]]
    assert found >= {"one_branch", "used_above", "small_gain", "less_significant", "lower_gain", "no_gain"}


def test_a_reason_says_what_was_compared():
    assert {reason(verdict, "entropy") for verdict in REASONS} == set(REASONS.values())
