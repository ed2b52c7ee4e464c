"""Weka's DecisionStump and Id3: ours beside what they printed, table by table."""

from __future__ import annotations

import re
from typing import Any

import pytest

import branchwork as bw
from agree.j48 import outputs, tables
from agree.j48.coded import coded
from together import together

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")

BRANCH = re.compile(r"(?P<feature>.+?) (?P<sign><=|>|!=|=|is missing)(?: (?P<value>.+?))? : (?P<label>.+)")


def fitted(estimator: Any, name: str) -> Any:
    return estimator.fit(*coded(name))


def shares(node: dict[str, Any]) -> list[float]:
    return [n / node["weight"] for n in node["distribution"].values()]


def printed_stump(name: str) -> tuple[re.Match[str], list[str], list[list[float]]]:
    """The first branch, the labels of the three, and their distributions."""
    text = outputs.sections("stump")[name][1]
    head, _, tail = text.partition("Class distributions")
    branches = [found for line in head.splitlines() if (found := BRANCH.fullmatch(line))]
    numbers = [line for line in tail.splitlines() if line.strip()][2::3]  # branch, classes, numbers
    return branches[0], [b["label"] for b in branches], [[float(x) for x in n.split()] for n in numbers]


EQUAL = "two splits are equally good; sums in another order decide which is the better by the last bit"
NOTHING = "no split gains anything; Weka takes the first all the same"
STUMPS_THAT_DIFFER = dict.fromkeys(("random007", "random077", "random127", "mixed033"), NOTHING)
STUMPS_THAT_DIFFER |= {"random135": EQUAL, "mixed027": EQUAL}
ID3_THAT_DIFFER = {"c45_monks1": EQUAL, "random115": EQUAL}


@together("name", tables.names())
def test_a_stump_is_weka_s(name):
    first, labels, distributions = printed_stump(name)
    stump = fitted(bw.StumpClassifier(criterion="entropy", nominal="one_vs_rest"), name)
    node = stump.to_dict()
    same = node.get("feature") == first["feature"]
    if same:
        if first["sign"] == "=":
            same = node["values"][0] == [first["value"]]
        else:
            same = node["cut"] == pytest.approx(float(first["value"]), rel=1e-12)
    assert same == (name not in STUMPS_THAT_DIFFER), (node.get("feature"), node.get("cut"), first.group())
    if not same:
        return
    for child, label, distribution in zip(node["children"], labels, distributions, strict=False):
        assert child["prediction"] == label
        if child["weight"] > 0:
            assert shares(child) == pytest.approx(distribution)


def read_id3(lines: list[str], depth: int) -> dict[str, Any] | str:
    """A printed tree as {feature: {value: subtree or label}}."""
    if len(lines) == 1 and ":" in lines[0] and "=" not in lines[0]:
        return lines[0].split(": ")[1]
    branches: dict[str, Any] = {}
    indent = "|  " * depth
    starts = [i for i, line in enumerate(lines) if not line.startswith(indent + "|")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        test, leaf, label = lines[start].removeprefix(indent).partition(": ")
        feature, value = test.split(" = ")
        branches[value] = label if leaf else read_id3(lines[start + 1 : end], depth + 1)
    return {"feature": feature, "branches": branches}


def same_id3(node: dict[str, Any], printed: dict[str, Any] | str) -> bool:
    if isinstance(printed, str):
        answers = node["weight"] == 0 if printed == "null" else node["prediction"] == printed
        return "feature" not in node and answers
    if node.get("feature") != printed["feature"]:
        return False
    pairs = zip(node["children"], node["values"], strict=True)
    return all(same_id3(child, printed["branches"][group[0]]) for child, group in pairs)


@together("name", outputs.sections("id3"))
def test_id3_is_weka_s_but_for_empty_branches(name):
    lines = [line for line in outputs.sections("id3")[name][1].splitlines()[1:] if line.strip()]
    tree = fitted(bw.ID3Classifier(zero_gain=False), name)
    assert same_id3(tree.to_dict(), read_id3(lines, 0)) == (name not in ID3_THAT_DIFFER)
