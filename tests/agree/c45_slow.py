"""How C4.5 Release 8 grows its tree: a slow and obvious learner, found from the formulas and the printed trees.

    grow(table, Settings())             -> Node, the tree before pruning (the built-in collapse is done)
    difference(table, node, printed)    -> None, or a sentence about the first place where the trees differ
    DIFFERS                             the printed trees that 64-bit floats do not give, and why

The original holds cells, weights, sums and gains in 32-bit floats. `arithmetic` says how far to follow it;
behind it stand the numbers of equal trees, of 44, under no option, -g, -m 5 and -s:

    DOUBLE          38 37 43 35    64-bit floats throughout; what is equal but for rounding counts as equal
    SINGLE_CELLS    40 42 44 38    cells and midpoints rounded to 32 bits, everything else as in DOUBLE
    SINGLE          42 44 44 43    every stored number rounded to 32 bits, after each addition

What SINGLE leaves open is the order in which the original adds up the rows of a node. It matters only where
rows are shared among branches: with the rows of every node shuffled, some orders give the two trees that are
missing under no option as well. `PYTHONPATH=tests python tests/agree/c45_slow.py` counts anew (half a minute).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Literal

from agree.c45_outputs import Printed, Table, names, read_report, read_table

EPSILON = 1e-3  # the original's: average gain, smallest split info, collapse, start value of the best test
GAP = 1e-5  # two neighbouring values must be further apart than this for a cut between them
ENOUGH_ON_A_SIDE = 25.0  # of a cut, where a tenth of the rows of a class is more than -m says
LEAST_OF_A_VALUE = 0.5  # -s: a value of less weight takes the branch of those that do not occur
LEAST_RISE = 1e-5  # -s: of the gain ratio, for a merger of two blocks
NO_TEST_COUNTED = 1e6  # the average gain when every admissible test is on a many-valued column

# Why 64-bit floats give another tree. ROUNDED_CUT and ROUNDED_GAP are gone in SINGLE_CELLS, EQUAL_WORTH in SINGLE.
ROUNDED_CUT = (
    "the midpoint is itself a value of the column; rounding says whether it is above: same split, other cut"
)
ROUNDED_GAP = "two values are 1e-5 apart; rounding says whether a cut fits between them"
EQUAL_WORTH = "two mirrored tests are exactly equal; rounding prefers the later one"
EQUAL_WEIGHT = (
    "shared rows add up to exactly the least weight of a branch; rounding says whether it is reached"
)
DIFFERS = {
    "default": {
        "glass": EQUAL_WORTH,
        "labor": EQUAL_WEIGHT,
        "random02": EQUAL_WORTH,
        "random17": ROUNDED_CUT,
        "random24": EQUAL_WEIGHT,
        "random27": ROUNDED_CUT,
    },
    "gain": {
        "glass": ROUNDED_GAP,
        "random02": EQUAL_WORTH,
        "random09": ROUNDED_CUT,
        "random11": EQUAL_WEIGHT,
        "random17": ROUNDED_CUT,
        "random26": ROUNDED_CUT,
        "random27": ROUNDED_CUT,
    },
    "m5": {"random27": ROUNDED_CUT},
    "subset": {
        "glass": EQUAL_WORTH,
        "random02": EQUAL_WORTH,
        "random05": EQUAL_WORTH,
        "random12": ROUNDED_CUT,
        "random13": EQUAL_WORTH,
        "random17": ROUNDED_CUT,
        "random19": EQUAL_WEIGHT,
        "random26": ROUNDED_CUT,
        "random27": EQUAL_WORTH,
    },
}


def single(x: float) -> float:
    """The nearest 32-bit float."""
    return struct.unpack("f", struct.pack("f", x))[0]


@dataclass(frozen=True)
class Arithmetic:
    cell: Callable[[float], float]  # how a cell is stored
    real: Callable[[float], float]  # how a weight, a sum or a gain is stored
    slack: float  # numbers closer than this are equal


# SINGLE needs no slack: it is there to repeat the original's own accidents.
DOUBLE = Arithmetic(float, float, 1e-9)
SINGLE_CELLS = Arithmetic(single, float, 1e-9)
SINGLE = Arithmetic(single, single, 0.0)


@dataclass(frozen=True)
class Settings:
    criterion: Literal["gain_ratio", "gain"] = "gain_ratio"  # -g: gain
    min_weight: float = 2.0  # -m
    arithmetic: Arithmetic = DOUBLE
    value_groups: bool = False  # -s


@dataclass(frozen=True)
class Row:
    number: int  # in the table
    weight: float  # 1, or less once the row was shared among branches


@dataclass(frozen=True)
class Weights:
    """Of the rows of a node, for one column."""

    all: float
    unknown: float
    known: float


@dataclass(frozen=True)
class Split:
    column: int
    gain: float
    split_info: float
    midpoint: float | None = None  # None: a nominal split
    groups: tuple[Group, ...] | None = None  # None: a numeric split, or a branch for each value


Group = tuple[str, ...]
Key = str | Group
"""Of a branch: "<=", ">", a value, or two values and more."""


@dataclass
class Blocks:
    """Values that are grouped; merging keeps a block's place, and the last block fills the gap."""

    values: list[Group]
    by_class: list[list[float]]


@dataclass
class Node:
    label: str  # majority class of the training rows; of an empty branch, that of its parent
    weight: float
    errors: float  # of a leaf: weight not of its label; of a test: sum over its children
    column: int | None = None  # None: a leaf
    cut: float | None = None
    children: dict[Key, Node] = field(default_factory=dict)  # in the order of the branches


def grow(table: Table, settings: Settings | None = None) -> Node:
    grower = Grower(table, settings or Settings())
    rows = [Row(number, 1.0) for number in range(len(table.labels))]
    return grower.grow(rows, frozenset(range(len(table.columns))))


class Grower:
    """The recursion; holds the table and the settings, which never change."""

    def __init__(self, table: Table, settings: Settings) -> None:
        self.settings = settings
        self.real = settings.arithmetic.real
        self.slack = settings.arithmetic.slack
        self.columns = table.columns
        self.classes = table.classes
        self.class_of = [table.classes.index(label) for label in table.labels]
        round_cell = settings.arithmetic.cell
        self.cells = [
            [round_cell(cell) if isinstance(cell, float) else cell for cell in row] for row in table.cells
        ]
        many = {
            c for c, column in enumerate(table.columns) if len(column.values or ()) >= 0.3 * len(table.labels)
        }
        self.many_valued = many if len(many) < len(table.columns) else set()

    # ------------------------------------------------------------------------------------------ one node

    def grow(self, rows: Sequence[Row], open_columns: frozenset[int]) -> Node:
        """Grow the tree of these rows. A nominal column is open until it was tested above."""
        weight = self.weight_of(rows)
        by_class = self.class_weights(rows)
        majority = self.first_largest(by_class)
        errors = self.real(weight - by_class[majority])
        leaf = Node(self.classes[majority], weight, errors)
        if errors <= self.slack or weight < 2 * self.settings.min_weight - self.slack:
            return leaf
        test = self.choose(rows, open_columns)
        if test is None:
            return leaf
        node = self.divide(rows, open_columns, test, leaf)
        return leaf if node.errors >= leaf.errors - EPSILON else node  # the collapse

    def choose(self, rows: Sequence[Row], open_columns: frozenset[int]) -> Split | None:
        """Return the admissible test of most worth; the earlier column of equals."""
        tests = [test for column in sorted(open_columns) if (test := self.best_test(rows, column))]
        counted = [test.gain for test in tests if test.column not in self.many_valued]
        average = self.real(self.sum(counted) / len(counted)) if counted else NO_TEST_COUNTED
        best, best_worth = None, -EPSILON
        for test in tests:
            worth = self.worth(test, average)
            if worth is not None and worth > best_worth + self.slack:
                best, best_worth = test, worth
        return best

    def worth(self, test: Split, average: float) -> float | None:
        if self.settings.criterion == "gain":
            return test.gain
        if test.gain < average - EPSILON or test.split_info <= EPSILON:
            return None
        return self.real(test.gain / test.split_info)

    def divide(self, rows: Sequence[Row], open_columns: frozenset[int], test: Split, leaf: Node) -> Node:
        """Grow a child for each branch; rows of unknown value go down every branch that has a known row."""
        cut, keys = None, self.columns[test.column].values
        if test.midpoint is not None:
            cut, keys = self.cut_below(test), ("<=", ">")
        elif test.groups is not None:
            keys = tuple(group if len(group) > 1 else group[0] for group in test.groups)
        else:
            open_columns = open_columns - {test.column}
        unknown = [row for row in rows if self.cell(row, test) is None]
        known_weight = self.weights(rows, test.column).known
        children = {}
        for key in keys:
            branch = [row for row in rows if takes(key, self.cell(row, test), cut)]
            share = self.real(self.weight_of(branch) / known_weight)
            shared = [Row(row.number, self.real(row.weight * share)) for row in unknown]
            empty = Node(leaf.label, 0.0, 0.0)
            children[key] = self.grow(shared + branch, open_columns) if branch else empty
        errors = self.sum(child.errors for child in children.values())
        return Node(leaf.label, leaf.weight, errors, test.column, cut, children)

    def cut_below(self, test: Split) -> float:
        """Return the largest value of the column in the whole training set that is not above the midpoint."""
        values = (row[test.column] for row in self.cells)
        return max(value for value in values if value is not None and value <= test.midpoint)

    # ---------------------------------------------------------------------------------------- one column

    def best_test(self, rows: Sequence[Row], column: int) -> Split | None:
        values = self.columns[column].values
        if values is None:
            return self.best_cut(rows, column)
        if self.settings.value_groups and len(values) > 2:
            return self.best_groups(rows, column)
        return self.nominal_test(rows, column)

    def nominal_test(self, rows: Sequence[Row], column: int) -> Split | None:
        """Measure the test with a branch for each value; None unless two branches are heavy enough."""
        by_branch = []
        for value in self.columns[column].values:
            branch = [row for row in rows if self.cells[row.number][column] == value]
            by_branch.append(self.class_weights(branch))
        heavy = [w for w in map(self.sum, by_branch) if w >= self.settings.min_weight - self.slack]
        return self.measure(by_branch, self.weights(rows, column), column) if len(heavy) >= 2 else None

    def best_groups(self, rows: Sequence[Row], column: int) -> Split | None:
        """Merge values, pair by pair, while the gain ratio rises. Values that hardly occur share one branch."""
        weights = self.weights(rows, column)
        blocks, others, left_over = Blocks([], []), [], [0.0] * len(self.classes)
        for value in self.columns[column].values:
            by_class = self.class_weights(row for row in rows if self.cells[row.number][column] == value)
            if self.sum(by_class) >= LEAST_OF_A_VALUE - self.slack:
                blocks.values.append((value,))
                blocks.by_class.append(by_class)
            else:
                others.append(value)
                left_over = [self.real(a + b) for a, b in zip(left_over, by_class, strict=True)]
        if len(blocks.values) < 2:
            return None
        self.merge_pure(blocks, column)
        test = self.measure([*blocks.by_class, left_over], weights, column)
        half = test.gain / 2
        while len(blocks.values) > 2:
            pair, merged = self.best_merger(blocks, left_over, weights, half, column)
            falls = ratio(merged) < ratio(test) + LEAST_RISE if merged else True
            if pair is None or (falls and self.heavy(blocks) >= 2):
                break
            self.merge(blocks, *pair, column)
            test = merged
        if self.heavy(blocks) < 2 or test.gain <= self.slack:
            return None
        return replace(test, groups=(*blocks.values, *([tuple(others)] if others else [])))

    def best_merger(
        self, blocks: Blocks, left_over: list[float], weights: Weights, half: float, column: int
    ) -> tuple[tuple[int, int], Split] | tuple[None, None]:
        """The pair whose merging is worth most: the last of equals.

        A pair of less than half the gain at the start gives way to one of more gain, any other to one of a larger
        gain ratio. The largest block stays alone unless three are heavy enough.
        """
        alone = None
        if self.heavy(blocks) < 3:
            alone = self.first_largest([self.sum(by_class) for by_class in blocks.by_class])
        best_pair, best = None, None
        for i, j in combinations(range(len(blocks.values)), 2):
            if alone in (i, j):
                continue
            trial = Blocks([*blocks.values], [*blocks.by_class])
            self.merge(trial, i, j, column)
            test = self.measure([*trial.by_class, left_over], weights, column)
            if best is not None:
                by_ratio = best.gain >= half - self.slack
                rise = ratio(test) - ratio(best) if by_ratio else test.gain - best.gain
                if rise < -self.slack:
                    continue
            best_pair, best = (i, j), test
        return best_pair, best

    def merge_pure(self, blocks: Blocks, column: int) -> None:
        """Merge all blocks that are of one class, the same one."""
        i = 0
        while i < len(blocks.values):
            j = i + 1
            while j < len(blocks.values):
                present = {k for at in (i, j) for k, w in enumerate(blocks.by_class[at]) if w > 0}
                if len(present) == 1:
                    self.merge(blocks, i, j, column)
                else:
                    j += 1
            i += 1

    def merge(self, blocks: Blocks, i: int, j: int, column: int) -> None:
        order = self.columns[column].values.index
        together = zip(blocks.by_class[i], blocks.by_class[j], strict=True)
        blocks.by_class[i] = [self.real(a + b) for a, b in together]
        blocks.values[i] = tuple(sorted(blocks.values[i] + blocks.values[j], key=order))
        for blocks_of in (blocks.by_class, blocks.values):
            last = blocks_of.pop()
            if j < len(blocks_of):
                blocks_of[j] = last

    def heavy(self, blocks: Blocks) -> int:
        return sum(w >= self.settings.min_weight - self.slack for w in map(self.sum, blocks.by_class))

    def best_cut(self, rows: Sequence[Row], column: int) -> Split | None:
        """Return the cut of largest gain, the first of equals; the price of choosing it is taken off the gain."""
        known = [row for row in rows if self.cells[row.number][column] is not None]
        known.sort(key=lambda row: self.cells[row.number][column])  # equal values stay as they stand
        weights = self.weights(rows, column)
        if weights.known < 2 * self.settings.min_weight - self.slack:
            return None
        tenth = self.real(0.1 * weights.known / len(self.classes))
        least = self.settings.min_weight
        min_split = least if tenth <= least + self.slack else min(tenth, ENOUGH_ON_A_SIDE)
        low = [0.0] * len(self.classes)
        high = self.class_weights(known)
        low_weight = 0.0
        tests = []
        for row, following in pairwise(known):
            k = self.class_of[row.number]
            low[k] = self.real(low[k] + row.weight)
            high[k] = self.real(high[k] - row.weight)
            low_weight = self.real(low_weight + row.weight)
            if low_weight < min_split - self.slack:
                continue
            if low_weight > self.real(weights.known - min_split) + self.slack:
                break
            value, next_value = self.cells[row.number][column], self.cells[following.number][column]
            if value < next_value - GAP:
                midpoint = self.settings.arithmetic.cell((value + next_value) / 2)
                tests.append(replace(self.measure([low, high], weights, column), midpoint=midpoint))
        best, best_gain = None, 0.0
        for test in tests:
            price = self.real(math.log2(len(tests)) / weights.all)
            gain = self.real(test.gain - price)
            if gain > best_gain + self.slack:
                best, best_gain = replace(test, gain=gain), gain
        return best

    def measure(self, by_branch: Sequence[Sequence[float]], weights: Weights, column: int) -> Split:
        """Gain and split info of a test from the class weights of its branches (known cells only)."""
        by_class = [self.sum(of_class) for of_class in zip(*by_branch, strict=True)]
        before = self.real(self.information(by_class) / weights.known)
        after = self.real(self.sum(map(self.information, by_branch)) / weights.known)
        gain = self.real((1 - self.real(weights.unknown / weights.all)) * (before - after))
        split_info = self.information([weights.unknown, *map(self.sum, by_branch)]) / weights.all
        return Split(column, gain, self.real(split_info))

    # ---------------------------------------------------------------------------------------------- sums

    def information(self, weights: Iterable[float]) -> float:
        """Total weight × entropy in bits, as W log W - Σ w log w."""
        parts = [weight for weight in weights if weight > 0]
        total = self.sum(parts)
        if not parts:
            return 0.0
        return self.real(total * math.log2(total) - self.sum(w * math.log2(w) for w in parts))

    def sum(self, numbers: Iterable[float]) -> float:
        total = 0.0
        for number in numbers:
            total = self.real(total + number)
        return total

    def weight_of(self, rows: Iterable[Row]) -> float:
        return self.sum(row.weight for row in rows)

    def weights(self, rows: Sequence[Row], column: int) -> Weights:
        total = self.weight_of(rows)
        unknown = self.weight_of(row for row in rows if self.cells[row.number][column] is None)
        return Weights(total, unknown, self.real(total - unknown))

    def class_weights(self, rows: Iterable[Row]) -> list[float]:
        weights = [0.0] * len(self.classes)
        for row in rows:
            k = self.class_of[row.number]
            weights[k] = self.real(weights[k] + row.weight)
        return weights

    def first_largest(self, weights: Sequence[float]) -> int:
        best = 0
        for k, weight in enumerate(weights):
            if weight > weights[best] + self.slack:
                best = k
        return best

    def cell(self, row: Row, test: Split) -> float | str | None:
        return self.cells[row.number][test.column]


def ratio(test: Split) -> float:
    return test.gain / test.split_info if test.split_info > EPSILON else -EPSILON


def takes(key: Key, cell: float | str | None, cut: float | None) -> bool:
    """Does a branch take rows with this cell?"""
    if cell is None or cut is None:
        return cell in key if isinstance(key, tuple) else cell == key
    return (cell <= cut) == (key == "<=")


def difference(table: Table, node: Node, printed: Printed, path: tuple[str, ...] = ()) -> str | None:
    """Say where the two trees first differ: test, cut (1e-5 relative), branches, label, counts (0.1)."""
    feature = None if node.column is None else table.columns[node.column].name
    where = f"{' & '.join(path) or 'root'}: grown "
    if (feature, set(node.children)) != (printed.feature, set(printed.children)):
        return f"{where}{feature} {node.cut}, printed {printed.feature} {printed.cut}"
    if node.cut is not None and not math.isclose(node.cut, printed.cut, rel_tol=1e-5, abs_tol=1e-9):
        return f"{where}{feature} <= {node.cut}, printed {printed.cut}"
    if feature is None:
        counts = ((node.weight, printed.weight), (node.errors, printed.errors))
        if node.label != printed.label or any(abs(grown - shown) > 0.1 for grown, shown in counts):
            return f"{where}{node}, printed {printed}"
    for key, child in node.children.items():
        step = f"{feature} {key}" + ("" if node.cut is None else f" {node.cut:g}")
        if found := difference(table, child, printed.children[key], (*path, step)):
            return found
    return None


OPTIONS = {
    "default": Settings(),
    "gain": Settings(criterion="gain"),
    "m5": Settings(min_weight=5.0),
    "subset": Settings(value_groups=True),
}


def main() -> None:
    """Count the trees that agree, and name those that do not."""
    for title, arithmetic in (("DOUBLE", DOUBLE), ("SINGLE_CELLS", SINGLE_CELLS), ("SINGLE", SINGLE)):
        for option, settings in OPTIONS.items():
            found = {}
            for name in names():
                table = read_table(name)
                node = grow(table, replace(settings, arithmetic=arithmetic))
                found[name] = difference(table, node, read_report(name, option).unpruned)
            print(f"{title} {option}: {list(found.values()).count(None)} of {len(found)} agree")
            for name, where in found.items():
                if where:
                    print(f"    {name}: {where}")


if __name__ == "__main__":
    main()
