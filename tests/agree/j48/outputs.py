"""What J48 printed for the tables, and a reader of it.

    printed("random017", "m5")      the tree as a c45_outputs.Printed
    parse_tree(text)                the same from any tree that J48 printed
    probabilities("random017", "laplace")
                                    of the rows that tables.asked() picks
    OPTIONS                         the options that J48 was run with

`printed.zip` has one file for each set of options; in it, for each table, a line "=== name checksum" (of the
ARFF that Weka read) and the tree. Branches are printed in their order, weights to two decimals, cuts to six.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from functools import cache
from pathlib import Path

from agree.c45_outputs import INDENT, Printed

ARCHIVE = Path(__file__).parent / "printed.zip"
OPTIONS = {
    "default": "-U",
    "m1": "-U -M 1",
    "m5": "-U -M 5",
    "m30": "-U -M 30",
    "pruned": "",
    "c05": "-C 0.05",
    "c40_m1": "-C 0.4 -M 1",
    "no_raising": "-S",
    "reduced": "-R",
    "binary": "-B",
    "binary_unpruned": "-U -B",
    "c10_m5": "-C 0.1 -M 5",
    "reduced_binary": "-R -B",
}
PROBABILITIES = {
    "shares": "-U",
    "laplace": "-A",
    "laplace_unpruned": "-U -A",
    "laplace_reduced": "-R -A",
}
"""Options under which J48 was asked for the probabilities of some rows, not for its tree."""


OTHERS = {"stump": "weka.classifiers.trees.DecisionStump", "id3": "weka.classifiers.trees.Id3"}
"""Programs that were asked without options; Id3 only where it can: nominal columns, no missing cells."""


def checksum(arff: str) -> str:
    return f"{zlib.crc32(arff.encode()):08x}"


@cache
def sections(option: str) -> dict[str, tuple[str, str]]:
    """Of each table: the checksum of its ARFF, and the tree as text."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        text = archive.read(f"{option}.txt").decode("utf-8")
    found = re.findall(r"^=== (\S+) (\w+)\n(.*?)(?=^=== |\Z)", text, re.M | re.S)
    return {name: (crc, tree) for name, crc, tree in found}


def printed(name: str, option: str) -> Printed:
    return parse_tree(sections(option)[name][1])


def probabilities(name: str, option: str) -> list[list[float]]:
    """Of every row that was asked for: one number a declared class, to three decimals."""
    lines = sections(option)[name][1].split()
    return [[float(number) for number in line.split(",")] for line in lines]


LEAF = re.compile(r"(?P<test>.*): (?P<label>.+?) \((?P<weight>[\d.E-]+)(?:/(?P<errors>[\d.E-]+))?\)")
TEST = re.compile(r"(?P<feature>.+?) (?P<sign><=|>|!=|=) (?P<value>.+)")


def parse_tree(text: str) -> Printed:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and lines[0].startswith(":"):
        return leaf_of(lines[0])
    return read_test(lines, 0)


def leaf_of(line: str) -> Printed:
    found = LEAF.fullmatch(line)
    assert found is not None, line
    return Printed(label=found["label"], weight=float(found["weight"]), errors=float(found["errors"] or 0))


def read_test(lines: list[str], depth: int) -> Printed:
    """Read the branches of one test: the lines at this depth, each with the deeper lines that follow it."""
    node = Printed()
    starts = [i for i, line in enumerate(lines) if not line.startswith(INDENT * (depth + 1))]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        line = lines[start].removeprefix(INDENT * depth)
        leaf = LEAF.fullmatch(line)
        found = TEST.fullmatch(leaf["test"] if leaf else line)
        assert found is not None and bool(leaf) == (end == start + 1), line
        node.feature = found["feature"]
        node.kind = "value" if "=" in found["sign"][-1] and found["sign"] != "<=" else "cut"
        if node.kind == "cut":
            node.cut = float(found["value"])
        key = found["value"] if found["sign"] == "=" else found["sign"]
        node.children[key] = leaf_of(line) if leaf else read_test(lines[start + 1 : end], depth + 1)
    return node
