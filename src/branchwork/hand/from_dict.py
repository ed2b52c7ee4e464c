"""Read nested dictionaries into nodes. Every error names the path to the place: `else.then.cut`."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from branchwork.errors import ParameterError, shown
from branchwork.hand.nodes import Answer, Node, Question
from branchwork.table.schema import Column, Schema, category_key, no_such_column

KEYS = frozenset({"feature", "cut", "values", "then", "else", "missing"})


class _Waiting(NamedTuple):
    """A part that is yet to be read: where it is, and whose child it is."""

    spec: Any
    place: str
    parent: int


def nodes_from_dict(spec: Any, schema: Schema) -> list[Node]:
    """Read a nested dictionary.

    A question is {"feature": name, "cut": number, "then": …, "else": …}: a number up to the cut takes "then". For
    categories it is {"feature": name, "values": [some of them], "then": …, "else": …}, or one branch per category:
    {"feature": name, "values": {category: …, category: …}, "else": …}. "missing" is "then", "else", or a branch of
    its own; missing cells otherwise take "else", or the last branch. Anything else is an answer: a label, or a number.
    """
    nodes: list[Node] = []
    waiting = [_Waiting(spec, "the root", -1)]
    while waiting:
        now = waiting.pop()
        if now.parent >= 0:
            parent = nodes[now.parent]
            assert isinstance(parent, Question)
            parent.children.append(len(nodes))
        if not isinstance(now.spec, Mapping):
            nodes.append(Answer(_plain(now.spec, now.place)))
            continue
        question, branches = _question(now.spec, now.place, schema)
        waiting += [_Waiting(branch, place, len(nodes)) for branch, place in reversed(branches)]
        nodes.append(question)
    return nodes


def _plain(said: Any, place: str) -> Hashable:
    said = said.item() if hasattr(said, "item") and getattr(said, "ndim", None) == 0 else said
    if said is None or said != said or isinstance(said, list | set | dict):
        raise ParameterError(
            f"{place}: {shown(said)} is no answer; expected a label, a number, or a dictionary."
        )
    return said  # type: ignore[no-any-return]


def _question(spec: Mapping[str, Any], place: str, schema: Schema) -> tuple[Question, list[tuple[Any, str]]]:
    """Return a question without its children, and the branches with their places."""
    for key in spec:
        if key not in KEYS:
            raise ParameterError(
                f"{place} has {shown(key)}; expected some of {', '.join(map(repr, sorted(KEYS)))}."
            )
    name = spec.get("feature")
    if name not in schema.names:
        raise ParameterError(f"{_at(place, 'feature')}: {no_such_column(str(name), schema.names)}")
    feature = schema.index(name)
    if ("cut" in spec) == ("values" in spec):
        raise ParameterError(f'{place} needs "cut" for numbers or "values" for categories, and not both.')
    if "cut" in spec:
        return _number(spec, place, schema, feature)
    values, column = spec["values"], schema[feature]
    if not column.is_nominal:
        raise ParameterError(f'{_at(place, "values")}: column {name!r} has numbers; expected "cut".')
    if isinstance(values, Mapping):
        return _branches(spec, place, column, feature)
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise ParameterError(f"{_at(place, 'values')} is {shown(values)}; expected a list of categories.")
    _need(spec, place, ("then", "else"))
    codes = {_code(value, column, _at(place, "values")) for value in values}
    child_of = tuple(int(code not in codes) for code in range(len(column.categories)))
    return _with_missing(Question(feature, child_of=child_of), spec, place, ["then", "else"])


def _number(
    spec: Mapping[str, Any], place: str, schema: Schema, feature: int
) -> tuple[Question, list[tuple[Any, str]]]:
    cut, column = spec["cut"], schema[feature]
    if column.is_nominal:
        raise ParameterError(
            f'{_at(place, "cut")}: column {column.name!r} has categories; expected "values".'
        )
    if isinstance(cut, bool) or not isinstance(cut, numbers.Real) or not math.isfinite(cut):
        raise ParameterError(f"{_at(place, 'cut')} is {shown(cut)}; expected a finite number.")
    _need(spec, place, ("then", "else"))
    return _with_missing(Question(feature, bounds=(float(cut),)), spec, place, ["then", "else"])


def _branches(
    spec: Mapping[str, Any], place: str, column: Column, feature: int
) -> tuple[Question, list[tuple[Any, str]]]:
    """Read a branch for each category, and one for all others."""
    given: Mapping[Any, Any] = spec["values"]
    if "then" in spec:
        raise ParameterError(
            f'{place}: "values" has the branches already; "then" is for a list of categories.'
        )
    child_of = [-1] * len(column.categories)
    for child, value in enumerate(given):
        child_of[_code(value, column, _at(place, "values"))] = child
    left_out = [column.categories[code] for code, child in enumerate(child_of) if child < 0]
    if left_out and "else" not in spec:
        raise ParameterError(
            f"{_at(place, 'values')} has no branch for {shown(left_out[0])}; expected one for each category of "
            f'{column.name!r}, or "else".'
        )
    branches = [(branch, _at(place, f"values[{value!r}]")) for value, branch in given.items()]
    otherwise = len(branches)
    question = Question(feature, child_of=tuple(otherwise if child < 0 else child for child in child_of))
    if "else" in spec:
        branches.append((spec["else"], _at(place, "else")))
    missing = spec.get("missing", "else")
    if isinstance(missing, str) and missing in ("then", "else"):
        if "missing" in spec and missing not in spec:
            raise ParameterError(f'{_at(place, "missing")} is "{missing}", which {place} does not have.')
        question.missing = len(branches) - 1
    else:
        question.missing = len(branches)
        branches.append((missing, _at(place, "missing")))
    if len(branches) < 2:
        raise ParameterError(f"{place} has one branch; expected at least two.")
    return question, branches


def _with_missing(
    question: Question, spec: Mapping[str, Any], place: str, names: list[str]
) -> tuple[Question, list[tuple[Any, str]]]:
    branches = [(spec[name], _at(place, name)) for name in names]
    missing = spec.get("missing", "else")
    if isinstance(missing, str) and missing in names:
        question.missing = names.index(missing)
    else:
        question.missing = len(branches)
        branches.append((missing, _at(place, "missing")))
    return question, branches


def _need(spec: Mapping[str, Any], place: str, names: tuple[str, ...]) -> None:
    for name in names:
        if name not in spec:
            raise ParameterError(f'{place} has no "{name}"; expected "then" and "else".')


def _code(value: Any, column: Column, place: str) -> int:
    value = value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value
    code = column.code_of.get(category_key(value)) if isinstance(value, Hashable) else None
    if code is None:
        known = ", ".join(map(repr, column.categories[:10])) + ", …" * (len(column.categories) > 10)
        raise ParameterError(f"{place}: {column.name!r} has no category {shown(value)}; it has {known}.")
    return code


def _at(place: str, name: str) -> str:
    return name if place == "the root" else f"{place}.{name}"
