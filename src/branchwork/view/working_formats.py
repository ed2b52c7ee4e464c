"""A page of working in every format: one small writer each.

A writer turns blocks into text. Words of the user's table go through its `escape`, so nothing in them is obeyed.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from branchwork.tree.escape import in_latex, in_markdown
from branchwork.view.blocks import Arithmetic, Block, Grid, Heading, Sentence, Title
from branchwork.view.rich_table import FittingTable
from branchwork.view.terminal import harmless, paint

if TYPE_CHECKING:
    from rich.console import RenderableType

# ---- plain text


def to_text(blocks: Sequence[Block], *, colour: bool = False) -> str:
    """Write for a terminal."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Title):
            lines.append(paint(harmless(block.text), "bold", colour=colour))
        elif isinstance(block, Heading):
            styles = ("bold", "green") if block.chosen else ("bold",)
            lines.extend(["", paint(harmless(block.text), *styles, colour=colour)])
        elif isinstance(block, Sentence):
            lines.append(harmless(block.text))
        elif isinstance(block, Arithmetic):
            lines.extend(f"  {line.text}" for line in block.lines)
        else:
            lines.extend(_text_table(block, colour))
    return "\n".join(lines)


def _text_table(grid: Grid, colour: bool) -> list[str]:
    cells = [[harmless(cell) for cell in line] for line in (grid.header, *grid.rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
    lines = []
    for line, mark in zip(cells, ("", *grid.marks), strict=True):
        text = "  ".join(
            cell.ljust(width) if k in grid.words else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        style = {"chosen": "green", "detail": "dim", "": ""}[mark]
        lines.append(paint(text, style, colour=colour) if style else text)
    lines.insert(1, "  ".join("─" * width for width in widths))
    return lines


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

_STYLE = (
    "<style>.bw-working{overflow-x:auto}.bw-working table{border-collapse:collapse}"
    ".bw-working th,.bw-working td{padding:2px 8px;text-align:right;font-variant-numeric:tabular-nums}"
    ".bw-working .word{text-align:left}.bw-working thead{border-bottom:1px solid}"
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
    return f"<{tag}{_class('word' if is_word else '')}>{in_html(text)}</{tag}>"


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
            shown.append(FittingTable(block))
        elif isinstance(block, Arithmetic):
            shown.extend(Text(f"  {line.text}") for line in block.lines)
        elif isinstance(block, Heading):
            shown.append(Text(f"\n{harmless(block.text)}", "bold green" if block.chosen else "bold"))
        else:
            shown.append(Text(harmless(block.text), "bold" if isinstance(block, Title) else ""))
    return Group(*shown)
