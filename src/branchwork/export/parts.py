"""A program cut into parts: no function is too deep or too long, and a walk is a loop over parts, never a recursion.

    part 0        a part is a tree of steps from its root down; where it ends there is an answer, or another part:
     / \\
    ·  part 1     to answer k go to k, to part p go to ~p, which is -1 - p
      / \\
     ·   ·

Equal answers are one answer. Parts and answers are counted through all trees of the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from branchwork.export.branches import is_wide
from branchwork.export.program import Ask, Leaf, Program, Step


@dataclass(frozen=True)
class Limits:
    """The largest part: steps below each other, and tests altogether."""

    depth: int
    tests: int


@dataclass(frozen=True)
class Answer:
    """What leaves say: the position of the label, and the outputs by position."""

    decision: int
    outputs: tuple[float, ...]


@dataclass(frozen=True)
class Part:
    """Steps of one tree, from a root down to other parts."""

    tree: int
    root: int


@dataclass(frozen=True)
class Plan:
    """A program ready to be written.

    Parameters
    ----------
    program : what it does.
    labels : the classes of predict_proba in its order, then those that never occur. A position is a place in here.
    n_classes : how many of them predict_proba has.
    order : positions in declared order, in which ties are broken.
    base, output : of a sum, by position.
    answers, parts : as above.
    place : of each tree, where each step is found: an answer, or a part; a step inside a part is not there.
    starts : where each tree begins.
    """

    program: Program
    labels: tuple[Hashable, ...]
    n_classes: int
    order: tuple[int, ...]
    base: tuple[float, ...]
    output: tuple[int, ...]
    answers: tuple[Answer, ...]
    parts: tuple[Part, ...]
    place: tuple[dict[int, int], ...]

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each tree begins."""
        return tuple(place[0] for place in self.place)

    @property
    def sums(self) -> bool:
        """Whether outputs are added up, of shares or of trees; otherwise one leaf decides."""
        return self.program.shares_rows or self.program.combine.kind != "single"

    @property
    def reads(self) -> tuple[int, ...]:
        """Fields whose cells are looked at: those asked for, and all that may hold a category to be refused."""
        fields = self.program.fields
        if self.program.handle_unknown != "error":
            return self.program.asked
        nominal = {k for k, field in enumerate(fields) if field.is_nominal}
        return tuple(sorted(nominal | set(self.program.asked)))

    def steps(self, part: Part) -> tuple[Step, ...]:
        """The steps of the tree that a part is of."""
        return self.program.trees[part.tree]


def plan(program: Program, limits: Limits) -> Plan:
    """Cut a program into parts and number its answers."""
    labels = program.labels or ()
    occurring = set(program.class_order)
    rest = [k for k in range(len(labels)) if k not in occurring]
    by_position = [*program.class_order, *rest]
    position = {label: place for place, label in enumerate(by_position)}
    answers: dict[Answer, int] = {}
    parts: list[Part] = []
    places = []
    for tree, steps in enumerate(program.trees):
        place = {}
        for at in _roots(steps, limits):
            place[at] = ~len(parts)
            parts.append(Part(tree, at))
        for at, step in enumerate(steps):
            if isinstance(step, Leaf):
                answer = Answer(position.get(step.decision, 0), _placed(step.outputs, by_position))
                place[at] = answers.setdefault(answer, len(answers))
        places.append(place)
    combine = program.combine
    by_label = len(combine.base) == len(labels)
    return Plan(
        program,
        tuple(labels[k] for k in by_position),
        len(program.class_order),
        tuple(position[k] for k in range(len(labels))),
        _placed(combine.base, by_position),
        tuple(position[k] if by_label else k for k in combine.output or ()),
        tuple(answers),
        tuple(parts),
        tuple(places),
    )


def _placed(outputs: tuple[float, ...], by_position: list[int]) -> tuple[float, ...]:
    """Outputs by position; a number that is not one a label stays as it is."""
    return tuple(outputs[k] for k in by_position) if len(outputs) == len(by_position) else outputs


def _roots(steps: tuple[Step, ...], limits: Limits) -> list[int]:
    """The steps where parts begin: those with several parents, and, from the leaves up, those below which a part would
    become too deep or too long.
    """
    roots: set[int] = set()
    parents = Counter(child for step in steps if isinstance(step, Ask) for child in step.children)
    depth, tests = [0] * len(steps), [0] * len(steps)
    for at in reversed(range(len(steps))):
        step = steps[at]
        if not isinstance(step, Ask):
            continue
        inner = [child for child in step.children if isinstance(steps[child], Ask)]
        inner.sort(key=lambda child: (tests[child], -child))
        own = len(step.children) + 2 * len(step.substitutes)
        own_children = [] if is_wide(step) else [child for child in inner if parents[child] == 1]
        kept = [child for child in own_children if depth[child] < limits.depth]
        while kept and own + sum(tests[child] for child in kept) > limits.tests:
            kept.pop()
        roots.update(set(inner) - set(kept))
        depth[at] = 1 + max((depth[child] for child in kept), default=0)
        tests[at] = own + sum(tests[child] for child in kept)
    return sorted(roots | {0}) if isinstance(steps[0], Ask) else []


def most_waiting(plan: Plan) -> int:
    """How many answers and parts a row may have to wait for at a time, where rows are shared.

    A part leaves its exits waiting from the last to the first; the first is gone to first.
    """
    need = [1] * len(plan.parts)
    for number in reversed(range(len(plan.parts))):
        exits = _exits(plan, plan.parts[number])
        need[number] = max(
            (len(exits) - 1 - k + (need[~place] if place < 0 else 1) for k, place in enumerate(exits)),
            default=1,
        )
    return max((need[~start] if start < 0 else 1 for start in plan.starts), default=1)


def _exits(plan: Plan, part: Part) -> list[int]:
    """Where a part ends, from left to right."""
    steps, place = plan.steps(part), plan.place[part.tree]
    found, waiting = [], [part.root]
    while waiting:
        at = waiting.pop()
        if at in place and at != part.root:
            found.append(place[at])
            continue
        step = steps[at]
        assert isinstance(step, Ask)
        waiting.extend(reversed(step.children))
    return found
