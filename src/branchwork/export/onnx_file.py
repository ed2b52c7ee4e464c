"""ONNX: a graph of operators on whole columns, in double precision, for onnxruntime and others.

    columns ─► matrix of numbers and codes ─► TreeEnsemble ─► leaf in each tree ─► its outputs ─► combined ─► answer

The trees find the leaf of a row, and tables contain the answer of the leaf: to the last bit what the model answers.
If each tree of a sum contributes to one output, TreeEnsemble itself adds them up. A model that shares rows with
missing values among branches becomes a graph that refuses these rows.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError
from branchwork.export.onnx_columns import Inputs, Matrix, inputs_of, matrix_of, refuse_strange_text
from branchwork.export.onnx_graph import ML, Graph, Type
from branchwork.export.onnx_refusals import refuse_missing, without_sharing
from branchwork.export.onnx_substitutes import add_answers, as_steps
from branchwork.export.onnx_trees import Ensemble
from branchwork.export.program import Ask, Leaf, Program, Step, program
from branchwork.model.combine import Combine
from branchwork.model.model import Model
from branchwork.tree.outputs import TIE


def write(model: Model, *, inputs: Inputs = "columns", missing: str = "") -> bytes:
    """Write a model as an ONNX file.

    Parameters
    ----------
    inputs : "columns": one input for each column, by its name, of shape (rows, 1): doubles for numbers (NaN: missing),
        and text for categories (`missing`: missing), with "true" and "false" for booleans. "matrix": one input X of
        shape (rows, columns) of doubles, for tables that only have numbers.
    missing : the text that stands for a missing category.

    Outputs are "label" and "probabilities", or "value" for numbers. If a model shares rows with missing values among
    branches, as C4.5 does, the graph predicts only complete rows. It fails on a batch with a missing value, or an
    unseen category that counts as missing, in a column that the tree tests.
    """
    written = program(model)
    _refuse(written, inputs)
    graph = Graph(inputs_of(written, inputs))
    matrix = matrix_of(graph, written, inputs, missing)
    matrix, written = _with_substitutes(graph, matrix, written)
    outputs, leaves = _outputs(graph, matrix, written)
    if written.labels is None:
        value = graph.add("Gather", outputs, graph.constant(np.int64(0)), axis=1)
        graph.answer("value", "double", ("rows",), value, "The number.")
        return graph.to_bytes({})
    label = _label(graph, written, outputs, leaves)
    labels, kind = _label_array(written.labels)
    named = graph.add("Gather", graph.constant(labels), label, axis=0)
    graph.answer("label", kind, ("rows",), named, "The class.")
    order = graph.constant(np.array(written.class_order, np.int64))
    shares = graph.add("Gather", outputs, order, axis=1)
    classes = labels[list(written.class_order)].tolist()
    about = "Of the classes, in the order of `classes` in the metadata."
    graph.answer("probabilities", "double", ("rows", len(classes)), shares, about)
    return graph.to_bytes({"classes": json.dumps(classes, ensure_ascii=False)})


def _refuse(written: Program, inputs: str) -> None:
    if inputs not in ("columns", "matrix"):
        raise ParameterError(f"inputs={inputs!r}; expected 'columns' or 'matrix'.")
    nominal = next((field for field in written.fields if field.is_nominal), None)
    if nominal is None:
        return
    if written.handle_unknown == "error":
        raise ParameterError(
            "This model refuses unseen categories, and an ONNX graph cannot do that. Fit with "
            "handle_unknown='missing' or 'majority'."
        )
    if inputs == "matrix":
        raise ParameterError(
            f"inputs='matrix' is for tables of numbers; column {nominal.name!r} has categories. Use inputs='columns'."
        )


def _axis(graph: Graph) -> str:
    return graph.constant(np.array([1], np.int64))


# ---- trees -------------------------------------------------------------------------------------------------


def _with_substitutes(graph: Graph, matrix: Matrix, written: Program) -> tuple[Matrix, Program]:
    """Evaluate steps with substitutes beforehand: they become steps that test an extra column of the matrix."""
    where = [
        (k, at, step)
        for k, steps in enumerate(written.trees)
        for at, step in enumerate(steps)
        if isinstance(step, Ask) and step.substitutes
    ]
    if not where:
        return matrix, written
    asks = [step for _, _, step in where]
    answers = add_answers(graph, matrix.name, asks, matrix.place)
    first = len(written.fields)
    trees: list[list[Step]] = [list(steps) for steps in written.trees]
    for (k, at, _), ask in zip(where, as_steps(asks, first), strict=True):
        trees[k][at] = ask
    wider = Matrix(
        graph.add("Concat", matrix.name, answers, axis=1),
        matrix.width + len(asks),
        matrix.place | {first + k: matrix.width + k for k in range(len(asks))},
    )
    return wider, replace(written, trees=tuple(map(tuple, trees)))


def _outputs(graph: Graph, matrix: Matrix, written: Program) -> tuple[str, str]:
    """Return the outputs of every row, and its leaf in every tree, numbered across trees; "" if trees add up
    directly.
    """
    combine, count = written.combine, len(written.trees)
    if combine.kind == "sum" and (combine.output is not None or len(combine.base) == 1):
        own = [
            [step.outputs[0] if isinstance(step, Leaf) else 0.0 for step in steps] for steps in written.trees
        ]
        targets = combine.output or (0,) * count
        summed = _trees(graph, matrix, written, own, targets, len(combine.base))
        return _linked(graph, combine, summed), ""
    places = _numbered(written)
    leaves = graph.to_integers(_trees(graph, matrix, written, places, range(count), count))
    table = [step.outputs for steps in written.trees for step in steps if isinstance(step, Leaf)]
    each = graph.add("Gather", graph.constant(np.array(table, np.float64)), leaves, axis=0)
    if combine.kind == "single":
        return graph.add("Squeeze", each, _axis(graph)), leaves
    if combine.kind == "mean":
        return graph.add("ReduceMean", each, _axis(graph), keepdims=0), leaves
    return _linked(graph, combine, graph.add("ReduceSum", each, _axis(graph), keepdims=0)), leaves


def _numbered(written: Program) -> list[list[float]]:
    """Return the position of every leaf among the leaves of all trees; for other steps, that of the next leaf."""
    count, places = 0, []
    for steps in written.trees:
        own = []
        for step in steps:
            own.append(float(count))
            count += isinstance(step, Leaf)
        places.append(own)
    return places


def _trees(
    graph: Graph,
    matrix: Matrix,
    written: Program,
    weights: list[list[float]],
    targets: Sequence[int],
    n_targets: int,
) -> str:
    ensemble = Ensemble(written.tells_unseen)
    for steps, own, target in zip(without_sharing(written).trees, weights, targets, strict=True):
        ensemble.add_tree(steps, matrix.place, target, own)
    found = graph.add("TreeEnsemble", matrix.name, domain=ML, **ensemble.attributes(n_targets))
    return refuse_missing(graph, matrix, written, found, n_targets)


def _linked(graph: Graph, combine: Combine, summed: str) -> str:
    """Return the base and the sum of the trees, after the link."""
    total = graph.add("Add", summed, graph.constant(np.array(combine.base, np.float64)))
    if combine.link == "exp":
        return graph.add("Exp", total)
    if combine.link == "softmax":
        return graph.add("Softmax", total, axis=1)
    if combine.link == "logistic":
        one = graph.constant(np.float64(1))
        odds = graph.add("Exp", graph.add("Neg", total))
        chance = graph.add("Div", one, graph.add("Add", one, odds))
        return graph.add("Concat", graph.add("Sub", one, chance), chance, axis=1)
    return total


# ---- classes -----------------------------------------------------------------------------------------------


def _label(graph: Graph, written: Program, outputs: str, leaves: str) -> str:
    """Return the position of every row's label: the leaf's own decision, or the first of the largest outputs."""
    if written.combine.kind == "single" and not written.shares_rows:
        decisions = [step.decision for steps in written.trees for step in steps if isinstance(step, Leaf)]
        own = graph.add("Gather", graph.constant(np.array(decisions, np.int64)), leaves, axis=0)
        return graph.add("Squeeze", own, _axis(graph))
    largest = graph.add("ReduceMax", outputs, _axis(graph), keepdims=1)
    enough = graph.add("Sub", largest, graph.constant(np.float64(TIE)))
    is_large = graph.add("GreaterOrEqual", outputs, enough)
    return graph.add("ArgMax", graph.to_doubles(is_large), axis=1, keepdims=0)


def _label_array(labels: tuple[Hashable, ...]) -> tuple[npt.NDArray[Any], Type]:
    """Return the labels in a type of ONNX: their own, or text."""
    kinds: dict[type, Type] = {int: "int64", bool: "bool", float: "double"}
    found = {type(label) for label in labels}
    own = kinds.get(next(iter(found))) if len(found) == 1 else None
    if own is not None and not (own == "int64" and any(abs(int(str(label))) >= 2**63 for label in labels)):
        return np.array(labels), own
    text = np.array([str(label) for label in labels], object)
    for word in text:
        refuse_strange_text(word)
    if len(set(text)) < len(text):
        raise ParameterError(
            f"Labels of several types become text in ONNX, but two of {labels!r} would be the same text."
        )
    return text, "string"
