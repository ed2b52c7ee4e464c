"""Rows that an ONNX graph refuses: rows with a missing value that the model would share among branches.

An ONNX tree sends a row to one leaf, so it cannot share a row. The graph looks up the rows with a missing value in a
table without rows, which ONNX defines as an error. The name of the operator says what is wrong, the index which row it
is.

    missing in row   ─► Gather from (0 rows) ─► joined to the outputs of the trees
    none                0 rows                  the outputs as they are
    2, 5                error, idx=2
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from branchwork.errors import ParameterError
from branchwork.export.onnx_columns import Matrix
from branchwork.export.onnx_graph import Graph
from branchwork.export.program import AS_MISSING, SHARED, Ask, Program, Step
from branchwork.tree.split import harmless

NAME = "branchwork_refuses_missing_cells"
"""The name of the operators that refuse a row; the name of the column follows."""


def shared_fields(written: Program) -> tuple[int, ...]:
    """Return the positions of the fields whose missing values send a row down several branches, in order."""
    asks = (step for steps in written.trees for step in steps if isinstance(step, Ask))
    return tuple(sorted({ask.field for ask in asks if ask.missing == SHARED}))


def without_sharing(written: Program) -> Program:
    """Return the program for rows without missing values: no step shares a row."""
    return replace(
        written,
        trees=tuple(tuple(_asking_known(step, written) for step in steps) for steps in written.trees),
    )


def _asking_known(step: Step, written: Program) -> Step:
    if not isinstance(step, Ask) or step.missing != SHARED:
        return step
    tells_unseen = step.field in written.tells_unseen and step.unseen == AS_MISSING
    if tells_unseen or AS_MISSING in (step.child_of or ()):
        raise ParameterError(
            f"Column {written.fields[step.field].name!r}: a node shares rows of some categories among branches, but a "
            "row has only one leaf in a tree of ONNX. Export to another language."
        )
    return replace(step, missing=0, shares=())  # no missing value reaches this step


def refuse_missing(graph: Graph, matrix: Matrix, written: Program, outputs: str, width: int) -> str:
    """Add an error for each missing value of a shared field; return the outputs of the trees, joined to these."""
    fields = shared_fields(written)
    if not fields:
        return outputs
    no_rows = graph.constant(np.empty((0, width)))
    first = graph.constant(np.int64(0))
    refused = []
    for position in fields:
        place = graph.constant(np.array([matrix.place[position]], np.int64))
        is_missing = graph.add("IsNaN", graph.add("Gather", matrix.name, place, axis=1))
        rows = graph.add("Gather", graph.add("NonZero", is_missing), first, axis=0)
        name = f"{NAME}: {harmless(written.fields[position].name)}"
        refused.append(graph.add("Gather", no_rows, rows, axis=0, called=name))
    return graph.add("Concat", outputs, *refused, axis=0)
