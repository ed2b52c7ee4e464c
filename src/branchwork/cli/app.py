"""The command: one file per subcommand.

Exit codes: 0 done · 1 an error in Branchwork itself · 2 bad input or usage · 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

import branchwork
from branchwork.cli import substitutes
from branchwork.cli.bias_variance import bias_variance
from branchwork.cli.compare import compare
from branchwork.cli.curve import curve
from branchwork.cli.datasets import datasets
from branchwork.cli.diff import diff
from branchwork.cli.evaluate import evaluate
from branchwork.cli.export import export
from branchwork.cli.grow import grow
from branchwork.cli.help import GroupedHelp
from branchwork.cli.look import look
from branchwork.cli.manners import manners, with_manners
from branchwork.cli.predict import predict
from branchwork.cli.prune import prune
from branchwork.cli.rules import rules
from branchwork.cli.show import show
from branchwork.cli.stability import stability
from branchwork.cli.tune import tune
from branchwork.cli.why import why

HELP = """Grow decision trees that show their work.

\b
  branchwork look patients.csv --target outcome
  branchwork grow patients.csv --target outcome -o patients.bw
  branchwork show patients.bw
  branchwork why patients.bw age=50 pulse=66
  branchwork predict patients.bw new.csv -o answers.csv

Every command explains itself: branchwork grow --help. Results go to standard output, messages to standard error, and -
as a file name stands for standard input. Exit codes: 0 done, 1 internal error (please report it), 2 bad input or usage,
130 interrupted. Colours are off if NO_COLOR is set.
"""

app = typer.Typer(
    name="branchwork",
    help=HELP,
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
    pass


for command in (
    look,
    grow,
    show,
    why,
    predict,
    evaluate,
    prune,
    rules,
    compare,
    diff,
    tune,
    stability,
    curve,
    bias_variance,
    export,
    datasets,
):
    app.command(cls=GroupedHelp)(with_manners(command))


def main() -> None:
    """Run the command."""
    substitutes.register()
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by `>&-`: nobody wants to read
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # open until the end
        getattr(sys, name).reconfigure(errors=substitutes.HANDLER)
    with manners():
        app()
