"""The `branchwork` command, as tests run it."""

import os
import subprocess
import sys

from typer.testing import CliRunner


def run(*arguments, cwd=None, stdin=None, **environment):
    """In a process of its own, as a person runs it."""
    return subprocess.run(
        [sys.executable, "-m", "branchwork", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        input=stdin,
        env={**os.environ, **environment},
        timeout=120,
    )


def call(*arguments, stdin=None):
    """In this process: quicker. Has exit_code, stdout and stderr."""
    from branchwork.cli.app import app

    return CliRunner().invoke(app, list(map(str, arguments)), input=stdin)
