"""The program form says what the model does, for every kind of model."""

from __future__ import annotations

import numpy as np
import pytest

from branchwork.export.names import identifiers
from branchwork.export.program import Leaf, program, run
from branchwork.tree.apply import shares

from program_cases import HOSTILE, KINDS, hard_rows, model_of, table_of


@pytest.mark.parametrize("kind", KINDS)
def test_running_the_program_is_predicting(kind):
    for seed in range(3):
        model = model_of(seed, kind=kind, hostile=seed == 2)
        table = table_of(model, hard_rows(model, 60, seed))
        written = program(model)
        cells = np.stack([array.astype(float) for array in table.arrays], axis=1).tolist()
        with_majority = model.handle_unknown == "majority"
        found = [shares(tree, table, unseen_with_majority=with_majority) for tree in model.trees]
        for row, row_cells in enumerate(cells):
            for tree, leaves in enumerate(run(written, row_cells)):
                begin, end = found[tree].starts[row : row + 2]
                assert [leaf for leaf, _ in leaves] == found[tree].leaf[begin:end].tolist()
                assert [share for _, share in leaves] == found[tree].share[begin:end].tolist()


def test_leaves_answer_as_the_nodes_do():
    model = model_of(2, kind="c45")
    for node, step in enumerate(program(model).trees[0]):
        if isinstance(step, Leaf):
            assert step.outputs == tuple(model.tree.value[node])
            assert step.decision == model.tree.decision[node]


def test_names_become_identifiers():
    found = identifiers([*HOSTILE, *(name.upper() for name in HOSTILE if name.upper() not in HOSTILE)])
    assert len({name.lower() for name in found}) == len(found)
    assert all(name.isidentifier() and name.isascii() and len(name) < 60 for name in found)


def test_a_name_with_a_number_is_no_reserved_one_either():
    assert identifiers(["M PI", "m_pi"]) == ("M_PI_", "m_pi_3")  # M_PI_2 is a macro of C


def test_many_names_without_a_latin_letter_are_quickly_told_apart():
    found = identifiers(
        chr(0x4E00 + k) for k in range(20_000)
    )  # in steps of one from 2 on: 200 million of them
    assert found == ("x", *(f"x_{k}" for k in range(2, 20_001)))
