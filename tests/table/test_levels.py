"""Levels: which columns look like identifiers, which categories are rare, and the table in which they are one."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.table.levels import identifier_columns, level_of, mark_rare, merged
from branchwork.table.schema import Column, Schema
from branchwork.table.table import MISSING, UNSEEN, Table


def column_of(values, categories=None):
    """A table with one nominal column."""
    column, cells = bw.table.table.nominal("x", values, categories)
    return Table(Schema((column,)), (cells,))


def rare_in(values, categories=None, weights=None, **limits):
    table = mark_rare(column_of(values, categories), weights, **limits)
    return [table.schema[0].categories[code] for code in table.schema[0].rare]


@pytest.mark.parametrize(
    ("levels", "known", "is_identifier"),
    [(20, 20, False), (21, 21, True), (21, 46, True), (21, 47, False), (90, 200, True), (90, 201, False)],
)
def test_an_identifier_has_more_than_20_levels_and_nearly_half_as_many_as_known_cells(
    levels, known, is_identifier
):
    values = [f"v{k % levels}" for k in range(known)] + [None] * 50
    found = identifier_columns(column_of(values))
    assert [(one.name, one.levels, one.known) for one in found] == [("x", levels, known)] * is_identifier


def test_declared_levels_do_not_make_an_identifier_and_numbers_are_none():
    assert not identifier_columns(column_of(["a", "b"] * 20, [*"abcdefghijklmnopqrstuvwxyz"]))
    assert not identifier_columns(bw.to_table({"n": np.arange(100.0)}))
    found = identifier_columns(bw.to_table({"n": np.arange(100)}, categorical_features=["n"]))
    assert [one.levels for one in found] == [100]


def test_a_category_of_less_weight_than_the_limit_is_rare():
    values = [*"aaabbccd", None]
    assert rare_in(values, least=2) == []  # d alone stays as it is
    assert rare_in(values, least=2.5) == ["b", "c", "d"]
    assert rare_in(values, least=0) == []
    assert rare_in(values, weights=np.array([1, 1, 1, 5, 5, 1, 1, 1, 9.0]), least=3) == ["c", "d"]


def test_of_many_categories_those_of_most_weight_are_kept_and_ties_go_to_the_earlier():
    values = [*"aabbbccdd"]
    assert rare_in(values, most=1) == ["a", "c", "d"]
    assert rare_in(values, most=2) == ["c", "d"]
    assert rare_in(values, most=3) == []  # d alone stays as it is
    assert rare_in(values, [*"dcba"], most=2) == ["c", "a"]
    thirds = np.array([0.1, 0.2, 1, 1, 1, 0.3, 0.0, 0.3, 0.0])  # 0.1 + 0.2 is not quite 0.3
    assert rare_in(values, weights=thirds, most=2) == ["c", "d"]


def test_both_limits_add_up():
    assert rare_in([*"aaaabbbccde"], least=2, most=2) == ["c", "d", "e"]
    assert rare_in([*"aaaabbbccde"], least=4, most=9) == ["b", "c", "d", "e"]


def test_declared_categories_without_rows_are_rare_if_others_are():
    assert rare_in([*"aaabc"], [*"zabc"], least=2) == ["z", "b", "c"]
    assert rare_in([*"aaab"], [*"zabc"], least=2) == []


def test_a_table_that_is_marked_again_forgets_the_old_marks():
    table = mark_rare(column_of([*"aaabc"]), None, least=2)
    assert table.schema[0].rare == (1, 2)
    assert mark_rare(table, None).schema[0].rare == ()
    assert mark_rare(table, None, least=2) is table
    assert mark_rare(table, None, least=2, skip=[0]).schema[0].rare == ()


def test_a_merged_table_has_the_kept_categories_and_other():
    column = Column("x", "nominal", (*"abcde",), rare=(0, 2, 4))
    cells = np.array([0, 1, 2, 3, 4, MISSING, UNSEEN], np.int32)
    table = merged(Table(Schema((column, Column("n", "numeric"))), (cells, np.arange(7.0))))
    assert table.schema[0].categories == ("b", "d", "other")
    assert table.arrays[0].tolist() == [2, 0, 2, 1, 2, MISSING, UNSEEN]
    assert table.arrays[1].tolist() == list(range(7))
    assert level_of(column).tolist() == [2, 0, 2, 1, 2]
    assert (column.n_levels, table.schema[0].n_levels) == (3, 3)
    assert merged(table) is table


def test_rows_without_a_category_take_its_mark_with_them():
    column = Column("x", "nominal", (*"abcd",), rare=(1, 2, 3))
    table = Table(Schema((column,)), (np.array([0, 2, 3], np.int32),)).forget_undeclared()
    assert table.schema[0].categories == (*"acd",)
    assert table.schema[0].rare == (1, 2)
