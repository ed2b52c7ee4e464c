"""An explanation as text, Markdown and HTML: one story, three small writers. All text in it is taken as hostile."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from branchwork.table.wide_text import cells, cut, left, right
from branchwork.tree.escape import in_markdown
from branchwork.view.terminal import folded, harmless, paint

WIDEST_BRANCH = 60
PLACE = "● "
"""Where the dot of a class will stand."""
WEIGHT = re.compile(r" \(weight [^)]*\)")
NARROWEST_BRANCH, NARROWEST_FACTS = 24, 24
"""In a narrow terminal."""
WIDEST_REASON = 24
"""Longer reasons go on a line of their own."""


@dataclass(frozen=True)
class Line:
    """One node on a path: the branch to it, why the row takes it, its rows, and the split that nearly won above it."""

    place: str
    branch: str
    facts: str
    reason: str = ""
    change: str = ""
    rival: str = ""
    answer: str = ""  # of a leaf

    @property
    def reason_is_short(self) -> bool:
        """Whether the reason fits beside the branch."""
        return 0 < cells(self.reason) <= WIDEST_REASON

    def told(self, *, with_reason: bool) -> str:
        """The branch, why it is taken, and the answer."""
        reason = f" ({self.reason})" if self.reason and with_reason else ""
        return harmless(self.branch + reason + (f" → {self.answer}" if self.answer else ""))

    @property
    def left(self) -> str:
        """The line's beginning in text, with the reason if that is short."""
        return self.told(with_reason=self.reason_is_short)

    def within(self, width: int) -> str:
        """Return the line's beginning in this many cells: without the reason, and then cut before the answer."""
        if cells(self.left) <= width:
            return self.left
        answer = harmless(f" → {self.answer}") if self.answer else ""
        return cut(cut(harmless(self.branch), max(4, width - cells(answer))) + answer, width)

    @property
    def below(self) -> list[str]:
        """What is told below the line."""
        reason = "" if self.reason_is_short else self.reason
        return [harmless(text) for text in (reason, self.rival) if text]


@dataclass(frozen=True)
class Path:
    """The way to one leaf."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Story:
    """Everything that is told, in order."""

    title: str
    paths: tuple[Path, ...]
    remarks: tuple[str, ...]
    other: str  # how to get another answer, or that there is none
    changes: tuple[str, ...] = ()
    leads_to: str = ""


def in_a_line(facts: str) -> str:
    """What stands in columns, in a sentence.

    >>> in_a_line("1 row   Yes: 1 (100%)")
    '1 row · Yes: 1 (100%)'
    """
    return " · ".join(part.strip() for part in facts.split("  ") if part.strip())


# ---- text --------------------------------------------------------------------------------------------------


def to_text(
    story: Story, *, colour: bool, width: int | None = None, dots: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the story as text; in lines of this width, if one is given. `dots` are those of classes, by label."""
    lines = [paint(folded(harmless(story.title), width), "bold", colour=colour)]
    for path in story.paths:
        lines += [
            "",
            *([folded(harmless(path.title), width)] if path.title else []),
            *_path_text(path, colour, width, dots),
        ]
    for remark in story.remarks:
        lines += ["", folded(harmless(remark), width)]
    lines += ["", paint(folded(harmless(story.other), width), "bold", colour=colour)]
    lines += [folded(f"   {harmless(change)}", width, "     ") for change in story.changes]
    lines += [folded(harmless(story.leads_to), width)] if story.leads_to else []
    return "\n".join(lines)


def _path_text(path: Path, colour: bool, width: int | None, dots: Mapping[str, str]) -> list[str]:
    margin = max(cells(line.place) for line in path.lines) + 2
    branch = min(WIDEST_BRANCH, max(cells(line.left) for line in path.lines))
    rows = max(cells(line.facts.split(" ", 1)[0]) for line in path.lines)
    texts = [_aligned_facts(line, rows, dots) for line in path.lines]
    middle, last = max(map(cells, texts)), max(cells(harmless(line.change)) for line in path.lines)
    if width is not None:  # the branch is cut first, then what is said of the classes
        room = width - margin - last - 4
        branch = min(branch, max(NARROWEST_BRANCH, room - min(middle, NARROWEST_FACTS)))
        middle = max(0, min(middle, room - branch))
    found = []
    for line, facts in zip(path.lines, texts, strict=True):
        said = line.left if width is None else line.within(branch)
        shown = facts if width is None else _whole_facts(facts, middle)
        text = f"{right(line.place, margin - 2)}  {left(said, branch)}  "
        change = f"  {harmless(line.change)}" if line.change else ""
        if width is not None and margin + branch + 2 + middle + cells(change) > width:
            change = ""
        blanks = " " * (middle - cells(shown)) if change else ""
        found.append(f"{text}{_painted(shown, colour, dots)}{blanks}{change}".rstrip())
        indent = " " * (margin + 2)
        for below in line.below:
            told = folded(f"{indent}{below}", width, indent + "  ")
            found += [paint(one, "dim", colour=colour) for one in told.split("\n")]
    return found


def _aligned_facts(line: Line, rows: int, dots: Mapping[str, str]) -> str:
    """Return the facts of a line with its count at the right of its column, and a place for the dot of each class."""
    count, _, rest = line.facts.partition(" ")
    parts = [PLACE + part if part.rpartition(": ")[0] in dots else part for part in rest.split("  ")]
    return f"{right(count, rows)} {'  '.join(parts)}"


def _painted(facts: str, colour: bool, dots: Mapping[str, str]) -> str:
    """Return facts in colour, with the dots of classes in their places."""
    parts = []
    for part in facts.split("  "):
        own = part.removeprefix(PLACE)
        dot = dots.get(own.rpartition(": ")[0], PLACE) if own != part else ""
        parts.append(dot + paint(own, "cyan", colour=colour))
    return "  ".join(parts)


def _whole_facts(facts: str, room: int) -> str:
    """Return as many whole columns of facts as there is room for; the weight of the rows goes first."""
    if cells(facts) > room:
        facts = WEIGHT.sub("", facts, count=1)
    while cells(facts) > room and "  " in facts.strip():
        facts = facts.rstrip().rpartition("  ")[0]
    return cut(facts, room)


# ---- Markdown ----------------------------------------------------------------------------------------------

HEAD = ("step", "branch", "rows", "change", "next best")
NEXT = "next best: "


def to_markdown(story: Story) -> str:
    """The story in Markdown."""
    blocks = [f"**{in_markdown(story.title)}**"]
    for path in story.paths:
        blocks += [in_markdown(path.title)] if path.title else []
        rows = [HEAD, ("---",) * len(HEAD), *(tuple(map(in_markdown, _cells(line))) for line in path.lines)]
        blocks.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    blocks += map(in_markdown, story.remarks)
    blocks.append(f"**{in_markdown(story.other)}**")
    if story.changes:
        blocks += [
            "\n".join(f"- {in_markdown(change)}" for change in story.changes),
            in_markdown(story.leads_to),
        ]
    return "\n\n".join(blocks) + "\n"


def _cells(line: Line) -> tuple[str, ...]:
    told = line.told(with_reason=True)
    return line.place, told, in_a_line(line.facts), line.change, line.rival.removeprefix(NEXT)


# ---- HTML --------------------------------------------------------------------------------------------------

CELL_STYLE = "text-align: left; vertical-align: top; padding: 0.1em 1em 0.1em 0"
LONG_CELL, LONG_STYLE = 24, "; min-width: 10em"
"""Columns with longer texts keep some width in a narrow notebook."""


def to_html(story: Story) -> str:
    """The story as a piece of HTML; it has no script, and no style but that of its cells."""
    parts = [f"<p><strong>{_html(story.title)}</strong></p>"]
    for path in story.paths:
        parts += [f"<p>{_html(path.title)}</p>"] if path.title else []
        parts.append(_html_table(path))
    parts += [f"<p>{_html(remark)}</p>" for remark in story.remarks]
    parts.append(f"<p><strong>{_html(story.other)}</strong></p>")
    if story.changes:
        items = "".join(f"<li>{_html(change)}</li>" for change in story.changes)
        parts += [f"<ul>{items}</ul>", f"<p>{_html(story.leads_to)}</p>"]
    return f'<div class="branchwork-why">{"".join(parts)}</div>'


def _html_table(path: Path) -> str:
    columns = zip(HEAD, *map(_cells, path.lines), strict=True)
    head = "".join(
        f'<th scope="col" style="{CELL_STYLE}{LONG_STYLE * any(len(cell) > LONG_CELL for cell in cells)}">{name}</th>'
        for name, *cells in columns
    )
    rows = "".join(f"<tr>{_html_cells(line)}</tr>" for line in path.lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _html_cells(line: Line) -> str:
    return "".join(f'<td style="{CELL_STYLE}">{_html(cell)}</td>' for cell in _cells(line))


def _html(text: str) -> str:
    return html.escape(harmless(text))
