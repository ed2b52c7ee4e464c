"""`branchwork rules`: a saved tree as rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from branchwork.cli.inputs import Member, ModelFile, load_model
from branchwork.cli.output import AsJson, Output, is_standard, write
from branchwork.cli.words import word_option

if TYPE_CHECKING:
    from branchwork.rules.rule_list import RuleList


def _json(found: RuleList, full: bool) -> str:
    from branchwork.cli.json_text import dumps

    return dumps(found.to_dict())


FORMATS: dict[str, Callable[[RuleList, bool], str]] = {
    "text": lambda found, full: found.to_text(full=full),
    "markdown": lambda found, full: found.to_markdown(full=full),
    "latex": lambda found, full: found.to_latex(full=full),
    "json": _json,
}
"""Each writes a list of rules; in full, or with long groups of categories cut short. Data are always full."""


def rules(
    model: ModelFile,
    form: Annotated[
        str, word_option("--format", words=lambda: FORMATS, text=f"{', '.join(FORMATS)}.")
    ] = "text",
    simplify: Annotated[
        bool, typer.Option("--simplify", help="Merge conditions on one column; the answers stay.")
    ] = False,
    member: Member = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Print a saved tree as rules, one for each leaf. A file has every category; the screen the first of many.

    \b
      branchwork rules patients.bw
      branchwork rules patients.bw --simplify --format markdown -o rules.md
    """
    found = load_model(model, member, one_tree=True).rules(simplify=simplify)
    write(FORMATS["json" if as_json else form](found, not is_standard(output)), output)
