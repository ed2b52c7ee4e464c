"""SQL answers as the model does: run in DuckDB, SQLite and, where it is installed, PostgreSQL."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from branchwork.export.sql_words import DIALECTS
from databases import in_duckdb, in_sqlite, postgres, renamed

from program_cases import KINDS, hard_rows, model_of, table_of
from tables import EXAMPLES

DEEP = EXAMPLES > 150
MODELS = 300 if DEEP else len(KINDS)
ROWS = 10_000 if DEEP else 150
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
        found = np.array(found, float)
        if adds(model):
            np.testing.assert_allclose(found, predicted, rtol=1e-12, atol=1e-12)
        else:
            np.testing.assert_array_equal(found, predicted)
        return
    assert found == predicted
    assert {type(x) for x in found} <= {type(x) for x in predicted} | {int}  # SQLite's truth values are numbers
    probabilities = np.array([answer[1:] for answer in answers])
    np.testing.assert_allclose(
        probabilities, model.predict_proba(table), rtol=0, atol=1e-12 if adds(model) else 0
    )


def answers_of(model, rows, dialect, run, form, whole):
    proba = model.labels is not None
    columns = {} if dialect == "sqlite" else renamed(model)
    count = 1 + (len(model.class_order) if proba else 0)
    options = {"dialect": dialect, "form": form, "proba": proba, "columns": columns}
    if whole:
        return [row[-count:] for row in run(model, rows, model.export("sql", table="t", **options))]
    return run(model, rows, f"SELECT {model.export('sql', **options)} FROM t")


@pytest.mark.parametrize("seed", range(MODELS))
def test_duckdb_and_sqlite_answer_as_the_model_does(seed):
    model = model_of(seed, hostile=seed % 3 == 2)
    rows = hard_rows(model, ROWS, seed)
    for form in FORMS:
        for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
            check(model, rows, answers_of(model, rows, dialect, run, form, whole=seed % 2 == 0))
