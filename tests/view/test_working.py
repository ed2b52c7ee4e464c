"""The working of a node as a table in every format, and why candidates lose."""

import dataclasses
import html.parser
import io
import re
from pathlib import Path

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
    assert title == "**Node 0: 14 rows, entropy (bits) of PlayTennis 0.9403**"
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
    assert {reason(verdict) for verdict in REASONS} == set(REASONS.values())


# ---- what the numbers are


def test_c45_shows_the_true_remainder_and_what_it_deducts():
    X, y = [[float(k)] for k in range(1, 11)], list("aaaabbbbab")
    work = bw.C45Classifier(pruning=None).fit(X, y).working()
    (row,) = work.to_dict()
    assert row["remainder"] == pytest.approx(0.6 * bw.information.entropy(list("bbbbab")))
    assert f"{row['remainder']:.4f}" == "0.3900" and "0.3900" in str(work)
    assert row["penalty"] == pytest.approx(np.log2(7) / 10) and row["known"] == 1
    assert row["net_gain"] == pytest.approx(row["gain"] - row["penalty"])
    assert row["gain_ratio"] == pytest.approx(row["net_gain"] / row["split_info"])
    assert "penalty" in str(work) and "net gain" in str(work) and "known" not in str(work)


def test_columns_that_say_nothing_new_are_not_shown(tree):
    header = str(tree.working()).splitlines()[1]
    assert "net gain" not in header and "penalty" not in header and "known" not in header
    assert all(row["net_gain"] == row["gain"] and row["known"] == 1 for row in tree.working().to_dict())


@pytest.mark.parametrize("criterion", ["gini", "accuracy"])
def test_a_ratio_of_unlike_units_is_left_out(tennis, criterion):
    work = bw.TreeClassifier(criterion=criterion).fit(tennis.X, tennis.y).working()
    assert all(row["gain_ratio"] is row["split_info"] is None for row in work.to_dict())
    assert "ratio" not in str(work) and "split info" not in str(work)


def test_a_squared_error_has_no_gain_ratio():
    data = bw.datasets.load("bike_rentals")
    work = bw.CARTRegressor().fit(data.X, data.y).working()
    assert all(row["gain_ratio"] is row["split_info"] is None for row in work.to_dict())


@pytest.mark.parametrize("name", [*FORMATS, "rich"])
def test_a_tiny_p_value_is_never_written_as_zero(name):
    X, y = {"a": [0.0] * 300 + [1.0] * 300}, [0] * 300 + [1] * 300
    X["b"] = [k % 2 for k in range(600)]
    work = bw.CHAIDClassifier().fit(X, y).working()
    assert work.to_dict()[0]["p_value"] < 1e-100
    for one in (work, bw.CHAIDClassifier().fit(X, y).working(0, X, y, style="lecture")):
        out = io.StringIO()
        Console(file=out, width=300, color_system=None).print(one)
        text = out.getvalue() if name == "rich" else getattr(one, f"to_{name}")()
        less = {"html": "&lt;", "latex": "\\textless{}", "markdown": "&lt;"}.get(name, "<")
        assert f"{less} 0.0001" in text
        assert text.count("e-1") == (one is work)  # the adjusted p-value, which decides, has its digits


# ---- settings


def test_what_was_fitted_is_shown_whatever_set_params_says_since(tennis):
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    shown = [str(tree.working()), str(tree.working(0, tennis.X, tennis.y)), tree.to_html(title="t")]
    tree.set_params(criterion="gini", smoothing="laplace")
    assert [str(tree.working()), str(tree.working(0, tennis.X, tennis.y)), tree.to_html(title="t")] == shown
    assert "entropy (bits) of PlayTennis 0.9403" in shown[0] and "Gini" not in tree._repr_html_inner()


def test_class_weights_of_the_fit_are_those_of_the_working(tennis):
    tree = bw.CARTClassifier(class_weight={"Yes": 3.0}).fit(tennis.X, tennis.y)
    shown = tree.working(0, tennis.X, tennis.y).to_dict()
    tree.set_params(class_weight=None)
    assert tree.working(0, tennis.X, tennis.y).to_dict() == shown
    assert tree.working(0).n == tree.working(0, tennis.X, tennis.y).n == 3 * 9 + 5


def test_pruning_after_set_params_goes_by_the_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    tree = bw.C45Classifier(pruning=None).fit(X, y)
    wanted = tree.prune("error_based", X, y)
    other = tree.set_params(smoothing=5.0).prune("error_based", X, y)
    assert other.tree_.value.tolist() == wanted.tree_.value.tolist()


# ---- how much is shown


def wide(n_columns: int = 30):
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(80, n_columns)).round(1), columns=[f"c{k}" for k in range(n_columns)])
    return X, (X["c7"] + X["c3"] / 2 + rng.normal(size=80) / 2 > 0).astype(int)


def test_only_the_best_are_shown_if_asked_for():
    X, y = wide()
    tree = bw.CARTClassifier(max_depth=2).fit(X, y)
    everything = tree.working().to_dict()
    work = tree.working(top=10)
    rows = work.to_dict()
    assert [row["feature"] for row in everything] == list(X.columns)
    assert len(rows) == 10 and rows[0]["verdict"] == "chosen"
    gains = [row["gain"] for row in rows]
    assert gains == sorted((row["gain"] for row in everything), reverse=True)[:10]
    assert str(work).endswith("… and 20 more features, which are worse or have no split.")
    assert "… and 29 more features" in tree.working(0, X, y, top=1, style="lecture").to_text()
    assert "more feature" not in str(tree.working(top=30)) and len(tree.working(top=99).to_dict()) == 30
    last = everything[-1]["feature"]
    assert tree.working(0, X, y, top=1).curve(last).cuts  # what is not shown still has its curve


@pytest.mark.parametrize("top", [0, -1, 2.5, True, "ten"])
def test_a_wrong_top_is_refused(tree, top):
    with pytest.raises(ParameterError, match=r"top=.*whole number of at least 1"):
        tree.working(top=top)


def test_cuts_are_listed_on_request():
    X, y = wide(8)
    tree = bw.ID3Classifier().fit(X, y)
    plain, listed = tree.working(0, X, y), tree.working(0, X, y, cuts=True)
    assert "cuts" not in plain.to_dict()[0] and len(str(plain).splitlines()) == 11
    assert listed.to_dict()[0]["cuts"] and len(str(listed).splitlines()) > 20
    assert plain.curve("c0").to_dict() == listed.curve("c0").to_dict()
    with pytest.raises(
        ParameterError, match=r"cuts=True needs the training data: working\(0, X=X, y=y, cuts=True\)"
    ):
        tree.working(cuts=True)


def test_half_of_the_data_is_refused(tree, tennis):
    with pytest.raises(ParameterError, match="X was given without y"):
        tree.working(0, X=tennis.X)
    with pytest.raises(ParameterError, match="y was given without X"):
        tree.working(0, y=tennis.y)


def test_files_of_before_tell_what_they_know_and_no_more():
    model = bw.load(Path(__file__).parents[1] / "store" / "golden" / "format-1" / "c45-shared.bw")
    rows = model.working().to_dict()
    split = [row for row in rows if row["test"] is not None]
    assert split and all(row["net_gain"] is not None for row in split)
    for name in ("known", "before", "remainder", "gain", "penalty"):
        assert all(row[name] is None for row in split), name
    assert "–" in str(model.working()) and "NetGain(" in model.working(style="lecture").to_text()
