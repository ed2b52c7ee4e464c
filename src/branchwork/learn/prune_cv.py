"""Learn CART: grow a tree, prune it by cost-complexity, and choose the complexity by cross-validation.

grow a large tree ─► complexity of every split ─► prune those up to cp
                           │
                           └─► the sequence of trees, each tried on folds ─► cp_table, and the tree chosen from it
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import DataError, ParameterError, shown
from branchwork.grow.grow import Progress, SearchCost, check_fit, grow, grow_for_answers
from branchwork.grow.prepared import Drawn, Prepared
from branchwork.grow.recipe import Recipe
from branchwork.learn.levels import with_levels
from branchwork.learn.low_weight import warn_of_low_weight
from branchwork.learn.risk import Judge, sample_weights
from branchwork.learn.single import (
    OwnRows,
    class_weights_of,
    one_answer_warning,
    spread_of_asked,
    without_weightless_rows,
)
from branchwork.measure.criteria import criterion_of
from branchwork.measure.folds import deal
from branchwork.model.model import Model
from branchwork.prune.cost_complexity import SAME, cut_at, links_as_rpart, path, weakest_links
from branchwork.prune.evidence import sums_by_class
from branchwork.table.conform import HandleUnknown
from branchwork.table.levels import merged
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target, Values
from branchwork.tree.apply import apply, passed_through
from branchwork.tree.expand import expand
from branchwork.tree.reshape import collapse, under
from branchwork.tree.tree import Tree

Floats = npt.NDArray[np.float64]
Choose = Literal["min", "1se", None]
CpTable = dict[str, list[float]]


@dataclass(frozen=True, eq=False)
class Plan:
    """How to prune the tree after growth.

    Parameters
    ----------
    judge : what nodes predict, and what that costs.
    cp : prune splits that reduce the risk by less than `cp` times the risk of the root; None prunes nothing.
    xval : None, a number of folds, or the fold of each row.
    choose : which tree of the sequence to keep: None (prune at cp), the one of least error, or the simplest within one
        standard error of it.
    """

    judge: Judge
    cp: float | None = None
    xval: Any = None
    choose: Choose = None

    def __post_init__(self) -> None:
        if self.choose is not None and self.xval is None:
            raise ParameterError(f"choose={self.choose!r} needs cross-validation: set xval=10, say.")


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree with its predictions, the risk of its nodes and the complexity of its splits."""

    tree: Tree
    risk: Floats
    alpha: Floats

    @property
    def root(self) -> float:
        """Risk of the root."""
        return float(self.risk[0])

    @property
    def slack(self) -> float:
        """Complexities that differ by less than this count as equal."""
        return SAME * self.root


def learn_cart(
    table: Table,
    target: Target,
    recipe: Recipe,
    plan: Plan,
    *,
    handle_unknown: HandleUnknown = "missing",
    n_jobs: int = 1,
    progress: Progress | None = None,
    drawn: Drawn | None = None,
) -> tuple[Model, SearchCost, CpTable]:
    """Learn one tree and its table of complexities, which has errors on other rows only if there is cross-validation.

    `drawn` says which rows of a prepared table these are, so that nothing needs to be sorted again.
    """
    check_fit(table, target, recipe)
    folds = folds_of(plan.xval, target)
    if folds is not None:
        folds = folds[sample_weights(target) > 0]
    given, whole = table, target
    table, target = without_weightless_rows(table, target)
    is_given = table is given
    table, seen = with_levels(table, target, recipe)
    if not is_given or seen is not table:  # other rows, or other categories, than were drawn
        drawn = None
    own = OwnRows.of(seen, target, recipe, drawn)
    if own.parts is not None:
        seen, whole, target, drawn = own.table, target, own.target, own.drawn
        if folds is not None:
            by_row = np.ndim(plan.xval) > 0
            folds = folds[own.parts.structure] if by_row else folds_of(plan.xval, target)
    if drawn is None and folds is not None:
        drawn = Prepared(seen, n_jobs=n_jobs).draw_all()
    checked = is_given and own.parts is None
    tree, cost = grow(seen, target, recipe, n_jobs=n_jobs, progress=progress, drawn=drawn, checked=checked)
    one_answer_warning(tree, whole)
    warn_of_low_weight(tree, target, recipe, lambda other: grow(seen, other, recipe, n_jobs=n_jobs)[0])
    grown = weighed(tree, target, recipe, plan.judge)
    least = -np.inf if plan.cp is None else plan.cp * grown.root
    if plan.cp is not None:
        grown = _cut(grown, least + 1e-12 * grown.root)
    found = cp_table(grown, plan.cp or 0.0)
    if folds is not None and drawn is not None:
        _cross_validate(found, grown, seen, target, recipe, plan, folds, n_jobs, drawn)
        if plan.choose is not None:
            grown = _cut(grown, chosen_cp(found, plan.choose) * grown.root + grown.slack)
    labels = target.labels if isinstance(target, Classes) else None
    tree = expand(own.finished(grown.tree, n_jobs), table.schema)
    occurring = None
    if own.parts is not None and isinstance(whole, Classes):  # a class may have all its rows in one half
        occurring = tuple(np.flatnonzero(whole.counts > 0).tolist())
    model = Model(
        table.schema,
        labels,
        (tree,),
        recipe.to_dict(),
        handle_unknown,
        occurring,
        spread_of_asked(tree, table, own.whole[1]),
        class_weights=class_weights_of(target),
    )
    return model, cost, found


def cut_by_folds(
    tree: Tree, table: Table, target: Target, recipe: Recipe, *, folds: Any, choose: Choose
) -> tuple[Tree, CpTable]:
    """Prune a grown tree by cross-validation on its own rows; return it with the table of complexities."""
    plan = Plan(Judge(recipe.criterion), None, folds, choose)
    of_rows = folds_of(folds, target, "folds")
    if of_rows is None:
        raise ParameterError("folds=None; expected a number of folds from 2, or the fold of each row.")
    grown = weighed(tree, target, recipe, plan.judge)
    found = cp_table(grown, 0.0)
    seen = merged(table)
    _cross_validate(found, grown, seen, target, recipe, plan, of_rows, 1, Prepared(seen).draw_all())
    return _cut(grown, chosen_cp(found, choose) * grown.root + grown.slack).tree, found


def weighed(tree: Tree, target: Target, recipe: Recipe, judge: Judge) -> Grown:
    """Return a tree with its predictions, risks and complexities."""
    answered = judge.answered(tree, target)
    risk = judge.risk(tree, answered, target)
    links = links_as_rpart if recipe.search.rules == "rpart" else weakest_links
    return Grown(answered, risk, links(tree, risk))


def _cut(grown: Grown, most: float) -> Grown:
    mask = cut_at(grown.tree, grown.alpha, most)
    if not mask.any():
        return grown
    kept = ~under(grown.tree, mask)
    return Grown(collapse(grown.tree, mask), grown.risk[kept], np.where(mask, -np.inf, grown.alpha)[kept])


# ------------------------------------------------------------------------------------------------ the table


def cp_table(grown: Grown, cp: float) -> CpTable:
    """Return CP, nsplit and rel_error of the trees of the sequence, the simplest first and the unpruned tree last."""
    root = grown.root or 1.0
    steps = path(grown.tree, grown.alpha, grown.risk)
    columns = (
        np.append(steps.alpha[:0:-1], cp * root) / root,
        steps.n_splits[::-1],
        steps.risk[::-1] / root,
    )
    return dict(zip(("CP", "nsplit", "rel_error"), (column.tolist() for column in columns), strict=True))


def chosen_cp(table: CpTable, choose: Choose) -> float:
    """Return the CP of the chosen row; ties go to the simplest tree."""
    errors = table["xerror"]
    best = errors.index(min(errors))
    if choose == "1se":
        limit = errors[best] + table["xstd"][best]
        best = next(k for k, error in enumerate(errors) if error <= limit)
    return table["CP"][best]


def _cross_validate(
    found: CpTable,
    grown: Grown,
    table: Table,
    target: Target,
    recipe: Recipe,
    plan: Plan,
    folds: npt.NDArray[np.intp],
    n_jobs: int,
    drawn: Drawn,
) -> None:
    """Write the columns xerror and xstd: the errors of every tree of the sequence on rows that it did not see.

    A tree of the sequence is the best one between its own complexity and that of the next; the trees of the folds
    are pruned at the geometric mean of both.
    """
    root, weights = grown.root or 1.0, sample_weights(target)
    steps = np.array(found["CP"]) * root
    betas = np.append(np.inf, np.sqrt(np.maximum(steps[1:] * steps[:-1], 0)))
    total, squares = np.zeros(len(betas)), np.zeros(len(betas))
    for train, test in parts_of(folds):
        if not train.size:
            raise ParameterError("xval puts all rows with a weight into one fold; at least two are needed.")
        share = float(weights[train].sum() / weights.sum())
        part = target.take(train)
        if criterion_of(recipe.criterion).of_counts and isinstance(part, Values) and not part.values.any():
            raise ParameterError("xval: without one of the folds, y is zero in every row. Take other folds.")
        tree = grow_for_answers(drawn.part(train), part, recipe, n_jobs=n_jobs)
        of_fold = weighed(tree, part, recipe, plan.judge)
        of_betas = _losses_at(of_fold, plan.judge, table.take(test), target.take(test), betas * share, n_jobs)
        total += of_betas[0]
        squares += of_betas[1]
    found["xerror"] = (total / root).tolist()
    spread = np.maximum(squares - total**2 / float(weights.sum()), 0)
    found["xstd"] = (np.sqrt(spread) / root).tolist()


def parts_of(folds: npt.NDArray[np.intp]) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Yield the rows to grow on and the rows left out, for each fold."""
    for fold in np.unique(folds).tolist():
        yield np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)


def _losses_at(
    grown: Grown, judge: Judge, table: Table, target: Target, betas: Floats, n_jobs: int
) -> tuple[Floats, Floats]:
    """Return the sum of losses, and of squared losses, of some rows in the tree pruned at each of some complexities.

    `betas` do not increase. Going down a path, the complexity does not increase either (a leaf has −inf), so rows end
    in a node for the betas from the node's own complexity up to that of its parent, which are one run of `betas`. The
    losses in a node are added where the run begins and subtracted where it ends, so the work does not grow with rows
    times betas.
    """
    tree = grown.tree
    end = np.searchsorted(-betas, -grown.alpha, side="right")
    begin = np.append(0, end[tree.parent[1:]])
    end = np.maximum(begin, end)

    def at_betas(of_nodes: Floats) -> Floats:
        count = len(betas) + 1
        return np.cumsum(np.bincount(begin, of_nodes, count) - np.bincount(end, of_nodes, count))[:-1]

    losses, squares = _losses_in_nodes(tree, judge, table, target, n_jobs)
    return at_betas(losses), at_betas(squares)


def _losses_in_nodes(
    tree: Tree, judge: Judge, table: Table, target: Target, n_jobs: int
) -> tuple[Floats, Floats]:
    """Return the losses, and the squared losses, of all rows that pass through each node, if it were a leaf."""
    weights = sample_weights(target)
    if isinstance(target, Classes):  # rows of one class cost the same
        counts = sums_by_class(tree, table, target.codes, weights, len(target.labels))
        return judge.losses_of_counts(tree, counts)
    starts, nodes = passed_through(tree, apply(tree, table, n_jobs=n_jobs))
    passing = np.repeat(np.arange(table.n_rows), np.diff(starts))
    losses = judge.losses_of(tree, target.values[passing], nodes)
    loss = weights[passing] * losses
    in_nodes, squared = (np.bincount(nodes, part, tree.n_nodes) for part in (loss, loss * losses))
    return np.asarray(in_nodes, np.float64), np.asarray(squared, np.float64)


# ------------------------------------------------------------------------------------------------- the rows


def check_folds(name: str, folds: Any) -> Any:
    """Refuse folds that are neither None, a number from 2 on, nor a list of integers."""
    if folds is None:
        return None
    if isinstance(folds, numbers.Integral):
        if int(folds) >= 2:
            return int(folds)
    elif not isinstance(folds, Mapping | Set | str | bytes):
        given = _as_array(folds)
        if given.ndim == 1 and given.size and given.dtype.kind in "iu":
            return folds
    raise ParameterError(
        f"{name}={shown(folds)}; expected None, a number of folds from 2, or the fold of each row."
    )


def _as_array(given: Any) -> npt.NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError:  # rows of different lengths
        return np.empty(0)


def check_rows_of_folds(xval: Any, rows: int, name: str = "xval") -> None:
    """Refuse a list of folds that does not have one entry per row."""
    if np.ndim(xval) == 1 and len(xval) != rows:
        raise ParameterError(
            f"{name}={shown(xval)} has the folds of {len(xval)} rows, but there are {rows}. Every row needs one."
        )


def folds_of(xval: Any, target: Target, name: str = "xval") -> npt.NDArray[np.intp] | None:
    """Return the fold of every row, or None if there are no folds."""
    xval = check_folds(name, xval)
    if xval is None:
        return None
    if isinstance(xval, int):
        count = min(xval, len(target))
        if count < 2:
            raise ParameterError(
                f"{name}={xval!r} with n_samples={len(target)}; at least two rows are needed to make folds."
            )
        return deal(target, count)
    check_rows_of_folds(xval, len(target), name)
    _, folds = np.unique(np.asarray(xval), return_inverse=True)
    if folds.max(initial=0) == 0:
        raise ParameterError(f"{name} puts all rows into one fold; at least two are needed.")
    return folds.astype(np.intp)


def rows_with_a_cell(table: Table) -> npt.NDArray[np.intp]:
    """Return the rows that have at least one known cell; rpart learns from these only."""
    known = np.zeros(table.n_rows, bool)
    for column, cells in zip(table.schema, table.arrays, strict=True):
        known |= (cells >= 0) if column.is_nominal else ~np.isnan(cells)
    if not known.any():
        raise DataError("Every cell of X is missing, so nothing can be learned from it.")
    return np.flatnonzero(known)
