"""Rules as text, Markdown, LaTeX and HTML: a line each, the numbers in columns. As text, long rules go on below.

   rule                                         rows  coverage  confidence  lift
1  Outlook = Overcast → Play: Yes                  4     28.6%      100.0%  1.56
2  Outlook = Rain and Wind = Strong → Play: No     2     14.3%      100.0%  2.80
…
   otherwise → Play: Yes

A narrow terminal has fewer columns of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from branchwork.rules.condition import Condition
from branchwork.rules.rule import Rule, all_of, shown
from branchwork.table.schema import Schema
from branchwork.table.shown import html_table
from branchwork.table.text_table import no_room_for
from branchwork.table.wide_text import cells, fold, left, right
from branchwork.tree.escape import in_latex, in_markdown
from branchwork.tree.split import DIGITS, answer_text, category, harmless, rounded

MOST_IN_NOTEBOOK = 100
"""Rules that a notebook shows."""
WIDEST_RULE, NARROWEST_RULE = 72, 46
"""Longer rules go on in the next line. Numbers are left out before rules are made narrower than the second."""
WHOLE = 1e-9
"""A weight this near to a whole number is one."""
SPARE = ("lift", "estimate", "sd", "coverage", "confidence")
"""Numbers that a narrow terminal leaves out, this one first."""
INDENT = "  "
SHARED = "A row with a missing cell is shared among the rules that it may meet, by weight."
"""What is said below the rules of a tree that shares rows."""


@dataclass(frozen=True)
class Told:
    """What is written: the rules and their default, the columns they ask for, the name of what is predicted, and how.

    Parameters
    ----------
    missing : say of every condition whether a missing cell passes.
    full : name every category, and all digits of an answer.
    """

    schema: Schema
    rules: Sequence[Rule]
    default: Rule
    target: str | None = None
    missing: bool = False
    full: bool = False


def to_text(told: Told, *, width: int | None = None) -> str:
    """Print a list of rules, in lines of this width at most; None: of any width."""
    head, *rows = _cells(told)
    widths = [max(cells(row[k]) for row in (head, *rows)) for k in range(len(head))]
    margin, shown = widths[0] + 2, list(range(2, len(head)))
    wanted = min(widths[1], NARROWEST_RULE)
    for name in SPARE:
        if width is None or margin + wanted + sum(widths[k] + 2 for k in shown) <= width:
            break
        shown = [k for k in shown if head[k] != name]
    room = WIDEST_RULE
    if width is not None:
        room = max(20, min(room, width - margin - sum(widths[k] + 2 for k in shown)))
    wrapped = [_wrap(text, room) for _, text, *_ in rows]
    widest = max(cells(line) for lines in [["rule"], *wrapped] for line in lines)

    def numbers(row: Sequence[str]) -> str:
        return "".join(f"  {right(row[k], widths[k])}" for k in shown)

    found = [" " * margin + left("rule", widest) + numbers(head)]
    for row, lines in zip(rows, wrapped, strict=True):
        starts = [right(row[0], widths[0]) + "  ", *[" " * margin] * (len(lines) - 1)]
        found += [start + line for start, line in zip(starts, lines, strict=True)]
        found[-1] = left(found[-1], margin + widest) + numbers(row)
    left_out = no_room_for([head[k] for k in range(2, len(head)) if k not in shown])
    found += fold(left_out, width) if left_out else []
    found += fold(SHARED, width) if _shares_rows(told.rules) else []
    return "\n".join(line.rstrip() for line in found)


def to_markdown(told: Told) -> str:
    """A list of rules as a table in Markdown."""
    head, *rows = _cells(told)
    lines = [
        head,
        ["--:", ":--", *["--:"] * (len(head) - 2)],
        *([in_markdown(c) for c in row] for row in rows),
    ]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
    return f"{table}\n{SHARED}\n" if _shares_rows(told.rules) else table


def to_latex(told: Told) -> str:
    """A list of rules as a table in LaTeX, which goes on over pages with the package longtable."""
    head, *given = _cells(told)
    top, *rows = [" & ".join(map(in_latex, row)) + r" \\" for row in (head, *given)]
    columns = r"rp{0.45\linewidth}" + "r" * (len(head) - 2)
    lines = [rf"\begin{{longtable}}{{{columns}}}", r"\hline", top, r"\hline", r"\endhead", *rows, r"\hline"]
    return "\n".join([*lines, r"\end{longtable}", *([SHARED] if _shares_rows(told.rules) else []), ""])


def to_html(told: Told) -> str:
    """Return a list of rules as an HTML table; of a long one, the first rules and the default."""
    hidden = len(told.rules) - MOST_IN_NOTEBOOK
    head, *given = _cells(replace(told, rules=told.rules[:MOST_IN_NOTEBOOK]))
    notes = [f"… {hidden} more rules; print() shows them all."] if hidden > 0 else []
    notes += [SHARED] if _shares_rows(told.rules) else []
    return html_table(head, given, words=[1], note=" ".join(notes))


def _shares_rows(rules: Sequence[Rule]) -> bool:
    return any(rule.shares for rule in rules)


def _wrap(text: str, width: int = WIDEST_RULE) -> list[str]:
    """Lines of whole words; all but the first are indented. The rules of a chain may have millions of words."""
    if not text.isascii():
        return fold(text, width, INDENT)
    first = _line_of(width).match(text)
    assert first is not None, "no rule is empty"
    others = _line_of(width - len(INDENT)).findall(text, first.end())
    return [first[0].rstrip(" "), *(INDENT + line.rstrip(" ") for line in others)]


@cache
def _line_of(width: int) -> re.Pattern[str]:
    """As many words as fit into a line, after any spaces; or one that is longer than that."""
    return re.compile(rf" *([^ ].{{0,{width - 1}}}(?= |$)|[^ ]+)")


def _cells(told: Told) -> list[list[str]]:
    """All cells as text: place, rule, and its numbers; the head first, the default last."""
    rules, default = told.rules, told.default
    estimated = any(rule.estimate is not None for rule in rules)
    labelled = default.distribution is not None
    head = ["", "rule", "rows", "coverage"]
    spread = any(rule.variance is not None for rule in rules)
    head += ["confidence", *(["estimate"] if estimated else []), "lift"] if labelled else ["sd"] * spread
    found = []
    for place, (rule, conditions) in enumerate(
        zip(rules, _described(told.schema, rules, told.missing, told.full), strict=True), 1
    ):
        row = [str(place), f"{conditions} → {_answer(told, rule)}"]
        row += [f"{rule.weight:.0f}" if abs(rule.weight % 1) < WHOLE else rounded(rule.weight)]
        row += [_percent(rule.coverage)]
        if labelled:
            row += [_percent(rule.confidence), *([_percent(rule.estimate)] if estimated else [])]
            row += ["" if rule.lift is None else f"{rule.lift:.2f}"]
        elif spread:
            row += ["" if rule.variance is None else rounded(rule.variance**0.5)]
        found.append(row)
    last = ["", f"otherwise → {_answer(told, default)}", *[""] * (len(head) - 2)]
    return [head, *found, last]


def _described(schema: Schema, rules: Sequence[Rule], missing: bool, full: bool) -> Iterator[str]:
    """The conditions of each rule in words; those that rules have in common, as in a chain, are worded once."""
    words: dict[int, tuple[Condition, str]] = {}  # the condition too, lest another take its id
    for rule in rules:
        told = []
        for condition in shown(rule.conditions):
            if id(condition) not in words:
                words[id(condition)] = condition, condition.describe(schema, missing=missing, full=full)
            told.append(words[id(condition)][1])
        yield all_of(told)


def _answer(told: Told, rule: Rule) -> str:
    answer: Any = rule.prediction
    digits = None if told.full else DIGITS
    said = rounded(answer, digits) if rule.distribution is None else harmless(category(answer))
    return answer_text(told.target, said)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"
