"""PMML 4.4: a tree as a TreeModel; several as a MiningModel of TreeModels.

    single          TreeModel
    mean            MiningModel: average of TreeModels
    sum             MiningModel: sum of TreeModels, rescaled by the base
    sum, linked     MiningModel: chain of such sums, one per output, and a RegressionModel with the link

Missing values become `defaultChild`, or `weightedConfidence` if rows are shared among branches by weight. Unseen
categories are missing (`asMissing`), go with the majority (`asIs`, and a predicate that excludes all others), or stop
the reader (`returnInvalid`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from branchwork.errors import ParameterError
from branchwork.export.constants import exact_double
from branchwork.export.names import free_name, never_empty
from branchwork.export.pmml_predicates import category_text, number_text
from branchwork.export.pmml_tree import Answers, tree_lines
from branchwork.export.program import Field, Program, asked_in, program
from branchwork.export.xml_text import element, elements, indented
from branchwork.model.model import Model

_LABEL_TYPES: dict[type, str] = {str: "string", int: "integer", bool: "boolean", float: "double"}
_LINKS = {"exp": "exp", "logistic": "logit", "softmax": "softmax"}

Lines = list[str]


def write(model: Model, *, target: str = "prediction") -> str:
    """Write a model as PMML 4.4.

    Parameters
    ----------
    target : the name of the field that is predicted.
    """
    document = _Document(model, target)
    body = [
        *element("Header", {}, element("Application", {"name": "branchwork"})),
        *document.dictionary(),
        *document.model_lines(),
    ]
    head = '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *indented(body), "</PMML>", ""])


class _Document:
    """What all parts of the document need to know."""

    def __init__(self, model: Model, target: str) -> None:
        self.model, self.written = model, program(model)
        self.names = never_empty(field.name for field in self.written.fields)
        self.target = free_name(target or "prediction", self.names)
        self.labels = None if self.written.labels is None else _label_texts(self.written.labels)
        self.function = "regression" if self.labels is None else "classification"
        _refuse(self.written)

    # ---- fields

    def dictionary(self) -> Lines:
        """Return every column, and the target."""
        fields = [
            line
            for field, name in zip(self.written.fields, self.names, strict=True)
            for line in _data_field(field, name)
        ]
        return element(
            "DataDictionary", {"numberOfFields": str(len(self.names) + 1)}, [*fields, *self._target_field()]
        )

    def _target_field(self) -> Lines:
        if self.written.labels is None:
            return element("DataField", {"name": self.target, "optype": "continuous", "dataType": "double"})
        found = {type(label) for label in self.written.labels}
        kind = _LABEL_TYPES.get(next(iter(found)), "string") if len(found) == 1 else "string"
        attributes = {"name": self.target, "optype": "categorical", "dataType": kind}
        return element(
            "DataField", attributes, elements("Value", [{"value": text} for text in self.labels or ()])
        )

    def schema(self, positions: Iterable[int], *, target: bool) -> Lines:
        """Return the inputs of a model, and what it predicts."""
        fields = []
        for position in positions:
            nominal = self.written.fields[position].is_nominal
            unseen = {"invalidValueTreatment": self._unseen(position)} if nominal else {}
            fields.append({"name": self.names[position]} | unseen)
        if target:
            fields.append({"name": self.target, "usageType": "target"})
        return element("MiningSchema", {}, elements("MiningField", fields))

    def _unseen(self, position: int) -> str:
        """Return what happens to an unseen category."""
        if self.written.handle_unknown == "error":
            return "returnInvalid"
        return "asIs" if position in self.written.tells_unseen else "asMissing"

    def output(self) -> Lines:
        """Return the probability of every class that occurs, beside the prediction itself."""
        taken = {*self.names, self.target}
        fields: list[dict[str, str]] = []
        for position in self.written.class_order:
            assert self.labels is not None
            label = self.labels[position]
            name = free_name(f"probability({label})", taken)
            taken.add(name)
            fields.append({"name": name, "optype": "continuous", "dataType": "double"})
            fields[-1] |= {"feature": "probability", "value": label}
        return element("Output", {}, elements("OutputField", fields)) if fields else []

    # ---- models

    def model_lines(self) -> Lines:
        """Return the model of the document."""
        combine = self.written.combine
        every = range(len(self.names))
        inside = [*self.schema(every, target=True), *self.output()]
        if combine.kind == "single":
            return self.tree(0, Answers(self.labels), inside)
        if combine.kind == "mean":
            answers = Answers(self.labels)
            trees = [
                self.tree(k, answers, self.schema(self._asked(k), target=True))
                for k in range(len(self.model.trees))
            ]
            return _mining_model(self.function, inside, "average", trees)
        if combine.link == "identity":
            return self.sum_of(0, [*inside, *self._base_as_target()])
        sums = [
            self.sum_of(k, [*self.schema(every, target=False), *_sum_output(self._sum_name(k))])
            for k in range(len(combine.base))
            if self._trees_of(k)
        ]
        return _mining_model(self.function, inside, "modelChain", [*sums, self.link()])

    def tree(self, k: int, answers: Answers, inside: Lines) -> Lines:
        """Return one tree."""
        return tree_lines(self.model.trees[k], self.written, k, self.names, answers, inside)

    def _asked(self, k: int) -> tuple[int, ...]:
        """Return the fields that a tree tests, or the first field if it tests none: a schema must not be empty."""
        return asked_in(self.written.trees[k]) or (0,)

    def _trees_of(self, output: int) -> list[tuple[int, int]]:
        """Return the trees that contribute to an output, and the position of what they contribute."""
        given, every = self.written.combine.output, range(len(self.model.trees))
        if given is None:
            return [(k, output) for k in every]
        return [(k, 0) for k in every if given[k] == output]

    def sum_of(self, output: int, inside: Lines) -> Lines:
        """Return the sum of the trees that contribute to an output."""
        trees = [
            self.tree(k, Answers(None, place), self.schema(self._asked(k), target=False))
            for k, place in self._trees_of(output)
        ]
        return _mining_model("regression", inside, "sum", trees)

    def _base_as_target(self) -> Lines:
        attributes = {"field": self.target, "rescaleConstant": number_text(self.written.combine.base[0])}
        return element("Targets", {}, element("Target", attributes))

    def _sum_name(self, k: int) -> str:
        return free_name(f"sum {k}", {*self.names, self.target})

    def link(self) -> Lines:
        """Return the sums after the link."""
        combine = self.written.combine
        places = [k for k in range(len(combine.base)) if self._trees_of(k)]
        fields = [{"name": self._sum_name(k)} for k in places]
        fields.append({"name": self.target, "usageType": "target"})
        inside = element("MiningSchema", {}, elements("MiningField", fields))
        for k, base in enumerate(combine.base):
            inside += self._table(k, base, has_trees=k in places)
        if combine.link == "logistic":
            assert self.labels is not None
            inside += element("RegressionTable", {"intercept": "0.0", "targetCategory": self.labels[0]})
        attributes = {"functionName": self.function, "normalizationMethod": _LINKS[combine.link]}
        return element("RegressionModel", attributes, inside)

    def _table(self, k: int, base: float, *, has_trees: bool) -> Lines:
        attributes = {"intercept": number_text(base)}
        if self.labels is not None:
            attributes["targetCategory"] = self.labels[1 if self.written.combine.link == "logistic" else k]
        predictor = element("NumericPredictor", {"name": self._sum_name(k), "coefficient": "1.0"})
        return element("RegressionTable", attributes, predictor if has_trees else ())


def _refuse(written: Program) -> None:
    numbers = written.labels is None or written.combine.kind == "sum"
    if written.shares_rows and numbers:
        raise ParameterError(
            "This model shares rows with missing values among branches and predicts numbers; PMML can share rows "
            "only for classes. Fit with another setting of missing=, or export to another language."
        )
    no_classes = written.labels is None or written.combine.link == "identity"
    if len(written.combine.base) > 1 and no_classes:
        raise ParameterError(
            "PMML cannot express a sum with several outputs that are not class probabilities."
        )
    mixed = next((field for field in written.fields if field.type == "mixed"), None)
    if mixed is not None:
        raise ParameterError(
            f"Column {mixed.name!r} has categories of several types; a field of PMML has one. Make them all text."
        )
    for field in written.fields:
        for category in field.categories if field.type == "number" else ():
            exact_double(category, f"A category of column {field.name!r}")


def _label_texts(labels: tuple[Hashable, ...]) -> tuple[str, ...]:
    if {type(label) for label in labels} == {float}:
        return tuple(map(category_text, labels))
    texts = tuple(str(label).lower() if isinstance(label, bool) else str(label) for label in labels)
    if len(set(texts)) < len(texts):
        raise ParameterError(f"Labels become text in PMML, and two of {labels!r} would be the same text.")
    return texts


def _data_field(field: Field, name: str) -> Lines:
    attributes = {"name": name} | ({"displayName": field.name} if name != field.name else {})
    if not field.is_nominal:
        return element("DataField", attributes | {"optype": "continuous", "dataType": "double"})
    kind = {"text": "string", "truth": "boolean", "number": "double"}[field.type]
    values = elements("Value", [{"value": category_text(category)} for category in field.categories])
    return element("DataField", attributes | {"optype": "categorical", "dataType": kind}, values)


def _mining_model(function: str, inside: Lines, method: str, models: list[Lines]) -> Lines:
    segments: Lines = []
    for k, lines in enumerate(models, 1):
        segments += element("Segment", {"id": str(k)}, ["<True/>", *lines])
    segmentation = element("Segmentation", {"multipleModelMethod": method}, segments)
    return element("MiningModel", {"functionName": function}, [*inside, *segmentation])


def _sum_output(name: str) -> Lines:
    attributes = {
        "name": name,
        "optype": "continuous",
        "dataType": "double",
        "isFinalResult": "false",
    }
    return element("Output", {}, element("OutputField", attributes))
