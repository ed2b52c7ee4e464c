"""Neighbours in files that somebody made: refused with ModelFormatError, or everything works with what is loaded."""

import warnings

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import BranchworkWarning, ModelFormatError
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes
from store.crafted import sampled

from program_cases import random_table

SHARE = 0.3
RNG = np.random.default_rng(2)
TABLE = random_table(RNG, 8)
KINDS = {
    "classes": lambda: bw.NeighboursClassifier(2, weights="distance").fit(
        TABLE, list("abcabcab"), [1, 2] * 4
    ),
    "numbers": lambda: bw.NeighboursRegressor(3, metric="hamming").fit(TABLE, RNG.normal(size=8)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_crafted_file_is_refused_or_everything_works(kind):
    model = KINDS[kind]().model_
    refused = taken = 0
    for one in sampled(model, SHARE, seed=1):
        data = one.make()
        if data is None:
            continue
        try:
            loaded = (from_bytes if one.is_container else from_json_bytes)(data)
        except ModelFormatError:
            refused += 1
            continue
        taken += 1
        assert isinstance(loaded, bw.Neighbours), str(one)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchworkWarning)
            outputs = loaded.outputs(loaded.rows)
            assert np.isfinite(outputs).all(), str(one)
            assert len(loaded.predict(loaded.rows)) == 8
            assert loaded.why(loaded.rows[:1]).to_text()
            assert to_bytes(from_bytes(to_bytes(loaded))) == to_bytes(loaded), str(one)
            assert to_json_bytes(from_json_bytes(to_json_bytes(loaded))) == to_json_bytes(loaded), str(one)
    assert refused > 150 and taken > 10


def test_too_many_rows_for_json_are_told(monkeypatch):
    monkeypatch.setattr("branchwork.store.twin.MOST_VALUES", 50)
    with pytest.raises(ModelFormatError, match=r"too large for JSON .* Save it as \.bw"):
        to_json_bytes(KINDS["numbers"]().model_)
