"""What every printout says about a node, in the same words."""

from __future__ import annotations

from branchwork.model.describe import prediction
from branchwork.model.model import Model
from branchwork.tree.split import category, number
from branchwork.tree.tree import Tree
from branchwork.view.terminal import harmless

CLASSES_SHOWN = 4
"""Of a node with more classes only the heaviest are named."""


def answer(model: Model, node: int) -> str:
    """What a node answers: its label, or its number to six digits."""
    given = prediction(model, node)
    return f"{given:.6g}" if model.labels is None else harmless(category(given))


def size(tree: Tree, node: int, *, one: str = "row", digits: int = 6) -> str:
    """How many rows a node has, and their weight where it is another; `one` is the word for a single row.

    The weight alone, where nobody knows how many rows there were.
    """
    weight, n_rows = float(tree.weight[node]), int(tree.n_rows[node])
    if n_rows == 0 and weight > 0:
        return f"weight {weight:.{digits}g}"
    rows = f"{n_rows} {one if n_rows == 1 else 'rows'}"
    return rows if weight == n_rows else f"{rows} (weight {weight:.{digits}g})"


def brief(x: float) -> str:
    """A number to six digits; a large one as it is.

    >>> brief(0.123456789), brief(102000.0), brief(12345678.5)
    ('0.123457', '102000', '12345678.5')
    """
    return number(x) if abs(x) >= 1e6 else number(float(f"{x:.6g}"))


def percent(share: float) -> str:
    """A share without pretending: 99.97 % is not 100 %.

    >>> percent(0.5), percent(0.9997), percent(1.0)
    ('50%', '99.97%', '100%')
    """
    text = f"{share:.0%}"
    return text if text not in ("0%", "100%") or share in (0, 1) else f"{share:.2%}"


def class_shares(model: Model, node: int, *, most: int) -> list[str]:
    """The classes of a node, the heaviest first: "Yes 9 (64%)"; after the most that are asked for, "… 3 more"."""
    tree = model.tree
    assert model.labels is not None and tree.distribution is not None
    counts = tree.distribution[node].tolist()
    present = sorted((c for c, count in enumerate(counts) if count > 0), key=lambda c: -counts[c])
    shares = [
        f"{harmless(category(model.labels[c]))} {number(round(counts[c], 2))} ({percent(tree.value[node, c])})"
        for c in present[:most]
    ]
    return [*shares, f"… {len(present) - most} more"] if len(present) > most else shares


def facts(model: Model, node: int) -> str:
    """How many rows a node has, and their classes, or their mean and standard deviation; two blanks between columns."""
    tree = model.tree
    rows = size(tree, node, one="row ")
    if is_empty(tree, node):
        return f"{rows}  as its parent"
    if model.labels is None and tree.variance is None:
        return f"{rows}  value {tree.value[node, 0]:.6g}"
    if model.labels is None:
        return f"{rows}  mean {tree.value[node, 0]:.6g}  sd {deviation(tree, node):.4g}"
    return f"{rows}  {'  '.join(class_shares(model, node, most=CLASSES_SHOWN))}"


def is_empty(tree: Tree, node: int) -> bool:
    """Whether no training row came to a node."""
    return bool(tree.n_rows[node] == 0 and tree.weight[node] == 0)


def deviation(tree: Tree, node: int) -> float:
    """The standard deviation of a numeric target in a node; 0 where it is not known."""
    return 0.0 if tree.variance is None else float(tree.variance[node]) ** 0.5
