"""A look as a whole: what it takes, what it refuses, its text, its page and its pictures."""

import datetime
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import branchwork as bw
from branchwork.cli.json_text import dumps
from branchwork.errors import DataError, ParameterError, TargetError
from branchwork.study.look_input import given, lenient_table, target_of
from branchwork.study.look_page import MOST_PICTURES
from branchwork.table.target import Classes, Values
from branchwork.view.feature_chart import Bars, Boxes, Histogram
from study.look_tables import CLEAN, mixed_table, regression_table

TENNIS = bw.datasets.load("play_tennis")


# ---- what it takes -----------------------------------------------------------------------------------------


def test_a_column_of_the_table_may_be_the_target():
    columns, y = mixed_table()
    frame = pd.DataFrame({**columns, "state": y})
    by_name, by_cells = bw.study.look(frame, "state"), bw.study.look(columns, pd.Series(y, name="state"))
    assert by_name.to_dict() == by_cells.to_dict()
    assert by_name.target_look.name == "state" and len(by_name.features) == 4
    with pytest.raises(DataError, match=r"There is no column 'stat'\. Did you mean 'state'\?"):
        bw.study.look(frame, "stat")


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, bw.to_table, dict, lambda d: pl.DataFrame(d).to_arrow()]
)
def test_every_container_gives_the_same_look(make):
    columns, y = mixed_table()
    assert bw.study.look(make(columns), y).to_dict() == bw.study.look(columns, y).to_dict()


def test_a_frame_of_one_column_is_a_target():
    columns, y = mixed_table()
    one, two = (
        bw.study.look(columns, pd.DataFrame({"state": y})),
        bw.study.look(columns, pd.Series(y, name="state")),
    )
    assert one.to_dict() == two.to_dict()


def test_a_frame_whose_columns_are_numbered():
    table = lenient_table(pd.DataFrame({0: [1, "a", 2], 1: [1.5, 2.5, 3.5]}))
    assert table.column("0") == ["1", "a", "2"] and table.column("1") == [1.5, 2.5, 3.5]


@pytest.mark.parametrize("name", bw.datasets.names())
def test_the_lecture_tables_can_be_looked_at(name):
    table = bw.datasets.load(name)
    kinds = {one.kind for one in bw.study.look(table.X, table.y).findings}
    assert kinds == ({"constant"} if name == "playtennis_excerpt8" else set())


def test_rows_of_lists_and_of_mappings():
    rows = [[1.5, "a"], [2.5, "b"], [3.5, "a"]]
    seen = bw.study.look(rows, [0, 1, 1])
    assert [one.name for one in seen.features] == ["x0", "x1"]
    assert bw.study.look([{"x0": x, "x1": c} for x, c in rows], [0, 1, 1]).to_dict() == seen.to_dict()
    assert bw.study.look(np.array(rows, object), [0, 1, 1]).to_dict() == seen.to_dict()


@pytest.mark.parametrize(
    "make", [pd.DataFrame, dict, lambda d: np.column_stack([np.array(c, object) for c in d.values()])]
)
def test_columns_that_mix_numbers_and_texts_are_taken_as_text(make):
    cells = [*range(20), "many", 2.5, None, True]
    table = lenient_table(make({"a": cells, "b": [1.0] * 24}))
    assert table.arrays[0].dtype == np.int32
    assert table.column(table.schema.names[0])[18:] == ["18", "19", "many", "2.5", None, "True"]
    assert table.column(table.schema.names[1]) == [1.0] * 24


def test_dates_are_taken_as_text():
    day = datetime.datetime(2024, 5, 1, 12, 30)
    for X in (
        pd.DataFrame({"d": [day, None]}),
        pl.DataFrame({"d": [day, None]}),
        {"d": [day, None]},
        {"d": np.array(["2024-05-01T12:30", "NaT"], "datetime64[s]")},
    ):
        assert lenient_table(X).column("d") == ["2024-05-01 12:30:00", None]
    assert lenient_table({"d": [datetime.date(2024, 5, 1)]}).column("d") == ["2024-05-01"]


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        ([0, 1, 1, 0], Classes),
        ([0.5, 1.0, 2.0, 3.0], Values),
        (["a", "b", "a", "b"], Classes),
        ([True, False, True, True], Classes),
        (pd.Series([1, 2, 3, 4]), Classes),
        (np.array([1e9, 2, 3, 4.5]), Values),
    ],
)
def test_the_target_decides_the_task(y, kind):
    found = given({"x": [1, 2, 3, 4]}, y)
    assert isinstance(target_of(found, "auto"), kind)


def test_the_task_may_be_said():
    found = given({"x": [1, 2, 3]}, [1, 2, 3])
    assert isinstance(target_of(found, "regression"), Values)
    assert target_of(found, "classification").labels == (1, 2, 3)
    many = given({"x": range(11)}, range(11))
    assert isinstance(target_of(many, "auto"), Values)
    assert target_of(given({"x": [1]}, None), "auto") is None


# ---- what it refuses, and what it bears --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: bw.study.look({"x": []}), DataError, "X has no rows"),
        (lambda: bw.study.look({"x": [1, 2]}, [1]), DataError, "X has 2 rows, but y has 1"),
        (lambda: bw.study.look({"x": [1, 2]}, [None, None]), ParameterError, "y has no known cell"),
        (lambda: bw.study.look({"x": [1, 2]}, [1.0, np.inf]), TargetError, "y, row 1: inf is not a finite"),
        (lambda: bw.study.look({"x": [1, 2]}, ["a", "b"], task="regression"), TargetError, "found 'a'"),
        (lambda: bw.study.look({"x": [1, 2]}, [1, 2], task="both"), ParameterError, "task='both'; expected"),
        (
            lambda: bw.study.look({"x": [1, 2]}, np.ones((2, 2))),
            TargetError,
            "y has 2 dimensions; expected one.",
        ),
        (lambda: bw.study.look({"x": [1, 2]}, [[1], [2]]), TargetError, "found [1] of type list."),
        (
            lambda: bw.study.look({"x": [1, 2]}, pd.DataFrame({"a": [1, 2], "b": [1, 2]})),
            TargetError,
            "y is a table of 2 columns; expected one column.",
        ),
        (lambda: bw.study.look({"x": [1]}, n_jobs=0), ParameterError, "n_jobs=0; expected None"),
        (lambda: bw.study.look({"x": [1]}, permutations=-1), ParameterError, "permutations=-1; expected"),
        (lambda: bw.study.look({"x": [1]}, random_state=0.5), ParameterError, "random_state=0.5; expected"),
        (lambda: bw.study.look("table.csv"), TypeError, "To read a file use bw.read"),
        (lambda: bw.study.look({"x": [1, 2]}).feature("y"), DataError, "There is no feature 'y'"),
        (lambda: bw.study.look({"x": [1, 2]}).to_svg("x", theme="blue"), ParameterError, "theme='blue'"),
    ],
)
def test_bad_input_gets_a_sentence(call, error, sentence):
    with pytest.raises(error) as caught:
        call()
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "y"),
    [
        ({"x": [1.0]}, ["a"]),
        ({"x": [1.0]}, [2.5]),
        ({"x": [1.0, 2.0, 3.0]}, ["a", "a", "a"]),  # one class
        ({"x": [1.0, 2.0, 3.0]}, [7.5, 7.5, 7.5]),
        ({"x": [np.nan] * 3, "c": [None] * 3, "k": [1, 1, 1]}, ["a", "b", "b"]),
        ({"x": [np.nan] * 3, "c": [None] * 3, "k": [1, 1, 1]}, [0.5, 2.5, 9.5]),
        ({"x": [np.inf, -np.inf, np.nan, np.inf]}, [0.5, 2.5, 9.5, 3.5]),
        ({"x": [1e-320, 1e308, -1e308, 5.0] * 9}, list(range(36))),
        ({"c": pd.Categorical(["a", "a", None], categories=["z", "a"])}, ["p", "q", "q"]),
        ({"<script>": ["</style>", "\x1b[31m", "&"]}, ["<b>", "\n", "x" * 500]),
        ({f"c{k}": [k, 2, 3] for k in range(300)}, None),
    ],
)
def test_odd_tables_have_text_page_and_json(columns, y):
    seen = bw.study.look(columns, y)
    assert seen.to_text() == str(seen) and "\x1b" not in seen.to_text()
    assert seen.to_text().startswith(repr(seen).split("\n…")[0])
    assert json.loads(dumps(seen.to_dict()))["n_rows"] == seen.n_rows
    page = seen.to_html()
    assert "<script" not in page and "</style>" not in page.split("</head>")[1].replace("</style>", "", 1)
    assert page.count("<article") == min(len(seen.features), MOST_PICTURES)
    assert "NaN" not in page and "nan" not in re.sub(r"<[^>]*>", "", page.split("</style>")[-1])


def test_declared_classes_without_rows_are_listed():
    y = pd.Series(pd.Categorical(["b", "c", "b"], categories=["a", "b", "c"]))
    assert bw.study.look({"x": [1, 2, 3]}, y).target_look.classes == (("a", 0), ("b", 2), ("c", 1))


# ---- text --------------------------------------------------------------------------------------------------


def test_the_text_has_findings_target_and_columns():
    columns, y = mixed_table()
    columns["twin"] = 2 * columns["weight"]
    text = bw.study.look(columns, y, permutations=9).to_text()
    assert text.startswith("300 rows, 5 columns; no cell is missing\n\n1 finding\n")
    assert (
        "  1. Column 'twin' repeats column 'weight': it is 2 times the other.\n     fix: drop_column('twin')"
        in text
    )
    assert re.search(r"y: 2 classes   \w+: \d+ \(\d+%\)   \w+: \d+ \(\d+%\)", text)
    assert re.search(
        r"^column +kind +missing +distinct +values +bits +corrected +p value +permuted +ratio$",
        text,
        re.M,
    )
    assert "weight and twin: correlation of ranks 1.000" in text
    assert max(map(len, text.splitlines())) < 135


def test_the_text_of_a_regression_has_correlations():
    columns, y = regression_table()
    text = bw.study.look(columns, y).to_text()
    assert "Pearson  Spearman" in text and "numbers from" in text
    assert (
        "weight" in text.split("Spearman")[1].splitlines()[2]
    )  # the first column is the one that tells most


def test_a_long_table_is_cut_short_in_text():
    text = bw.study.look({f"c{k}": [k, 2, 3] for k in range(70)}).to_text()
    assert "… and 10 more columns; to_dict() has them all." in text


def test_identifiers_come_last():
    columns, y = mixed_table()
    seen = bw.study.look({"name": [f"n{k}" for k in range(300)], **columns}, y)
    assert [one.name for one in seen.ranked()][-1] == "name"
    best = max(seen.features, key=lambda one: one.association.mutual_information)
    assert best.name == "name"  # by bits alone it would be the first


# ---- pictures ----------------------------------------------------------------------------------------------


def test_pictures_count_every_row_once():
    columns, y = mixed_table()
    columns["weight"] = np.where(np.arange(300) % 7 == 0, np.nan, columns["weight"])
    columns["town"] = [None if k % 9 == 0 else name for k, name in enumerate(columns["town"])]
    seen = bw.study.look(columns, y)
    for one in seen.features:
        picture = one.picture
        counts = np.array(picture.counts).sum(axis=0)
        if isinstance(picture, Histogram) and picture.missing:
            counts = counts + picture.missing
        assert counts.tolist() == [y.count("ill"), y.count("well")], one.name
    town = seen.feature("town").picture
    assert isinstance(town, Bars) and town.missing and town.names[-1] == "missing"
    assert sum(town.counts[-1]) == seen.feature("town").summary.missing


def test_a_histogram_by_hand():
    seen = bw.study.look({"x": [0, 1, 1, 3, 5], "h": [0.0, 0.5, 1.0, 23.9, 24.0]}, ["a", "b", "a", "a", "b"])
    found = seen.feature("x").picture
    assert found == Histogram(0.0, 5.0, ((1, 0), (1, 1), (0, 0), (1, 0), (0, 0), (0, 1)))
    columns = seen.feature("h").picture.counts
    assert len(columns) == 24 and columns[0] == (1, 1) and columns[1] == (1, 0) and columns[23] == (1, 1)


def test_a_long_tail_is_cut_off_in_the_histogram():
    cells = np.r_[np.linspace(0, 1, 1000), 500.0]
    found = bw.study.look({"x": cells}).feature("x").picture
    assert found.cut == (False, True) and found.high < 2 and np.array(found.counts).sum() == 1001


def test_many_categories_share_a_bar():
    cells = [f"c{k % 15}" for k in range(150)] + ["c3"] * 5
    found = bw.study.look({"c": cells}).feature("c").picture
    assert found.names[0] == "c3" and found.names[-1] == "6 others" and len(found.names) == 10
    assert np.array(found.counts).sum() == 155


def test_boxes_of_a_numeric_target_by_hand():
    y = [1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0]
    seen = bw.study.look({"c": ["a"] * 4 + ["b"] * 4, "x": [1, 1, 1, 1, 2, 2, 2, None]}, y, task="regression")
    assert seen.feature("c").picture == Boxes(("a", "b"), ((4, 1.0, 2.0, 3.0), (4, 10.0, 20.0, 30.0)))
    assert seen.feature("x").picture == Boxes(
        ("", "", "missing"),
        ((4, 1.0, 2.0, 3.0), (3, 10.0, 20.0, 30.0), (1, 40.0, 40.0, 40.0)),
        (1.0, 1.0, 2.0),
        True,
    )


def test_quartiles_of_many_numbers_are_close():
    chance = np.random.default_rng(0)
    y, c = chance.normal(size=5_000), chance.choice(["a", "b"], 5_000)
    for name, box in zip("ab", bw.study.look({"c": c.tolist()}, y).feature("c").picture.boxes, strict=True):
        own = (
            y[c == name]
            if name == bw.study.look({"c": c.tolist()}, y).feature("c").picture.names[0]
            else None
        )
        if own is not None:
            assert box[1:] == pytest.approx(np.quantile(own, [0.25, 0.5, 0.75]), abs=0.05)


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
@pytest.mark.parametrize("make", [mixed_table, regression_table])
def test_a_picture_alone(make, theme):
    columns, y = make()
    seen = bw.study.look(columns, y)
    for name in columns:
        picture = seen.to_svg(name, theme=theme)
        assert picture.startswith("<svg ") and f"branchwork-{theme}" in picture and "<style>" in picture
        assert picture._repr_svg_() == picture


@pytest.mark.parametrize("make", [mixed_table, regression_table, lambda: (mixed_table()[0], None)])
def test_matplotlib_draws_what_the_picture_holds(make):
    columns, y = make()
    columns["$\\frac$"] = np.where(np.arange(300) % 7 == 0, np.nan, columns["weight"] + np.arange(300) % 13)
    seen = bw.study.look(columns, y)
    for one in seen.features:
        display = bw.FeatureDisplay.from_look(seen, one.name)
        display.figure_.canvas.draw()
        assert display.ax_.get_title("left") == one.name
        patches = [(bar.get_width(), bar.get_height()) for bar in display.ax_.patches]
        if isinstance(one.picture, Histogram):
            assert sum(height for _, height in patches) == np.sum(one.picture.counts)
        elif isinstance(one.picture, Bars):
            assert sum(width for width, _ in patches) == np.sum(one.picture.counts)
        else:
            assert [height for _, height in patches] == pytest.approx(
                [box[3] - box[1] for box in one.picture.boxes]
            )
        legend = display.ax_.get_legend()
        assert (legend is not None) == isinstance(y, list)
        if legend is not None:
            assert [text.get_text() for text in legend.get_texts()] == ["ill", "well"]
    with pytest.raises(ParameterError, match="look returns; got dict"):
        bw.FeatureDisplay.from_look(columns, "weight")


# ---- the page ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mixed", "regression", "tennis"])
@pytest.mark.parametrize("width", [1400, 390])
def test_the_page_fits_the_screen_and_asks_for_nothing(open_page, name, width):
    columns, y = CLEAN[name]
    columns = {
        **columns,
        "a name without a place to break it in two lines".replace(" ", "_"): columns[next(iter(columns))],
    }
    page = open_page(
        bw.study.look(columns, y).to_html(title="Looking"),
        viewport={"width": width, "height": 900},
        color_scheme="dark",
    )
    assert page.title() == "Looking"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("article").count() == len(columns)
    assert page.locator(".findings li").count() == 1
    texts = "[...document.querySelectorAll('article svg')].every(svg => [...svg.querySelectorAll('text')]"
    inside = ".every(t => { const b = t.getBBox(); return b.x >= -1 && b.x + b.width <= 321; }))"
    assert page.evaluate(texts + inside)


def test_a_page_without_findings_says_so(open_page):
    page = open_page(bw.study.look(TENNIS.X, TENNIS.y).to_html())
    assert "Nothing odd was found." in page.inner_text("main")
    assert "0.247 bits" in page.inner_text("article >> nth=0")


def test_a_notebook_shows_the_page_in_a_frame():
    frame = bw.study.look(TENNIS.X, TENNIS.y)._repr_html_()
    assert "<iframe " in frame and "sandbox" in frame and "<script" not in frame


def test_verbose_shows_a_bar_on_standard_error(capfd):
    bw.study.look(TENNIS.X, TENNIS.y)
    assert capfd.readouterr().err == ""
    bw.study.look(TENNIS.X, TENNIS.y, verbose=True)
    assert "looking" in capfd.readouterr().err
