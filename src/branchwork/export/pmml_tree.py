"""One tree as a TreeModel: nested nodes, written in a loop, each with its predicate and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from branchwork.export.pmml_predicates import TRUE, Predicate, number_text, predicates_of
from branchwork.export.program import SHARED, Ask, Leaf, Program
from branchwork.export.xml_text import element, indented, opening
from branchwork.tree.outputs import likeliest
from branchwork.tree.tree import Tree


@dataclass(frozen=True)
class Answers:
    """What leaves answer: one of the labels, with the probabilities of all; or, without labels, one output."""

    labels: tuple[str, ...] | None
    output: int = 0


def tree_lines(
    tree: Tree, written: Program, k: int, names: tuple[str, ...], answers: Answers, inside: list[str]
) -> list[str]:
    """Return tree k of a program; `inside` are the lines before its nodes."""
    steps = written.trees[k]
    shares = any(isinstance(step, Ask) and step.missing == SHARED for step in steps)
    strategy = "weightedConfidence" if shares else "defaultChild"
    attributes = {
        "functionName": "regression" if answers.labels is None else "classification",
        "missingValueStrategy": strategy,
        "splitCharacteristic": "multiSplit",
    }
    lines = [opening("TreeModel", attributes), *indented(inside)]
    waiting: list[tuple[int, int, Predicate]] = [(0, 1, TRUE)]
    while waiting:
        at, depth, predicate = waiting.pop()
        if at < 0:
            lines += indented(["</Node>"], depth)
            continue
        step = steps[at]
        node = {"id": str(at), "recordCount": number_text(tree.weight[at])}
        if isinstance(step, Leaf):
            lines += indented(_leaf(tree, at, step, node, predicate, answers, shares), depth)
            continue
        if step.missing != SHARED:
            node["defaultChild"] = str(step.children[step.missing])
        lines += indented([opening("Node", node), *indented(predicate)], depth)
        waiting.append((-1, depth, []))
        predicates = predicates_of(step, written, names, tree_shares=shares)
        children = [(child, depth + 1, own) for child, own in zip(step.children, predicates, strict=True)]
        waiting.extend(reversed(children))
    return [*lines, "</TreeModel>"]


def _leaf(
    tree: Tree,
    at: int,
    leaf: Leaf,
    node: dict[str, str],
    predicate: Predicate,
    answers: Answers,
    shares: bool,
) -> list[str]:
    if answers.labels is None:
        node["score"] = number_text(leaf.outputs[answers.output])
        return element("Node", node, predicate)
    decision = int(likeliest(np.array([leaf.outputs]))[0]) if shares else leaf.decision
    node["score"] = answers.labels[decision]
    inner = list(predicate)
    for position, (label, share) in enumerate(zip(answers.labels, leaf.outputs, strict=True)):
        count = share * tree.weight[at] if tree.distribution is None else tree.distribution[at, position]
        found = {"value": label, "recordCount": number_text(count)}
        if shares:
            found["confidence"] = _decimal(share)
        inner += element("ScoreDistribution", found | {"probability": _decimal(share)})
    return element("Node", node, inner)


def _decimal(share: float) -> str:
    """Write a share without an exponent, which PMML does not allow there; it is read back unchanged.

    >>> _decimal(1e-05), _decimal(0.1)
    ('0.00001', '0.1')
    """
    return format(Decimal(repr(float(share))), "f")
