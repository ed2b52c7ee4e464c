"""`branchwork show`: a saved tree as text, picture, page or data, and the working of its nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from branchwork.cli.inputs import Member, ModelFile, load_model
from branchwork.cli.output import AsJson, Output, is_standard, write
from branchwork.cli.words import word_option

if TYPE_CHECKING:
    from branchwork.model.model import Model


@dataclass(frozen=True, eq=False)
class Shown:
    """What is to be shown: a model, what it is called, down to which depth, and where it goes."""

    model: Model
    title: str
    max_depth: int | None
    output: str | None


def _text(shown: Shown) -> str:
    from branchwork.cli.text import tree_text

    if is_standard(shown.output):
        return tree_text(shown.model, max_depth=shown.max_depth)
    return tree_text(shown.model, max_depth=shown.max_depth, colour=False, full=True)


def _json(shown: Shown) -> str:
    from branchwork.cli.json_text import dumps

    return dumps(shown.model.to_dict())


FORMATS: dict[str, Callable[[Shown], str]] = {
    "text": _text,
    "svg": lambda shown: shown.model.to_svg(max_depth=shown.max_depth),
    "html": lambda shown: shown.model.to_html(title=shown.title),
    "dot": lambda shown: shown.model.to_dot(max_depth=shown.max_depth),
    "json": _json,
}


def show(
    model: ModelFile,
    form: Annotated[
        str | None,
        word_option(
            "--format",
            words=lambda: FORMATS,
            text=f"{', '.join(FORMATS)}; otherwise the name of the output file tells.",
        ),
    ] = None,
    max_depth: Annotated[int | None, typer.Option(metavar="N", help="Show nodes down to this depth.")] = None,
    working: Annotated[bool, typer.Option("--working", help="Show why a node is split as it is.")] = False,
    node: Annotated[
        int | None, typer.Option(metavar="N", help="The node whose working is shown; 0 is the root.")
    ] = None,
    member: Member = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Show a saved tree, or the working of one of its nodes.

    \b
      branchwork show patients.bw
      branchwork show patients.bw -o patients.html
      branchwork show patients.bw --format svg --max-depth 3 > patients.svg
      branchwork show patients.bw --working --node 2
    """
    loaded = load_model(model, member, one_tree=True)
    if working or node is not None:
        write(_working(loaded, node or 0, output, as_json), output)
        return
    form = "json" if as_json else form or _by_name(output)
    shown = Shown(loaded, _title(loaded, model, member), max_depth, output)
    write(FORMATS[form](shown), output)


def _title(model: Model, file: str, member: int | None) -> str:
    """What a model predicts, and where it is kept: "outcome — patients.bw"."""
    name = Path(file).name if member is None else f"{Path(file).name}, tree {member}"
    return name if model.target is None else f"{model.target} — {name}"


def _by_name(output: str | None) -> str:
    """The format that an output file's name asks for."""
    suffix = "" if output is None else Path(output).suffix.removeprefix(".").lower()
    return suffix if suffix in FORMATS else "text"


def _working(model: Model, node: int, output: str | None, as_json: bool) -> str:
    from branchwork.cli.json_text import dumps

    found = model.working(node)
    return dumps(found.to_dict()) if as_json else found.to_text(color=None if is_standard(output) else False)
