"""The cases that Weka's BVDecompose was asked about, its draws, and what it printed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PRINTED = Path(__file__).parent / "printed.json"


@dataclass(frozen=True)
class Case:
    """One call of BVDecompose: a table of `agree.j48.tables`, and its options -T, -x and -s."""

    table: str
    pool: int
    repeats: int
    seed: int

    @property
    def name(self) -> str:
        return f"{self.table} -T {self.pool} -x {self.repeats} -s {self.seed}"


CASES = [
    Case("penguins", 150, 50, 1),
    Case("penguins", 60, 10, 7),
    Case("zoo", 50, 50, 1),
    Case("zoo", 40, 20, 3),
    Case("soybean", 200, 20, 1),
    Case("c45_labor", 20, 50, 1),
    Case("c45_labor", 28, 30, 5),
    Case("audiology", 100, 20, 1),
]


def printed() -> dict[str, dict[str, float]]:
    """What was printed, by the name of the case: error, bias2 and variance to the digits printed."""
    return json.loads(PRINTED.read_text(encoding="utf-8"))


class JavaRandom:
    """Java's `java.util.Random`: a linear congruential generator, as its documentation defines it."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ 0x5DEECE66D) & (2**48 - 1)

    def next(self, bits: int) -> int:
        self.state = (self.state * 0x5DEECE66D + 0xB) & (2**48 - 1)
        found = self.state >> (48 - bits)
        return found - 2**bits if found >= 2 ** (bits - 1) and bits == 32 else found

    def below(self, n: int) -> int:
        """Return `nextInt(n)`."""
        if n & (n - 1) == 0:
            return (n * self.next(31)) >> 31
        while True:
            bits = self.next(31)
            if bits - bits % n + (n - 1) < 2**31:
                return bits % n

    def shuffle(self, given: list[Any]) -> None:
        """Change the order as `Instances.randomize` does."""
        for j in range(len(given) - 1, 0, -1):
            k = self.below(j + 1)
            given[j], given[k] = given[k], given[j]


def draws(case: Case, rows: int) -> tuple[list[int], list[list[int]]]:
    """Return the query rows, and the training rows of each repeat, as BVDecompose draws them."""
    random, order = JavaRandom(case.seed), list(range(rows))
    random.shuffle(order)
    pool, query = order[: case.pool], order[case.pool :]
    samples = []
    for _ in range(case.repeats):
        random.shuffle(pool)
        samples.append(pool[: case.pool // 2])
    return query, samples
