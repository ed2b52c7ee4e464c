"""Schemas: names are found or suggested, and a category has one code whatever it is called."""

import copy
import doctest
import pickle

import pytest

from branchwork.errors import DataError
from branchwork.table import schema as module
from branchwork.table.schema import Column, Schema, category_key


def nominal(*categories):
    return Column("a", "nominal", categories)


def code(column, value):
    return column.code_of.get(category_key(value))


def test_a_schema_is_its_columns_in_order():
    schema = Schema((Column("age", "numeric"), Column("wind", "nominal", ("strong", "weak"))))
    assert len(schema) == 2
    assert [column.name for column in schema] == ["age", "wind"]
    assert schema[1].categories == ("strong", "weak")
    assert [column.is_nominal for column in schema] == [False, True]
    assert schema.names == ("age", "wind")
    assert [schema.index(name) for name in schema.names] == [0, 1]


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(DataError, match="Column name 'a' occurs more than once"):
        Schema((Column("a", "numeric"), Column("b", "numeric"), Column("a", "nominal")))


def test_an_unknown_name_gets_a_suggestion():
    schema = Schema((Column("Outlook", "nominal"), Column("Wind", "nominal")))
    with pytest.raises(DataError) as error:
        schema.index("Outlok")
    assert str(error.value) == (
        "There is no column 'Outlok'. Did you mean 'Outlook'? The table has 'Outlook', 'Wind'."
    )
    with pytest.raises(DataError, match="Did you mean 'Wind'"):
        schema.index("WIND")
    with pytest.raises(DataError, match=r"There is no column 'zzz'\. The table has"):
        schema.index("zzz")


def test_a_long_list_of_names_is_cut():
    schema = Schema(tuple(Column(f"c{j}", "numeric") for j in range(13)))
    with pytest.raises(DataError, match="'c11', …") as error:
        schema.index("zzz")
    assert "c12" not in str(error.value)


def test_replacing_a_column_leaves_the_schema_as_it_was():
    schema = Schema((Column("a", "numeric"), Column("b", "numeric")), named=False)
    assert schema.index("b") == 1
    other = schema.with_column(1, Column("c", "nominal", ("x",)))
    assert other.names == ("a", "c")
    assert other.index("c") == 1
    assert not other.named
    assert schema.names == ("a", "b")
    with pytest.raises(DataError, match="no column 'b'"):
        other.index("b")


def test_schemas_are_equal_by_their_columns_and_survive_pickling():
    columns = (Column("a", "numeric"), Column("b", "nominal", ("x", "y"), declared=True))
    schema = Schema(columns)
    assert schema.index("b") == 1
    assert schema[1].code_of == {"x": 0, "y": 1}
    for other in (Schema(columns), pickle.loads(pickle.dumps(schema)), copy.deepcopy(schema)):
        assert other == schema
        assert hash(other) == hash(schema)
    assert Schema(columns, named=False) != schema
    assert Schema(columns[::-1]) != schema


def test_a_category_has_the_code_of_its_place():
    column = nominal("b", "a", "c")
    assert [code(column, value) for value in ("b", "a", "c", "d", None, 0)] == [0, 1, 2, None, None, None]


def test_an_integer_and_a_float_of_one_value_are_one_category():
    assert code(nominal(1, 2), 2.0) == 1
    assert code(nominal(1.0, 2.5), 1) == 0
    assert code(nominal(1, 2), "2") is None


def test_booleans_are_not_the_numbers_they_equal():
    both = nominal(1, True, 0, False)
    assert [code(both, value) for value in (1, True, 0, False, 1.0)] == [0, 1, 2, 3, 0]
    assert code(nominal(False, True), 1) is None
    assert code(nominal(0, 1), True) is None


def test_a_boolean_column_knows_the_words_for_its_values():
    column = nominal(False, True)
    assert [code(column, value) for value in ("False", "false", "True", "true")] == [0, 0, 1, 1]
    assert code(column, "TRUE") is None
    assert code(nominal(True), "false") is None


@pytest.mark.parametrize("words", [("false", "true"), ("False", "True"), ("FALSE", "TRUE")])
def test_a_column_of_words_knows_the_booleans_they_mean(words):
    column = nominal(*words)
    assert [code(column, value) for value in (False, True)] == [0, 1]


def test_text_is_text_and_its_case_matters():
    assert code(nominal("false", "true"), "True") is None
    assert code(nominal("False", "True"), "true") is None


def test_a_column_that_knows_both_spellings_keeps_them_apart():
    column = nominal("true", True, "True")
    assert [code(column, value) for value in ("true", True, "True")] == [0, 1, 2]
    assert code(nominal("True", "true"), True) == 0


def test_the_examples_in_the_documentation_are_true():
    assert doctest.testmod(module).failed == 0


def test_a_kind_of_column_that_is_none_is_refused():
    with pytest.raises(DataError, match="'age' is of kind 'ordinal'; expected 'numeric' or 'nominal'"):
        Column("age", "ordinal")
