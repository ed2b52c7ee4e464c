"""A split in words: small views on one node of a tree."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

from branchwork.table.schema import Schema
from branchwork.tree.tree import Tree


@dataclass(frozen=True)
class Threshold:
    """A numeric test: `<= cut`, `> cut`, and perhaps a branch for missing cells."""

    feature: int
    cut: float
    has_missing_branch: bool

    def describe(self, schema: Schema) -> str:
        """The test in words: "Milk <= 0.45"."""
        return f"{schema[self.feature].name} <= {number(self.cut)}"

    def branches(self, schema: Schema) -> list[str]:
        """Each branch's condition in words."""
        name, cut = schema[self.feature].name, number(self.cut)
        conditions = [f"{name} <= {cut}", f"{name} > {cut}"]
        return [*conditions, f"{name} is missing"] if self.has_missing_branch else conditions


@dataclass(frozen=True)
class Lookup:
    """A nominal test: a group of categories for each branch; an empty group is the branch for missing cells."""

    feature: int
    groups: tuple[tuple[Hashable, ...], ...]

    def describe(self, schema: Schema) -> str:
        """The test in words: "Outlook = Overcast | Rain | Sunny"."""
        groups = [", ".join(map(category, group)) if group else "missing" for group in self.groups]
        shown = groups if len(groups) <= 6 else [*groups[:5], f"… {len(groups) - 5} more"]
        return f"{schema[self.feature].name} = {' | '.join(shown)}"

    def branches(self, schema: Schema) -> list[str]:
        """Each branch's condition in words."""
        name = schema[self.feature].name
        return [
            f"{name} is missing"
            if not group
            else f"{name} = {category(group[0])}"
            if len(group) == 1
            else f"{name} in {{{', '.join(map(category, group))}}}"
            for group in self.groups
        ]


Split = Threshold | Lookup


def split_of(tree: Tree, schema: Schema, node: int) -> Split:
    """The split at an inner node."""
    feature = int(tree.feature[node])
    if not schema[feature].is_nominal:
        return Threshold(feature, float(tree.cut[node]), bool(tree.n_children[node] == 3))
    groups: list[list[Hashable]] = [[] for _ in tree.children(node)]
    offset = int(tree.lookup[node]) + 1
    for code, value in enumerate(schema[feature].categories):
        groups[tree.pool[offset + code]].append(value)
    return Lookup(feature, tuple(tuple(group) for group in groups))


def number(x: float) -> str:
    """A number for a person to read, to ten digits; `to_dict` has all of them.

    >>> number(4175.0), number(0.44999999999999996), number(2.5)
    ('4175', '0.45', '2.5')
    """
    if math.isfinite(x) and x == int(x) and abs(x) < 1e15:
        return str(int(x))
    return f"{x:.10g}"


def category(value: Hashable) -> str:
    """A category as a person writes it: text as it is, empty or blank text in quotes.

    >>> category("Sunny"), category(""), category(True)
    ('Sunny', "''", 'True')
    """
    if isinstance(value, str):
        return value if value.strip() == value and value else repr(value)
    return str(value)
