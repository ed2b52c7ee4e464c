"""A model as a small program: steps that test a value, and steps that answer. Every exporter starts from it.

    step 0   Ask   field 2 · bounds (0.5,) · children (1, 2) · missing → child 1
    step 1   Leaf  outputs (0.9, 0.1) · decision 0
    step 2   Ask   field 0 · child_of (0, 1, 0) · children (3, 4) · missing → SHARED by (0.25, 0.75)
     …

A program starts at step 0 of each tree. It contains nothing else of the tree: no rows, no weights, no text. Steps have
the numbers of the nodes of the tree, so the number of a leaf is what `apply` returns, and children come after parents.

A list of rules is a program, too: a step for each condition, and the answer after the last one. A row that fails a
condition goes to the first step of the next rule. So this step has several parents, while in a tree every step has
one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal

from branchwork.errors import ParameterError
from branchwork.export.names import identifiers
from branchwork.lazy import cached_property
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
"""A value of `Ask.missing`: the row goes down every branch, by `Ask.shares`."""
AS_MISSING = -1
"""A value of `Ask.child_of` and `Ask.unseen`: the cell counts as missing here."""

CellType = Literal["number", "text", "truth", "mixed"]
"""The type of the cells of a column; "mixed" means categories of several types."""


@dataclass(frozen=True)
class Field:
    """A column that the program may test.

    Parameters
    ----------
    name : as it is in the table; it may be any text.
    identifier : made from the name; valid in every language, and unique whatever the case.
    type : the type of its values.
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
        """Return whether values are looked up, and not compared."""
        return self.column.is_nominal


@dataclass(frozen=True)
class Substitute:
    """A column to test if a value is missing.

    Numbers up to `cut` go to `low_child`, and others to the other of two children. Categories go to `child_of`.
    AS_MISSING there, a missing value or an unseen category means that the next substitute is tested.
    """

    field: int
    cut: float = math.nan
    low_child: int = 0
    child_of: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Ask:
    """A step that tests one value. Children are counted from 0, and `children` are their steps.

    Parameters
    ----------
    bounds : for numbers: the child is the number of bounds below the value; x <= bounds[0] is child 0.
    child_of : for categories: the child of each code; AS_MISSING: see `missing`. None for numbers.
    unseen : the child of an unseen category; AS_MISSING: see `missing`.
    substitutes : tested in turn if the value is missing.
    missing : the child if nothing is known; SHARED: every child, by `shares`.
    shares : the share of a row that goes down each branch; a branch with share 0 is not taken.
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
    """A step that answers: with outputs (probabilities of all labels, or a number), and the position of the label."""

    outputs: tuple[float, ...]
    decision: int


Step = Ask | Leaf


@dataclass(frozen=True)
class Program:
    """Everything that an exporter writes.

    Parameters
    ----------
    fields : every column of the model, in order.
    trees : the steps of each tree.
    combine : how the outputs of the trees are combined.
    labels : the classes in declared order; None for numbers.
    class_order : positions in `labels` of the classes of predict_proba, in its order; empty for numbers.
    handle_unknown : what to do with an unseen category: "error" stops the program in the usual way of the language;
        otherwise each step says where it goes.
    target : the name of what is predicted; None: not known.
    """

    fields: tuple[Field, ...]
    trees: tuple[tuple[Step, ...], ...]
    combine: Combine
    labels: tuple[Hashable, ...] | None
    class_order: tuple[int, ...]
    handle_unknown: HandleUnknown
    target: str | None = None

    @cached_property
    def shares_rows(self) -> bool:
        """Return whether a row may go down several branches."""
        return any(isinstance(step, Ask) and step.missing == SHARED for tree in self.trees for step in tree)

    @cached_property
    def tells_unseen(self) -> frozenset[int]:
        """Return the positions of the fields for which some step treats an unseen category in a way of its own."""
        asks = (step for tree in self.trees for step in tree if isinstance(step, Ask))
        return frozenset(ask.field for ask in asks if ask.unseen != AS_MISSING)

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """Return the positions of the fields that some step tests, in order."""
        return asked_in(step for tree in self.trees for step in tree)


def asked_in(steps: Iterable[Step]) -> tuple[int, ...]:
    """Return the positions of the fields that these steps test, in order."""
    asks = [step for step in steps if isinstance(step, Ask)]
    own = {ask.field for ask in asks}
    return tuple(sorted(own | {other.field for ask in asks for other in ask.substitutes}))


def program(model: Model | RuleList) -> Program:
    """Make the program of a model, or of a list of rules.

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
        model.target,
    )


def _field(column: Column, identifier: str) -> Field:
    return Field(column.name, identifier, cell_type(column), column.categories, column)


def cell_type(column: Column) -> CellType:
    """Return the type of the values of a column."""
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
        bounds = [bound for bound in bounds_of(tree, node) if bound != math.inf]  # no known number is larger
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
        raise ParameterError(
            f"A surrogate of column {surrogate.feature} has neither a threshold nor categories."
        )
    return Substitute(surrogate.feature, surrogate.cut, surrogate.low_child)


def _rule_steps(rules: RuleList) -> tuple[Step, ...]:
    if rules.shares_rows:
        raise ParameterError(
            "A row with missing values matches several of these rules, each with a share of it. Export the tree that "
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
    """Return the steps of a condition that divides rows in two, as at the node of the tree that it came from."""
    passing, failing = condition.own.passing, condition.own.failing
    own = _as_substitute(condition.own, schema, 0)
    bounds: tuple[float, ...] = ()
    unseen, passes = AS_MISSING, 0
    if isinstance(passing, Among) and isinstance(failing, Among):
        unseen = 0 if passing.unseen else 1 if failing.unseen else AS_MISSING
    else:
        bounds, passes = (own.cut,), own.low_child  # numbers up to the threshold go to the first child
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
    """Return a surrogate as a substitute, where `passes` is the child of rows that pass."""
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
    """Return the leaves that a row reaches in each tree, and its share of each: what every exported program must do.

    `cells` are numbers (NaN: missing) and codes (-1: missing, -2: unseen), one per field.
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
