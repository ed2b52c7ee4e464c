"""How things are shown: the first lines of a long text at a prompt, a table of cells in a notebook."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

TALLEST = 720
"""Pixels of what a notebook shows; taller tables and pictures are scrolled."""
MOST_LINES = 12
"""Lines that a prompt shows of something; print() shows all."""
MOST_ROWS, MOST_COLUMNS = 10, 12
"""Rows and columns of a table that a notebook shows."""
MOST_UNSCROLLED = 25
"""Rows of a longer table are scrolled in a notebook, so that it does not push the next cell out of sight."""
LONG_CELL = 40
"""Columns with longer texts keep some width in a narrow notebook, where they would have a word per line."""


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

    sides = ["left" if place in words else "right" for place in range(len(head))]
    for place in words:
        if any(len(cells[place]) > LONG_CELL for cells in rows):
            sides[place] += ";min-width:18em"

    def line(tag: str, cells: Sequence[str]) -> str:
        return "".join(
            f'<{tag} style="text-align:{side}">{html.escape(cell)}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )

    lines = [line("th", head), *(line("td", cells) for cells in rows)]
    below = f"<p>{html.escape(note)}</p>" if note else ""
    table = f"<table>{''.join(f'<tr>{cells}</tr>' for cells in lines)}</table>"
    if len(rows) > MOST_UNSCROLLED:
        table = f'<div style="max-height:{TALLEST}px;overflow:auto">{table}</div>'
    return table + below
