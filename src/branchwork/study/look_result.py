"""Hold what `look` found: the columns, the target, the findings; as text, as a page, as plain data."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any

from branchwork.errors import DataError, did_you_mean
from branchwork.study.look_association import Association
from branchwork.study.look_finding import Finding
from branchwork.study.look_input import Given
from branchwork.study.look_picture import Picture
from branchwork.study.look_redundancy import Redundancy
from branchwork.study.look_summary import Summary
from branchwork.table.shown import first_lines
from branchwork.table.table import Table
from branchwork.table.target import Target
from branchwork.view.class_key import ClassKey
from branchwork.view.feature_chart import described, feature_chart
from branchwork.view.palette import ThemeName
from branchwork.view.pieces import Svg

PART_OF_DATE = re.compile(
    r"(?i)(^|[ _.-])(date|year|quarter|month|week|day|weekday|hour|minute|day_of_year|day_number)$"
)
"""Names of the columns that dates consist of; `date_parts` ends its names like this."""


@dataclass(frozen=True)
class Feature:
    """A feature: what it holds, what it tells about the target (None without one), and a picture of both."""

    summary: Summary
    association: Association | None
    picture: Picture

    @property
    def name(self) -> str:
        """Its name."""
        return self.summary.name


@dataclass(frozen=True)
class TargetLook:
    """The target: its classes with their numbers of rows, or a summary of its numbers."""

    name: str
    classes: tuple[tuple[Hashable, int], ...] | None
    summary: Summary | None


@dataclass(frozen=True, eq=False)
class Look:
    """A first look at a table.

    Parameters
    ----------
    features : one for each column, in the table's order.
    target_look : classes or numbers to predict; None if there was no target.
    findings : what is odd about the table, each with a fix.
    redundancy : pairs of features that depend strongly on each other, the strongest first; at most a thousand.
    """

    given: Given
    target: Target | None
    features: tuple[Feature, ...]
    target_look: TargetLook | None
    findings: tuple[Finding, ...]
    redundancy: tuple[Redundancy, ...]
    key: ClassKey | None = None

    @property
    def table(self) -> Table:
        """The features as a table."""
        return self.given.table

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    def feature(self, name: str) -> Feature:
        """Return the feature of a name."""
        for one in self.features:
            if one.name == name:
                return one
        names = [one.name for one in self.features]
        raise DataError(f"There is no feature {name!r}.{did_you_mean(name, names)}")

    @property
    def unchangeable(self) -> tuple[str, ...]:
        """Names of the features that say when or who: dates, parts of dates and identifiers.

        Nobody can change them, so an advice should not: `tree.why(row, fixed=look.unchangeable)`.
        """
        said = {one.column for one in self.findings if one.kind in ("date", "identifier")}
        return tuple(one.name for one in self.features if one.name in said or PART_OF_DATE.search(one.name))

    def ranked(self) -> list[Feature]:
        """Return the features that tell most about the target first; without a target, in the table's order.

        They are compared by `corrected_information`. Identifiers and dates as text come last, because they only tell
        about single rows.
        """
        names = {one.column for one in self.findings if one.kind in ("identifier", "date")}

        def rank(one: Feature) -> tuple[bool, float, float]:
            found = one.association
            told = (0.0, 0.0) if found is None else (found.corrected_information, found.mutual_information)
            return one.name in names, -told[0], -told[1]

        return list(self.features) if self.target is None else sorted(self.features, key=rank)

    def to_svg(self, name: str, *, theme: ThemeName = "auto") -> Svg:
        """Draw a feature against the target."""
        one = self.feature(name)
        return feature_chart(one.picture, self.key, title=described(one.picture, name), theme=theme)

    def __str__(self) -> str:
        """Show the text; in a terminal as wide as it is."""
        from branchwork.view.terminal import terminal_width

        return self.to_text(width=terminal_width())

    def __repr__(self) -> str:
        """Show the first lines of the text."""
        return first_lines(str(self))

    def to_text(self, *, color: bool = False, width: int | None = None) -> str:
        """Return findings, target and columns as text, in lines of at most `width` columns; None: of any length."""
        from branchwork.study.look_text import look_text

        return look_text(self, color=color, width=width)

    def to_html(self, *, title: str = "A first look") -> str:
        """Return one self-contained HTML page with a picture of every feature against the target."""
        from branchwork.study.look_page import look_page

        return look_page(self, title)

    def _repr_html_(self) -> str:
        from branchwork.study.look_page import look_frame

        return look_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the pictures as plain values."""
        target = self.target_look
        return {
            "n_rows": self.n_rows,
            "target": None
            if target is None
            else {
                "name": target.name,
                "classes": None if target.classes is None else [list(one) for one in target.classes],
                "summary": None if target.summary is None else asdict(target.summary),
            },
            "features": [
                {
                    **asdict(one.summary),
                    "most_frequent": [list(pair) for pair in one.summary.most_frequent],
                    "association": None if one.association is None else asdict(one.association),
                }
                for one in self.features
            ],
            "findings": [one.to_dict() for one in self.findings],
            "redundancy": [asdict(one) for one in self.redundancy],
        }
