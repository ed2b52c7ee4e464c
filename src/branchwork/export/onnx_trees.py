"""The trees of a program as one TreeEnsemble of ONNX (ai.onnx.ml, version 5): binary tests on a matrix of doubles.

Numbers and the codes of categories are columns of the matrix, and missing values are NaN. A step with many children
becomes a few binary tests:

    bounds (2, 5, 8)                 x <= 5  ─┬─ x <= 2 ─┬─ child 0
                                              │          └─ child 1         NaN takes the side of its child
                                              └─ x <= 8 ─┬─ child 2
                                                         └─ child 3
    child_of (0, 1, 0, 2)            code in {1} ─┬─ child 1
                                                  └─ code in {3} ─┬─ child 2
                                                                  └─ child 0, and what is missing

Every step has one parent, because readers accept only trees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from branchwork.errors import ParameterError
from branchwork.export.program import AS_MISSING, Ask, Step

UP_TO, MEMBER = 0, 6
"""Modes of a node in ONNX: x <= split, and x is one of a set."""
FIRST_CODE, UNSEEN_CODE = 1.0, -1.0
"""The code of the first category, and of an unseen category if it does not count as missing. There is no code 0: the
reference evaluator of ONNX takes it for the end of a set."""
DEEPEST = 4000
"""The largest number of tests on one path. onnxruntime reads trees by recursion: 10 000 fit in a stack of 8 MB, 12 000
do not."""


@dataclass
class Test:
    """One binary test of a step, with where it leads: another test of the same step, or ~child."""

    split: float
    members: tuple[float, ...] | None
    missing_is_true: bool
    if_true: int = 0
    if_false: int = 0


def tests_of(ask: Ask, *, tells_unseen: bool) -> list[Test]:
    """Return the tests that find the child of a value, the first one first. No tests: every value goes to `missing`.

    `tells_unseen`: an unseen category has a code of its own; otherwise it counts as missing.
    """
    runs, bounds = _runs(ask, tells_unseen)
    children = set(runs)
    if not children or children == {ask.missing}:
        return []
    if len(children) < len(runs):
        return _by_membership(ask, runs, tells_unseen)
    if ask.missing in children:
        return _by_search(runs, bounds, ask.missing)
    search = _by_search(runs, bounds, ask.missing, first=1)
    is_known = Test(math.inf, None, False, 1 if search else ~runs[0], ~ask.missing)
    return [is_known, *search]


def _runs(ask: Ask, tells_unseen: bool) -> tuple[list[int], list[float]]:
    """Return the children from the smallest values to the largest, and the bounds between them."""
    if ask.child_of is None:
        return list(range(len(ask.bounds) + 1)), list(ask.bounds)
    cells = _by_code(ask, tells_unseen)
    runs, bounds = [child for _, child in cells[:1]], []
    for (_, before), (code, child) in pairwise(cells):
        if child != before:
            runs.append(child)
            bounds.append(code - 0.5)
    return runs, bounds


def _by_code(ask: Ask, tells_unseen: bool) -> list[tuple[float, int]]:
    """Return the codes in order, each with its child."""
    known = [(code + FIRST_CODE, child) for code, child in enumerate(ask.child_of or ())]
    cells = [(UNSEEN_CODE, ask.unseen), *known] if tells_unseen else known
    return [(code, ask.missing if child == AS_MISSING else child) for code, child in cells]


def _by_search(runs: list[int], bounds: list[float], missing: int, *, first: int = 0) -> list[Test]:
    """Return tests that halve the bounds; a missing value goes to the side of its child."""
    tests: list[Test] = []
    waiting: list[tuple[int, int, Test | None, bool]] = [(0, len(runs), None, True)]
    while waiting:
        low, high, before, side = waiting.pop()
        middle = (low + high) // 2
        place = ~runs[low] if high - low == 1 else first + len(tests)
        if before is not None and side:
            before.if_true = place
        elif before is not None:
            before.if_false = place
        if high - low > 1:
            test = Test(bounds[middle - 1], None, missing in runs[low:middle])
            tests.append(test)
            waiting += [(middle, high, test, False), (low, middle, test, True)]
    return tests


def _by_membership(ask: Ask, runs: list[int], tells_unseen: bool) -> list[Test]:
    """Return tests for the codes of one child after the other, the fewest first; the rest goes with missing values."""
    codes: dict[int, list[float]] = {child: [] for child in runs if child != ask.missing}
    for code, child in _by_code(ask, tells_unseen):
        if child in codes:
            codes[child].append(code)
    groups = sorted(codes.items(), key=lambda group: (len(group[1]), group[0]))
    tests = [
        Test(0.0, tuple(group), False, ~child, place) for place, (child, group) in enumerate(groups, start=1)
    ]
    tests[-1].if_false = ~ask.missing
    return tests


@dataclass
class Ensemble:
    """The attributes of the operator as they are filled; `tells_unseen` as in a program."""

    tells_unseen: frozenset[int]
    features: list[int] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    true_place: list[int] = field(default_factory=list)
    true_is_leaf: list[int] = field(default_factory=list)
    false_place: list[int] = field(default_factory=list)
    false_is_leaf: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)

    def add_tree(
        self, steps: tuple[Step, ...], place: dict[int, int], target: int, weights: list[float]
    ) -> None:
        """Add a tree: `place` is the matrix column of each field, `weights` what each leaf adds to an output."""
        self.roots.append(len(self.tests))
        root, tests = self._first_tests(steps, 0)
        if not tests:  # the operator has no tree without a test
            only = self._add_test(0, Test(0.0, None, False))
            for side in (True, False):
                self._lead(only, side, self._add_leaf(target, weights[root]), is_leaf=True)
            return
        # Each test comes before all where it is true, and these before all where it is false: sets are read in order.
        waiting = [(root, tests, 0, -1, True, 0)]
        while waiting:
            at, tests, which, before, side, depth = waiting.pop()
            if not tests:
                self._lead(before, side, self._add_leaf(target, weights[at]), is_leaf=True)
                continue
            step, test = _ask(steps, at), tests[which]
            number = self._add_test(place[step.field], test)
            if before >= 0:
                self._lead(before, side, number, is_leaf=False)
            depth += 1 if test.members is None else len(test.members)
            _refuse_too_deep(depth)
            for side, goes_to in ((False, test.if_false), (True, test.if_true)):
                if goes_to >= 0:
                    waiting.append((at, tests, goes_to, number, side, depth))
                else:
                    child, own = self._first_tests(steps, step.children[~goes_to])
                    waiting.append((child, own, 0, number, side, depth))

    def _first_tests(self, steps: tuple[Step, ...], at: int) -> tuple[int, list[Test]]:
        """Return the first step from here on that has tests, with them; or a leaf, and none."""
        while isinstance(step := steps[at], Ask):
            tests = tests_of(step, tells_unseen=step.field in self.tells_unseen)
            if tests:
                return at, tests
            at = step.children[step.missing]
        return at, []

    def _add_test(self, feature: int, test: Test) -> int:
        self.features.append(feature)
        self.tests.append(test)
        for places in (self.true_place, self.true_is_leaf, self.false_place, self.false_is_leaf):
            places.append(0)
        return len(self.tests) - 1

    def _add_leaf(self, target: int, weight: float) -> int:
        self.targets.append(target)
        self.weights.append(weight)
        return len(self.weights) - 1

    def _lead(self, test: int, true: bool, place: int, *, is_leaf: bool) -> None:
        (self.true_place if true else self.false_place)[test] = place
        (self.true_is_leaf if true else self.false_is_leaf)[test] = int(is_leaf)

    def attributes(self, n_targets: int) -> dict[str, Any]:
        """Return the attributes of the operator; arrays become tensors."""
        found: dict[str, Any] = {
            "aggregate_function": 1,  # the sum
            "post_transform": 0,
            "n_targets": n_targets,
            "tree_roots": self.roots,
            "nodes_featureids": self.features,
            "nodes_modes": np.array(
                [UP_TO if test.members is None else MEMBER for test in self.tests], np.uint8
            ),
            "nodes_splits": np.array([test.split for test in self.tests], np.float64),
            "nodes_missing_value_tracks_true": [int(test.missing_is_true) for test in self.tests],
            "nodes_truenodeids": self.true_place,
            "nodes_trueleafs": self.true_is_leaf,
            "nodes_falsenodeids": self.false_place,
            "nodes_falseleafs": self.false_is_leaf,
            "leaf_targetids": self.targets,
            "leaf_weights": np.array(self.weights, np.float64),
        }
        sets = [number for test in self.tests if test.members for number in (*test.members, math.nan)]
        return found | {"membership_values": np.array(sets, np.float64)} if sets else found


def _ask(steps: tuple[Step, ...], at: int) -> Ask:
    step = steps[at]
    assert isinstance(step, Ask)
    return step


def _refuse_too_deep(depth: int) -> None:
    if depth > DEEPEST:
        raise ParameterError(
            f"A path of this tree is more than {DEEPEST} tests long (each category of a group counts), and programs "
            "that read ONNX follow it by recursion. Prune the tree, or limit max_depth."
        )
