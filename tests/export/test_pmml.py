"""PMML files, read by a slow reader of our own and by one of others: the same answers as the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.export.program import program
from branchwork.model.combine import Combine
from branchwork.tree.reshape import collapse

from pmml_reader import NAMESPACE, Document, InvalidValueError
from program_cases import HOSTILE, KINDS, hard_rows, model_of, table_of
from tables import EXAMPLES

DEEP = EXAMPLES > 150


def read(model, **options):
    return Document(model.export("pmml", **options))


def check(model, rows):
    """The document answers as the model does: leaves exactly, sums to 1e-12."""
    document = read(model)
    names = [name for name in document.fields if name != document.target]
    table = table_of(model, rows)
    exact = model.combine.kind == "single" and not model.tree.shares_rows
    tolerance = 0 if exact else 1e-12
    found = [document.evaluate(dict(zip(names, row.values(), strict=True))) for row in rows]
    expected = model.predict(table).tolist()
    if model.labels is None:
        np.testing.assert_allclose([one.value for one in found], expected, rtol=tolerance, atol=tolerance)
        return
    shares = model.predict_proba(table)
    np.testing.assert_allclose([list(one.outputs.values()) for one in found], shares, rtol=0, atol=tolerance)
    for one, label, own in zip(found, expected, shares, strict=True):
        first, second = np.sort(own)[::-1][:2] if len(own) > 1 else (1, 0)
        if exact or first - second > 1e-9:  # PMML has no rule for ties of sums
            assert document.label(one.value) == label


def expressible(seed, kind=None, **options):
    """The model of a number, or None if it shares rows and predicts numbers."""
    model = model_of(seed, kind=kind, **options)
    numbers = model.labels is None or model.combine.kind == "sum"
    return None if numbers and program(model).shares_rows else model


@pytest.mark.parametrize("kind", KINDS)
def test_the_document_answers_as_the_model(kind):
    for seed in range(3):
        model = expressible(seed, kind, hostile=seed == 2)
        if model is not None:
            check(model, hard_rows(model, 100, seed))


@pytest.mark.skipif(not DEEP, reason="many models; make deep")
def test_many_models_on_many_rows():
    done = seed = 0
    while done < 300:
        seed += 1
        model = expressible(2000 + seed, hostile=seed % 3 == 0)
        if model is not None:
            check(model, hard_rows(model, 10_000, seed))
            done += 1
