"""Where results go: standard output, or a file that is replaced completely or not at all.

Every command calls `check_output` before it does any work, so a slip in `-o` costs neither time nor a file.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from branchwork.cli.help import RESULTS
from branchwork.cli.manners import say
from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.model.model import Model

Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the result to this file; its suffix decides the format.",
        rich_help_panel=RESULTS,
    ),
]
Save = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Save the model to this file: .bw, or .json to read it yourself.",
        rich_help_panel=RESULTS,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.", rich_help_panel=RESULTS)]

SUFFIXES: dict[str, tuple[str, ...]] = {
    "a model": (".bw", ".json"),
    "CSV": (".csv", ".txt"),
    "JSON": (".json", ".txt"),
    "JSON lines": (".jsonl", ".ndjson", ".json", ".txt"),
    "text": (".txt",),
    "Markdown": (".md", ".markdown", ".txt"),
    "LaTeX": (".tex", ".txt"),
    "SVG": (".svg",),
    "PNG": (".png",),
    "PDF": (".pdf",),
    "HTML": (".html", ".htm"),
    "DOT": (".dot", ".gv"),
    "Python": (".py",),
    "C": (".c", ".h"),
    "JavaScript": (".js", ".mjs"),
    "Java": (".java",),
    "SQL": (".sql",),
    "ONNX": (".onnx",),
    "PMML": (".pmml", ".xml"),
}
"""How the name of a file may end, by what is written into it. A name without a suffix promises nothing."""


TO_DRAW = (
    "To see the tree as a picture or page, save it first, and then: branchwork show model.bw -o tree.png"
)
"""Advice for who names a picture where a model is saved."""


def is_standard(path: str | None) -> bool:
    """Whether results go to standard output."""
    return path in (None, "-")


def chosen_format(
    path: str | None,
    formats: Iterable[str],
    *inputs: str | None,
    form: str | None = None,
    as_json: bool = False,
) -> str:
    """Return the format of a result: that of --json or --format, or the one that the name of the output file asks for.

    An output file that is also an input is refused, and so is one whose name does not fit.

    Parameters
    ----------
    path : the value of `-o`.
    formats : what the command can write, keys of `SUFFIXES` in small letters; the first is the usual one.
    inputs : the files that the command reads; None and "-" are no files.
    form, as_json : the values of --format and --json.
    """
    known = list(formats)
    if as_json:
        form = next(name for name in known if name.startswith("json"))
    _refuse_inputs(path, inputs)
    found = form or _format_of(path, known)
    check_output(path, found)
    return found


def _format_of(path: str | None, known: Sequence[str]) -> str:
    """Return the format that the name of a file asks for; without a suffix it is the usual one."""
    suffix = "" if path is None or path == "-" or _is_device(path) else Path(path).suffix.lower()
    if not suffix:
        return known[0]
    for name in known:
        if suffix in _suffixes(name):
            return name
    fitting = list(dict.fromkeys(suffix for name in known for suffix in _suffixes(name)))
    raise ParameterError(f"-o {path} ends in {suffix}, but this command writes {_listed(fitting)}.")


def _suffixes(form: str) -> tuple[str, ...]:
    return next(suffixes for name, suffixes in SUFFIXES.items() if name.lower() == form.lower())


def check_output(path: str | None, what: str, *inputs: str | None, hint: str = "") -> None:
    """Refuse an output file that is also an input, or whose name does not fit what is written into it.

    Parameters
    ----------
    path : the value of `-o`.
    what : what is written, a key of `SUFFIXES` in letters of any case.
    inputs : the files that the command reads; None and "-" are no files.
    hint : a sentence about what to do instead, for a name that does not fit.
    """
    from branchwork.files import check_name, check_place

    name = next(known for known in SUFFIXES if known.lower() == what.lower())
    if path is None or (path == "-" and name != "a model"):
        return
    _refuse_inputs(path, inputs)
    if _is_device(path):
        return
    check_name(path)
    fitting, suffix = SUFFIXES[name], Path(path).suffix.lower()
    if suffix not in fitting and (suffix or name == "a model"):
        found = f"ends in {suffix}" if suffix else "has no suffix"
        raise ParameterError(
            f"-o {path} {found}, but {name} goes into a file that ends in {_listed(fitting)}.{hint and ' ' + hint}"
        )
    check_place(path)


def _refuse_inputs(path: str | None, inputs: Iterable[str | None]) -> None:
    for given in inputs:
        if path is not None and given is not None and _same_file(path, given):
            raise ParameterError(
                f"-o {path} would overwrite {given}, which this command reads. Give -o another name."
            )


def _same_file(one: str, other: str) -> bool:
    """Whether two names lead to one file, through links of any kind."""
    try:
        return Path(one).samefile(other)
    except OSError:  # one of them does not exist
        return False


def _is_device(path: str) -> bool:
    """Whether a name is a pipe or a device, which has no contents to lose."""
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()


def _listed(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


@contextmanager
def sink(path: str | None) -> Iterator[IO[str]]:
    """Standard output, or a file that takes its name when all is written."""
    from branchwork.files import replacing

    if path is None or path == "-":
        yield sys.stdout
        return
    with replacing(path) as stream:
        yield stream


def write(text: str | bytes, path: str | None) -> None:
    """Write a whole result."""
    from branchwork.files import replacing

    if isinstance(text, str):
        with sink(path) as stream:
            stream.write(text if text.endswith("\n") else text + "\n")
        return
    if path is None or path == "-":
        if sys.stdout.isatty():
            raise ParameterError(
                "The result is not text, so a terminal cannot show it. Write it to a file with -o FILE."
            )
        sys.stdout.buffer.write(text)
        return
    with replacing(path, binary=True) as raw:
        raw.write(text)


def write_json(value: Any, path: str | None = None) -> None:
    """Write one JSON value."""
    from branchwork.cli.json_text import dumps

    write(dumps(value), path)


JUDGEMENTS = ("text", "html", "json")
"""How the commands that judge saved models write what they found."""


def write_judgement(found: Any, form: str, title: str, path: str | None) -> None:
    """Write what was found about saved models: as text, as a page with this title, or as JSON."""
    from branchwork.view.terminal import terminal_width, wants_colour

    if form == "json":
        write_json(found.to_dict(), path)
    elif form == "html":
        write(found.to_html(title=title), path)
    else:
        on_screen = is_standard(path)
        text = found.to_text(
            color=on_screen and wants_colour(), width=terminal_width() if on_screen else None
        )
        write(text, path)


def saved(model: Model, path: str | None) -> None:
    """Save a model if a file was named for it."""
    if path is not None:
        from branchwork.store.file import save

        save(model, path)


def say_next(path: str | None, name: str = "model.bw", what: str = "this tree") -> None:
    """Name the next useful command for a saved model, or tell how to save it."""
    if path is None and what != "this tree":
        say(f"to keep {what}, and to show, export or predict with them, add: -o {name}")
    elif path is None:
        say(f"to keep this tree, and to show, prune, export it or predict with it, add: -o {name}")
    else:
        say(f"saved {path}. Next: branchwork show {shlex.quote(path)}")
