"""Packed prediction by many threads, stopped by Ctrl-C, and of very few and very many cells."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from branchwork.errors import DataError
from branchwork.model.model import Model
from branchwork.table.schema import Column, Schema
from contract.checks import SANITIZED, child
from ctrl_c import ALLOWED
from model.plain_walk import plain_outputs, same_bits
from model.test_packed import FORMS, forest, packed, staircase

LIMIT = 2 * ALLOWED * (20 if SANITIZED else 1)
"""Of work of two to eight seconds. Large answers are given back to the system, too, which takes a part of it."""

SHAPES = {
    "bytes": {"trees": 20, "depth": 5},
    "words": {"trees": 8, "rows": 3000},
    "raw": {"trees": 1, "rows": 3000},
}


@pytest.mark.parametrize("form", SHAPES)
def test_any_number_of_threads_gives_the_same_bits(form):
    model, table = forest(20, **SHAPES[form])
    table = table.take(np.tile(np.arange(table.n_rows), 30))  # several blocks for each thread
    expected = plain_outputs(model, table)
    leaves = model.apply(table)
    for n_jobs in (1, 2, 3, 8):
        assert same_bits(model.outputs(table, n_jobs=n_jobs), expected)
        assert same_bits(model.apply(table, n_jobs=n_jobs), leaves)


@pytest.mark.parametrize("form", SHAPES)
def test_thirty_two_threads_at_once_and_none_has_packed_before(form):
    model, table = forest(21, **SHAPES[form])
    expected = plain_outputs(model, table)
    together, found, failed = threading.Barrier(32), [], []

    def predict(k):
        try:
            together.wait()
            trees = model.packed
            found.append((id(trees), same_bits(model.outputs(table, n_jobs=1 + k % 3), expected)))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=predict, args=(k,)) for k in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert [right for _, right in found] == [True] * 32
    assert len({trees for trees, _ in found}) == 1


INTERRUPTED = """
import json
import numpy as np
from ctrl_c import interrupted
from model.test_packed import forest, packed
from branchwork.table.table import Table

waits = {}
for name, shape in SHAPES.items():
    model, table = forest(22, **shape)
    row = [np.broadcast_to(array[:1], 40_000_000) for array in table.arrays]
    many = Table(table.schema, tuple(row))
    model.outputs(table)
    waits[name] = max(
        interrupted(lambda: model.outputs(many, n_jobs=n_jobs)).processor_seconds for n_jobs in (1, 2)
    )
    expected = packed(model).sums(table.core, 1)[0] / (len(model.trees) if model.combine.kind == "mean" else 1)
    assert expected.tobytes() == model.outputs(table).tobytes()
print(json.dumps(waits))
"""


def test_ctrl_c_is_heard_at_once():
    waits = child(f"SHAPES = {SHAPES!r}\n" + INTERRUPTED)
    assert list(waits) == list(SHAPES)
    assert all(seconds < LIMIT for seconds in waits.values()), waits


PACKING = """
import json
from dataclasses import replace
model, table = forest(23, trees=8, rows=20_000)
large = replace(model, trees=model.trees * 120)  # packing takes seconds
expected = model.outputs(table)
heard = interrupted(lambda: replace(large).outputs(table), 0.1).processor_seconds
print(json.dumps([heard, bool(abs(large.outputs(table) - expected).max() < 1e-12)]))
"""


def test_ctrl_c_while_packing_and_the_next_call_packs_again():
    head = INTERRUPTED.split("waits = {}")[0]
    heard, right = child(head + PACKING)
    assert heard < LIMIT and right


def test_no_rows_and_one_row():
    for shape in SHAPES.values():
        model, table = forest(24, **shape)
        X = np.column_stack(table.arrays)
        expected = plain_outputs(model, table)
        assert model.outputs(X[:0]).shape == (0, expected.shape[1])
        assert model.apply(X[:0]).shape[0] == 0
        for row in range(5):
            assert same_bits(model.outputs(X[row : row + 1]), expected[row : row + 1])


def test_an_array_is_taken_as_a_table_is():
    """Arrays of floats go to the core without a table; whatever is wrong with them is still told."""
    model, table = forest(26, trees=12, depth=4)
    X = np.column_stack(table.arrays)
    expected = plain_outputs(model, table)
    for array in (X, np.asfortranarray(X), X[::-1][::-1], X.astype(">f8"), X.tolist()):
        assert same_bits(model.outputs(array), expected)
        assert same_bits(model.outputs(array, n_jobs=-1), expected)
    with pytest.raises(DataError, match="The table has 5 columns, but the model was trained on 6"):
        model.outputs(X[:, :5])
    with pytest.raises(DataError, match="1 dimension"):
        model.apply(X[0])


def test_two_to_the_31_cells():
    """X[i, j] is base[i + j]: more cells than 31 bits count, and no memory for them."""
    rows, columns = 2**15, 2**16 + 16
    base = np.random.default_rng(0).normal(size=rows + columns).astype(np.float32) * 50
    X = np.lib.stride_tricks.as_strided(base, (rows, columns), (4, 4))
    assert X.size > 2**31
    tree = staircase(100).trees[0]
    far = np.where(tree.feature >= 0, columns - 1 - np.arange(tree.n_nodes) // 2 * 7, -1).astype(np.int32)
    schema = Schema(tuple(Column(f"x{j}", "numeric") for j in range(columns)), named=False)
    model = Model(schema, None, (tree.replace(feature=far),), {})
    some = np.arange(0, rows, 311)
    expected = plain_outputs(model, model.table(np.ascontiguousarray(X[some])))
    for form in FORMS:
        trees = packed(model, form)
        assert same_bits(trees.sums(model.table(X).core, 2)[0][some], expected), form
    assert same_bits(model.outputs(X, n_jobs=2)[some], expected)
