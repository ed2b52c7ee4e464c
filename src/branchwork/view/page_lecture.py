"""The arithmetic of a node for the page's step by step: the equations of the lecture as lines of text.

node        what is known before any feature is tried
features    for each candidate its equations, in the order of the candidates
end         what follows from all of them together
"""

from __future__ import annotations

from typing import Any

from branchwork.model.model import Model
from branchwork.tree.ledger import Page
from branchwork.view.blocks import Arithmetic, Block, Heading, Sentence
from branchwork.view.lecture import lecture
from branchwork.view.terminal import harmless

MOST_CANDIDATES = 300
"""Candidates of a page whose equations are written out; below, the page says only gain = before − remainder."""
AVERAGE = "Which gains count"


def lecture_of(model: Model, page: Page) -> dict[str, Any]:
    """Return the equations of one node."""
    parts: list[list[Block]] = [[]]
    for block in lecture(model, page.node, page, all_candidates=page.candidates):
        if isinstance(block, Heading):
            parts.append([])
        parts[-1].append(block)
    about, features = parts[0], parts[1 : 1 + len(page.candidates)]
    end = next((part for part in parts[1 + len(page.candidates) :] if _is_average(part)), [])
    return {
        "node": _equations(about),
        "features": [_equations(part) for part in features],
        "end": [*_equations(end), *(block.text for block in end if isinstance(block, Sentence))],
    }


def _is_average(part: list[Block]) -> bool:
    return isinstance(part[0], Heading) and part[0].text == AVERAGE


def _equations(part: list[Block]) -> list[str]:
    return [harmless(line.text) for block in part if isinstance(block, Arithmetic) for line in block.lines]
