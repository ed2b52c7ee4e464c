"""SQL answers as the model does: run in DuckDB, SQLite and, where it is installed, PostgreSQL."""

from __future__ import annotations

import math
import sqlite3
import sys
from dataclasses import replace

import duckdb
import numpy as np
import pytest
import sqlglot

import branchwork as bw
from branchwork.errors import DataError, MissingExtraError, ParameterError
from branchwork.export.sql_case import MOST_NESTED
from branchwork.export.sql_words import DIALECTS, Words
from branchwork.table.schema import Column, Schema
from export.databases import ROW, asked, in_duckdb, in_sqlite, postgres, quoted, renamed

from program_cases import HOSTILE, KINDS, hard_rows, model_of, table_of
from tables import DEEP

MODELS = 300 if DEEP else len(KINDS)
ROWS = 10_000 if DEEP else 100
SIZE = 120 if DEEP else 60
"""Rows that models learn from."""
FORMS = ("case", "leaves")


def adds(model):
    return model.combine.kind != "single" or model.tree.shares_rows


def check(model, rows, answers):
    """Every answer is the model's: exact, or of sums to 1e-12."""
    table = table_of(model, rows)
    assert len(answers) == len(rows)
    predicted = model.predict(table).tolist()
    found = [answer[0] for answer in answers]
    if model.labels is None:
        close = {"rtol": 1e-12, "atol": 1e-12} if adds(model) else {"rtol": 0}
        np.testing.assert_allclose(np.array(found, float), predicted, **close)
        return
    assert found == predicted
    types = {type(x) for x in predicted}
    assert {type(x) for x in found} <= types | {int}  # SQLite's truth values are numbers
    if len(answers[0]) > 1:
        probabilities = np.array([answer[1:] for answer in answers], float)
        expected = model.predict_proba(table)
        np.testing.assert_allclose(probabilities, expected, rtol=0, atol=1e-12 if adds(model) else 0)


def answers_of(model, rows, dialect, run, form, whole):
    proba = model.labels is not None and (form == "leaves" or not adds(model))
    options = {"dialect": dialect, "form": form, "proba": proba}
    options["columns"] = {} if dialect == "sqlite" else renamed(model)
    count = 1 + (len(model.class_order) if proba else 0)
    if whole:
        query = f"{model.export('sql', table='t', **options)} ORDER BY {quoted(ROW)}"
        return [row[-count:] for row in run(model, rows, query)]
    return run(model, rows, asked(model.export("sql", **options)))


@pytest.mark.parametrize("seed", range(MODELS))
def test_duckdb_and_sqlite_answer_as_the_model_does(seed):
    model = model_of(seed, hostile=seed % 3 == 2, rows=SIZE)
    rows = hard_rows(model, ROWS, seed)
    turn = seed + seed // len(KINDS)  # a form for each database; the next time round, the other way
    for k, (dialect, run) in enumerate((("duckdb", in_duckdb), ("sqlite", in_sqlite))):
        check(model, rows, answers_of(model, rows, dialect, run, FORMS[(turn + k) % 2], whole=seed % 4 < 2))


# ---- PostgreSQL


@pytest.fixture(scope="module")
def server():
    with postgres() as running:
        if running is None:
            pytest.skip("PostgreSQL is not installed")
        yield running


def typed(model, cells):
    """What psql printed, in the types of the model."""
    label, *rest = cells
    if model.labels is None:
        return [float(label)]
    kind = type(model.labels[0])
    return [{"t": True, "f": False}[label] if kind is bool else kind(label), *map(float, rest)]


@pytest.mark.parametrize("seed", range(MODELS) if DEEP else range(2, len(KINDS), 5))
def test_postgres_answers_as_the_model_does(server, seed):
    model = model_of(seed, hostile=seed % 3 == 2, rows=SIZE)
    rows = hard_rows(model, ROWS, seed)
    for form in FORMS:
        whole = form == "leaves"  # an expression writes the table of leaves down for every row
        found = answers_of(model, rows, "postgres", server.run, form, whole=whole)
        check(model, rows, [typed(model, cells) for cells in found])


# ---- BigQuery


@pytest.mark.parametrize("seed", range(0, len(KINDS), 8))
def test_bigquery_reads_back_and_means_the_same(seed):
    model = model_of(seed, rows=40)
    rows = hard_rows(model, 60, seed)
    for form in FORMS:
        written = model.export("sql", dialect="bigquery", form=form, table="t")
        (tree,) = sqlglot.parse(written, read="bigquery")
        assert sqlglot.parse_one(tree.sql("bigquery"), read="bigquery") == tree
        as_duckdb = f"{tree.transform(_double).sql('duckdb')} ORDER BY {quoted(ROW)}"
        check(model, rows, [row[-1:] for row in in_duckdb(model, rows, as_duckdb)])


def _double(node):
    """Numbers with a point are doubles in BigQuery, and NaN is not greater than anything."""
    exp = sqlglot.exp
    if isinstance(node, exp.Literal) and not node.is_string and "." in node.this and "e" not in node.this:
        return exp.Literal.number(f"{node.this}e0")
    if isinstance(node, exp.GT) and isinstance(node.this, exp.Cast):
        return exp.paren(exp.and_(node.copy(), exp.not_(exp.IsNan(this=node.this.copy()))))
    return node


# ---- values


def hard_numbers():
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**63, 800, np.uint64).view(np.float64)
    plain = [
        0.1,
        1 / 3,
        5e-324,
        2.2250738585072014e-308,
        1.7976931348623157e308,
        1e22,
        1e23,
        0.0,
        2.0**53 + 2,
    ]
    tenths = (np.arange(1, 2000, 7) / 1000).tolist()
    numbers = [*bits[np.isfinite(bits)].tolist(), *plain, *tenths]
    return [*numbers, *(-x for x in numbers), math.inf, -math.inf]


def literals(dialect, numbers):
    words = Words(dialect, (), {}, None)
    return [words.written([words.number(x)]) for x in numbers]


def test_numbers_are_read_as_they_were():
    numbers = hard_numbers()
    with sqlite3.connect(":memory:") as lite:
        for x, text in zip(numbers, literals("sqlite", numbers), strict=True):
            assert lite.execute(f"SELECT {text}").fetchone() == (x,), text
    duck = duckdb.connect()
    query = "SELECT * FROM (VALUES " + ", ".join(f"({text})" for text in literals("duckdb", numbers)) + ")"
    assert [row[0] for row in duck.execute(query).fetchall()] == numbers
    plain = [x for x in numbers if math.isfinite(x)]
    assert [float(text.replace("- ", "-")) for text in literals("bigquery", plain)] == plain


def test_postgres_reads_numbers_as_they_were(server):
    numbers = hard_numbers()
    values = ", ".join(f"({text})" for text in literals("postgres", numbers))
    printed = server.psql(f"SELECT * FROM (VALUES {values}) AS v;")
    assert [float(cell) for (cell,) in printed] == numbers


def test_whole_numbers_beyond_doubles_are_rounded_as_the_core_rounds_them():
    cut = 2.0**53
    X = np.array([[cut - 8], [cut], [cut + 8], [cut + 16]])
    model = bw.StumpRegressor().fit(X, [0.0, 0.0, 1.0, 1.0]).model_
    own = float(model.tree.cut[0])
    cells = [int(own) + k for k in range(-3, 4)]
    expected = model.predict(np.array(cells, float)[:, None]).tolist()
    rows = [{"x0": cell} for cell in cells]
    for form in FORMS:
        for dialect, connection in (("duckdb", duckdb.connect()), ("sqlite", sqlite3.connect(":memory:"))):
            connection.execute("CREATE TABLE t (x0 BIGINT)")
            connection.executemany("INSERT INTO t VALUES (?)", [(row["x0"],) for row in rows])
            written = model.export("sql", dialect=dialect, form=form)
            assert [y for (y,) in connection.execute(f"SELECT {written} FROM t").fetchall()] == expected


def test_text_is_compared_letter_by_letter():
    model = bw.ID3Classifier().fit({"x": ["a", "A", "b", "a"]}, ["small", "large", "other", "small"]).model_
    for form in FORMS:
        written = model.export("sql", form=form, table="t")
        duck = duckdb.connect()
        duck.execute("CREATE TABLE t (x VARCHAR COLLATE NOCASE)")
        duck.execute("INSERT INTO t VALUES ('a'), ('A'), ('b')")
        assert duck.execute(written).fetchall() == [("a", "small"), ("A", "large"), ("b", "other")]
        duck.execute("CREATE TYPE letter AS ENUM ('A', 'b')")
        duck.execute("CREATE TABLE enums AS SELECT 'A'::letter AS x")
        assert duck.execute(model.export("sql", form=form, table="enums")).fetchall() == [("A", "large")]


def test_truth_may_be_written_out():
    model = bw.ID3Classifier().fit({"x": [True, False, True]}, [1, 0, 1]).model_
    duck = duckdb.connect()
    duck.execute("CREATE TABLE t AS SELECT unnest(['True', 'true', 'False', 'false']) AS x")
    assert duck.execute(f"SELECT {model.export('sql')} FROM t").fetchall() == [(1,), (1,), (0,), (0,)]


def test_an_unseen_category_gives_null_where_it_is_an_error():
    model = replace(model_of(0, kind="cart"), handle_unknown="error")
    rows = hard_rows(model, 200)
    for form in FORMS:
        for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
            written = model.export("sql", dialect=dialect, form=form)
            found = [label for (label,) in run(model, rows, asked(written))]
            for row, label in zip(rows, found, strict=True):
                if label is not None:
                    assert (
                        label == replace(model, handle_unknown="missing").predict(table_of_one(model, row))[0]
                    )
                else:
                    with pytest.raises(DataError):
                        table_of(model, [row])
            assert None in found and any(label is not None for label in found)


def table_of_one(model, row):
    return table_of(replace(model, handle_unknown="missing"), [row])


# ---- names


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_hostile_names_come_through(dialect, form):
    """200 names: columns, categories, labels, the table and the answer."""
    names = [*HOSTILE, *(f"{name}{k}" for k in range(9) for name in HOSTILE)]
    rng = np.random.default_rng(0)
    words = rng.choice(np.array(names, object), (600, 3))
    model = (
        bw.ID3Classifier(max_depth=3)
        .fit(
            {
                HOSTILE[0]: words[:, 0].tolist(),
                HOSTILE[3]: words[:, 1].tolist(),
                HOSTILE[8]: words[:, 2].tolist(),
            },
            [HOSTILE[len(word) % len(HOSTILE)] for word in words[:, 0]],
        )
        .model_
    )
    written = model.export("sql", dialect=dialect, form=form, table=HOSTILE[1], name=HOSTILE[2])
    (tree,) = sqlglot.parse(written, read=dialect)
    assert isinstance(tree, sqlglot.exp.Select)
    rows = [dict(zip(model.schema.names, line, strict=True)) for line in words.tolist()]
    run = {"duckdb": in_duckdb, "sqlite": in_sqlite}.get(dialect)
    if run is not None:
        written = model.export("sql", dialect=dialect, form=form)
        check(model, rows, run(model, rows, asked(written)))


def test_a_table_of_any_name_and_place():
    duck = duckdb.connect()
    model = bw.StumpRegressor().fit({"leaves": [1.0, 2.0], "cells": [0.0, 0.0]}, [1.0, 2.0]).model_
    for names in (["leaves"], ["main", 'a "b"'], ["memory", "main", "outputs"]):
        place = ".".join(map(quoted, names))
        duck.execute(f"CREATE TABLE {place} AS SELECT 2.0 AS leaves, 0.0 AS cells")
        for form in FORMS:
            table = names[0] if len(names) == 1 else names
            written = model.export("sql", form=form, table=table, name="y")
            assert duck.execute(written).fetchall()[0][-1] == 2.0
            assert duck.description[-1][0] == "y"


def test_columns_may_have_other_names():
    duck = duckdb.connect()
    model = bw.StumpRegressor().fit(np.array([[1.0], [2.0]]), [1.0, 2.0]).model_
    written = model.export("sql", columns={"x0": "age"})
    assert duck.execute(f"SELECT {written} FROM (SELECT 2.0 AS age)").fetchall() == [(2.0,)]


# ---- deep and large


CHAIN = 20_000 if DEEP else 1200


def test_a_chain_is_one_flat_list():
    """SQLite's reader takes 15 CASEs inside each other, DuckDB expressions 1000 deep."""
    x, y = np.arange(CHAIN + 1.0), np.arange(CHAIN + 1) % 2
    model = bw.ID3Classifier().fit(x[:, None], y).model_
    assert model.tree.depth == CHAIN
    rows = [{"x0": value} for value in x[:: CHAIN // 100].tolist()]
    for form in FORMS:
        for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
            check(model, rows, run(model, rows, asked(model.export("sql", dialect=dialect, form=form))))


def full_tree(depth):
    """A tree of 2**depth leaves, each as deep as the others: no CASE of it is less nested."""
    X = (np.arange(2**depth)[:, None] >> np.arange(depth) & 1).astype(float)
    rng = np.random.default_rng(0)
    model = bw.TreeRegressor().fit(X, rng.permutation(2**depth).astype(float)).model_
    assert model.tree.n_leaves == 2**depth and model.tree.depth == depth
    return model, [dict(zip(model.schema.names, line, strict=True)) for line in X[:40].tolist()]


def test_a_full_tree_is_nested_as_deep_as_sqlite_reads_and_no_deeper(monkeypatch):
    most = MOST_NESTED["sqlite"]
    model, rows = full_tree(most + 1)
    check(model, rows, in_sqlite(model, rows, asked(model.export("sql", dialect="sqlite"))))
    monkeypatch.setitem(MOST_NESTED, "sqlite", most - 1)
    with pytest.raises(ParameterError, match=r"10 nested CASEs; .* room for 9. Use form='leaves'"):
        model.export("sql", dialect="sqlite")


# ---- what is refused


def test_options_that_mean_nothing_are_refused():
    model = bw.StumpRegressor().fit(np.array([[1.0], [2.0]]), [1.0, 2.0]).model_
    for wrong, words in (
        ({"dialect": "duckdbb"}, "Did you mean 'duckdb'"),
        ({"form": "leaf"}, "Expected one of 'case', 'leaves'"),
        ({"proba": True}, "it has no classes"),
        ({"columns": {"y": "z"}}, "no column 'y'"),
        ({"of": 3}, "export to sql has no option 'of'"),
    ):
        with pytest.raises((ParameterError, DataError), match=words):
            model.export("sql", **wrong)


def test_names_and_categories_that_a_dialect_does_not_have_are_refused():
    nameless = bw.StumpRegressor().fit({"": [1.0, 2.0]}, [1.0, 2.0]).model_
    with pytest.raises(ParameterError, match="no columns with an empty name"):
        nameless.export("sql")
    nameless.export("sql", dialect="sqlite")
    model = bw.StumpClassifier().fit({"x": ["a", "b\0"]}, [0, 1]).model_
    with pytest.raises(ParameterError, match="NUL character"):
        model.export("sql", form="leaves")
    mixed = replace(model, schema=Schema((Column("x", "nominal", ("1", 1)),)))
    with pytest.raises(ParameterError, match="the same text in SQL"):
        mixed.export("sql")


def test_sqlglot_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(MissingExtraError, match=r'pip install "branchwork\[sql\]"'):
        bw.StumpRegressor().fit(np.array([[1.0], [2.0]]), [1.0, 2.0]).model_.export("sql")
