"""A page of working in every format: one small writer each.

A writer turns blocks into text. Words of the user's table go through its `escape`, so nothing in them is obeyed.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from branchwork.table.text_table import TextTable, text_table
from branchwork.table.wide_text import cells
from branchwork.tree.escape import in_latex, in_markdown
from branchwork.view.blocks import Arithmetic, Block, Grid, Heading, Mark, Sentence, Title
from branchwork.view.terminal import folded, harmless, paint

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

STYLES: dict[Mark, str] = {"chosen": "green", "detail": "dim", "": ""}

# ---- plain text


def to_text(blocks: Sequence[Block], *, colour: bool = False, width: int | None = None) -> str:
    """Write for a terminal of this width; None: lines may have any length."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Title):
            lines.append(paint(folded(harmless(block.text), width), "bold", colour=colour))
        elif isinstance(block, Heading):
            styles = ("bold", "green") if block.chosen else ("bold",)
            lines.extend(["", paint(folded(harmless(block.text), width), *styles, colour=colour)])
        elif isinstance(block, Sentence):
            lines.append(folded(harmless(block.text), width))
        elif isinstance(block, Arithmetic):
            lines.extend(f"  {line.text}" for line in block.lines)
        else:
            lines.extend(_text_table(block, colour, width))
    return "\n".join(lines)


def table_of(grid: Grid, width: int | None) -> TextTable:
    """Lay a grid out as text."""
    whole = _laid_out(grid, grid.rows, None)
    if width is None or max(map(cells, whole.lines)) <= width:
        return whole
    return _laid_out(grid, grid.short or grid.rows, width)


def _laid_out(grid: Grid, lines: Sequence[Sequence[str]], width: int | None) -> TextTable:
    header, *rows = [[harmless(cell) for cell in line] for line in (grid.header, *lines)]
    return text_table(header, rows, words=grid.words, spare=grid.spare, room=width)


def _text_table(grid: Grid, colour: bool, width: int | None) -> list[str]:
    table = table_of(grid, width)
    lines = [table.lines[0], table.rule]
    for line, mark in zip(table.lines[1:], grid.marks, strict=True):
        style = STYLES[mark]
        lines.append(paint(line, style, colour=colour) if style else line)
    note = folded(table.note, width)
    return [*lines, *([paint(note, "dim", colour=colour)] if note else [])]


# ---- Markdown


def to_markdown(blocks: Sequence[Block]) -> str:
    """Write Markdown; formulas are TeX between double dollars."""
    return "\n\n".join(_markdown_block(block) for block in blocks) + "\n"


def _markdown_block(block: Block) -> str:
    if isinstance(block, Title):
        return f"**{in_markdown(block.text)}**"
    if isinstance(block, Heading):
        return f"#### {in_markdown(block.text)}"
    if isinstance(block, Sentence):
        return in_markdown(block.text)
    if isinstance(block, Arithmetic):
        return f"$$\n{_aligned(block)}\n$$"
    rule = [":--" if k in block.words else "--:" for k in range(len(block.header))]
    lines = [block.header, *block.rows]
    rows = [f"| {' | '.join(in_markdown(cell) for cell in line)} |" for line in lines]
    return "\n".join([rows[0], f"| {' | '.join(rule)} |", *rows[1:]])


# ---- LaTeX


def to_latex(blocks: Sequence[Block]) -> str:
    """Write LaTeX: plain tabulars, and formulas that need amsmath."""
    return "\n\n".join(_latex_block(block) for block in blocks) + "\n"


def _latex_block(block: Block) -> str:
    if isinstance(block, Title | Heading):
        return f"\\textbf{{{in_latex(block.text)}}}"
    if isinstance(block, Sentence):
        return in_latex(block.text)
    if isinstance(block, Arithmetic):
        return f"\\[\n{_aligned(block)}\n\\]"
    columns = "".join("l" if k in block.words else "r" for k in range(len(block.header)))
    header, *rows = [
        f"{' & '.join(in_latex(cell.strip()) for cell in line)} \\\\" for line in (block.header, *block.rows)
    ]
    lines = [f"\\begin{{tabular}}{{{columns}}}", "\\hline", header, "\\hline", *rows, "\\hline"]
    return "\n".join([*lines, "\\end{tabular}"])


def _aligned(block: Arithmetic) -> str:
    lines = " \\\\\n".join(line.tex for line in block.lines)
    return f"\\begin{{aligned}}\n{lines}\n\\end{{aligned}}"


# ---- HTML

LONG_CELL = 16
"""Texts of more letters are given room in a narrow cell of a notebook, instead of a word per line."""

_STYLE = (
    "<style>.bw-working{overflow-x:auto}.bw-working table{border-collapse:collapse}"
    ".bw-working th,.bw-working td{padding:2px 8px;font-variant-numeric:tabular-nums}"
    ".bw-working thead{border-bottom:1px solid}"
    ".bw-working .chosen{font-weight:bold}.bw-working .detail{opacity:.7}"
    ".bw-working th{white-space:nowrap}.bw-working .math{margin:8px 16px}</style>"
)


def in_html(text: str) -> str:
    """Words of unknown origin for HTML."""
    return html.escape(harmless(text))


def to_html(blocks: Sequence[Block]) -> str:
    """Write a piece of HTML; formulas are MathML, which browsers show by themselves."""
    return f'<div class="bw-working">{_STYLE}{"".join(map(_html_block, blocks))}</div>'


def _html_block(block: Block) -> str:
    if isinstance(block, Title):
        return f"<p><strong>{in_html(block.text)}</strong></p>"
    if isinstance(block, Heading):
        return f"<h4{_class('chosen' if block.chosen else '')}>{in_html(block.text)}</h4>"
    if isinstance(block, Sentence):
        return f"<p>{in_html(block.text)}</p>"
    if isinstance(block, Arithmetic):
        return "".join(
            f'<p class="math"><math displaystyle="true">{line.mathml}</math></p>' for line in block.lines
        )
    head = "".join(_html_cell("th", cell, k in block.words) for k, cell in enumerate(block.header))
    rows = "".join(
        f"<tr{_class(mark)}>{''.join(_html_cell('td', c, k in block.words) for k, c in enumerate(line))}</tr>"
        for line, mark in zip(block.rows, block.marks, strict=True)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _html_cell(tag: str, text: str, is_word: bool) -> str:
    """Return a cell. It carries its own alignment: the style sheets of notebooks outweigh a class."""
    long = ";min-width:9em" if len(text) > LONG_CELL else ""
    style = f"text-align:left{long}" if is_word else "text-align:right;white-space:nowrap"
    return f'<{tag} style="{style}">{in_html(text)}</{tag}>'


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


FORMATS: dict[str, Callable[[Sequence[Block]], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "html": to_html,
}
"""Every format that is text; the tests run over all of them."""


# ---- rich


def to_rich(blocks: Sequence[Block]) -> RenderableType:
    """Make what `rich.print` shows. Nothing in the user's words is read as markup."""
    from rich.console import Group
    from rich.text import Text

    shown: list[RenderableType] = []
    for block in blocks:
        if isinstance(block, Grid):
            shown.append(_FittingTable(block))
        elif isinstance(block, Arithmetic):
            shown.extend(Text(f"  {line.text}") for line in block.lines)
        elif isinstance(block, Heading):
            shown.append(Text(f"\n{harmless(block.text)}", "bold green" if block.chosen else "bold"))
        else:
            shown.append(Text(harmless(block.text), "bold" if isinstance(block, Title) else ""))
    return Group(*shown)


@dataclass(frozen=True)
class _FittingTable:
    """A grid that is laid out when rich knows the width of the terminal."""

    grid: Grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay it out."""
        from rich.text import Text

        table = table_of(self.grid, options.max_width)
        yield Text("\n".join([table.lines[0], table.rule]), no_wrap=True)
        for line, mark in zip(table.lines[1:], self.grid.marks, strict=True):
            yield Text(line, STYLES[mark], no_wrap=True)
        if table.note:
            yield Text(table.note, "dim")
