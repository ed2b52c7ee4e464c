"""Turn a tree written by hand into a model that is judged, drawn and exported like a grown one."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from branchwork.errors import ParameterError, shown
from branchwork.hand.counted import counted
from branchwork.hand.from_dict import nodes_from_dict
from branchwork.hand.from_python import nodes_from_python
from branchwork.hand.from_text import is_printed, nodes_from_text
from branchwork.hand.nodes import Node, answers_of, to_tree
from branchwork.model.model import Model
from branchwork.table import target as targets
from branchwork.table.adapt import to_table
from branchwork.table.conform import HandleUnknown
from branchwork.table.named import name_of, only_column
from branchwork.table.schema import Schema
from branchwork.table.spread import spread
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.table.training import check_rows

RECIPE = {"library": "branchwork", "name": "hand_tree"}


def hand_tree(
    tree: Mapping[str, Any] | str | Any,
    columns: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    labels: Sequence[Hashable] | None = None,
) -> Model:
    """Make a model from a tree that was written by hand, printed by `to_text()`, or written by `export("python")`.

    Parameters
    ----------
    tree : a nested dictionary (below); or the text of `to_text(full=True)` or `export("python")`. Programs are
        parsed, and never run.
    columns : a Schema, or a table of any kind, with the columns that the tree tests.
    y, sample_weight : the target of the rows of the table, which are then counted in every node. The predictions stay
        as they were written, whatever the rows say.
    labels : the classes, if neither y nor the tree has all of them; None means those that occur. If all answers are
        floats, the tree predicts numbers, unless there are labels.

    A question about a number is {"feature": name, "cut": number, "then": …, "else": …}: a number up to the cut takes
    "then". One about categories is {"feature": name, "values": [some of them], "then": …, "else": …}, or has a branch
    for each: {"feature": name, "values": {category: …, category: …}, "else": …}. Missing cells take "else", or
    the last branch, or what "missing" says: "then", "else", or a branch of its own. Everything else is an answer.

    >>> import branchwork as bw
    >>> iris = bw.datasets.load("iris7")
    >>> tree = {"feature": "Petal Length", "cut": 2.5, "then": 0,
    ...         "else": {"feature": "Petal Width", "cut": 1.5, "then": 1, "else": 2}}
    >>> model = bw.hand_tree(tree, iris.X, iris.y)
    >>> round(7 * (1 - model.score(iris.X, iris.y)))
    1
    """
    if isinstance(columns, Schema):
        if y is not None:
            raise ParameterError("y was given with a Schema, which has no rows; hand in the table instead.")
        table, schema = None, columns
    else:
        table = to_table(columns)
        schema = table.schema
    name, y = name_of(y), only_column(y)
    given = None if labels is None else tuple(labels)
    if given is not None and (len(set(given)) < len(given) or not given):
        raise ParameterError(f"labels={shown(list(given))}; expected different labels, at least one.")
    known = given if given is not None or y is None else _labels_of(y)
    handling: HandleUnknown = "missing"
    occurring: int | None = None
    of_classes: bool | None = None
    if not isinstance(tree, str):
        nodes = nodes_from_dict(tree, schema)
    elif is_printed(tree):
        nodes, of_classes, printed_name = nodes_from_text(tree, schema, known)
        name = name or printed_name
    else:
        reading = nodes_from_python(tree, schema)
        nodes, of_classes, known = reading.nodes, reading.labels is not None, reading.labels
        handling = "error" if reading.refuses_unknown else "missing"
        if given is not None and set(given) != set(known or ()):
            raise ParameterError(
                f"labels={shown(list(given))}, but the program has {shown(list(known or ()))}."
            )
        occurring = reading.n_classes
    classes = _classes(nodes, known, True if given is not None else of_classes)
    made = to_tree(nodes, schema, classes)
    recipe = {**RECIPE, "criterion": "squared_error" if classes is None else "entropy"}
    scale = None
    if table is not None:
        target = None if y is None else _target(y, sample_weight, classes, table)
        made = counted(made, table, target, own_outputs=occurring is not None)
        scale = spread(table, columns=made.feature)
    seen = None if classes is None else tuple(range(occurring or len(classes)))
    return Model(schema, classes, (made,), recipe, handling, seen, scale, target=name)


def _labels_of(y: Any) -> tuple[Hashable, ...] | None:
    """Return the labels of a target, or None if it holds measurements."""
    found = targets.classes(y).labels
    if any(isinstance(label, float) and not label.is_integer() for label in found):
        return None
    return found


def _classes(
    nodes: Sequence[Node], known: tuple[Hashable, ...] | None, of_classes: bool | None
) -> tuple[Hashable, ...] | None:
    """Return the labels of a tree: the known ones, then others that it predicts; None for a tree of numbers."""
    said = list(dict.fromkeys(answer.says for answer in answers_of(nodes)))
    floats = all(isinstance(one, float) for one in said)
    if of_classes is False or (of_classes is None and floats):
        return None
    labels = list(known or ())
    new = [label for label in said if label not in labels]
    with contextlib.suppress(TypeError):  # labels that have no common order keep that of the tree
        new = sorted(new)  # type: ignore[type-var]
    return (*labels, *new)


def _target(y: Any, sample_weight: Any, classes: tuple[Hashable, ...] | None, table: Table) -> Target:
    target: Target
    if classes is None:
        target = targets.values(y, sample_weight)
    else:
        target = targets.classes(y, sample_weight).in_labels(classes)
    check_rows(table, target)
    return target
