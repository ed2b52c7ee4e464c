"""A program divided into parts: no function is too deep or too long, and a loop over parts replaces recursion.

    part 0        a part is a tree of steps; where it ends, there is an answer or another part:
     / \\
    ·  part 1     k stands for answer k, and ~p = -1 - p stands for part p
      / \\
     ·   ·

Equal answers are one answer. Parts and answers are numbered across all trees of the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from branchwork.export.branches import is_wide
from branchwork.export.program import Ask, Leaf, Program, Step


@dataclass(frozen=True)
class Limits:
    """The size limits of a part: the depth of nested steps, and the total number of tests."""

    depth: int
    tests: int


@dataclass(frozen=True)
class Answer:
    """What leaves answer: the position of the label, and the outputs by position."""

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
    labels : the classes of predict_proba in its order, then those that never occur. Positions refer to this list.
    n_classes : how many of them predict_proba has.
    order : positions in declared order, in which ties are broken.
    base, output : those of a sum, by position.
    answers, parts : as above.
    place : for each tree, the place of each step: an answer, or a part; steps inside a part have none.
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
        """Return where each tree begins."""
        return tuple(place[0] for place in self.place)

    @property
    def sums(self) -> bool:
        """Return whether outputs are added up, over shares or over trees. Otherwise a single leaf decides."""
        return self.program.shares_rows or self.program.combine.kind != "single"

    @property
    def reads(self) -> tuple[int, ...]:
        """Return the fields whose values are read: those tested, and those that may hold a refused category."""
        fields = self.program.fields
        if self.program.handle_unknown != "error":
            return self.program.asked
        nominal = {k for k, field in enumerate(fields) if field.is_nominal}
        return tuple(sorted(nominal | set(self.program.asked)))

    def steps(self, part: Part) -> tuple[Step, ...]:
        """Return the steps of the tree that a part belongs to."""
        return self.program.trees[part.tree]


def plan(program: Program, limits: Limits) -> Plan:
    """Divide a program into parts and number its answers."""
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
    """Return outputs by position. A number that is not one per label stays as it is."""
    return tuple(outputs[k] for k in by_position) if len(outputs) == len(by_position) else outputs


def _roots(steps: tuple[Step, ...], limits: Limits) -> list[int]:
    """Return the steps where parts begin: those with several parents, and those below which a part gets too large."""
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
    """Return how many answers and parts of a row may be waiting at a time, if rows are shared.

    A part pushes its exits from the last to the first, so the first is taken first.
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
    """Return where a part ends, from left to right."""
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
