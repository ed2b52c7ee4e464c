"""A slow and obvious reader of PMML 4.4, written from the specification: TreeModel, MiningModel and RegressionModel.

Predicates are True, False or None (unknown). It shares no code with the library.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"


class InvalidValueError(Exception):
    """A value that the document does not take."""


@dataclass
class Answer:
    value: Any
    shares: dict[str, float]
    outputs: dict[str, float]


class Document:
    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text)
        assert self.root.tag == f"{NAMESPACE}PMML" and self.root.get("version") == "4.4"
        self.fields = {field.get("name"): field for field in self.root.find(f"{NAMESPACE}DataDictionary")}
        self.model = next(child for child in self.root if tag(child).endswith("Model"))
        self.children: dict[Any, list[Any]] = {}

    @property
    def target(self) -> str:
        schema = self.model.find(f"{NAMESPACE}MiningSchema")
        return next(field.get("name") for field in schema if field.get("usageType") == "target")

    def evaluate(self, row: dict[str, Any]) -> Answer:
        return self._model(self.model, row)

    def label(self, text: str) -> Any:
        """A label in its type."""
        return parsed(self.fields[self.target].get("dataType"), text)

    # ---- models

    def _model(self, model, row) -> Answer:
        row = self._prepared(model, row)
        method = {"TreeModel": self._tree, "MiningModel": self._mining, "RegressionModel": self._regression}
        answer = method[tag(model)](model, row)
        targets = model.find(f"{NAMESPACE}Targets")
        if targets is not None:
            answer.value += float(targets[0].get("rescaleConstant"))
        for field in model.findall(f"{NAMESPACE}Output/{NAMESPACE}OutputField"):
            probability = field.get("feature") == "probability"
            answer.outputs[field.get("name")] = (
                answer.shares[field.get("value")] if probability else answer.value
            )
        return answer

    def _prepared(self, model, row) -> dict[str, Any]:
        found = dict(row)
        for field in model.find(f"{NAMESPACE}MiningSchema"):
            name = field.get("name")
            if field.get("usageType") == "target" or name not in self.fields:
                continue
            value = row[name]
            if value is None or (isinstance(value, float) and math.isnan(value)):
                found[name] = None
                continue
            declared = self.fields[name]
            valid = [
                parsed(declared.get("dataType"), one.get("value"))
                for one in declared.findall(f"{NAMESPACE}Value")
            ]
            if declared.get("optype") == "categorical" and value not in valid:
                treatment = field.get("invalidValueTreatment", "returnInvalid")
                if treatment == "returnInvalid":
                    raise InvalidValueError(name)
                found[name] = None if treatment == "asMissing" else value
        return found

    def _mining(self, model, row) -> Answer:
        segmentation = model.find(f"{NAMESPACE}Segmentation")
        method = segmentation.get("multipleModelMethod")
        answers = []
        for segment in segmentation.findall(f"{NAMESPACE}Segment"):
            assert self._holds(segment[0], row) is True
            answers.append(self._model(segment[1], row))
            if method == "modelChain":
                row = row | answers[-1].outputs
        if method == "modelChain":
            return Answer(answers[-1].value, answers[-1].shares, {})
        if method == "sum":
            return Answer(sum(answer.value for answer in answers), {}, {})
        assert method == "average"
        if model.get("functionName") == "regression":
            return Answer(sum(answer.value for answer in answers) / len(answers), {}, {})
        labels = answers[0].shares
        shares = {label: sum(one.shares[label] for one in answers) / len(answers) for label in labels}
        return Answer(max(shares, key=shares.get), shares, {})

    def _regression(self, model, row) -> Answer:
        tables = model.findall(f"{NAMESPACE}RegressionTable")
        sums = [
            float(table.get("intercept"))
            + sum(float(term.get("coefficient")) * row[term.get("name")] for term in table)
            for table in tables
        ]
        method = model.get("normalizationMethod")
        if model.get("functionName") == "regression":
            return Answer({"none": lambda x: x, "exp": math.exp}[method](sums[0]), {}, {})
        if method == "softmax":
            parts = [math.exp(x - max(sums)) for x in sums]
            shares = [part / sum(parts) for part in parts]
        else:
            assert method == "logit" and len(sums) == 2
            first = 1 / (1 + math.exp(-sums[0]))
            shares = [first, 1 - first]
        named = {table.get("targetCategory"): share for table, share in zip(tables, shares, strict=True)}
        return Answer(max(named, key=named.get), named, {})

    # ---- trees

    def _tree(self, model, row) -> Answer:
        strategy = model.get("missingValueStrategy")
        root = model.find(f"{NAMESPACE}Node")
        assert self._holds(root[0], row) is True
        leaves = []  # with their part of the row
        waiting = [(root, 1.0)]
        while waiting:
            node, part = waiting.pop()
            children = self._children(node)
            if not children:
                leaves.append((node, part))
                continue
            waiting.extend(
                (child, part * share) for child, share in self._next(node, children, row, strategy)
            )
        if len(leaves) == 1:
            leaf = leaves[0][0]
            shares = {one.get("value"): float(one.get("probability")) for one in distribution(leaf)}
            score = leaf.get("score")
            return Answer(score if shares else float(score), shares, {})
        confidences: dict[str, float] = {}
        for leaf, part in leaves:
            for one in distribution(leaf):
                before = confidences.get(one.get("value"), 0.0)
                confidences[one.get("value")] = before + part * float(one.get("confidence"))
        return Answer(max(confidences, key=confidences.get), confidences, {})

    def _children(self, node) -> list[Any]:
        if node not in self.children:
            self.children[node] = node.findall(f"{NAMESPACE}Node")
        return self.children[node]

    def _next(self, node, children, row, strategy):
        for child in children:
            holds = self._holds(child[0], row)
            if holds is True:
                return [(child, 1.0)]
            if holds is None and strategy == "defaultChild":
                return [(child, 1.0) for child in children if child.get("id") == node.get("defaultChild")]
            if holds is None:
                assert strategy == "weightedConfidence"
                scored = [child for child in children if self._holds(child[0], row) is not False]
                total = sum(float(child.get("recordCount")) for child in scored)
                return [(child, float(child.get("recordCount")) / total) for child in scored]
        raise AssertionError("no child's predicate is true")

    # ---- predicates

    def _holds(self, predicate, row) -> bool | None:
        kind = tag(predicate)
        if kind in ("True", "False"):
            return kind == "True"
        if kind == "CompoundPredicate":
            return compound(predicate.get("booleanOperator"), [self._holds(part, row) for part in predicate])
        value, operator = row[predicate.get("field")], predicate.get("operator")
        if operator in ("isMissing", "isNotMissing"):
            return (value is None) == (operator == "isMissing")
        if value is None:
            return None
        kind = self.fields[predicate.get("field")].get("dataType")
        if tag(predicate) == "SimpleSetPredicate":
            inside = value in [parsed(kind, word) for word in words(predicate[0])]
            return inside == (predicate.get("booleanOperator") == "isIn")
        other = parsed(kind, predicate.get("value"))
        return {
            "equal": lambda: value == other,
            "notEqual": lambda: value != other,
            "lessOrEqual": lambda: value <= other,
            "greaterThan": lambda: value > other,
        }[operator]()


def tag(element) -> str:
    return element.tag.removeprefix(NAMESPACE)


def distribution(node):
    return node.findall(f"{NAMESPACE}ScoreDistribution")


def parsed(kind: str, text: str) -> Any:
    if kind == "boolean":
        return {"true": True, "false": False}[text]
    if kind == "integer":
        return int(text)
    return float(text.replace("INF", "inf")) if kind == "double" else text


def words(array) -> list[str]:
    """The values of an array: apart by blanks, perhaps in quotes."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', array.text)
    values = [quoted.replace('\\"', '"') or bare for quoted, bare in found]
    assert len(values) == int(array.get("n"))
    return values


def compound(operator: str, parts: list[bool | None]) -> bool | None:
    """Three-valued logic; `surrogate` takes the first part that is known."""
    if operator == "surrogate":
        return next((part for part in parts if part is not None), None)
    if operator == "and":
        return False if False in parts else None if None in parts else True
    if operator == "or":
        return True if True in parts else None if None in parts else False
    raise AssertionError(operator)
