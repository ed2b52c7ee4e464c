"""The rules of a tree in Markdown: a table with a line for each leaf."""

from __future__ import annotations

from branchwork.model.model import Model
from branchwork.rules.extract import extract


def write(model: Model, *, simplify: bool = False, missing: bool = False) -> str:
    """Write the rules of a model that is one tree as a table in Markdown.

    Parameters
    ----------
    simplify : merge conditions on one column, and leave out those that always hold.
    missing : say which conditions a missing cell passes.
    """
    return extract(model, simplify=simplify).to_markdown(missing=missing)
