"""Files written long ago load, and answer as they did then."""

import json
from pathlib import Path

import numpy as np
import pytest

import branchwork as bw
from branchwork.model.combine import SINGLE
from branchwork.store.container import to_bytes
from branchwork.store.twin import to_json_bytes
from store.write_golden import MODELS

from program_cases import table_of

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path for path in GOLDEN.rglob("*.*") if path.suffix in (".bw", ".json"))


def test_every_kind_is_there_in_every_format():
    assert len(FILES) >= 2 * len(MODELS)
    for folder in GOLDEN.iterdir():
        assert {path.stem for path in folder.iterdir()} >= set(MODELS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_golden_file_loads_and_answers_as_it_did(path):
    model = bw.load(path)
    expected = json.loads(path.with_suffix(".answers").read_text(encoding="utf-8"))
    table = table_of(model, expected["rows"])
    exact = (
        getattr(model, "combine", SINGLE).link == "identity"
    )  # exponentials differ in the last bit from machine to machine
    if exact or model.labels is not None:
        assert model.predict(table).tolist() == expected["predict"]
    np.testing.assert_allclose(model.outputs(table), expected["outputs"], rtol=0 if exact else 1e-13)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_golden_file_is_written_the_same_again(path):
    data = path.read_bytes()
    if b'"0.1.0"' not in data.replace(b"\\", b"") or path.parent.name != "format-1":
        pytest.skip("written by another version")
    model = bw.load(path)
    assert (to_bytes(model) if path.suffix == ".bw" else to_json_bytes(model)) == data
