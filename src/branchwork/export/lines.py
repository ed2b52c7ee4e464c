"""The parts of a program as lines of code: nested tests, written alike in every language with `if` and `else`.

    if cell.age <= 20:              if (cell.age <= 20) {
        return 0  # calm                return 0;  // calm
    return -2  # on to part 1       }
                                    return -2;  // on to part 1

If rows are shared, a part does not return. It pushes the places where a row goes on onto a stack, each with its share.
The last branch is pushed first, so that the first one is on top of the stack.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from branchwork.export.branches import (
    AtMost,
    Branch,
    Known,
    OneOf,
    Piece,
    Test,
    direct,
    is_direct,
    is_wide,
    pieces,
    routed,
    runs,
)
from branchwork.export.parts import Part, Plan
from branchwork.export.program import SHARED, Ask, Field
from branchwork.table.table import MISSING, UNSEEN

INDENT = "    "
MOST_RUNS = 4
"""A set of codes with more runs than this is looked up instead of compared run by run."""
LONGEST_TEXT = 4000
"""The longest literal in letters; all compilers accept this length."""


def remark(text: str, most: int = 50) -> str:
    """Make text of unknown origin safe for a comment: remove whatever ends a comment or has a meaning in one.

    >>> remark("größe */ \\\\u000a x")
    'gr__e __ _u000a x'
    """
    plain = re.sub(r"[^0-9A-Za-z .,:;+=()%-]", "_", text)
    return plain if len(plain) <= most else f"{plain[: most - 4]} ..."


@dataclass(frozen=True)
class Syntax:
    """How a language spells what all of them have. The defaults are for languages with braces; Python has its own."""

    either: str = " || "
    both: str = " && "
    equal: str = "=="
    one_of: str = "\"{letters}\"[{place}] == '1'"
    let_number: str = "const double "
    let_way: str = "int "
    numeric_cell: str = "cell."
    nominal_cell: str = "cell."
    minus_infinity: str = "-INFINITY"
    wait: str = "push(waiting, {place}, {share});"

    def if_(self, test: str) -> str:
        """Return the line of the first branch."""
        return f"if ({test}) {{"

    def elif_(self, test: str) -> str:
        """Return the line of a further branch."""
        return f"}} else if ({test}) {{"

    def else_(self) -> str:
        """Return the line of the last branch."""
        return "} else {"

    def end(self) -> list[str]:
        """Return the line that closes branches."""
        return ["}"]

    def declared(self, name: str) -> list[str]:
        """Return the declaration of a variable that branches set."""
        return [f"{self.let_way}{name};"]

    def set_way(self, name: str, way: int) -> str:
        """Return the line that sets this variable."""
        return f"{name} = {way};"

    def share(self, name: str, test: str, if_so: str, otherwise: str) -> str:
        """Return a share that depends on a test."""
        return f"{self.let_number}{name} = {test} ? {if_so} : {otherwise};"

    def answer(self, place: int) -> str:
        """Return the line that ends a part."""
        return f"return {place};"

    def comment(self, text: str) -> str:
        """Return a comment for the rest of a line."""
        return f"  // {text}" if text.strip() else ""

    def number(self, x: float) -> str:
        """Return a number that is read back to the last bit, or a code as an integer."""
        return repr(x) if x != -math.inf else self.minus_infinity


class Writer:
    """Writes the parts of a plan in a syntax."""

    def __init__(self, plan: Plan, syntax: Syntax) -> None:
        self.plan = plan
        self.syntax = syntax
        self.fields = plan.program.fields
        self.shares = plan.program.shares_rows

    def body(self, part: Part) -> list[str]:
        """Return the lines inside the function of a part: it has `cell` and, for shared rows, `share` and `waiting`."""
        lines = []
        waiting: list[_Item] = [_At(part.root, "share", 0)]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                lines.append(item)
                continue
            written = self._halved(item) if isinstance(item, _Halves) else self._step(part, item)
            waiting.extend(reversed(written))
        return lines

    def _step(self, part: Part, at: _At) -> list[_Item]:
        place = self.plan.place[part.tree].get(at.step)
        if place is not None and at.step != part.root:
            return [self._arrive(place, at.share, at.indent)]
        ask = self.plan.steps(part)[at.step]
        assert isinstance(ask, Ask)
        if is_wide(ask):
            return self._wide(part, ask, at)
        if is_direct(ask):
            branches = direct(ask, self.fields)
            bodies: list[_Item] = [_At(ask.children[b.child], at.share, at.indent + 1) for b in branches]
            if len(branches) == 1:
                return [_At(ask.children[branches[0].child], at.share, at.indent)]
            return self._chain(ask, branches, bodies, at.indent)
        return self._routed(ask, at)

    def _chain(self, ask: Ask, branches: list[Branch], bodies: list[_Item], indent: int) -> list[_Item]:
        """Return `if`, `else if`, …, `else`, each with its body."""
        syntax, space = self.syntax, INDENT * indent
        written: list[_Item] = []
        for k, (branch, body) in enumerate(zip(branches, bodies, strict=True)):
            if branch.test is None:
                opened = syntax.else_()
            else:
                opened = (syntax.elif_ if k else syntax.if_)(self.test(branch.test))
            written += [space + opened + self._told(ask, branch, branches), body]
        return [*written, *(space + line for line in syntax.end())]

    def _told(self, ask: Ask, branch: Branch, branches: list[Branch]) -> str:
        """Return the categories in words, and where missing values go."""
        if isinstance(branch.test, OneOf):
            field, codes = self.fields[branch.test.field], branch.test.codes
            return self.syntax.comment(remark(_words(field, codes)))
        if branch.test is None and branch.child == SHARED:
            return self.syntax.comment("missing: every way, by share")
        if branch.test is None and ask.child_of is not None and is_direct(ask):
            tested = {code for b in branches if isinstance(b.test, OneOf) for code in b.test.codes}
            rest = sorted(set(range(UNSEEN, len(ask.child_of))) - tested)
            return self.syntax.comment(remark(_words(self.fields[ask.field], tuple(rest))))
        if branch.test is None and ask.missing == branch.child:
            only = ask.child_of is not None or branch.child > len(ask.bounds) or bool(ask.substitutes)
            return self.syntax.comment("missing" if only else "or missing")
        return ""

    def _routed(self, ask: Ask, at: _At) -> list[_Item]:
        """First compute the branch, then take it. Other values decide for a missing one, or it takes every branch."""
        syntax, space = self.syntax, INDENT * at.indent
        way = f"way{at.indent}"
        branches = routed(ask)
        taken = sorted({branch.child for branch in branches})
        if len(taken) == 1 and ask.missing != SHARED:
            return [_At(ask.children[taken[0]], at.share, at.indent)]
        sets: list[_Item] = [
            f"{INDENT * (at.indent + 1)}{syntax.set_way(way, branch.child)}" for branch in branches
        ]
        written: list[_Item] = [space + line for line in syntax.declared(way)]
        written += self._chain(ask, branches, sets, at.indent)
        if ask.missing == SHARED:
            return written + self._every_way(ask, way, at)
        for k, child in enumerate(taken):
            equal = f"{way} {syntax.equal} {child}"
            opened = (
                syntax.if_(equal) if k == 0 else syntax.else_() if child == taken[-1] else syntax.elif_(equal)
            )
            written += [space + opened, _At(ask.children[child], at.share, at.indent + 1)]
        return [*written, *(space + line for line in syntax.end())]

    def _every_way(self, ask: Ask, way: str, at: _At) -> list[_Item]:
        """Write every branch, the last first. A row that goes down every branch goes with a share of its share."""
        syntax, space = self.syntax, INDENT * at.indent
        own = f"share{at.indent}"
        written: list[_Item] = []
        for child in reversed(range(len(ask.children))):
            part = ask.shares[child]
            here, every = f"{way} {syntax.equal} {child}", f"{way} {syntax.equal} {SHARED}"
            written.append(space + syntax.if_(here + syntax.either + every if part > 0 else here))
            if part > 0:
                share = syntax.share(own, here, at.share, f"{at.share} * {syntax.number(part)}")
                written.append(space + INDENT + share)
            written.append(_At(ask.children[child], own if part > 0 else at.share, at.indent + 1))
            written += [space + line for line in syntax.end()]
        return written

    def _wide(self, part: Part, ask: Ask, at: _At) -> list[_Item]:
        """Write many branches: first that of a missing number, then the others by binary search."""
        halves = _Halves(part, ask, tuple(pieces(ask, self.fields)), at.share, at.indent)
        if ask.child_of is not None:
            return [halves]
        space, inner = INDENT * at.indent, at.indent + 1
        return [
            space + self.syntax.if_(self.test(Known(ask.field))),
            _Halves(part, ask, halves.pieces, at.share, inner),
            space + self.syntax.else_() + self.syntax.comment("missing"),
            *self._gone(part, ask, ask.missing, at.share, inner),
            *(space + line for line in self.syntax.end()),
        ]

    def _halved(self, halves: _Halves) -> list[_Item]:
        ask, indent = halves.ask, halves.indent
        if len(halves.pieces) == 1:
            return self._gone(halves.part, ask, halves.pieces[0].child, halves.share, indent)
        middle = len(halves.pieces) // 2
        limit = halves.pieces[middle - 1].limit
        assert limit is not None
        space = INDENT * indent
        return [
            space + self.syntax.if_(self.test(AtMost(ask.field, limit))),
            _Halves(halves.part, ask, halves.pieces[:middle], halves.share, indent + 1),
            space + self.syntax.else_(),
            _Halves(halves.part, ask, halves.pieces[middle:], halves.share, indent + 1),
            *(space + line for line in self.syntax.end()),
        ]

    def _gone(self, part: Part, ask: Ask, child: int, share: str, indent: int) -> list[_Item]:
        """Go to a child of a wide step, whose children are all places, or to each of them."""
        place = self.plan.place[part.tree]
        if child != SHARED:
            return [self._arrive(place[ask.children[child]], share, indent)]
        return [
            self._arrive(place[step], f"{share} * {self.syntax.number(part_of)}", indent)
            for step, part_of in reversed(list(zip(ask.children, ask.shares, strict=True)))
            if part_of > 0
        ]

    def _arrive(self, place: int, share: str, indent: int) -> str:
        code = self.syntax.wait.format(place=place, share=share) if self.shares else self.syntax.answer(place)
        told = f"on to part {~place}" if place < 0 else remark(self.in_words(place))
        return f"{INDENT * indent}{code}{self.syntax.comment(told)}"

    def in_words(self, place: int) -> str:
        """Say in words what an answer is."""
        answer = self.plan.answers[place]
        if len(answer.outputs) == len(self.plan.labels) > 0:
            return str(self.plan.labels[answer.decision])
        return f"{answer.outputs[0]:.6g}"

    def test(self, test: Test) -> str:
        """Write a test in the language."""
        syntax, field = self.syntax, self.fields[test.field]
        cell = self.cell(field)
        if isinstance(test, OneOf):
            return self._one_of(cell, test.codes, len(field.categories))
        if isinstance(test, Known):
            return f"{cell} {syntax.equal} {cell}"
        sign = "<=" if isinstance(test, AtMost) else ">"
        return f"{cell} {sign} {syntax.number(test.limit)}"

    def cell(self, field: Field) -> str:
        """Return the variable that holds a value: a number, or a code."""
        return (self.syntax.nominal_cell if field.is_nominal else self.syntax.numeric_cell) + field.identifier

    def _one_of(self, cell: str, codes: tuple[int, ...], n_categories: int) -> str:
        found = runs(codes)
        if len(found) > MOST_RUNS:
            return self._looked_up(cell, set(codes), n_categories)
        tests = [self._run(cell, first, last, n_categories - 1) for first, last in found]
        if len(tests) == 1:
            return tests[0]
        return self.syntax.either.join(f"({test})" if self.syntax.both in test else test for test in tests)

    def _run(self, cell: str, first: int, last: int, largest: int) -> str:
        if first == last:
            return f"{cell} {self.syntax.equal} {first}"
        if first == UNSEEN or last == largest:
            return f"{cell} <= {last}" if first == UNSEEN else f"{cell} >= {first}"
        return f"{cell} >= {first}{self.syntax.both}{cell} <= {last}"

    def _looked_up(self, cell: str, codes: set[int], n_categories: int) -> str:
        """Return a set of codes as text of ones and zeros, in pieces that are not too long."""
        tests = []
        starts = range(UNSEEN, n_categories, LONGEST_TEXT)
        for start in starts:
            end = min(start + LONGEST_TEXT, n_categories)
            letters = "".join("1" if code in codes else "0" for code in range(start, end))
            place = f"{cell} {'+' if start < 0 else '-'} {abs(start)}"
            found = self.syntax.one_of.format(letters=letters, place=place)
            inside = f"{cell} >= {start}{self.syntax.both}{cell} < {end}{self.syntax.both}"
            tests.append(found if len(starts) == 1 else f"({inside}{found})")
        return self.syntax.either.join(tests)


@dataclass(frozen=True)
class _At:
    """A step that is still to be written, and the name of the share that reaches it."""

    step: int
    share: str
    indent: int


@dataclass(frozen=True)
class _Halves:
    """Pieces of a wide step that are still to be written."""

    part: Part
    ask: Ask
    pieces: tuple[Piece, ...]
    share: str
    indent: int


_Item = str | _At | _Halves


def _words(field: Field, codes: tuple[int, ...]) -> str:
    """Return the names of a few of the categories."""
    names = [str(field.categories[code]) for code in codes if code >= 0]
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    strange = [word for code, word in ((MISSING, "missing"), (UNSEEN, "never seen")) if code in codes]
    return ", ".join([*shown, *strange])
