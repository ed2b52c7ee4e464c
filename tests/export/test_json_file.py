"""The model as JSON: the very file that `bw.save` writes, which `bw.load` reads back."""

from __future__ import annotations

import numpy as np
import pytest

import branchwork as bw

from program_cases import KINDS, hard_rows, model_of, table_of


@pytest.mark.parametrize("kind", KINDS[::5])
def test_the_text_is_the_file_of_the_model(kind, tmp_path):
    model = model_of(2, kind=kind, hostile=True)
    text = model.export("json")
    bw.save(model, tmp_path / "saved.json")
    assert (tmp_path / "saved.json").read_bytes() == text.encode()
    read = bw.load(tmp_path / "saved.json")
    assert (read.schema, read.labels) == (model.schema, model.labels)
    rows = hard_rows(model, 50)
    assert np.array_equal(read.predict(table_of(read, rows)), model.predict(table_of(model, rows)))
