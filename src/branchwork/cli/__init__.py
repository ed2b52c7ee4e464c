"""The `branchwork` command: one file per subcommand."""

from __future__ import annotations

from branchwork.cli.app import main

__all__ = ["main"]
