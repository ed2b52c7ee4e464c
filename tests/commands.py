"""The `branchwork` command, as tests run it."""

import io
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from unittest.mock import patch

import typer.main
from typer.testing import CliRunner

FOR_A_SHELL = re.compile(r"[|&;<>()$*?`~#\\]")
"""What only a shell understands."""
command_of = cache(typer.main.get_command)
"""Typer puts all options of all commands together on every call, which takes longer than most commands do."""


def run(*arguments, cwd=None, stdin=None, **environment):
    """In a process of its own, as a person runs it."""
    return subprocess.run(
        [sys.executable, "-m", "branchwork", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        input=stdin,
        env={**os.environ, **environment},
        timeout=600,
    )


def call(*arguments, stdin=None):
    """In this process: quicker. Has exit_code, stdout and stderr."""
    from branchwork.cli.app import app

    with patch("typer.testing._get_command", command_of):
        return CliRunner().invoke(app, list(map(str, arguments)), input=stdin)


def typed(line):
    """Run a line that somebody types, and return its exit code and what it printed.

    A line that needs a shell gets one. Any other starts the program in this process: to start Python and to import
    everything takes longer than nearly every command.
    """
    if FOR_A_SHELL.search(line):
        words = line.replace("branchwork ", f"{sys.executable} -m branchwork ", 1)
        done = subprocess.run(words, shell=True, capture_output=True, encoding="utf-8")
        return done.returncode, done.stdout, done.stderr
    return main(*shlex.split(line)[1:])


def main(*arguments):
    """Run the program in this process from its first line on; return its exit code and what it printed."""
    import branchwork.cli

    written = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    argv = [str(Path(branchwork.__file__).with_name("__main__.py")), *map(str, arguments)]
    streams = {"stdout": written[0], "stderr": written[1], "excepthook": sys.excepthook}
    with patch("typer.main.get_command", command_of), patch.multiple(sys, argv=argv, **streams):
        try:
            branchwork.cli.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
    for stream in written:
        stream.flush()
    return code, *(stream.buffer.getvalue().decode() for stream in written)
