"""Rules as text, Markdown, LaTeX and HTML: a line each, the numbers in columns. As text, long rules go on below.

   rule                                   rows  coverage  confidence  lift
1  Outlook = Overcast → Yes                  4     28.6%      100.0%  1.56
2  Outlook = Rain and Wind = Strong → No     2     14.3%      100.0%  2.80
…
   otherwise → Yes
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from branchwork.rules.condition import Condition
from branchwork.rules.rule import Rule, all_of, shown
from branchwork.table.schema import Schema
from branchwork.tree.escape import in_latex, in_markdown
from branchwork.tree.split import category, harmless, rounded

WIDEST_RULE = 72
"""Longer rules go on in the next line."""
INDENT = "  "
SHARED = "A row with a missing cell is shared among the rules that it may meet, by weight."
"""What is said below the rules of a tree that shares rows."""


def to_text(
    schema: Schema, rules: Sequence[Rule], default: Rule, *, missing: bool = False, full: bool = False
) -> str:
    """Print a list of rules."""
    head, *cells = _cells(schema, rules, default, missing, full)
    wrapped = [_wrap(text) for _, text, *_ in cells]
    widest = max(len(line) for lines in [["rule"], *wrapped] for line in lines)
    widths = [max(len(row[k]) for row in (head, *cells)) for k in range(len(head))]
    margin = widths[0] + 2
    found = [" " * margin + "rule".ljust(widest) + _numbers(head, widths)]
    for (place, _, *numbers), lines in zip(cells, wrapped, strict=True):
        starts = [place.rjust(widths[0]) + "  ", *[" " * margin] * (len(lines) - 1)]
        found += [start + line for start, line in zip(starts, lines, strict=True)]
        found[-1] = found[-1].ljust(margin + widest) + _numbers(["", "", *numbers], widths)
    found += [SHARED] if _shares_rows(rules) else []
    return "\n".join(line.rstrip() for line in found)


def to_markdown(
    schema: Schema, rules: Sequence[Rule], default: Rule, *, missing: bool = False, full: bool = False
) -> str:
    """A list of rules as a table in Markdown."""
    head, *cells = _cells(schema, rules, default, missing, full)
    lines = [
        head,
        ["--:", ":--", *["--:"] * (len(head) - 2)],
        *([in_markdown(c) for c in row] for row in cells),
    ]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
    return f"{table}\n{SHARED}\n" if _shares_rows(rules) else table


def to_latex(
    schema: Schema, rules: Sequence[Rule], default: Rule, *, missing: bool = False, full: bool = False
) -> str:
    """A list of rules as a table in LaTeX, which goes on over pages with the package longtable."""
    head, *cells = _cells(schema, rules, default, missing, full)
    top, *rows = [" & ".join(map(in_latex, row)) + r" \\" for row in (head, *cells)]
    columns = r"rp{0.45\linewidth}" + "r" * (len(head) - 2)
    lines = [rf"\begin{{longtable}}{{{columns}}}", r"\hline", top, r"\hline", r"\endhead", *rows, r"\hline"]
    return "\n".join([*lines, r"\end{longtable}", *([SHARED] if _shares_rows(rules) else []), ""])


def to_html(schema: Schema, rules: Sequence[Rule], default: Rule) -> str:
    """A list of rules as an HTML table."""
    head, *cells = _cells(schema, rules, default, missing=False, full=False)
    rows = [
        f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in row)}</tr>"
        for tag, row in [("th", head), *(("td", row) for row in cells)]
    ]
    return f"<table>{''.join(rows)}</table>" + (f"<p>{SHARED}</p>" if _shares_rows(rules) else "")


def _shares_rows(rules: Sequence[Rule]) -> bool:
    return any(rule.shares for rule in rules)


def _wrap(text: str) -> list[str]:
    """Lines of whole words; all but the first are indented. The rules of a chain may have millions of words."""
    first = _line_of(WIDEST_RULE).match(text)
    assert first is not None, "no rule is empty"
    others = _line_of(WIDEST_RULE - len(INDENT)).findall(text, first.end())
    return [first[0].rstrip(" "), *(INDENT + line.rstrip(" ") for line in others)]


@cache
def _line_of(width: int) -> re.Pattern[str]:
    """As many words as fit into a line, after any spaces; or one that is longer than that."""
    return re.compile(rf" *([^ ].{{0,{width - 1}}}(?= |$)|[^ ]+)")


def _numbers(row: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"  {cell.rjust(width)}" for cell, width in zip(row[2:], widths[2:], strict=True))


def _cells(
    schema: Schema, rules: Sequence[Rule], default: Rule, missing: bool, full: bool
) -> list[list[str]]:
    """All cells as text: place, rule, and its numbers; the head first, the default last."""
    estimated = any(rule.estimate is not None for rule in rules)
    labelled = default.distribution is not None
    head = ["", "rule", "rows", "coverage"]
    spread = any(rule.variance is not None for rule in rules)
    head += ["confidence", *(["estimate"] if estimated else []), "lift"] if labelled else ["sd"] * spread
    cells = []
    for place, (rule, conditions) in enumerate(
        zip(rules, _described(schema, rules, missing, full), strict=True), 1
    ):
        row = [str(place), f"{conditions} → {_answer(rule)}"]
        row += [f"{round(rule.weight, 2):g}" if rule.weight < 1e5 else f"{rule.weight:.0f}"]
        row += [_percent(rule.coverage)]
        if labelled:
            row += [_percent(rule.confidence), *([_percent(rule.estimate)] if estimated else [])]
            row += ["" if rule.lift is None else f"{rule.lift:.2f}"]
        elif spread:
            row += ["" if rule.variance is None else rounded(rule.variance**0.5, 4)]
        cells.append(row)
    last = ["", f"otherwise → {_answer(default)}", *[""] * (len(head) - 2)]
    return [head, *cells, last]


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


def _answer(rule: Rule) -> str:
    answer: Any = rule.prediction
    return rounded(answer) if rule.distribution is None else harmless(category(answer))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"
