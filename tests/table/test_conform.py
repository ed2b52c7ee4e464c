"""A table for prediction is coded by the model's schema, and says what does not fit."""

import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork.errors import DataError, UnseenCategoryWarning
from branchwork.table.adapt import to_table
from branchwork.table.conform import conform
from branchwork.table.schema import Column, Schema
from branchwork.table.table import MISSING, UNSEEN

NAN = math.nan
MODEL = to_table({"age": [30, 40], "wind": ["weak", "strong"], "sun": [True, False]}).schema


def codes(cells, categories, **settings):
    """Codes of cells in a model's column of these categories."""
    schema = Schema((Column("a", "nominal", tuple(categories)),))
    return conform(to_table({"a": cells}), schema, **settings).arrays[0].tolist()


def unseen(cells, categories):
    with pytest.warns(UnseenCategoryWarning):
        return codes(cells, categories)


# ---- columns -----------------------------------------------------------------------------------------------


def test_columns_are_found_by_name_in_any_order_and_others_are_left_out():
    frame = pd.DataFrame({"extra": ["?"], "sun": [False], "wind": ["weak"], "age": [35]})
    table = conform(to_table(frame), MODEL)
    assert table.schema is MODEL
    assert table.row(0) == {"age": 35, "wind": "weak", "sun": False}


def test_columns_without_names_are_taken_by_position():
    table = conform(to_table([[35, "weak", False]]), MODEL)
    assert table.row(0) == {"age": 35, "wind": "weak", "sun": False}
    unnamed = to_table([[30, "weak"], [40, "strong"]]).schema
    table = conform(to_table({"wind": [1.5], "age": ["strong"]}), unnamed)
    assert table.row(0) == {"x0": 1.5, "x1": "strong"}


def test_a_missing_column_is_named_with_a_suggestion():
    frame = {"age": [30], "Wind": ["weak"], "sun": [True], "more": [1]}
    with pytest.raises(
        DataError, match=r"Column 'wind', which .*is missing from the table\. Did you mean 'Wind'\?"
    ):
        conform(to_table(frame), MODEL)


@pytest.mark.parametrize("row", [[30], [30, "weak", True, 1]])
def test_another_number_of_columns_is_refused_with_both_numbers(row):
    with pytest.raises(DataError, match=f"The table has {len(row)} columns, but the model was trained on 3"):
        conform(to_table([row]), MODEL)


def test_a_table_of_the_model_s_own_schema_is_itself():
    table = to_table({"age": [30], "wind": ["weak"]})
    assert conform(table, table.schema) is table


def test_columns_that_need_no_new_codes_are_borrowed():
    ages, table = np.array([30.0, 40.0]), to_table({"wind": ["strong", "weak"]})
    schema = Schema((Column("age", "numeric"), Column("wind", "nominal", ("strong", "weak", "none"))))
    both = to_table({"age": ages, "wind": pl.Series(["strong", "weak"])})
    found = conform(both, schema)
    assert np.shares_memory(found.arrays[0], ages)
    assert np.shares_memory(found.arrays[1], both.arrays[1])
    assert conform(table, Schema(schema.columns[1:])).column("wind") == ["strong", "weak"]


def test_a_table_without_rows_conforms():
    schema = Schema((Column("n", "numeric"), Column("a", "nominal", ("x",)), Column("c", "nominal", (1, 2))))
    empty = to_table({"n": [], "a": [], "c": np.empty(0)})
    table = conform(empty, schema)
    assert table.shape == (0, 3)
    assert table.core.rows == 0


# ---- numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["old", "30", True], ids=repr)
def test_what_is_no_number_in_a_numeric_column_is_refused_with_its_row(value):
    frame = {"age": [None, value], "wind": ["weak", "weak"], "sun": [True, True]}
    with pytest.raises(
        DataError, match=f"Column 'age', row 1: expected a number as in training, found {value!r}"
    ):
        conform(to_table(frame), MODEL)


@pytest.mark.parametrize(
    "ages",
    [
        [None, None],
        pd.array([None, None], dtype="str"),
        pl.Series([None, None], dtype=pl.String),
        pd.Categorical([None, None], categories=["old"]),
    ],
    ids=lambda ages: type(ages).__name__,
)
def test_a_text_column_of_nothing_is_a_numeric_column_of_nothing(ages):
    table = conform(to_table({"age": ages, "wind": ["weak"] * 2, "sun": [True] * 2}), MODEL)
    assert table.column("age") == [None, None]
    assert table.arrays[0].dtype == np.float64
    assert table.core.rows == 2


# ---- categories --------------------------------------------------------------------------------------------


def test_categories_get_the_codes_of_the_model():
    cells = ["b", None, "a", "c", "b"]
    assert codes(cells, ["c", "a", "b"]) == [2, MISSING, 1, 0, 2]
    declared = pd.Categorical(cells, categories=["unused", "c", "b", "a"])
    assert codes(declared, ["c", "a", "b"]) == [2, MISSING, 1, 0, 2]


def test_an_unseen_category_that_no_row_has_is_no_matter():
    assert codes(pd.Categorical(["a"], categories=["a", "strange"]), ["a"], handle_unknown="error") == [0]


def test_a_category_that_training_never_saw_gets_a_code_of_its_own():
    assert unseen(["b", "x", None, "y"], ["a", "b"]) == [1, UNSEEN, MISSING, UNSEEN]
    assert (MISSING, UNSEEN) == (-1, -2)


def test_one_warning_a_call_names_columns_and_counts():
    table = to_table({"age": [1, 2, 3], "wind": ["gale", "weak", "storm"], "sun": ["maybe"] * 3})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        conform(table, MODEL, handle_unknown="majority")
    assert [warning.category for warning in caught] == [UnseenCategoryWarning]
    text = str(caught[0].message)
    assert "'wind' (2 rows), 'sun' (3 rows)" in text
    assert "handle_unknown='majority'" in text
    with pytest.warns(UnseenCategoryWarning, match=r"'wind' \(1 row\)\."):
        conform(to_table({"age": [1], "wind": ["gale"], "sun": [True]}), MODEL)


def test_an_unseen_category_can_be_an_error_that_names_column_row_and_category():
    table = to_table({"age": [1, 2], "wind": ["weak", "gale"], "sun": [True, True]})
    with pytest.raises(DataError) as error:
        conform(table, MODEL, handle_unknown="error")
    assert str(error.value) == (
        "Column 'wind', row 1: category 'gale' was not in the training table, which has 'strong', 'weak'."
    )
    with pytest.raises(DataError, match=r"Column 'a', row 1: category 7 was not .*which has 1, 2\."):
        codes(np.array([1, 7]), [1, 2], handle_unknown="error")
    with pytest.raises(DataError, match=r"category 7\.5 was not .*which has 0, .*, 9, …\."):
        codes([1, 7.5], range(11), handle_unknown="error")


def test_a_table_that_was_coded_before_keeps_its_unseen_cells():
    first = Schema((Column("a", "nominal", ("x", "y")),))
    second = Schema((Column("a", "nominal", ("y", "x")),))
    with pytest.warns(UnseenCategoryWarning):
        once = conform(to_table({"a": ["x", "strange", None]}), first)
    with pytest.warns(UnseenCategoryWarning):
        twice = conform(once, second)
    assert twice.arrays[0].tolist() == [1, UNSEEN, MISSING]


@pytest.mark.parametrize("cells", [[1, 3, None], [1.0, 3.0, NAN], np.array([1, 3, NAN], np.float32)], ids=str)
@pytest.mark.parametrize("categories", [(3, 2, 1), (3.0, 2.0, 1.0)], ids=str)
def test_numbers_in_a_column_of_categories_match_by_value(cells, categories):
    assert codes(cells, categories) == [2, 0, MISSING]


@pytest.mark.parametrize("width", ["i1", "u1", ">i2", "u4", "i8", "u8"])
def test_integers_of_every_width_match_by_value(width):
    assert codes(np.array([3, 1], dtype=width), (1.0, 3.0)) == [1, 0]
    assert unseen(np.array([3, 2], dtype=width), (1, 3)) == [1, UNSEEN]


def test_training_with_categorical_features_fits_prediction_without_them():
    model = to_table({"a": [10, 20, 30]}, ["a"]).schema
    assert conform(to_table({"a": [20.0, NAN, 10.0]}), model).arrays[0].tolist() == [1, MISSING, 0]
    assert conform(to_table({"a": [20, 10]}, ["a"]), model).arrays[0].tolist() == [1, 0]
    assert conform(to_table({"a": pd.Categorical([30, 10])}), model).arrays[0].tolist() == [2, 0]


def test_numbers_and_their_text_are_different_categories():
    assert unseen([1, 2], ["1", "2"]) == [UNSEEN, UNSEEN]
    assert unseen(["1", "2"], [1, 2]) == [UNSEEN, UNSEEN]


@pytest.mark.parametrize(
    "cells", [[True, False, None], ["true", "false", None], ["True", "False", None]], ids=str
)
def test_booleans_match_however_they_are_spelled(cells):
    assert codes(cells, [False, True]) == [1, 0, MISSING]


@pytest.mark.parametrize("words", [("false", "true"), ("False", "True")])
def test_words_match_the_booleans_they_mean_and_their_own_spelling(words):
    assert codes([True, False, None], words) == [1, 0, MISSING]
    assert codes([words[1], words[0]], words) == [1, 0]
    other = [word.swapcase().capitalize() if word.islower() else word.lower() for word in words]
    assert unseen(other, words) == [UNSEEN, UNSEEN]


def test_booleans_are_not_the_numbers_they_equal():
    assert unseen([True, False], [0, 1]) == [UNSEEN, UNSEEN]
    assert unseen([1, 0], [False, True]) == [UNSEEN, UNSEEN]
    as_categories = to_table({"a": [0, 1]}, ["a"])
    with pytest.warns(UnseenCategoryWarning):
        table = conform(as_categories, to_table({"a": [False, True]}).schema)
    assert table.arrays[0].tolist() == [UNSEEN, UNSEEN]


def test_a_column_of_nan_is_a_column_of_missing_categories():
    assert codes(np.full(2, NAN), ["a"]) == [MISSING, MISSING]
    assert codes([None, None], ["a"]) == [MISSING, MISSING]


CELLS = st.lists(st.one_of(st.none(), st.sampled_from("abcd")), min_size=1, max_size=8)


@given(cells=CELLS, known=st.permutations("abcd"), size=st.integers(0, 4), extra=st.permutations("abcd"))
def test_every_cell_gets_the_code_of_its_own_category(cells, known, size, extra):
    known = known[:size]
    wanted = [MISSING if cell is None else known.index(cell) if cell in known else UNSEEN for cell in cells]
    for given_cells in (
        cells,
        pd.Categorical(cells, categories=extra),
        pl.Series(cells, dtype=pl.Enum(extra)),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert codes(given_cells, known) == wanted
        assert len(caught) == (UNSEEN in wanted)
