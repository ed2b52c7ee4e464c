"""Remove nodes without changing predictions: sibling leaves that predict the same become one."""

from __future__ import annotations

import numpy as np

from branchwork.tree.reshape import collapse, levels, under
from branchwork.tree.tree import Tree


def simplify(tree: Tree) -> Tree:
    """Merge sibling leaves with the same prediction, repeatedly.

    Numbers are merged only if they are equal. The same holds for probabilities if rows are shared among branches,
    because a prediction is then a mixture of several leaves, and another mixture could predict another class.
    """
    by_value = tree.distribution is None or tree.shares_rows
    answers, kinds = (
        np.unique(tree.value, axis=0, return_inverse=True) if by_value else (None, tree.decision.copy())
    )
    kinds = kinds.reshape(-1).astype(np.int64)
    alike = tree.feature < 0  # leaves, and nodes that have become leaves
    for level in reversed(levels(tree)):
        for node in level:
            if tree.feature[node] < 0:
                continue
            children = tree.children(node)
            first = children.start
            if all(alike[child] and kinds[child] == kinds[first] for child in children):
                alike[node], kinds[node] = True, kinds[first]
    merged = alike & (tree.feature >= 0)
    kept = np.flatnonzero(~under(tree, merged))
    smaller = collapse(tree, merged)
    leaves = np.flatnonzero(merged[kept])
    if answers is not None:
        value = smaller.value.copy()
        value[leaves] = answers[kinds[kept[leaves]]]
        return smaller.replace(value=value)
    if (smaller.decision[leaves] == kinds[kept[leaves]]).all():
        return smaller
    answer = smaller.decision.astype(np.int32)
    answer[leaves] = kinds[kept[leaves]]
    return smaller.replace(answer=answer)
