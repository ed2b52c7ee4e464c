"""`branchwork rules`: a saved tree as rules."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from branchwork.cli.inputs import Member, ModelFile, as_tree, load_any
from branchwork.cli.output import AsJson, Output, chosen_format, is_standard, write
from branchwork.cli.words import word_option

if TYPE_CHECKING:
    from branchwork.rules.rule_list import RuleList


def _text(found: RuleList, full: bool) -> str:
    from branchwork.view.terminal import terminal_width

    return found.to_text(full=full, width=None if full else terminal_width())


def _json(found: RuleList, full: bool) -> str:
    from branchwork.cli.json_text import dumps

    return dumps(found.to_dict())


MOST_RULES = 50
"""Rules that a terminal shows, unless all are asked for."""

FORMATS: dict[str, Callable[[RuleList, bool], str]] = {
    "text": _text,
    "markdown": lambda found, full: found.to_markdown(full=full),
    "latex": lambda found, full: found.to_latex(full=full),
    "json": _json,
}
"""Each writes a list of rules; in full, or with long groups of categories cut short. Data are always full."""


def rules(
    model: ModelFile,
    form: Annotated[
        str | None,
        word_option(
            "--format",
            words=lambda: FORMATS,
            text=f"The format: {', '.join(FORMATS)}. By default the name of the output file decides, or else text.",
        ),
    ] = None,
    simplify: Annotated[
        bool,
        typer.Option(
            "--simplify", help="Merge the conditions of a rule on one column; the answers stay the same."
        ),
    ] = False,
    whole: Annotated[
        bool, typer.Option("--full", help="Print every rule, not only the first ones, on a terminal, too.")
    ] = False,
    member: Member = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Print a saved tree as rules, one for each leaf; or a saved list of rules.

    On the screen a long list of categories is shortened; a file always has every category.

    \b
      branchwork rules patients.bw
      branchwork rules patients.bw --simplify -o rules.md
    """
    from branchwork.rules.rule_list import RuleList

    form = chosen_format(output, FORMATS, model, form=form, as_json=as_json)
    loaded = load_any(model)
    if isinstance(loaded, RuleList) and member is None:
        found = loaded.simplify() if simplify else loaded
    else:
        found = as_tree(loaded, model, member).rules(simplify=simplify)
    hidden = len(found) - MOST_RULES
    if form == "text" and is_standard(output) and sys.stdout.isatty() and hidden > 0 and not whole:
        few = replace(found, rules=found.rules[:MOST_RULES])
        again = f"branchwork rules {shlex.quote(model)} --full"
        again += " --simplify" * simplify + ("" if member is None else f" --tree {member}")
        write(f"{FORMATS[form](few, False)}\n… {hidden} rules are not shown: {again}", output)
        return
    write(FORMATS[form](found, not is_standard(output)), output)
