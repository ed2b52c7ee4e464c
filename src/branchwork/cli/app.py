"""The command and its manners: results on standard output, messages on standard error, one clear line on bad input.

Exit codes: 0 done · 1 an error in Branchwork itself · 2 bad input or usage · 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated

import typer

import branchwork
from branchwork.cli.grow import grow
from branchwork.errors import BranchworkError
from branchwork.view.terminal import harmless

app = typer.Typer(
    name="branchwork",
    help="Decision trees that show their work.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"branchwork {branchwork.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_tell_version),
    ] = False,
) -> None:
    """Decision trees that show their work."""


app.command()(grow)


def main() -> None:
    """Run the command."""
    warnings.showwarning = _one_line_warning
    try:
        app()
    except (BranchworkError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader, `head` for one, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(0) from None
        print(f"branchwork: {harmless(str(error))}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("branchwork: interrupted", file=sys.stderr)
        raise SystemExit(130) from None


def _one_line_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"branchwork: {harmless(str(message))}", file=sys.stderr)
