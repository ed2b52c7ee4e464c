"""An explanation as text, Markdown and HTML: one story, three small writers. All text in it is taken as hostile."""

from __future__ import annotations

import html
from dataclasses import dataclass

from branchwork.tree.escape import in_markdown
from branchwork.view.terminal import harmless, paint

WIDEST_BRANCH = 60
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
        return 0 < len(self.reason) <= WIDEST_REASON

    def told(self, *, with_reason: bool) -> str:
        """The branch, why it is taken, and the answer."""
        reason = f" ({self.reason})" if self.reason and with_reason else ""
        return harmless(self.branch + reason + (f" → {self.answer}" if self.answer else ""))

    @property
    def left(self) -> str:
        """The line's beginning in text, with the reason if that is short."""
        return self.told(with_reason=self.reason_is_short)

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

    >>> in_a_line("1 row   Yes 1 (100%)")
    '1 row · Yes 1 (100%)'
    """
    return " · ".join(part.strip() for part in facts.split("  ") if part.strip())


# ---- text --------------------------------------------------------------------------------------------------


def to_text(story: Story, *, colour: bool) -> str:
    """The story as text."""
    lines = [paint(harmless(story.title), "bold", colour=colour)]
    for path in story.paths:
        lines += ["", *([harmless(path.title)] if path.title else []), *_path_text(path, colour)]
    for remark in story.remarks:
        lines += ["", harmless(remark)]
    lines += ["", paint(harmless(story.other), "bold", colour=colour)]
    lines += [f"   {harmless(change)}" for change in story.changes]
    lines += [harmless(story.leads_to)] if story.leads_to else []
    return "\n".join(lines)


def _path_text(path: Path, colour: bool) -> list[str]:
    margin = max(len(line.place) for line in path.lines) + 2
    left = min(WIDEST_BRANCH, max(len(line.left) for line in path.lines))
    rows = max(len(line.facts.split(" ", 1)[0]) for line in path.lines)
    middle = max(len(line.facts) + rows - len(line.facts.split(" ", 1)[0]) for line in path.lines)
    found = []
    for line in path.lines:
        count, _, rest = line.facts.partition(" ")
        facts = f"{count.rjust(rows)} {rest}".ljust(middle)
        text = f"{line.place.rjust(margin - 2)}  {line.left.ljust(left)}  "
        change = f"  {harmless(line.change)}" if line.change else ""
        found.append((text + paint(facts, "cyan", colour=colour) + change).rstrip())
        found += [" " * (margin + 2) + paint(text, "dim", colour=colour) for text in line.below]
    return found


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
    head = "".join(f'<th scope="col" style="{CELL_STYLE}">{cell}</th>' for cell in HEAD)
    rows = "".join(f"<tr>{_html_cells(line)}</tr>" for line in path.lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _html_cells(line: Line) -> str:
    return "".join(f'<td style="{CELL_STYLE}">{_html(cell)}</td>' for cell in _cells(line))


def _html(text: str) -> str:
    return html.escape(harmless(text))
