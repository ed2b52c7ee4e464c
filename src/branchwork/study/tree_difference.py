"""Implement `bw.study.compare_trees`: where two trees differ, and on which rows they disagree."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from branchwork.errors import ParameterError, shown
from branchwork.files import save_text
from branchwork.model.model import Model
from branchwork.study.containers import check_lengths, n_rows_of, rows_of
from branchwork.study.intervals import Estimate, check_level, wilson
from branchwork.study.report_answers import missing_answers, tree_of
from branchwork.study.tree_pairs import Pair, differing_above, pairs_of
from branchwork.table import target as targets
from branchwork.view.terminal import terminal_width

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class LeafPair:
    """Rows for which two trees predict differently, in one leaf of the first and one leaf of the second."""

    a: int
    b: int
    a_answer: Any
    b_answer: Any
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class Disagreement:
    """The rows on which two trees disagree.

    Parameters
    ----------
    n_rows : the number of given rows.
    rows : the positions of the rows with different predictions.
    share : the share of such rows, with Wilson's interval.
    leaves : such rows by pairs of leaves, those with the most rows first.
    mean_difference : for numbers, the mean absolute difference over all rows; None for classes.
    a_right, b_right : of these rows, the number for which only the first, or only the second tree is right (for
        numbers: closer); None if no targets were given.
    p_value : the p-value of McNemar's exact test: the probability of as uneven a result if both trees are equally good.
    """

    n_rows: int
    rows: Codes
    share: Estimate
    leaves: tuple[LeafPair, ...]
    mean_difference: float | None
    a_right: int | None = None
    b_right: int | None = None
    p_value: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            **vars(self),
            "rows": self.rows.tolist(),
            "share": self.share.to_dict(),
            "leaves": [one.to_dict() for one in self.leaves],
        }


@dataclass(frozen=True, eq=False)
class TreeDifference:
    """Two trees laid on top of each other. It prints as text; a notebook shows the page.

    Parameters
    ----------
    a, b : the trees.
    pairs : nodes at the same place, each pair before those below it.
    disagreement : the rows on which they disagree; None if no rows were given.
    """

    a: Model = field(repr=False)
    b: Model = field(repr=False)
    pairs: tuple[Pair, ...]
    disagreement: Disagreement | None

    @property
    def differences(self) -> tuple[Pair, ...]:
        """The pairs that differ."""
        return tuple(pair for pair in self.pairs if pair.kind != "same")

    @property
    def is_same(self) -> bool:
        """Whether both trees have the same splits and the same predictions."""
        return not self.differences

    def shown_pairs(self) -> list[tuple[Pair, int]]:
        """Return pairs that differ or lead to one that does, and how many equal pairs are below each of the others."""
        differs = differing_above(self.pairs)
        sizes = np.zeros(len(self.pairs), np.intp)
        for k in range(len(self.pairs) - 1, 0, -1):
            sizes[self.pairs[k].parent] += sizes[k] + 1
        return [
            (pair, 0 if differs[k] else int(sizes[k]))
            for k, pair in enumerate(self.pairs)
            if differs[k] or pair.parent < 0 or differs[pair.parent]
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "same": self.is_same,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "disagreement": None if self.disagreement is None else self.disagreement.to_dict(),
        }

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        """Return the trees as one, with differences marked; `width` is that of the longest line, None: any."""
        from branchwork.study.tree_difference_text import difference_text

        return difference_text(self, color=color, width=width)

    def __str__(self) -> str:
        """Show the text; in a terminal as wide as it is."""
        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the number of differences."""
        return f"TreeDifference({len(self.differences)} of {len(self.pairs)} places differ)"

    @overload
    def to_html(self, path: None = None, *, title: str | None = None) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path: ...

    def to_html(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> str | Path:
        """Return one page with both trees side by side; with a path, write it there and return the path."""
        from branchwork.study.tree_difference_page import difference_page

        text = difference_page(self, title or "Two trees compared")
        return text if path is None else save_text(path, text)

    def _repr_html_(self) -> str:
        from branchwork.study.tree_difference_page import difference_frame

        return difference_frame(self)


def compare_trees(
    a: Any, b: Any, X: Any = None, y: Any = None, *, level: float = 0.95, n_jobs: int = 1
) -> TreeDifference:
    """Lay two trees on top of each other, mark where they differ, and find the rows on which they disagree.

    Nodes are aligned by their paths from the root. If both trees test the same number with different thresholds,
    their branches are still compared with each other; below any other difference, the subtrees are not compared.

    Parameters
    ----------
    a, b : fitted estimators or models of single trees, for the same target.
    X : rows that both trees predict; None compares only the trees.
    y : the target of these rows, to see which tree is right if they disagree. Rows without target are left out.
    level : the confidence level of the interval of the share of rows with different predictions.
    n_jobs : number of threads.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> deep = bw.ID3Classifier().fit(tennis.X, tennis.y)
    >>> found = bw.study.compare_trees(deep, deep.snip(2), tennis.X)
    >>> print(found)
    all rows: Outlook = Overcast | Rain | Sunny
    ├─ Outlook = Overcast → PlayTennis: Yes
    ├─ Outlook = Rain  ≠ A: Wind = Strong | Weak   B: → PlayTennis: Yes   (only A splits, 2 nodes below)
    └─ Outlook = Sunny: Humidity = High | Normal … 2 nodes alike below
    <BLANKLINE>
    different answers for 2 of 14 rows (14%, interval 0.040 to 0.399)
    leaf of A  leaf of B  A says  B says  rows
    ─────────  ─────────  ──────  ──────  ────
            4          2  No      Yes        2
    """
    first, second = (_tree("a", a), _tree("b", b))
    if (first.labels is None) != (second.labels is None):
        raise ParameterError("One tree predicts classes and the other numbers, so they cannot be compared.")
    check_level("level", level)
    if X is None and y is not None:
        raise ParameterError("y was given without X, the rows that it has the answers of.")
    disagreement = None if X is None else _disagreement(first, second, X, y, level, n_jobs)
    return TreeDifference(first, second, pairs_of(first, second), disagreement)


def _tree(name: str, given: Any) -> Model:
    model = tree_of(given)
    if model is None:
        raise ParameterError(
            f"{name}={shown(given)} is not a single tree; expected a fitted estimator or a model of one tree. "
            "model.member(k) is one tree of an ensemble."
        )
    return model


def _disagreement(first: Model, second: Model, X: Any, y: Any, level: float, n_jobs: int) -> Disagreement:
    n_rows = n_rows_of(X) if y is None else check_lengths(X, y)
    both = [(model, model.table(X)) for model in (first, second)]
    leaves = [model.apply(table, n_jobs=n_jobs) for model, table in both]
    said = [model.predict(table, n_jobs=n_jobs) for model, table in both]
    differs = np.asarray(said[0] != said[1])
    rows = np.flatnonzero(differs)
    share = wilson(float(len(rows)), float(n_rows), level=level)
    gap = float(np.abs(said[0] - said[1]).mean()) if first.labels is None else None
    judged = (None, None, None) if y is None else _who_is_right(first, said, rows, y)
    return Disagreement(n_rows, rows, share, _leaf_pairs(leaves, said, rows), gap, *judged)


def _leaf_pairs(leaves: list[Any], said: list[Any], rows: Codes) -> tuple[LeafPair, ...]:
    if not len(rows):
        return ()
    ends = np.array([leaves[0][rows], leaves[1][rows]]).T
    kinds, first, counts = np.unique(ends, axis=0, return_index=True, return_counts=True)
    found = [
        LeafPair(int(one), int(other), _plain(said[0][rows[k]]), _plain(said[1][rows[k]]), int(count))
        for (one, other), k, count in zip(kinds.tolist(), first.tolist(), counts.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (-one.n_rows, one.a, one.b)))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _who_is_right(model: Model, said: list[Any], rows: Codes, y: Any) -> tuple[int, int, float | None]:
    """Return for how many rows only the first, and only the second tree is right, and McNemar's p-value."""
    rows = rows[~missing_answers(y)[rows]]
    if not len(rows):
        return 0, 0, None
    own = rows_of(y, rows)
    if model.labels is None:
        truth = targets.values(own).values
        misses = [np.abs(one[rows] - truth) for one in said]
        a_right, b_right = int((misses[0] < misses[1]).sum()), int((misses[1] < misses[0]).sum())
    else:
        target = targets.classes(own)
        answers = [target.labels[code] for code in target.codes.tolist()]
        a_right, b_right = (
            sum(t == s for t, s in zip(answers, one[rows].tolist(), strict=True)) for one in said
        )
    if a_right + b_right == 0:
        return a_right, b_right, None
    from scipy.stats import binomtest

    return a_right, b_right, float(binomtest(a_right, a_right + b_right).pvalue)
