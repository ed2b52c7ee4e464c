"""Tables with what C4.5 Release 8 printed for them, and a reader of the printed trees.

    names()                 the tables stored in c45/tables.zip
    read_table("labor")     Table: columns, classes, rows (None = unknown cell)
    read_report("labor", "gain")
                            Report: the tree before and after pruning, and the line of sizes and errors
    parse_report(text)      the same from any text that the program printed

A `Printed` tree is a leaf (`label`, `weight`, `errors`) or a test (`feature`, `kind`, `children`). Children are
keyed by "<=" and ">" for a cut, by the value for a nominal test, by a tuple of values for a group of them
(option -s); they stand in the printed order, leaves first, which is not the order of the branches.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

ARCHIVE = Path(__file__).parent / "c45" / "tables.zip"
OPTIONS = {"default": "", "gain": "-g", "m5": "-m 5", "subset": "-s", "c5": "-c 5"}
INDENT = "|   "


@dataclass(frozen=True)
class Column:
    name: str
    values: tuple[str, ...] | None = None  # None: continuous


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    classes: tuple[str, ...]
    cells: tuple[tuple[float | str | None, ...], ...]  # row by row
    labels: tuple[str, ...]


@dataclass
class Printed:
    """One node of a printed tree. A test prints no counts, so they are None there; a leaf has no test."""

    feature: str | None = None
    kind: Literal["cut", "value"] | None = None
    cut: float | None = None
    children: dict[str | tuple[str, ...], Printed] = field(default_factory=dict)
    label: str | None = None
    weight: float | None = None  # N: training rows here, a row with an unknown cell counting by its share
    errors: float | None = (
        None  # E: of them wrong; in the pruned tree the estimate. 0 where only (N) is printed
    )

    @property
    def is_leaf(self) -> bool:
        return self.feature is None

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children.values())


@dataclass(frozen=True)
class Report:
    unpruned: Printed
    pruned: Printed  # the very same object as `unpruned` when pruning changed nothing
    n_rows: int
    unpruned_size: int
    unpruned_errors: int  # on the training rows, classified as new rows would be
    pruned_size: int
    pruned_errors: int
    estimate: float  # per cent


# ---------------------------------------------------------------------------------------------- the archive


def names() -> list[str]:
    with zipfile.ZipFile(ARCHIVE) as archive:
        return sorted({name.split("/")[0] for name in archive.namelist()})


@cache
def text_of(table: str, file: str) -> str:
    """One stored file as text: `.names`, `.data`, or an output such as `default.txt`."""
    member = f"{table}/{table}{file}" if file.startswith(".") else f"{table}/{file}"
    with zipfile.ZipFile(ARCHIVE) as archive:
        return archive.read(member).decode("utf-8")


def read_table(name: str) -> Table:
    first, *others = [line.rstrip(".") for line in text_of(name, ".names").splitlines() if line]
    columns = []
    for line in others:
        column, values = line.split(": ")
        columns.append(Column(column, None if values == "continuous" else tuple(values.split(", "))))
    cells, labels = [], []
    for line in text_of(name, ".data").splitlines():
        *row, label = line.split(", ")
        cells.append(tuple(cell_of(text, column) for text, column in zip(row, columns, strict=True)))
        labels.append(label)
    return Table(name, tuple(columns), tuple(first.split(", ")), tuple(cells), tuple(labels))


def cell_of(text: str, column: Column) -> float | str | None:
    if text == "?":
        return None
    return float(text) if column.values is None else text


def read_report(name: str, option: str) -> Report:
    return parse_report(text_of(name, f"{option}.txt"))


# ------------------------------------------------------------------------------------------------- the trees

LEAF = re.compile(r"(?P<label>.+) \((?P<weight>[\d.]+)(?:/(?P<errors>[\d.]+))?\)")
CUT = re.compile(r"(?P<feature>.+) (?P<key><=|>) (?P<cut>\S+) :(?P<rest>.*)")
VALUE = re.compile(r"(?P<feature>[^=]+) = (?P<key>[^:]+):(?P<rest>.*)")
GROUP = re.compile(r"(?P<feature>.+) in \{(?P<key>[^}]+)\}:(?P<rest>.*)")
SUBTREE = re.compile(r"\[(S\d+)\]")
READ = re.compile(r"Read (\d+) cases")
SIZES = re.compile(r"\s*(\d+)\s+(\d+)\([ \d.]+%\)\s+(\d+)\s+(\d+)\([ \d.]+%\)\s+\(([ \d.]+)%\)\s+<<")


def parse_report(text: str) -> Report:
    """Read all that the program printed in one run."""
    head, _, body = text.partition("\nDecision Tree:")
    printed, _, tail = body.partition("\nTree saved")
    before, _, after = printed.partition("\nSimplified Decision Tree:")
    sizes = next(found for line in tail.splitlines() if (found := SIZES.fullmatch(line)))
    n_rows = READ.search(head)
    assert n_rows is not None
    unpruned = parse_tree(before)
    return Report(
        unpruned,
        parse_tree(after) if after else unpruned,
        int(n_rows[1]),
        *(int(sizes[i]) for i in range(1, 5)),
        float(sizes[5]),
    )


def parse_tree(text: str) -> Printed:
    """Read one printed tree, with the subtrees [S1], [S2] ... that were printed apart below it."""
    top, *rest = re.split(r"\nSubtree \[(S\d+)\]\n", text)
    pieces = {name: lines_of(piece) for name, piece in zip(rest[::2], rest[1::2], strict=True)}
    lines = lines_of(top)
    if len(lines) == 1 and (only := LEAF.fullmatch(lines[0].strip())):
        return leaf_of(only)
    return read_test(lines, 0, pieces)


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def leaf_of(found: re.Match[str]) -> Printed:
    return Printed(label=found["label"], weight=float(found["weight"]), errors=float(found["errors"] or 0))


def read_test(lines: list[str], depth: int, pieces: dict[str, list[str]]) -> Printed:
    """Read the branches of one test: the lines at this depth, each with the deeper lines that follow it."""
    node = Printed()
    starts = [i for i, line in enumerate(lines) if not line.startswith(INDENT * (depth + 1))]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        line = lines[start].removeprefix(INDENT * depth)
        found = CUT.fullmatch(line) or GROUP.fullmatch(line) or VALUE.fullmatch(line)
        assert found is not None, line
        assert node.feature in (None, found["feature"]), line
        node.feature = found["feature"]
        node.kind = "cut" if found.re is CUT else "value"
        if found.re is CUT:
            assert node.cut in (None, float(found["cut"])), line
            node.cut = float(found["cut"])
        key = tuple(found["key"].split(",")) if found.re is GROUP else found["key"]
        assert key not in node.children, line
        node.children[key] = read_branch(found["rest"].strip(), lines[start + 1 : end], depth, pieces)
    return node


def read_branch(rest: str, below: list[str], depth: int, pieces: dict[str, list[str]]) -> Printed:
    """Read what stands behind a test's colon: a leaf, the name of a subtree printed apart, or nothing."""
    if leaf := LEAF.fullmatch(rest):
        assert not below
        return leaf_of(leaf)
    if apart := SUBTREE.fullmatch(rest):
        assert not below
        return read_test(pieces[apart[1]], 0, pieces)
    assert not rest, rest
    return read_test(below, depth + 1, pieces)
