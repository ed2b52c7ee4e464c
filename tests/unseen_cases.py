"""Programs in which some steps send a category that training never saw their own way, and others do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from branchwork.export.program import AS_MISSING, Ask, Leaf, Program, program, run
from branchwork.model.model import Model

from program_cases import table_of


def mixed_up(model: Model, seed: int) -> Program:
    """The model's program, with new routes for unseen categories; half of the steps treat them as missing."""
    rng = np.random.default_rng(seed)

    def changed(step):
        if isinstance(step, Leaf) or step.child_of is None:
            return step
        own = int(rng.integers(0, len(step.children)))
        return replace(step, unseen=own if rng.random() < 0.5 else AS_MISSING)

    written = program(model)
    assert any(isinstance(step, Ask) for step in written.trees[0])
    return replace(written, trees=tuple(tuple(map(changed, steps)) for steps in written.trees))


def outputs_of(written: Program, model: Model, rows) -> np.ndarray:
    """What the program of one tree answers: the outputs of the one leaf."""
    cells = np.stack([array.astype(float) for array in table_of(model, rows).arrays], axis=1).tolist()
    leaves = [run(written, row)[0] for row in cells]
    assert all(len(found) == 1 for found in leaves)
    return np.array([written.trees[0][leaf].outputs for ((leaf, _),) in leaves])
