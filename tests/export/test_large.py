"""Programs of large trees: their writers do work in proportion to the tree, and say what is too large."""

from __future__ import annotations

import sys

import duckdb
import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import IdentifierWarning, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")


def wide(branches):
    """A tree whose root has a branch for each of many categories."""
    x = [f"c{k}" for k in range(branches)] * 2
    return bw.ID3Classifier().fit({"x": x}, [k % 2 for k in range(branches)] * 2).model_


def chain(depth):
    """A tree in which every step parts one row from all others."""
    return bw.TreeClassifier().fit(np.arange(depth + 1.0)[:, None], np.arange(depth + 1) % 2).model_


def calls(job):
    """How many calls a job makes, each turn of a generator among them."""
    count = 0

    def seen(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        job()
    finally:
        sys.setprofile(None)
    return count


LANGUAGES = ["python", "c", "javascript", "sql", "pmml", "json", "questionnaire"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tree", [wide, chain])
def test_twice_the_nodes_take_twice_the_calls(tree, language):
    small, large = tree(500), tree(1000)
    small.export(language)  # what is made on first use does not count
    assert calls(lambda: large.export(language)) < 2.5 * calls(lambda: small.export(language))


@pytest.mark.parametrize("language", ["sql", "pmml"])
def test_a_node_of_very_many_branches_is_written(language):
    written = wide(5000).export(language)
    assert "c4999" in written


def test_a_table_of_leaves_with_a_letter_for_every_pair_has_a_limit():
    model = wide(6000)
    with pytest.raises(ParameterError, match=r"6000 branches for 6000 categories.*Use form='case'"):
        model.export("sql", form="leaves")
    assert "c5999" in model.export("sql")


def shared(rows=400):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"town": rng.choice([f"t{k}" for k in range(30)], rows), "age": rng.normal(size=rows)}
    )
    labels = np.where((frame.town.str[1:].astype(int) % 3 == 0) ^ (frame.age > 0.3), "yes", "no")
    frame.loc[rng.random(rows) < 0.1, "town"] = None
    frame.loc[rng.random(rows) < 0.1, "age"] = None
    return frame, bw.C45Classifier(pruning=None).fit(frame, labels).model_


def test_rows_shared_by_weight_need_no_list_of_categories():
    """DuckDB makes a join of every list. Cells are read once, as codes; a row that goes one way takes a CASE."""
    frame, model = shared()
    query = model.export("sql", table="t")
    assert " IN (" not in query
    assert query.count("COALESCE(") == 2  # one for each class
    assert query.count("'t7'") == 1
    connection = duckdb.connect()
    connection.register("t", frame.assign(row=range(len(frame))))
    found = connection.execute(f"{query} ORDER BY row").fetchall()
    assert [row[-1] for row in found] == model.predict(frame).tolist()


def test_the_warning_that_is_ignored_here_would_be_given():
    with pytest.warns(IdentifierWarning):
        bw.ID3Classifier().fit({"x": [f"c{k}" for k in range(100)] * 2}, [0, 1] * 100)
