"""SQL of models that few have: names alike, whole numbers beyond doubles, very many classes, columns and categories."""

from __future__ import annotations

import math
import sqlite3
import subprocess
import sys
from dataclasses import replace

import duckdb
import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.export import sql_tests, sql_words
from branchwork.export.program import SHARED, Ask, Leaf, Program, Substitute, program
from branchwork.export.sql_boxes import MOST_COLUMNS, boxes
from branchwork.export.sql_words import Words
from branchwork.model.combine import SINGLE, Combine
from branchwork.table.schema import Column, Schema
from contract.checks import SANITIZED
from export.databases import asked, in_duckdb, in_sqlite

from program_cases import hard_rows, model_of, table_of

FORMS = ("case", "leaves")
DATABASES = (("duckdb", in_duckdb), ("sqlite", in_sqlite))


def stump(categories, labels=("p", "q"), **changes):
    """A tree that tells two categories apart."""
    model = bw.ID3Classifier().fit({"x": ["a", "b"]}, list(labels)).model_
    return replace(model, schema=Schema((Column("x", "nominal", categories, declared=True),)), **changes)


def softmax(count):
    """One stump for each of many classes."""
    model = bw.StumpRegressor().fit(np.array([[1.0], [2.0]]), [1.0, 2.0]).model_
    combine = Combine("sum", base=(0.0,) * count, output=tuple(range(count)), link="softmax")
    labels = tuple(f"label {k}" for k in range(count))
    return replace(
        model, trees=model.trees * count, labels=labels, occurring=tuple(range(count)), combine=combine
    )


# ---- values


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("dialect", "run"), DATABASES)
def test_a_whole_number_beside_a_large_category_is_another_one(dialect, run, form):
    large = 2**60
    model = stump((large, 5), handle_unknown="error")
    rows = [{"x": cell} for cell in (large, large + 1, 5, None)]
    written = model.export("sql", dialect=dialect, form=form)
    assert [label for (label,) in run(model, rows, asked(written))] == ["p", None, "q", "p"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("dialect", "run"), DATABASES)
def test_nan_is_a_missing_category_and_not_an_unseen_one(dialect, run, form):
    model = stump((1.5, 2.5), handle_unknown="error")
    rows = [{"x": cell} for cell in (1.5, 2.5, math.nan, None, 7.0)]
    written = model.export("sql", dialect=dialect, form=form)
    assert [label for (label,) in run(model, rows, asked(written))] == ["p", "q", "p", "p", None]


@pytest.mark.parametrize(("dialect", "run"), DATABASES)
def test_labels_beyond_64_bits_stay_apart(dialect, run):
    labels = (2**64, 2**64 + 1)
    model = stump(("a", "b"), labels)
    rows = [{"x": "a"}, {"x": "b"}]
    assert run(model, rows, asked(model.export("sql", dialect=dialect))) == [
        (str(label),) for label in labels
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("dialect", "run"), DATABASES)
@pytest.mark.parametrize(
    "text", ["__SQLGLOT__LB__", "a\x0bb\x0cc\x1cd\x85e\u2028f\rg", "\n\n  a\n", "-- a", "/* a", ":a ?"]
)
def test_texts_that_mean_something_to_the_writer_come_through(text, dialect, run, form):
    model = bw.ID3Classifier().fit({text: [text, "other"]}, [text, "other"]).model_
    rows = [{text: text}, {text: "other"}]
    written = model.export("sql", dialect=dialect, form=form)
    assert run(model, rows, asked(written)) == [(text,), ("other",)]


# ---- names


def test_columns_that_differ_in_case_only_are_refused_where_they_are_one():
    cells = {"x": ["a", "a", "b", "b"], "X": ["p", "q", "p", "q"]}
    model = bw.ID3Classifier().fit(cells, ["1", "2", "3", "4"]).model_
    for dialect in ("duckdb", "sqlite", "bigquery"):
        with pytest.raises(
            ParameterError, match=r"treats the columns 'x' and 'X' as the same.*columns=\{'X': …\}"
        ):
            model.export("sql", dialect=dialect)
    assert '"X"' in model.export("sql", dialect="postgres")
    duck = duckdb.connect()
    duck.execute("CREATE TABLE t (x VARCHAR, x2 VARCHAR)")
    duck.execute("INSERT INTO t VALUES ('a', 'q'), ('b', 'p')")
    written = model.export("sql", columns={"X": "x2"}, table="t")
    assert [row[-1] for row in duck.execute(written).fetchall()] == ["2", "3"]


def test_one_column_may_stand_for_two_of_the_model():
    cells = {"x": ["a", "a", "b", "b"], "y": ["p", "q", "p", "q"]}
    model = bw.ID3Classifier().fit(cells, ["1", "2", "3", "4"]).model_
    assert '"y"' not in model.export("sql", columns={"y": "x"})


def test_letters_beyond_ascii_have_case_in_databases():
    model = (
        bw.ID3Classifier().fit({"ä": ["a", "a", "b", "b"], "Ä": ["p", "q", "p", "q"]}, [1, 2, 3, 4]).model_
    )
    rows = [{"ä": "a", "Ä": "q"}, {"ä": "b", "Ä": "p"}]
    for dialect, run in DATABASES:
        assert run(model, rows, asked(model.export("sql", dialect=dialect))) == [(2,), (3,)]


def test_tables_without_a_name_or_with_too_many_are_refused():
    model = bw.StumpRegressor().fit({"x": [1.0, 2.0]}, [1.0, 2.0]).model_
    for table in ("", (), [""], ("a", ""), ("a", "b", "c", "d")):
        with pytest.raises(ParameterError, match="database, schema, table"):
            model.export("sql", table=table)


# ---- probabilities of sums in the form of CASE


@pytest.mark.parametrize("kind", ["mean", "sum logistic", "sum softmax", "tree share subset"])
def test_probabilities_of_sums(kind):
    model = model_of(1, kind=kind, rows=20)
    rows = hard_rows(model, 40, 1)
    expected = model.predict_proba(table_of(model, rows))
    for dialect, run in DATABASES:
        found = run(model, rows, asked(model.export("sql", dialect=dialect, proba=True)))
        assert [row[0] for row in found] == model.predict(table_of(model, rows)).tolist()
        np.testing.assert_allclose([row[1:] for row in found], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("dialect", "run"), DATABASES)
def test_the_order_of_adding_decides_nothing(dialect, run, form):
    """0.1 + 0.2 + 0.3 is more than 0.3 + 0.2 + 0.1 by one bit: the two are equally likely, and the first is told."""
    model = stump(("a", "b"))
    tree = model.trees[0]
    outputs = ([0.3, 0.1], [0.2, 0.2], [0.1, 0.3])
    trees = tuple(tree.replace(value=np.tile(own, (tree.n_nodes, 1))) for own in outputs)
    model = replace(model, trees=trees, combine=Combine("mean"))
    rows = [{"x": "a"}, {"x": "b"}]
    assert model.outputs(table_of(model, rows))[0].tolist() == [0.6 / 3, (0.1 + 0.2 + 0.3) / 3]
    assert run(model, rows, asked(model.export("sql", dialect=dialect, form=form))) == [("p",), ("p",)]


@pytest.mark.parametrize("form", FORMS)
def test_columns_of_probabilities_are_named_by_their_classes(form):
    model = bw.ID3Classifier().fit({"x": ["1", "2", "3"]}, ["yes", "no", "may be"]).model_
    model = replace(model, labels=("yes", "no", "may be"))  # in an order of their own
    assert model.classes.tolist() == ["may be", "no", "yes"]
    duck = duckdb.connect()
    duck.execute("CREATE TABLE t AS SELECT '1' AS x")
    (row,) = duck.execute(model.export("sql", table="t", form=form, proba=True, name="says")).fetchall()
    names = [column[0] for column in duck.description]
    assert names == ["x", "says", "probability_may_be", "probability_no", "probability_yes"]
    assert row == ("1", "may be", *model.predict_proba({"x": ["1"]})[0].tolist())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("dialect", "run"), DATABASES)
def test_a_category_that_a_node_does_not_know_is_shared_as_a_missing_cell_is(dialect, run, form):
    cells = {"x": ["a", "b", "c", "a", "b", "b"], "y": ["u", "v", "u", "u", "v", "u"]}
    model = bw.TreeClassifier(missing="share", nominal="multiway").fit(cells, list("pqrpqp")).model_
    tree = model.tree
    pool = tree.pool.copy()
    pool[int(tree.lookup[0]) + 3] = -1  # the slots are those of a missing cell, a, b, c
    model = replace(model, trees=(tree.replace(pool=pool),))
    step = program(model).trees[0][0]
    assert step.child_of is not None and -1 in step.child_of and step.missing == SHARED
    rows = [{"x": x, "y": y} for x in ("a", "b", "c", None, "new") for y in ("u", "v", None)]
    found = run(model, rows, asked(model.export("sql", dialect=dialect, form=form, proba=True)))
    table = table_of(model, rows)
    assert [row[0] for row in found] == model.predict(table).tolist()
    np.testing.assert_allclose([row[1:] for row in found], model.predict_proba(table), rtol=0, atol=1e-12)


# ---- very many


@pytest.mark.parametrize("form", FORMS)
def test_sql_of_many_classes_grows_with_their_number_and_no_faster(form):
    few, many = (len(softmax(count).export("sql", form=form)) for count in (20, 80))
    width = 4 if form == "case" else 16  # leaves have a column for each class
    assert many < few * width * 1.2


SMALL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
import sqlite3
connection = sqlite3.connect(":memory:")
connection.execute("CREATE TABLE t (x0 REAL)")
connection.execute("INSERT INTO t VALUES (1.0)")
print(*connection.execute(f"SELECT {sys.stdin.read()} FROM t").fetchone())
"""


@pytest.mark.skipif(SANITIZED, reason="limits its address space")
@pytest.mark.parametrize("form", FORMS)
def test_sqlite_needs_little_memory_for_many_classes(form):
    """It puts inner queries into outer ones, where it may: 80 classes then take more than 6 GB."""
    written = softmax(80).export("sql", dialect="sqlite", form=form)
    done = subprocess.run([sys.executable, "-c", SMALL], input=written, capture_output=True, text=True)
    assert done.stdout == "label 0\n", done.stderr


@pytest.mark.parametrize("joined", ["all_of", "any_of"])
def test_a_thousand_conditions_are_not_a_thousand_deep(joined):
    for dialect, connection in (("duckdb", duckdb.connect()), ("sqlite", sqlite3.connect(":memory:"))):
        words = Words(dialect, (), {}, None)
        are_equal = [words.equal(words.integer(k), words.integer(5)) for k in range(1200)]
        written = words.written([getattr(words, joined)(are_equal)])
        assert connection.execute(f"SELECT {written}").fetchone() == (joined == "any_of",)


def looks(monkeypatch, module, name):
    """How often a function is called from now on."""
    calls = []
    given = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *arguments: calls.append(1) or given(*arguments))
    return calls


def test_a_split_of_many_categories_is_looked_at_once(monkeypatch):
    """Not once for each child: with 3000 categories that would be 9 million looks."""
    count = 50
    column = Column("x", "nominal", tuple(range(count)), declared=True)
    step = Ask(0, tuple(range(1, count + 1)), (), tuple(range(count)), -1, (), 0, ())
    model = replace(stump((0, 1)), schema=Schema((column,)))
    words = Words("duckdb", program(model).fields, {}, None)
    grouped = looks(monkeypatch, sql_tests, "_codes_of")
    typed = looks(monkeypatch, sql_words, "_are_doubles")
    assert len(sql_tests.conditions(words, step)) == count
    assert (len(grouped), len(typed)) == (1, 0)


def test_a_long_way_of_substitutes_is_refused_before_memory_is_full():
    steps = []
    for k in range(0, 2 * MOST_COLUMNS + 2, 2):
        steps += [Ask(0, (k + 1, k + 2), (0.5,), None, -1, (Substitute(0, 0.5),), 0, ()), Leaf((0.0,), 0)]
    fields = program(bw.StumpRegressor().fit({"x": [1.0, 2.0]}, [1.0, 2.0]).model_).fields
    given = Program(fields, ((*steps, Leaf((1.0,), 0)),), SINGLE, None, (), "missing")
    with pytest.raises(ParameterError, match="over 1600 requirements"):
        boxes(given)


def test_a_branch_for_missing_cells_stays_closed_to_numbers_below():
    """Its numbers were asked for before, and none came."""
    above = Ask(0, (1, 2, 3), (0.5,), None, -1, (), 2, ())
    below = Ask(0, (4, 5), (0.5,), None, -1, (), 0, ())
    steps = (above, Leaf((0.0,), 0), Leaf((1.0,), 0), below, Leaf((2.0,), 0), Leaf((3.0,), 0))
    fields = program(bw.StumpRegressor().fit({"x": [1.0, 2.0]}, [1.0, 2.0]).model_).fields
    found = boxes(Program(fields, (steps,), SINGLE, None, (), "missing")).listed
    own = {box.at: next(iter(box.requirements.values())) for box in found}
    assert [own[at].is_open for at in (1, 2, 4, 5)] == [True, True, False, False]
    assert [own[at].missing for at in (1, 2, 4, 5)] == [0.0, 0.0, 1.0, 0.0]
