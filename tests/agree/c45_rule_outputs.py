"""A reader of what C4.5rules Release 8 printed: the rules, the default, and the tables of how they did.

read_rules("labor")     PrintedRules: rules in order, default, numbers of those that were dropped in the end
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agree.c45_outputs import text_of

RULE = re.compile(r"Rule (\d+):\n((?:    \t.*\n)*)\t->  class (.*)  \[([\d.]+)%\]")
DEFAULT = re.compile(r"Default class: (.*)")
DROPPED = re.compile(r"Drop rule (\d+)")
TESTED = re.compile(r"Tested \d+, errors (\d+)")

Test = tuple[str, str, float | str]
"""Column, "<=", ">" or "=", and the cut or the value."""


@dataclass(frozen=True)
class PrintedRule:
    number: int
    tests: tuple[Test, ...]
    label: str
    accuracy: float  # per cent: 100 less the pessimistic error


@dataclass(frozen=True)
class PrintedRules:
    rules: tuple[PrintedRule, ...]  # before some were dropped
    default: str
    dropped: tuple[int, ...]
    errors: int  # on the training rows, after that

    @property
    def final(self) -> tuple[PrintedRule, ...]:
        return tuple(rule for rule in self.rules if rule.number not in self.dropped)


def read_rules(table: str) -> PrintedRules:
    head, _, tail = text_of(table, "rules.txt").partition("Evaluation on training data")
    default, errors = DEFAULT.search(head), TESTED.search(tail)
    assert default is not None and errors is not None
    return PrintedRules(
        tuple(
            PrintedRule(
                int(found[1]),
                tuple(test_of(line.strip()) for line in found[2].splitlines()),
                found[3],
                float(found[4]),
            )
            for found in RULE.finditer(head)
        ),
        default[1],
        tuple(map(int, DROPPED.findall(tail))),
        int(errors[1]),
    )


def test_of(line: str) -> Test:
    for sign in ("<=", ">", "="):
        if f" {sign} " in line:
            column, value = line.split(f" {sign} ")
            return column, sign, value if sign == "=" else float(value)
    raise AssertionError(line)


test_of.__test__ = False  # type: ignore[attr-defined]  # a helper, not a test
