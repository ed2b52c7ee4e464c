"""The rules of a tree in Markdown: a table with one row per leaf."""

from __future__ import annotations

from branchwork.model.model import Model
from branchwork.rules.extract import rules_of
from branchwork.rules.rule_list import RuleList


def write(model: Model | RuleList, *, simplify: bool = False, missing: bool = False) -> str:
    """Write the rules of a model that is one tree, or a list of rules, as a table in Markdown.

    Parameters
    ----------
    simplify : merge conditions on the same column, and leave out those that always hold.
    missing : say which conditions a missing value passes.
    """
    return rules_of(model, simplify=simplify).to_markdown(missing=missing, full=True)
