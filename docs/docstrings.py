"""Docstrings as reStructuredText.

Docstrings here are plain English with a few habits: `code` in single backticks, sections ("Parameters") whose entries
are "name, name : what it is", examples after >>>, and indented drawings. The rest is text, and escaped as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

CODE = re.compile(r"(`[^`]+`)")
MARKUP = re.compile(r"([\\*_|`])")


def to_rst(lines: list[str]) -> list[str]:
    """Lines of a docstring as lines that Sphinx reads."""
    return [line for block in _blocks(lines) for line in [*_block(block), ""]]


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Lines between empty lines."""
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def _block(block: list[str]) -> list[str]:
    if len(block) > 2 and set(block[1]) == {"-"}:
        return [f".. rubric:: {block[0]}", "", *_entries(block[2:])]
    if block[0].startswith(">>>"):
        return [".. code-block:: pycon", "", *("   " + line for line in block)]
    if all(line.startswith("    ") for line in block):
        return [".. code-block:: text", "", *block]
    return [_text(line) for line in block]


def _entries(lines: list[str]) -> Iterator[str]:
    """A definition list: names, and below them what they are."""
    joined: list[str] = []
    for line in lines:
        if line.startswith(" ") and joined:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.strip())
    for entry in joined:
        names, _, text = entry.partition(" : ")
        yield ", ".join(_name(name) for name in re.split(r",\s+", names))
        yield "   " + _text(text)


def _name(name: str) -> str:
    word, _, rest = name.partition(" ")
    return f"``{word}`` {_text(rest)}".rstrip()


def _text(text: str) -> str:
    """Plain text with code in it."""
    parts = CODE.split(text)
    return "".join(
        f"``{part[1:-1]}``\\ " if CODE.fullmatch(part) else MARKUP.sub(r"\\\1", part) for part in parts
    ).replace("``\\  ", "`` ")
