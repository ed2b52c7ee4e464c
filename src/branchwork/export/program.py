"""A model as a small program: steps that ask for a cell and steps that answer. Every exporter writes this down.

    step 0   Ask   field 2 · bounds (0.5,) · children (1, 2) · missing → child 1
    step 1   Leaf  outputs (0.9, 0.1) · decision 0
    step 2   Ask   field 0 · child_of (0, 1, 0) · children (3, 4) · missing → SHARED by (0.25, 0.75)
     …

A program starts at step 0 of each tree and knows nothing else of the tree: no rows, no weights, no words. Steps are
numbered as the nodes of the tree are, so a leaf's number is what `apply` tells, and every child comes after its parent.

A list of rules is a program, too: a step for each condition, and after the last one the answer. Who fails one goes on
to the first step of the next rule, which so has several parents; in a tree every step has one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from branchwork.errors import ParameterError
from branchwork.export.names import identifiers
from branchwork.model.combine import SINGLE, Combine
from branchwork.model.flatten import as_sum
from branchwork.model.model import Model
from branchwork.rules.condition import Among, Condition, Interval, StandIn, WithSurrogates
from branchwork.rules.rule_list import RuleList
from branchwork.table.conform import HandleUnknown
from branchwork.table.schema import Column, Schema
from branchwork.tree.route import EVERY_CHILD, bounds_of, parts_of, surrogates_of, unseen_child_of
from branchwork.tree.surrogates import Surrogate
from branchwork.tree.tree import Tree

SHARED = EVERY_CHILD
"""In `Ask.missing`: down every branch, by `Ask.shares`."""
AS_MISSING = -1
"""In `Ask.child_of` and `Ask.unseen`: the cell is as good as missing here."""

CellType = Literal["number", "text", "truth", "mixed"]
"""What the cells of a column are; "mixed" are categories of several types."""


@dataclass(frozen=True)
class Field:
    """A column that the program may ask for.

    Parameters
    ----------
    name : as it is in the table: any text at all.
    identifier : made of the name; every language takes it, and no two are alike, whatever their case.
    type : what its cells are.
    categories : of a nominal column, position = code; a numeric one has none.
    column : the column itself; its `code_of` says which code a cell has.
    """

    name: str
    identifier: str
    type: CellType
    categories: tuple[Hashable, ...]
    column: Column

    @property
    def is_nominal(self) -> bool:
        """Whether cells are looked up, not compared."""
        return self.column.is_nominal


@dataclass(frozen=True)
class Substitute:
    """A column to ask where a cell is missing: numbers up to `cut` go to `low_child`, others to the other one of two;
    categories go to `child_of`, where AS_MISSING asks the next substitute, and so does a missing or unseen cell.
    """

    field: int
    cut: float = math.nan
    low_child: int = 0
    child_of: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Ask:
    """A step that looks at one cell. Children are counted from 0; `children` are their steps.

    Parameters
    ----------
    bounds : of a number: it goes to the child that has as many bounds below it; x <= bounds[0] is child 0.
    child_of : of a category: the child of each code; AS_MISSING: see `missing`. None for numbers.
    unseen : the child of a category that training never saw; AS_MISSING: see `missing`.
    substitutes : asked in turn where the cell is missing.
    missing : the child where nothing is known; SHARED: every child, by `shares`.
    shares : the part of a row that goes down each branch; 0 is not gone at all.
    """

    field: int
    children: tuple[int, ...]
    bounds: tuple[float, ...]
    child_of: tuple[int, ...] | None
    unseen: int
    substitutes: tuple[Substitute, ...]
    missing: int
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Leaf:
    """A step that answers: with outputs (probabilities of all labels, or a number), and the label's position."""

    outputs: tuple[float, ...]
    decision: int


Step = Ask | Leaf


@dataclass(frozen=True)
class Program:
    """All there is to write down.

    Parameters
    ----------
    fields : every column of the model, in order.
    trees : the steps of each tree.
    combine : how the trees' outputs become the program's.
    labels : the classes in declared order; None for numbers.
    class_order : positions in `labels` of the classes of predict_proba, in its order; empty for numbers.
    handle_unknown : what a category that training never saw does: "error" stops the program in a language's own way;
        otherwise each step says where it goes.
    """

    fields: tuple[Field, ...]
    trees: tuple[tuple[Step, ...], ...]
    combine: Combine
    labels: tuple[Hashable, ...] | None
    class_order: tuple[int, ...]
    handle_unknown: HandleUnknown

    @cached_property
    def shares_rows(self) -> bool:
        """Whether a row may go down several branches."""
        return any(isinstance(step, Ask) and step.missing == SHARED for tree in self.trees for step in tree)

    @cached_property
    def tells_unseen(self) -> frozenset[int]:
        """Positions of the fields of which some step sends a category that training never saw its own way."""
        asks = (step for tree in self.trees for step in tree if isinstance(step, Ask))
        return frozenset(ask.field for ask in asks if ask.unseen != AS_MISSING)

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """Positions of the fields that some step asks for, in order."""
        return asked_in(step for tree in self.trees for step in tree)


def asked_in(steps: Iterable[Step]) -> tuple[int, ...]:
    """Positions of the fields that some of the steps ask for, in order."""
    asks = [step for step in steps if isinstance(step, Ask)]
    own = {ask.field for ask in asks}
    return tuple(sorted(own | {other.field for ask in asks for other in ask.substitutes}))


def program(model: Model | RuleList) -> Program:
    """Write a model, or a list of rules, down as a program.

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> steps = program(bw.ID3Classifier().fit(tennis.X, tennis.y).model_).trees[0]
    >>> steps[0].field, steps[0].children, steps[0].child_of, steps[2]  # doctest: +ELLIPSIS
    (0, (1, 2, 3), (0, 1, 2), Ask(field=3, children=(4, 5), ...
    """
    if isinstance(model, Model):
        model = as_sum(model)
    names = identifiers(model.schema.names)
    fields = [_field(column, name) for column, name in zip(model.schema, names, strict=True)]
    return Program(
        tuple(fields),
        (_rule_steps(model),) if isinstance(model, RuleList) else _trees(model),
        SINGLE if isinstance(model, RuleList) else model.combine,
        model.labels,
        () if model.labels is None else tuple(model.class_order.tolist()),
        model.handle_unknown,
    )


def _field(column: Column, identifier: str) -> Field:
    return Field(column.name, identifier, cell_type(column), column.categories, column)


def cell_type(column: Column) -> CellType:
    """What the cells of a column are."""
    if not column.is_nominal:
        return "number"
    found = {type(category) for category in column.categories}
    if found <= {str}:
        return "text"
    if found == {bool}:
        return "truth"
    return "number" if found <= {int, float} else "mixed"


def _trees(model: Model) -> tuple[tuple[Step, ...], ...]:
    with_majority = model.handle_unknown == "majority"
    return tuple(_steps(tree, model.schema, with_majority) for tree in model.trees)


def _steps(tree: Tree, schema: Schema, with_majority: bool) -> tuple[Step, ...]:
    return tuple(
        Leaf(tuple(tree.value[node].tolist()), int(tree.decision[node]))
        if tree.is_leaf(node)
        else _ask(tree, schema, node, with_majority)
        for node in range(tree.n_nodes)
    )


def _ask(tree: Tree, schema: Schema, node: int, with_majority: bool) -> Ask:
    field = int(tree.feature[node])
    missing = int(tree.default_child[node])
    unseen = unseen_child_of(tree, node, with_majority=with_majority)
    child_of, bounds = None, []
    if schema[field].is_nominal:
        begin = int(tree.lookup[node]) + 1
        child_of = tuple(tree.pool[begin : begin + len(schema[field].categories)].tolist())
    else:
        bounds = [bound for bound in bounds_of(tree, node) if bound != math.inf]  # no known number is above
    return Ask(
        field,
        tuple(tree.children(node)),
        tuple(bounds),
        child_of,
        AS_MISSING if unseen is None else unseen,
        tuple(map(_substitute, surrogates_of(tree, schema, node))),
        missing,
        tuple(parts_of(tree, node, SHARED)) if missing == SHARED else (),
    )


def _substitute(surrogate: Surrogate) -> Substitute:
    if surrogate.children is not None:
        return Substitute(surrogate.feature, child_of=surrogate.children)
    if surrogate.cut is None or surrogate.low_child is None:
        raise ParameterError(f"A surrogate of column {surrogate.feature} has neither a cut nor categories.")
    return Substitute(surrogate.feature, surrogate.cut, surrogate.low_child)


def _rule_steps(rules: RuleList) -> tuple[Step, ...]:
    if rules.shares_rows:
        raise ParameterError(
            "A row with missing cells matches several of these rules, each with a share of it. Export the tree that "
            "they came from instead."
        )
    code_of = {label: code for code, label in enumerate(rules.labels or ())}
    steps: list[Step] = []
    for rule in (*rules, rules.default):
        next_rule = len(steps) + len(rule.conditions) + 1
        for condition in rule.conditions:
            steps.append(_condition(condition, rules.schema, len(steps) + 1, next_rule))
        steps.append(Leaf(rule.value, code_of.get(rule.prediction, 0)))
    return tuple(steps)


def _with_surrogates(condition: WithSurrogates, schema: Schema, passed: int, failed: int) -> Ask:
    """A condition that parts rows in two, as at a node of the tree it came from."""
    passing, failing = condition.own.passing, condition.own.failing
    own = _as_substitute(condition.own, schema, 0)
    bounds: tuple[float, ...] = ()
    unseen, passes = AS_MISSING, 0
    if isinstance(passing, Among) and isinstance(failing, Among):
        unseen = 0 if passing.unseen else 1 if failing.unseen else AS_MISSING
    else:
        bounds, passes = (own.cut,), own.low_child  # numbers up to the cut are the first of the children
    return Ask(
        condition.feature,
        (passed, failed) if passes == 0 else (failed, passed),
        bounds,
        own.child_of,
        unseen,
        tuple(_as_substitute(other, schema, passes) for other in condition.stand_ins),
        passes if condition.missing else 1 - passes,
        (),
    )


def _as_substitute(asked: StandIn, schema: Schema, passes: int) -> Substitute:
    """What a column says where `passes` is the child of rows that pass."""
    passing, failing = asked.passing, asked.failing
    if isinstance(passing, Among) and isinstance(failing, Among):
        child_of = [AS_MISSING] * len(schema[passing.feature].categories)
        for child, side in ((passes, passing), (1 - passes, failing)):
            for code in side.codes:
                child_of[code] = child
        return Substitute(passing.feature, child_of=tuple(child_of))
    assert isinstance(passing, Interval), "both sides are numbers, or categories"
    low_passes = passing.above is None
    cut = passing.upto if low_passes else passing.above
    return Substitute(passing.feature, float(cut or 0.0), passes if low_passes else 1 - passes)


def _condition(condition: Condition, schema: Schema, passed: int, failed: int) -> Ask:
    if isinstance(condition, WithSurrogates):
        return _with_surrogates(condition, schema, passed, failed)
    field = condition.feature
    if isinstance(condition, Among):
        codes = set(condition.codes)
        child_of = tuple(int(code not in codes) for code in range(len(schema[field].categories)))
        unseen, missing = int(not condition.unseen), int(not condition.missing)
        return Ask(field, (passed, failed), (), child_of, unseen, (), missing, ())
    bounds, children = [], [passed]
    if condition.strict().is_impossible():
        children = [failed, passed]
    else:
        if condition.above is not None:
            bounds, children = [condition.above], [failed, passed]
        if condition.upto not in (None, math.inf):
            bounds, children = [*bounds, float(condition.upto or 0)], [*children, failed]
    unknown = passed if condition.missing else failed
    if unknown not in children:
        children.append(unknown)
    return Ask(field, tuple(children), tuple(bounds), None, AS_MISSING, (), children.index(unknown), ())


def run(given: Program, cells: list[float]) -> list[list[tuple[int, float]]]:
    """The leaves that a row ends in, and its share of each, tree by tree: what every exported program must do.

    `cells` are numbers (NaN: missing) and codes (-1: missing, -2: never seen), one a field.
    """
    return [_leaves(steps, given, cells) for steps in given.trees]


def _leaves(steps: tuple[Step, ...], given: Program, cells: list[float]) -> list[tuple[int, float]]:
    found, waiting = [], [(0, 1.0)]
    while waiting:
        at, share = waiting.pop()
        step = steps[at]
        if isinstance(step, Leaf):
            found.append((at, share))
            continue
        child = _child(step, given, cells)
        if child != SHARED:
            waiting.append((step.children[child], share))
            continue
        parts = list(zip(step.children, step.shares, strict=True))
        waiting.extend((next_step, share * part) for next_step, part in reversed(parts) if part > 0)
    return found


def _child(step: Ask, given: Program, cells: list[float]) -> int:
    cell = cells[step.field]
    if step.child_of is None:
        if not math.isnan(cell):
            return sum(bound < cell for bound in step.bounds)
    else:
        child = step.child_of[int(cell)] if cell >= 0 else step.unseen if cell == -2 else AS_MISSING
        if child != AS_MISSING:
            return child
    for other in step.substitutes:
        child = _sent_by(other, cells[other.field])
        if child != AS_MISSING:
            return child
    return step.missing


def _sent_by(other: Substitute, cell: float) -> int:
    if other.child_of is not None:
        return other.child_of[int(cell)] if cell >= 0 else AS_MISSING
    if math.isnan(cell):
        return AS_MISSING
    return other.low_child if cell <= other.cut else 1 - other.low_child
