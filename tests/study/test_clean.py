"""Fixes by name: what each does, that it is recorded, repeated and applied to new rows in the same way."""

import datetime
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import branchwork as bw
from branchwork.errors import DataError, ParameterError
from branchwork.study.clean_apply import COLUMN_FIXES, Cleaning
from branchwork.study.clean_rows import ROW_FIXES
from study.look_tables import CLEAN, changed, mixed_table, with_rows

fix = bw.study.fix


def column(X, name, *fixes):
    """Return a column of a cleaned table."""
    return bw.study.clean(X, fixes=list(fixes)).table.column(name)


# ---- each fix ----------------------------------------------------------------------------------------------


def test_drop_column():
    done = bw.study.clean({"a": [1, 2], "b": [3, 4]}, fixes=fix("drop_column", "a"))
    assert done.table.schema.names == ("b",) and done.X is done.table
    assert done.apply({"b": [5]}).schema.names == ("b",)  # new rows need not have it
    with pytest.raises(DataError, match="'b' is the only column"):
        bw.study.clean({"b": [1, 2]}, fixes=fix("drop_column", "b"))


def test_blank_values():
    assert column({"x": [-999, 1, 2]}, "x", fix("blank_values", "x", values=[-999])) == [None, 1.0, 2.0]
    assert column({"c": ["?", "a", "a"]}, "c", fix("blank_values", "c", values=["?"])) == [None, "a", "a"]
    done = bw.study.clean({"c": ["?", "a", "a"]}, fixes=fix("blank_values", "c", values=["?"]))
    assert done.table.schema[0].categories == ("a",)
    infinite = fix("blank_values", "x", values=["inf", "-inf"])
    assert column({"x": [np.inf, 1.0, -np.inf]}, "x", infinite) == [None, 1.0, None]
    assert column({"b": [True, False, None]}, "b", fix("blank_values", "b", values=[True])) == [
        None,
        False,
        None,
    ]


def test_blank_and_flag_outside():
    X = {"age": [-3, 40, 455, None]}
    assert column(X, "age", fix("blank_outside", "age", low=0, high=120)) == [None, 40.0, None, None]
    assert column(X, "age", fix("blank_outside", "age", high=120)) == [-3.0, 40.0, None, None]
    flagged = bw.study.clean(X, fixes=fix("flag_outside", "age", low=0, high=120))
    assert flagged.table.column("age") == [-3.0, 40.0, 455.0, None]
    assert flagged.table.column("age out of range") == ["yes", "no", "yes", None]
    assert flagged.records[0].count == 2
    assert flagged.apply({"age": [50]}).schema[1].categories == ("no", "yes")  # also where none is outside


def test_to_number():
    X = {"age": ["31", " 40 ", "about 50", None]}
    done = bw.study.clean(X, fixes=fix("to_number", "age"))
    assert done.table.column("age") == [31.0, 40.0, None, None] and not done.table.schema[0].is_nominal
    assert str(done.records[0]) == "to_number('age'): 1 cell became missing, all others numbers"
    assert done.apply({"age": [5, 6]}).column("age") == [5, 6]  # numbers stay numbers


def test_one_unit():
    X = {"weight": [70.0, 82000.0, -65000.0, None]}
    assert column(X, "weight", fix("one_unit", "weight", factor=1000, above=500)) == [70.0, 82.0, -65.0, None]
    small = {"weight": [70.0, 0.082, 0.0]}
    assert column(small, "weight", fix("one_unit", "weight", factor=1000, below=1)) == [70.0, 82.0, 0.0]


def test_merge_spellings():
    X = {"town": ["Bergen", "bergen", "Brgen", "Oslo"]}
    one = fix("merge_spellings", "town", spellings={"bergen": "Bergen", "Brgen": "Bergen"})
    done = bw.study.clean(X, fixes=one)
    assert done.table.column("town") == ["Bergen", "Bergen", "Bergen", "Oslo"]
    assert done.records[0].count == 2
    new = done.apply({"town": ["BERGEN ", "oslo", "Brgen"]})  # a spelling that the table did not have
    assert new.column("town") == ["Bergen", "oslo", "Bergen"]


def test_group_levels():
    X = {"food": ["brie", "gouda", "omelette", "rice", None]}
    by_group = {"milk": ["brie", "gouda"], "egg": ["omelette"]}
    by_level = {"brie": "milk", "gouda": "milk", "omelette": "egg"}
    one_alone = {"milk": ["brie", "gouda"], "egg": "omelette"}
    for groups in (by_group, by_level, one_alone):
        assert column(X, "food", fix("group_levels", "food", groups=groups)) == [
            *("milk", "milk", "egg", "rice"),
            None,
        ]
    rest = fix("group_levels", "food", groups=by_level, others="none")
    assert column(X, "food", rest) == ["milk", "milk", "egg", "none", None]


def test_group_columns_foods_by_ingredient():
    X = {"brie": [1, 0, 0], "cake": ["no", "yes", "no"], "omelette": [0, 0, np.nan], "age": [3, 4, 5]}
    groups = {"milk": ["brie", "cake"], "egg": ["cake", "omelette"]}
    done = bw.study.clean(X, fixes=fix("group_columns", groups=groups))
    assert done.table.schema.names == ("age", "milk", "egg")
    assert done.table.column("milk") == [1.0, 1.0, 0.0] and done.table.column("egg") == [0.0, 1.0, None]
    turned = {"brie": "milk", "cake": ["milk", "egg"], "omelette": "egg"}
    again = bw.study.clean(X, fixes=fix("group_columns", groups=turned, keep=True))
    assert again.table.column("egg") == [0.0, 1.0, None] and "cake" in again.table.schema.names
    for how, found in (("sum", [3.0, 2.0]), ("max", [2.0, 2.0]), ("mean", [1.5, 1.0])):
        both = {"a": [1, 0], "b": [2, 2]}
        assert column(both, "all", fix("group_columns", groups={"all": ["a", "b"]}, how=how)) == found
    own = fix("group_columns", groups={"a": ["a", "b"]}, how="sum")  # a group may have the name of a column
    assert column({"a": [1], "b": [2], "c": [0]}, "a", own) == [3.0]


def test_date_parts():
    X = {"day": ["2024-02-29", "2023-12-31 18:05", "soon", None], "x": [1, 2, 3, 4]}
    parts = ["year", "quarter", "month", "week", "day", "day_of_year", "weekday", "hour", "minute"]
    done = bw.study.clean(X, fixes=fix("date_parts", "day", parts=[*parts, "day_number"]))
    assert done.table.schema.names[:2] == ("x", "day year")
    found = [[done.table.column(f"day {part}")[row] for part in parts] for row in range(4)]
    assert found[0] == [2024, 1, 2, 9, 29, 60, 4, 0, 0]
    assert found[1] == [2023, 4, 12, 52, 31, 365, 7, 18, 5]
    assert found[2] == found[3] == [None] * 9
    assert done.table.column("day day_number")[0] == datetime.date(2024, 2, 29).toordinal()
    kept = bw.study.clean(X, fixes=fix("date_parts", "day", parts="year", keep=True)).table
    assert kept.schema.names == ("day", "x", "day year")
    assert bw.study.clean({"day": ["2024-02-29"]}, fixes=fix("date_parts", "day")).table.n_rows == 1
    assert done.apply({"day": [None], "x": [1]}).column("day year") == [None]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "mapping"])
def test_dates_of_any_container(make):
    days = [datetime.date(2024, 2, 28) + datetime.timedelta(k) for k in range(3)]
    X = make({"day": [datetime.datetime.combine(day, datetime.time()) for day in days], "x": [1.0, 2.0, 3.0]})
    done = bw.study.clean(
        X, fixes=[fix("lag", "x", day="day"), fix("date_parts", "day", parts=["month", "day"])]
    )
    assert done.table.column("x 1 day before") == [None, 1.0, 2.0]
    assert done.table.column("day day") == [28, 29, 1] and done.table.column("day month") == [2, 2, 3]


def test_lag_by_hand():
    X = {"sales": [5, 6, 7, 8], "shop": ["a", "b", "a", "b"]}
    assert column(X, "sales 1 day before", fix("lag", "sales")) == [None, 5.0, 6.0, 7.0]
    assert column(X, "sales 1 day before", fix("lag", "sales", by="shop")) == [None, None, 5.0, 6.0]
    assert column(X, "shop 2 days before", fix("lag", "shop", days=2)) == [None, None, "a", "b"]
    days = {**X, "day": ["2024-03-01", "2024-02-29", "2024-03-02", "2024-03-03"]}
    assert column(days, "sales 1 day before", fix("lag", "sales", day="day")) == [6.0, None, 5.0, 7.0]
    assert column(days, "sales 1 day before", fix("lag", "sales", day="day", by="shop")) == [
        None,
        None,
        5.0,
        None,
    ]


def test_lag_against_a_search_of_all_rows():
    chance = np.random.default_rng(0)
    day, shop = chance.permutation(200)[:80], chance.integers(0, 3, 80)
    X = {"v": np.arange(80.0), "day": np.where(chance.random(80) < 0.1, np.nan, day), "shop": shop}
    found = column(X, "v 2 days before", fix("lag", "v", days=2, day="day", by="shop"))
    for row in range(80):
        earlier = [k for k in range(80) if shop[k] == shop[row] and X["day"][k] == X["day"][row] - 2]
        assert found[row] == (X["v"][earlier[0]] if earlier else None)


def test_rows_that_are_dropped():
    X = {"x": [1, 1, 1, 2, 2, 3], "c": ["a", "a", "a", "b", "b", "c"]}
    y = ["p", "p", "q", "r", "r", None]
    done = bw.study.clean(X, y, ["drop_duplicate_rows"])
    assert done.table.column("x") == [1, 1, 2, 3] and done.y.tolist() == ["p", "q", "r", None]
    done = bw.study.clean(X, y, ["drop_contradictory_rows"])
    assert done.table.column("x") == [2, 2, 3] and done.y.tolist() == ["r", "r", None]
    done = bw.study.clean(X, y, ["drop_missing_target"])
    assert len(done.table) == 5 and str(done.records[0]) == "drop_missing_target(): 1 row dropped"
    assert len(done.apply(X)) == 6  # new rows all stay
    assert len(bw.study.clean(X, fixes="drop_duplicate_rows").table) == 3
    numbers = bw.study.clean({"x": [1, 1, 2]}, [0.5, 9.25, 3.0], "drop_contradictory_rows")
    assert numbers.y.tolist() == [3.0]


# ---- all together ------------------------------------------------------------------------------------------


def messy():
    """A table with many defects at once."""
    columns, y = mixed_table()
    columns = changed(columns, "weight", [3, 9], -999.0)
    columns = changed(columns, "town", [4, 5], [columns["town"][4].upper(), columns["town"][5].upper()])
    columns = {**columns, "id": np.arange(300), "const": ["same"] * 300, "copy": y}
    return with_rows(columns, [7, 8]), [*y, y[7], y[8]]


def test_everything_that_is_suggested_leaves_nothing_to_find():
    X, y = messy()
    seen = bw.study.look(X, y)
    assert len(seen.findings) == 6
    done = bw.study.clean(X, y)
    assert bw.study.look(done.table, done.y).findings == ()
    assert len(done.records) == len(done.cleaning.fixes) == 6 and len(done.table) == 300 == len(done.y)
    for same in (bw.study.clean(seen), bw.study.clean(X, y, seen), bw.study.clean(X, y, list(seen.findings))):
        assert same.cleaning == done.cleaning and repr(same) == repr(done)
        assert same.table.to_pandas().equals(done.table.to_pandas())
    by_name = bw.study.clean(X, y, ["drop_column", "blank_values", "merge_spellings", "drop_duplicate_rows"])
    assert by_name.cleaning == done.cleaning


def test_a_cleaning_is_repeatable_and_can_be_kept_as_json():
    X, y = messy()
    done = bw.study.clean(X, y)
    again = Cleaning.from_dict(json.loads(json.dumps(done.cleaning.to_dict())))
    new = {**X, "weight": [-999.0] * 302}
    assert again.apply(new).to_pandas().equals(done.apply(new).to_pandas())
    assert again.apply(new).column("weight") == [None] * 302
    assert repr(again).splitlines()[0] == "drop_column('const')"
    twice = done.apply(done.apply(X))
    assert twice.to_pandas().equals(done.apply(X).to_pandas())


@pytest.mark.parametrize(
    ("name", "options", "added"),
    [
        ("blank_outside", {"low": 0, "high": 100}, []),
        ("flag_outside", {"low": 0, "high": 100}, ["size out of range"]),
        ("one_unit", {"factor": 10, "above": 100}, []),
        ("one_unit", {"factor": 10, "below": 2}, []),
        ("blank_values", {"values": [-1]}, []),
        ("to_number", {}, []),
    ],
)
def test_new_rows_without_any_known_number_stay_missing(name, options, added):
    done = bw.study.clean({"size": [1.0, 2.0, 900.0]}, fixes=[bw.study.fix(name, "size", **options)])
    new = done.apply({"size": [None, None]})
    assert list(new.schema.names) == ["size", *added]
    assert all(new.column(column) == [None, None] for column in new.schema.names)


def test_new_rows_are_cleaned_as_a_model_needs_them():
    X, y = messy()
    done = bw.study.clean(X, y)
    tree = bw.CARTClassifier(max_depth=3).fit(done.table, done.y)
    rows = {name: [cells[k] for k in range(20)] for name, cells in X.items()}
    assert tree.predict(done.apply(rows)).tolist() == tree.predict(done.table.take(slice(0, 20))).tolist()


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_table_stays_as_it_is(name):
    X, y = CLEAN[name]
    done = bw.study.clean(X, y)
    assert done.records == () and repr(done) == "Nothing was changed."
    assert len(done.y) == len(done.table) == len(y)


# ---- what is refused ---------------------------------------------------------------------------------------

SOME = {"x": [1.0, 2.0, 3.0], "c": ["a", "b", "a"], "day": ["2024-01-01", "2024-01-01", "2024-01-02"]}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: fix("drop_colum", "x"), "There is no fix 'drop_colum'. Did you mean 'drop_column'?"),
        (lambda: fix("blank_values", "x"), "blank_values needs the option 'values'"),
        (lambda: fix("blank_outside", "x", hihg=3), "no option 'hihg'. Did you mean 'high'?"),
        (lambda: fix("drop_column"), "expected the name of a column"),
        (lambda: fix("drop_duplicate_rows", "x"), "expected no column"),
        (lambda: fix("drop_duplicate_rows", keep=1), "Its options: none"),
        (lambda: fix("to_number", "y"), "There is no column 'y'"),
        (lambda: fix("blank_outside", "c", low=1), "column 'c' holds categories; expected numbers"),
        (lambda: fix("blank_outside", "x"), "give low=, high= or both"),
        (lambda: fix("blank_outside", "x", low="three"), "'three' is no number"),
        (lambda: fix("blank_values", "x", values=[]), "expected a list of at least one value"),
        (lambda: fix("one_unit", "x", factor=0, above=1), "factor=0; expected a number above 0"),
        (lambda: fix("one_unit", "x", factor=10), "give either above= or below="),
        (lambda: fix("merge_spellings", "x", spellings={"a": "b"}), "holds numbers; expected categories"),
        (lambda: fix("merge_spellings", "c", spellings={}), "expected a mapping with at least one entry"),
        (lambda: fix("group_levels", "c", groups={"p": ["a"], "q": ["a"]}), "'a' is in group 'p' and in 'q'"),
        (
            lambda: fix("group_columns", groups={"g": ["c"]}),
            "column 'c' holds 'a'; expected numbers, or words",
        ),
        (lambda: fix("group_columns", groups={"g": ["xx"]}), "There is no column 'xx'"),
        (lambda: fix("group_columns", groups={"g": []}), "the group 'g' has no columns"),
        (lambda: fix("group_columns", groups={"g": ["x"]}, how="all"), "expected one of 'any', 'sum'"),
        (lambda: fix("date_parts", "c"), "holds 'a'; expected dates such as 2024-02-29"),
        (lambda: fix("date_parts", "x"), "holds numbers; expected dates"),
        (
            lambda: fix("date_parts", "day", parts=["yera"]),
            "'yera' is no part of a date. Did you mean 'year'?",
        ),
        (lambda: fix("lag", "x", days=0), "days=0; expected a whole number above 0"),
        (lambda: fix("lag", "x", day="day"), "rows 0 and 1 are of the same day in column 'day'"),
        (lambda: "merge_spellings", "look suggests no merge_spellings for this table"),
        (lambda: "tidy", "There is no fix 'tidy'"),
        (lambda: 3, "fixes=3; expected names of fixes"),
        (lambda: [3], "fixes has 3; expected names of fixes"),
        (lambda: "drop_missing_target", "needs the target"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(make, sentence):
    with pytest.raises((DataError, ParameterError)) as caught:
        bw.study.clean(SOME, fixes=make())
    assert sentence in str(caught.value)


def test_fixes_in_the_place_of_the_target_are_noticed():
    seen = bw.study.look({"a": [1, 1], "b": [1, 2]})
    for given in (seen, seen.findings[0], list(seen.findings)):
        with pytest.raises(ParameterError, match="fixes were given for it"):
            bw.study.clean({"a": [1, 1], "b": [1, 2]}, given)


def test_dropping_every_row_is_refused():
    with pytest.raises(DataError, match="no row would be left"):
        bw.study.clean({"x": [1, 1]}, ["a", "b"], "drop_contradictory_rows")


@pytest.mark.parametrize("given", [{}, {"fixes": 3}, {"fixes": [{"name": "drop_column"}]}, []])
def test_what_is_no_cleaning_is_refused(given):
    with pytest.raises(ParameterError, match="is no cleaning"):
        Cleaning.from_dict(given)


def test_a_fix_for_every_name():
    columns = {"drop_column", "blank_values", "blank_outside", "flag_outside", "to_number", "one_unit"}
    columns |= {"merge_spellings", "group_levels", "group_columns", "date_parts", "lag"}
    assert set(COLUMN_FIXES) == columns
    assert set(ROW_FIXES) == {"drop_duplicate_rows", "drop_contradictory_rows", "drop_missing_target"}
    assert all(f"`{name}(" in fix.__doc__ for name in (*COLUMN_FIXES, *ROW_FIXES))


def test_the_form_of_dates():
    X = {"day": ["29/02/2024", "31/12/2023", "soon", None]}
    done = bw.study.clean(X, fixes=fix("date_parts", "day", parts=["year", "day"], format="%d/%m/%Y"))
    assert done.table.column("day day") == [29, 31, None, None]
    with pytest.raises(ParameterError, match="date_parts: format='day first'; expected a form such as"):
        bw.study.clean(X, fixes=fix("date_parts", "day", format="day first"))
    with pytest.raises(DataError, match=r"holds '29/02/2024'; expected dates in the form '%m-%d-%Y'"):
        bw.study.clean(X, fixes=fix("date_parts", "day", format="%m-%d-%Y"))
