"""`branchwork show`: a saved tree as text, picture, page or data, and the working of its nodes."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli import inputs
from branchwork.cli.output import AsJson, Output, chosen_format, is_standard, write
from branchwork.cli.words import word_option
from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.model.model import Model
    from branchwork.rules.rule_list import RuleList
    from branchwork.table.table import Table
    from branchwork.table.target import Target
    from branchwork.view.picture_file import PictureFormat
    from branchwork.view.working import Working


@dataclass(frozen=True, eq=False)
class Shown:
    """What is shown: a model, its file and title, the depth to show, where the result goes, and how a picture is drawn.

    `whole`: all of it, however large the tree and however small the terminal is.
    """

    model: Model
    file: str
    title: str
    max_depth: int | None
    output: str | None
    drawn: dict[str, Any]
    whole: bool
    rows: tuple[Table, Target] | None = None


def _text(shown: Shown) -> str:
    import sys

    from branchwork.cli.screen import fitted_tree
    from branchwork.cli.text import tree_text

    if is_standard(shown.output):
        if shown.max_depth is None and not shown.whole and sys.stdout.isatty():
            return fitted_tree(shown.model, shown.file)
        return tree_text(shown.model, max_depth=shown.max_depth)
    return tree_text(shown.model, max_depth=shown.max_depth, colour=False, full=True)


def _json(shown: Shown) -> str:
    from branchwork.cli.json_text import dumps

    return dumps(shown.model.to_dict())


def _picture(form: PictureFormat) -> Callable[[Shown], bytes]:
    def drawn(shown: Shown) -> bytes:
        from branchwork.cli.pictures import picture_of
        from branchwork.view.tree_display import TreeDisplay

        display = TreeDisplay(shown.model, max_depth=shown.max_depth, **shown.drawn)
        return picture_of(lambda: display.plot().ax_, form)

    return drawn


def _rules(form: str) -> Callable[[Shown], str]:
    return lambda shown: str(shown.model.export(form))


FORMATS: dict[str, Callable[[Shown], str | bytes]] = {
    "text": _text,
    "svg": lambda shown: shown.model.to_svg(max_depth=shown.max_depth, **shown.drawn),
    "png": _picture("png"),
    "pdf": _picture("pdf"),
    "html": lambda shown: shown.model.to_html(None, *(shown.rows or ()), title=shown.title, **shown.drawn),
    "dot": lambda shown: shown.model.to_dot(max_depth=shown.max_depth, **shown.drawn),
    "json": _json,
    "markdown": _rules("markdown"),
    "latex": _rules("latex"),
}
"""What a tree can be shown as. Markdown and LaTeX have a table of its rules."""
DRAWN = {"orientation": ("svg", "png", "pdf", "dot", "html"), "compact": ("svg", "png", "pdf", "dot")}
"""Formats that are pictures: these can be turned, and those of cards drawn smaller."""


def _json_of_rules(rules: RuleList) -> str:
    from branchwork.cli.json_text import dumps

    return dumps(rules.to_dict())


OF_RULES: dict[str, Callable[[RuleList], str]] = {
    "text": str,
    "json": _json_of_rules,
    "markdown": lambda rules: rules.to_markdown(full=True),
    "latex": lambda rules: rules.to_latex(full=True),
}
"""How a list of rules can be shown."""


def _json_of_working(found: Working, to_terminal: bool) -> str:
    from branchwork.cli.json_text import dumps

    return dumps(found.to_dict())


def _text_of_working(found: Working, to_terminal: bool) -> str:
    from branchwork.cli.text import working_text

    return working_text(found, to_terminal=to_terminal)


OF_WORKING: dict[str, Callable[[Working, bool], str]] = {
    "text": _text_of_working,
    "markdown": lambda found, _: found.to_markdown(),
    "latex": lambda found, _: found.to_latex(),
    "json": _json_of_working,
}
"""How the working of a node can be shown."""


def show(
    model: inputs.ModelFile,
    form: Annotated[
        str | None,
        word_option(
            "--format",
            words=lambda: FORMATS,
            text=f"The format: {', '.join(FORMATS)}. By default the name of the output file decides, or else text.",
        ),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(metavar="N", help="Show nodes down to this depth (text, svg, png, pdf, dot)."),
    ] = None,
    orientation: Annotated[
        str | None,
        word_option(
            "--orientation",
            words=lambda: ("TB", "LR"),
            text="Draw from top to bottom (TB), or from left to right (LR) for deep trees: svg, png, pdf, dot.",
        ),
    ] = None,
    compact: Annotated[
        str | None,
        word_option(
            "--compact",
            words=lambda: ("lines", "marks"),
            text="Draw each node as one line (lines), or as a coloured mark without words (marks): svg, png, pdf, dot.",
        ),
    ] = None,
    working: Annotated[
        bool, typer.Option("--working", help="Show the working of the root: why it is split as it is.")
    ] = False,
    node: Annotated[
        int | None, typer.Option(metavar="N", help="Show the working of this node; 0 is the root.")
    ] = None,
    whole: Annotated[
        bool, typer.Option("--full", help="Show the whole tree, not only what fits the terminal (text).")
    ] = False,
    member: inputs.Member = None,
    data: inputs.TrainingData = None,
    target: inputs.AnswerColumn = None,
    weights: inputs.Weights = None,
    missing: inputs.Missing = None,
    decimal: inputs.DecimalMark = None,
    input_format: inputs.InputFormat = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Show a saved tree as text, picture or web page, or the working of one of its nodes.

    \b
      branchwork show patients.bw
      branchwork show patients.bw -o patients.html
      branchwork show patients.bw -o patients.png
      branchwork show patients.bw --format svg --max-depth 3 > patients.svg
      branchwork show patients.bw --orientation LR --compact lines -o patients.svg
      branchwork show patients.bw --working
      branchwork show patients.bw --node 2 --data patients.csv --target outcome
      branchwork show patients.bw -o page.html --data patients.csv --target outcome

    A tree that grew to more than 1 000 nodes, perhaps before it was pruned, does not keep their working. With --data,
    the file that the tree was grown on, it is made again. A page has histograms of the rows of --data.
    """
    from branchwork.cli.evidence import node_working
    from branchwork.rules.rule_list import RuleList

    asks_for_working = working or node is not None
    _check_options(asks_for_working, form, max_depth)
    formats = OF_WORKING if asks_for_working else FORMATS
    form = chosen_format(output, formats, model, data, form=form, as_json=as_json)
    if data is not None and not asks_for_working and form != "html":
        raise ParameterError(
            "--data is for the working of a node or for a page. Add --working, --node N, or -o FILE.html."
        )
    found = inputs.load_any(model)
    if isinstance(found, RuleList) and form in OF_RULES and member is None and not asks_for_working:
        write(OF_RULES[form](found), output)
        return
    reading = inputs.Reading(missing, input_format, decimal)
    if inputs.is_many(found) and member is None and not asks_for_working:
        many = None if data is None else inputs.labelled_rows(data, found, reading, target, weights)
        write(_of_many(found, form, model, many), output)
        return
    drawn = {"orientation": orientation, "compact": compact}
    drawn = {name: word for name, word in drawn.items() if word is not None}
    for name in drawn:
        forms = DRAWN[name]
        if asks_for_working or form not in forms:
            raise ParameterError(
                f"--{name} is for a picture; take --format {', '.join(forms[:-1])} or {forms[-1]}."
            )
    loaded = inputs.as_tree(found, model, member)
    rows = None if data is None else inputs.labelled_rows(data, loaded, reading, target, weights)
    if asks_for_working:
        found_working = node_working(loaded, node or 0, rows, model)
        write(OF_WORKING[form](found_working, is_standard(output)), output)
        return
    title, shown_by = _title(loaded, model, member), _shown_by(model, member)
    shown = Shown(loaded, shown_by, title, max_depth, output, drawn, whole, rows)
    write(FORMATS[form](shown), output)


def _check_options(asks_for_working: bool, form: str | None, max_depth: int | None) -> None:
    """Refuse options that would have no effect."""
    if asks_for_working and form is not None and form not in OF_WORKING:
        raise ParameterError(
            f"--format {form} shows a tree, not the working of a node. Leave out --format, or --working and --node."
        )
    if asks_for_working and max_depth is not None:
        raise ParameterError("--max-depth limits a tree, not the working of a node. Leave one of them out.")


def _of_many(found: Model, form: str, file: str, rows: tuple[Table, Target] | None) -> str:
    """Show an ensemble as a whole: an overview page, or a few lines and what the trees have in common."""
    from branchwork.cli.ensembles import describe, importances_text, measured_text

    if form == "html":
        return found.to_html(None, *(rows or ()), title=_title(found, file, None))
    last = len(found.trees) - 1
    if form != "text":
        raise ParameterError(
            f"{file} has {last + 1} trees, and {form} shows one. Say which one: --tree 0 to --tree {last}; or take "
            "--format html, which has an overview of all."
        )
    parts = [describe(found), measured_text(found), "", "Which features matter", importances_text(found), ""]
    name = shlex.quote(file)
    hint = f"One of the trees: branchwork show {name} --tree 0\nAn overview: branchwork show {name} -o overview.html"
    return "\n".join(part for part in (*parts, hint) if part is not None)


def _shown_by(file: str, member: int | None) -> str:
    """Return the words after `branchwork show` that show a tree."""
    name = shlex.quote(file)
    return name if member is None else f"{name} --tree {member}"


def _title(model: Model, file: str, member: int | None) -> str:
    """Tell what a model predicts and where it is kept: "outcome — patients.bw"."""
    name = Path(file).name if member is None else f"{Path(file).name}, tree {member}"
    return name if model.target is None else f"{model.target} — {name}"
