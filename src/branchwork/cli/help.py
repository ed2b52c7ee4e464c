"""How `--help` looks: what a command does, examples, then its options in groups."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

READING = "Options for reading the file"
LIMITS = "Options that limit growth"
RESULTS = "Options for the result"


class GroupedHelp(TyperCommand):
    """A command whose options are listed under the `rich_help_panel` they name; the others come first."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and then the options group by group."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        groups |= {title: [] for title in (LIMITS, READING, RESULTS)}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                is_argument = param.param_type_name == "argument"
                title = "Arguments" if is_argument else getattr(param, "rich_help_panel", None) or "Options"
                groups[title].append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
