"""How things are shown: the first lines of a long text at a prompt, a table of cells in a notebook."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

MOST_LINES = 12
"""Lines that a prompt shows of something; print() shows all."""
MOST_ROWS, MOST_COLUMNS = 10, 12
"""Rows and columns of a table that a notebook shows."""


def first_lines(text: str, most: int = MOST_LINES) -> str:
    """Return a text if it is short, or its first lines and how many there are more.

    >>> print(first_lines("a\\nb\\nc\\nd", most=3))
    a
    b
    … 2 more lines; print() shows them all
    """
    lines = text.split("\n")
    if len(lines) <= most:
        return text
    return "\n".join([*lines[: most - 1], f"… {len(lines) - most + 1} more lines; print() shows them all"])


def html_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: Collection[int] = (),
    note: str = "",
) -> str:
    """Return cells as an HTML table.

    Parameters
    ----------
    head, rows : texts; they are escaped here.
    words : the columns that hold text; they are aligned to the left, all others to the right.
    note : a sentence below the table.

    >>> html_table(["name", "rows"], [["a<b", "3"]], words=[0])[-87:]
    '<td style="text-align:left">a&lt;b</td><td style="text-align:right">3</td></tr></table>'
    """

    def line(tag: str, cells: Sequence[str]) -> str:
        sides = ["left" if place in words else "right" for place in range(len(cells))]
        return "".join(
            f'<{tag} style="text-align:{side}">{html.escape(cell)}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )

    lines = [line("th", head), *(line("td", cells) for cells in rows)]
    below = f"<p>{html.escape(note)}</p>" if note else ""
    return f"<table>{''.join(f'<tr>{cells}</tr>' for cells in lines)}</table>{below}"
