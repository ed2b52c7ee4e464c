"""Hold a tree as a table of nodes: immutable arrays, independent of the training data and of the learner.

Nodes are numbered breadth first, root 0; the children of a node lie side by side, after it:

    node          0        1      2      3      4 …
    feature       2       -1      0     -1     -1       -1: leaf
    cut          0.5        ·     ·      ·      ·       numeric: x <= cut is the first child, x > cut the second
    lookup         ·        ·     0      ·      ·       nominal: offset into `pool`; pool[lookup + 1 + code] → child
                                                        numeric, in place of a cut: offset into `bounds`
    first_child    1       -1     3     -1     -1
    n_children     2        0     2      0      0       a cut has 2, or 3 with a branch for missing cells

A numeric column may be split into several intervals. Then `cut` is NaN and `lookup` says where the bounds begin;
there is one bound fewer than children. x goes to child k if k bounds are below x:

    bounds[lookup:]    2      5      8              a last bound of infinity leaves the last child to missing cells
    child          0      1      2      3           x <= 2, 2 < x <= 5, 5 < x <= 8, x > 8

`default_child` is where a missing cell goes, counted from the first child; if there are surrogates, only if they are
missing, too. Every walk over a tree is a loop, never a recursion, so that a chain of 20 000 nodes works as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchwork import _core
from branchwork.lazy import cached_property
from branchwork.tree.ledger import Ledger
from branchwork.tree.surrogates import Surrogates

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

STOP_REASONS = (
    "split",
    "pure",
    "max_depth",
    "too_few_rows",
    "no_candidate",
    "no_gain",
    "empty",
    "small_gain",
    "max_leaf_nodes",
    "collapsed",
    "pruned",
    "not_significant",
    "no_progress",
    "not_told",
)
"""Why a node is a leaf; the position of a reason is its code in `Tree.stop`."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree, as arrays with one entry per node.

    Parameters
    ----------
    feature, cut, first_child, n_children, lookup, pool, bounds, default_child : the shape, as drawn above.
    value : (nodes, outputs), always in output units: class probabilities, or the mean.
    distribution : (nodes, classes) weight of each class, or None for a numeric target.
    weight, n_rows : the total weight and the number of the training rows in each node. If a node has a weight but no
        rows, the number of its rows is not known.
    impurity, gain : per row, in the units of the score (bits, Gini, error rate, variance); NaN means not known.
    variance : the sample variance (n − 1) of a numeric target; None for classes, and if it is not known.
    stop : why each leaf was not split, as a position in STOP_REASONS.
    answer : the position of the class that each node predicts, if ties or losses make it differ from the likeliest.
    ledger : the working of every split, if it was kept.
    surrogates : the columns that stand in for a missing cell; None means that missing cells go to `default_child` at
        once. With surrogates, a category that was absent from a node (-1 in `pool`) is treated as a missing cell there.
    unseen_child : where an unseen category goes, counted from the first child; None means where missing cells go.
        Trees of other libraries may have it.
    missing_weight : the weight of the training rows that came to each node although the cell that its parent tests was
        missing; None means not known.
    """

    feature: Ints
    cut: Floats
    first_child: Ints
    n_children: Ints
    lookup: Ints
    pool: Ints
    default_child: Ints
    value: Floats
    distribution: Floats | None
    weight: Floats
    n_rows: npt.NDArray[np.int64]
    impurity: Floats
    gain: Floats
    variance: Floats | None
    stop: npt.NDArray[np.uint8]
    answer: Ints | None = None
    ledger: Ledger | None = field(default_factory=lambda: None)
    bounds: Floats = field(default_factory=lambda: np.empty(0))
    surrogates: Surrogates | None = field(default_factory=lambda: None)
    unseen_child: Ints | None = None
    missing_weight: Floats | None = None

    def __post_init__(self) -> None:
        for array in vars(self).values():
            _frozen(array)

    @classmethod
    def made_later(cls, make: Callable[[Tree, str], Any]) -> Tree:
        """Return a tree that calls `make(tree, name)` for each of its arrays when the array is first asked for."""
        tree = object.__new__(cls)
        tree.__dict__["_make"] = make
        return tree

    if not TYPE_CHECKING:  # mypy would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Make an array of a tree that is made later. Python calls this only for what the tree does not have."""
            if name not in _FIELDS or "_make" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            made = self.__dict__[name] = _frozen(self._make(self, name))
            return made

    def __repr__(self) -> str:
        """Show the size."""
        return f"Tree({self.n_nodes} nodes, {self.n_leaves} leaves, depth {self.depth})"

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.feature < 0))

    @property
    def n_outputs(self) -> int:
        """Width of `value`: the number of declared classes, or 1."""
        return int(self.value.shape[1])

    @cached_property
    def asked(self) -> list[int]:
        """The columns that some node tests, ascending."""
        return np.flatnonzero(np.bincount(self.feature + 1)[1:]).tolist()

    @cached_property
    def shares_rows(self) -> bool:
        """Whether a missing cell may send a row down several branches."""
        return bool(((self.feature >= 0) & (self.default_child < 0)).any())

    @cached_property
    def parent(self) -> Ints:
        """Parent of each node; -1 for the root."""
        parent = np.full(self.n_nodes, -1, np.int32)
        inner = np.flatnonzero(self.feature >= 0)
        parent[1:] = np.repeat(
            inner, self.n_children[inner]
        )  # breadth first: children come in their parents' order
        return parent

    @cached_property
    def depths(self) -> Ints:
        """Depth of each node; 0 for the root."""
        depths = np.zeros(self.n_nodes, np.int32)
        begin, end, depth = 0, 1, 0
        while begin < end:  # breadth first: the nodes of a level lie side by side, followed by their children
            depths[begin:end] = depth
            begin, end, depth = end, end + int(self.n_children[begin:end].sum()), depth + 1
        return depths

    @property
    def depth(self) -> int:
        """Largest depth of a node."""
        return int(self.depths.max())

    @cached_property
    def asked_above(self) -> tuple[Ints, Ints]:
        """The nearest node above each inner node that tests the same column, and the branch taken there; else -1.

        This is one walk in preorder. What holds above a node is restored when its subtree is done.
        """
        above, branch = np.full(self.n_nodes, -1, np.int32), np.full(self.n_nodes, -1, np.int32)
        last: dict[int, tuple[int, int]] = {}  # column → the last node that tested it, and the branch
        feature, nothing = self.feature.tolist(), (-1, -1)
        # A node, or (-1) what to restore.
        waiting: list[tuple[int, int, tuple[int, int]]] = [(0, -1, nothing)]
        while waiting:
            node, column, asked = waiting.pop()
            if column >= 0:
                last[column] = asked
            if node < 0 or feature[node] < 0:
                continue
            before = last.get(feature[node], nothing)
            above[node], branch[node] = before
            waiting.append((-1, feature[node], before))
            waiting.extend((child, feature[node], (node, k)) for k, child in enumerate(self.children(node)))
        return above, branch

    @cached_property
    def heaviest_child(self) -> Ints:
        """The child with the largest weight, counted from the first (ties go to the earlier); -1 for leaves."""
        heaviest = np.full(self.n_nodes, -1, np.int32)
        for node in np.flatnonzero(self.feature >= 0).tolist():
            children = self.children(node)
            heaviest[node] = np.argmax(self.weight[children.start : children.stop])
        return heaviest

    @cached_property
    def decision(self) -> npt.NDArray[np.intp]:
        """The position of the largest output of each node: the class that it predicts (ties go to the earlier label).

        Sums of shares of rows have rounding errors, so differences below a millionth of a row count as ties.
        """
        if self.answer is not None:
            return self.answer.astype(np.intp)
        if not self.shares_rows:
            return np.asarray(self.value.argmax(axis=1))
        outputs = self.value * np.where(self.weight > 0, self.weight, 1)[:, None]
        return np.asarray(np.argmax(outputs >= outputs.max(axis=1, keepdims=True) - 1e-6, axis=1))

    @cached_property
    def walker(self) -> _core.Walker:
        """The tree as the core walks it. Unseen categories go to `unseen_child`, or else to `default_child`."""
        if self.unseen_child is not None:
            return self._walker(self.unseen_child)
        if self.surrogates is None:
            return self._walker(self.default_child)
        return self._walker(np.full(self.n_nodes, -1, np.int32))

    @cached_property
    def walker_with_majority(self) -> _core.Walker:
        """The tree as the core walks it, with unseen categories sent to the child with the largest weight."""
        return self._walker(self.heaviest_child)

    def _walker(self, unseen_child: Ints) -> _core.Walker:
        return _core.Walker(
            self.feature,
            self.cut,
            self.first_child,
            self.lookup,
            self.pool,
            self.bounds,
            self.default_child,
            unseen_child,
            self.n_children,
            self.weight,
            None if self.surrogates is None else self.surrogates.for_walker,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle only the arrays; everything that is derived from them can be computed again."""
        return {name: getattr(self, name) for name in _FIELDS}

    def is_leaf(self, node: int) -> bool:
        """Return whether a node has no children."""
        return bool(self.feature[node] < 0)

    def children(self, node: int) -> range:
        """Return the ids of a node's children."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node])) if first >= 0 else range(0)

    def replace(self, **changes: Any) -> Tree:
        """Return a tree with some arrays replaced."""
        if unknown := changes.keys() - _FIELDS.keys():
            raise TypeError(f"A tree has no {', '.join(sorted(unknown))}.")
        own = self.__dict__
        made = object.__new__(type(self))  # what the old one has cached beside its arrays stays behind
        made.__dict__.update({name: array for name, array in own.items() if name in _FIELDS})
        made.__dict__.update({name: _frozen(array) for name, array in changes.items()})
        if "_make" in own:  # by the old tree, because some arrays are made from others
            made.__dict__["_make"] = lambda _, name: getattr(self, name)
        return made


def _frozen(array: Any) -> Any:
    """Make an array read-only; anything else stays as it is."""
    if isinstance(array, np.ndarray) and array.flags.writeable:
        array.flags.writeable = False
    return array


_FIELDS = {own.name: own for own in fields(Tree)}
