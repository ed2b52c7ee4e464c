"""What a study found as one HTML page that needs nothing else: figures, pictures, and all numbers as text."""

from __future__ import annotations

from collections.abc import Sequence

from branchwork.view.overview import charts, figures, head, page, text


def study_page(
    title: str,
    about: str,
    found: Sequence[tuple[str, str]],
    sections: Sequence[tuple[str, Sequence[str]]],
    numbers: str,
) -> str:
    """Return the page of a study.

    Parameters
    ----------
    title, about : what the page is called, and a sentence about what it shows.
    found : figures, each with a name and a text.
    sections : titles, each with SVG pictures.
    numbers : a table as text.
    """
    parts = [head(title, about), figures(found)]
    parts += [charts(name, pictures) for name, pictures in sections]
    parts.append(f"<h2>All numbers</h2>\n<pre>{text_lines(numbers)}</pre>")
    return page(title, parts)


def text_lines(numbers: str) -> str:
    """Return lines of text as HTML can carry them."""
    return "\n".join(text(line) for line in numbers.split("\n"))
