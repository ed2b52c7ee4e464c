"""A plain reader of PMML 4.4, written from the specification: TreeModel, MiningModel and RegressionModel.

It reads all rows at once. A set of rows arrives at a node; each predicate is asked of whole columns, and says FALSE,
UNKNOWN or TRUE for each of the rows. It shares no code with the library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import numpy as np

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"

FALSE, UNKNOWN, TRUE = 0, 1, 2
"""In this order `and` is the smallest of its parts, and `or` the largest."""

Columns = dict[str, np.ndarray]
"""Numbers are doubles, NaN where missing; all else is objects, None where missing."""


class InvalidValueError(Exception):
    """A value that the document does not take."""


@dataclass
class Answer:
    """Arrays with one entry a row."""

    value: np.ndarray
    shares: dict[str, np.ndarray] = field(default_factory=dict)
    outputs: dict[str, np.ndarray] = field(default_factory=dict)


class Document:
    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text)
        assert self.root.tag == f"{NAMESPACE}PMML" and self.root.get("version") == "4.4"
        self.fields = {field.get("name"): field for field in self.root.find(f"{NAMESPACE}DataDictionary")}
        self.model = next(child for child in self.root if tag(child).endswith("Model"))

    @property
    def target(self) -> str:
        schema = self.model.find(f"{NAMESPACE}MiningSchema")
        return next(field.get("name") for field in schema if field.get("usageType") == "target")

    def evaluate(self, rows: list[dict[str, Any]]) -> Answer:
        """What the document says about rows, each a mapping of name to cell."""
        columns = {
            name: column_of(declared, [row[name] for row in rows])
            for name, declared in self.fields.items()
            if name != self.target
        }
        return self._model(self.model, columns)

    def labels(self, answer: Answer) -> list[Any]:
        """The labels in their type."""
        kind = self.fields[self.target].get("dataType")
        return [parsed(kind, text) for text in answer.value]

    # ---- models

    def _model(self, model, columns: Columns) -> Answer:
        columns = self._prepared(model, columns)
        method = {"TreeModel": self._tree, "MiningModel": self._mining, "RegressionModel": self._regression}
        answer = method[tag(model)](model, columns)
        targets = model.find(f"{NAMESPACE}Targets")
        if targets is not None:
            answer.value = answer.value + float(targets[0].get("rescaleConstant"))
        for output in model.findall(f"{NAMESPACE}Output/{NAMESPACE}OutputField"):
            probability = output.get("feature") == "probability"
            answer.outputs[output.get("name")] = (
                answer.shares[output.get("value")] if probability else answer.value
            )
        return answer

    def _prepared(self, model, columns: Columns) -> Columns:
        """The columns as the model's own schema takes them: what becomes of categories that are not declared."""
        found = dict(columns)
        for used in model.find(f"{NAMESPACE}MiningSchema"):
            name = used.get("name")
            declared = self.fields.get(name)
            if name == self.target or declared is None or declared.get("optype") != "categorical":
                continue
            kind = declared.get("dataType")
            valid = [parsed(kind, one.get("value")) for one in declared.findall(f"{NAMESPACE}Value")]
            strange = ~(is_missing(columns[name]) | is_one_of(columns[name], valid))
            treatment = used.get("invalidValueTreatment", "returnInvalid")
            if treatment == "returnInvalid" and strange.any():
                raise InvalidValueError(name)
            if treatment == "asMissing":
                found[name] = np.where(strange, np.nan if kind == "double" else None, columns[name])
        return found

    def _mining(self, model, columns: Columns) -> Answer:
        segmentation = model.find(f"{NAMESPACE}Segmentation")
        method = segmentation.get("multipleModelMethod")
        answers = []
        for segment in segmentation.findall(f"{NAMESPACE}Segment"):
            assert tag(segment[0]) == "True"
            answers.append(self._model(segment[1], columns))
            if method == "modelChain":
                columns = columns | answers[-1].outputs
        if method == "modelChain":
            return Answer(answers[-1].value, answers[-1].shares)
        if method == "sum":
            return Answer(sum(answer.value for answer in answers))
        assert method == "average"
        if model.get("functionName") == "regression":
            return Answer(sum(answer.value for answer in answers) / len(answers))
        labels = answers[0].shares
        shares = {label: sum(one.shares[label] for one in answers) / len(answers) for label in labels}
        return Answer(largest(shares), shares)

    def _regression(self, model, columns: Columns) -> Answer:
        tables = model.findall(f"{NAMESPACE}RegressionTable")
        n_rows = size(columns)
        sums = [
            np.full(n_rows, float(table.get("intercept")))
            + sum(float(term.get("coefficient")) * columns[term.get("name")] for term in table)
            for table in tables
        ]
        method = model.get("normalizationMethod")
        if model.get("functionName") == "regression":
            return Answer({"none": lambda x: x, "exp": np.exp}[method](sums[0]))
        if method == "softmax":
            parts = [np.exp(x - np.maximum.reduce(sums)) for x in sums]
            shares = [part / sum(parts) for part in parts]
        else:
            assert method == "logit" and len(sums) == 2
            first = 1 / (1 + np.exp(-sums[0]))
            shares = [first, 1 - first]
        named = {table.get("targetCategory"): share for table, share in zip(tables, shares, strict=True)}
        return Answer(largest(named), named)

    # ---- trees

    def _tree(self, model, columns: Columns) -> Answer:
        root = model.find(f"{NAMESPACE}Node")
        n_rows = size(columns)
        assert tag(root[0]) == "True"
        leaves = []  # with the rows that come there, and what part of each
        waiting = [(root, np.arange(n_rows), np.ones(n_rows))]
        while waiting:
            node, rows, parts = waiting.pop()
            children = node.findall(f"{NAMESPACE}Node")
            if not children:
                leaves.append((node, rows, parts))
                continue
            holds = np.array([self._holds(child[0], columns, rows) for child in children])
            shares = shares_of(node, children, holds, model.get("missingValueStrategy"))
            for child, share in zip(children, shares, strict=True):
                goes = ~np.isnan(share)
                if goes.any():
                    waiting.append((child, rows[goes], parts[goes] * share[goes]))
        classes = model.get("functionName") == "classification"
        return of_classes(leaves, n_rows) if classes else of_numbers(leaves, n_rows)

    # ---- predicates

    def _holds(self, predicate, columns: Columns, rows: np.ndarray) -> np.ndarray:
        """FALSE, UNKNOWN or TRUE for each of the rows."""
        kind = tag(predicate)
        if kind in ("True", "False"):
            return np.full(len(rows), TRUE if kind == "True" else FALSE)
        if kind == "CompoundPredicate":
            parts = [self._holds(part, columns, rows) for part in predicate]
            return compound(predicate.get("booleanOperator"), parts)
        name, operator = predicate.get("field"), predicate.get("operator")
        cells = columns[name][rows]
        missing = is_missing(cells)
        if operator in ("isMissing", "isNotMissing"):
            return np.where(missing == (operator == "isMissing"), TRUE, FALSE)
        data_type = self.fields[name].get("dataType")
        if kind == "SimpleSetPredicate":
            inside = is_one_of(cells, [parsed(data_type, word) for word in words(predicate[0])])
            holds = inside == (predicate.get("booleanOperator") == "isIn")
        else:
            assert kind == "SimplePredicate"
            holds = compared(operator, cells, parsed(data_type, predicate.get("value")))
        return np.where(missing, UNKNOWN, np.where(holds, TRUE, FALSE))


def shares_of(node, children, holds: np.ndarray, strategy: str) -> np.ndarray:
    """The share of each row that goes to each child; NaN: it does not go there.

    `holds` is what every child says (children × rows). They are asked in order: the first that is true has the row,
    unless one before it is unknown. Then the strategy says who has it.
    """
    each = np.arange(holds.shape[1])
    first = np.argmax(holds != FALSE, axis=0)  # the first child that does not say no
    says = holds[first, each]
    assert (says != FALSE).all(), "no child's predicate is true"
    shares = np.full(holds.shape, np.nan)
    shares[first[says == TRUE], each[says == TRUE]] = 1
    unknown = says == UNKNOWN
    if strategy == "weightedConfidence":
        scored = holds[:, unknown] != FALSE
        counts = scored * np.array([[float(child.get("recordCount"))] for child in children])
        shares[:, unknown] = np.where(scored, counts / counts.sum(axis=0), np.nan)
    elif unknown.any():
        assert strategy == "defaultChild"
        shares[[child.get("id") for child in children].index(node.get("defaultChild")), unknown] = 1
    return shares


def tag(element) -> str:
    return element.tag.removeprefix(NAMESPACE)


# ---- cells


def parsed(kind: str, text: str) -> Any:
    if kind == "boolean":
        return {"true": True, "false": False}[text]
    if kind == "integer":
        return int(text)
    return float(text.replace("INF", "inf")) if kind == "double" else text


def column_of(declared, cells: list[Any]) -> np.ndarray:
    if declared.get("dataType") == "double":
        return np.array([np.nan if cell is None else cell for cell in cells], np.float64)
    found = np.empty(len(cells), object)
    found[:] = cells
    return found


def size(columns: Columns) -> int:
    return len(next(iter(columns.values())))


def is_missing(cells: np.ndarray) -> np.ndarray:
    return np.equal(cells, None) if cells.dtype == object else np.isnan(cells)


def is_one_of(cells: np.ndarray, values: list[Any]) -> np.ndarray:
    found = np.zeros(len(cells), bool)
    for value in values:
        found |= compared("equal", cells, value)
    return found


def compared(operator: str, cells: np.ndarray, value: Any) -> np.ndarray:
    if operator == "equal":
        return np.equal(cells, value).astype(bool)
    if operator == "notEqual":
        return np.not_equal(cells, value).astype(bool)
    return {"lessOrEqual": np.less_equal, "greaterThan": np.greater}[operator](cells, value)


def words(array) -> list[str]:
    """The values of an array: apart by blanks, perhaps in quotes."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', array.text)
    values = [quoted.replace('\\"', '"') or bare for quoted, bare in found]
    assert len(values) == int(array.get("n"))
    return values


def compound(operator: str, parts: list[np.ndarray]) -> np.ndarray:
    """Three-valued logic; `surrogate` takes the first part that is known."""
    if operator == "and":
        return np.minimum.reduce(parts)
    if operator == "or":
        return np.maximum.reduce(parts)
    assert operator == "surrogate"
    found = parts[0]
    for part in parts[1:]:
        found = np.where(found == UNKNOWN, part, found)
    return found


# ---- answers

Leaves = list[tuple[Any, np.ndarray, np.ndarray]]


def of_numbers(leaves: Leaves, n_rows: int) -> Answer:
    value = np.full(n_rows, np.nan)
    for leaf, rows, parts in leaves:
        assert (parts == 1).all(), "numbers are not shared"
        value[rows] = float(leaf.get("score"))
    return Answer(value)


def of_classes(leaves: Leaves, n_rows: int) -> Answer:
    """A leaf's own score and probabilities where it has the row alone; the sums of confidences where it has a part."""
    times = np.bincount(np.concatenate([rows for _, rows, _ in leaves]), minlength=n_rows)
    shares: dict[str, np.ndarray] = {}
    scores = np.empty(n_rows, object)
    for leaf, rows, parts in leaves:
        alone = times[rows] == 1
        scores[rows[alone]] = leaf.get("score")
        for one in leaf.findall(f"{NAMESPACE}ScoreDistribution"):
            total = shares.setdefault(one.get("value"), np.zeros(n_rows))
            total[rows[alone]] = float(one.get("probability"))
            if not alone.all():
                total[rows[~alone]] += parts[~alone] * float(one.get("confidence"))
    return Answer(np.where(times == 1, scores, largest(shares)), shares)


def largest(shares: dict[str, np.ndarray]) -> np.ndarray:
    """The label with most, and the first of several."""
    labels = np.empty(len(shares), object)
    labels[:] = list(shares)
    return labels[np.argmax(np.array(list(shares.values())), axis=0)]
