"""Hold a finding: something about a table that a person should see before a model does, and a fix for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from branchwork.tree.split import harmless

KINDS = {
    "empty": "empty column",
    "constant": "constant column",
    "identifier": "identifier",
    "target_copy": "copy of the target",
    "missing_target": "missing target",
    "date": "dates as text",
    "mixed": "numbers and texts",
    "missing_word": "word for a missing cell",
    "infinite": "infinite numbers",
    "sentinel": "number that stands for a missing cell",
    "unit": "two units",
    "outlier": "outlier",
    "spelling": "spelling variants",
    "similar_spelling": "similar spellings",
    "same_column": "column that repeats another",
    "duplicate_rows": "duplicate rows",
    "contradictory_rows": "contradictory rows",
}
"""Every kind of finding, in the order in which they are listed, and its title."""


@dataclass(frozen=True)
class Fix:
    """A named change of a table: its name, the column that it changes, and its options.

    `bw.study.clean` applies it. It uses nothing but its options, so it does the same to any other table.
    """

    name: str
    column: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Show the fix as a call."""
        given = [] if self.column is None else [repr(self.column)]
        given += [f"{name}={value!r}" for name, value in self.options.items()]
        return harmless(f"{self.name}({', '.join(given)})")

    def to_dict(self) -> dict[str, Any]:
        """Return the fix as plain values that JSON can hold."""
        return {"name": self.name, "column": self.column, "options": dict(self.options)}


@dataclass(frozen=True)
class Finding:
    """Something about a table that a person should see before a model does.

    Parameters
    ----------
    kind : a word of `branchwork.study.look_finding.KINDS`.
    column : the column it is about; None for whole rows, or the target.
    message : what was found, in a sentence.
    fix : the change that is suggested; `bw.study.clean` applies it.
    count : how many cells or rows it concerns.
    rows : the first of these rows.
    default : whether `clean` applies the fix without being asked for it. It does so only if the fix loses nothing
        that may tell about the target; the message of any other finding says why not.
    """

    kind: str
    column: str | None
    message: str
    fix: Fix
    count: int = 0
    rows: tuple[int, ...] = ()
    default: bool = True

    def on_request(self, reason: str) -> Finding:
        """Return the finding with a fix that is only proposed, because of this reason."""
        return replace(self, message=f"{self.message} Only proposed: {reason}.", default=False)

    @property
    def title(self) -> str:
        """The kind in words."""
        return KINDS[self.kind]

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain values."""
        return {
            "kind": self.kind,
            "column": self.column,
            "message": self.message,
            "fix": self.fix.to_dict(),
            "count": self.count,
            "rows": list(self.rows),
            "default": self.default,
        }
