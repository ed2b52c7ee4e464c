"""Write and read the columns, labels and settings of a model file. Its arrays are in arrays.py."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from typing import Any, get_args

from branchwork.errors import BranchworkError
from branchwork.model.combine import Combine, Kind, Link
from branchwork.model.ensemble import Ensemble
from branchwork.model.model import Model
from branchwork.store.ensemble import ensemble_as_json, ensemble_from
from branchwork.store.proof import proof_as_json, proof_from
from branchwork.store.recipe import recipe_as_json, recipe_from
from branchwork.store.seal import BLANK
from branchwork.store.strict import (
    a_flag,
    a_list,
    a_number,
    a_text,
    a_whole,
    an_object,
    number_as_json,
    one_of,
    refuse,
)
from branchwork.store.values import as_json, from_json
from branchwork.table.conform import HandleUnknown
from branchwork.table.schema import Column, Schema, category_key
from branchwork.table.schema import Kind as ColumnKind
from branchwork.tree.proof import Proof

FORMAT = 1
"""The format of the files written here. It becomes 2 with a change that older readers would misread."""
NAME = "branchwork model"
WORDS = ("columns", "named", "labels", "occurring", "handle_unknown", "spread", "combine", "recipe")
OPTIONAL_WORDS = ("target", "ensemble", "proof", "class_weights")
MOST = 2**31 - 1


def heading() -> dict[str, Any]:
    """Return the beginning of a model file; its seal is still blank."""
    return {"format": NAME, "version": FORMAT, "sha256": BLANK, "writer": _writer()}


def check_heading(found: Any, place: str) -> None:
    """Refuse a file that is not a model file, or one of a newer format."""
    if not isinstance(found, dict) or found.get("format") != NAME:
        refuse(place, f"not a model file: it does not say format {NAME!r}")
    number = a_whole(found.get("version"), "version", 1, MOST)
    if number > FORMAT:
        refuse(
            "version",
            f"the file has format {number}, written by a newer Branchwork; this one reads up to {FORMAT}. "
            "A newer version of Branchwork will read it",
        )
    a_text(found.get("writer"), "writer")


@cache
def _writer() -> str:
    return version("branchwork")


# ---- from a model


def words_of(model: Model) -> dict[str, Any]:
    """Return all of a model except its trees, as JSON."""
    words = {
        **schema_of(model.schema),
        "labels": labels_of(model.labels),
        "occurring": None if model.occurring is None else [int(k) for k in model.occurring],
        "handle_unknown": model.handle_unknown,
        "spread": None if model.spread is None else [number_as_json(float(width)) for width in model.spread],
        "combine": _combine_as_json(model.combine),
        "recipe": recipe_as_json(model.recipe),
    }
    if model.target is not None:
        words["target"] = as_json(model.target, "target")
    if model.ensemble is not None:
        words["ensemble"] = ensemble_as_json(model.ensemble)
    if model.proof is not None:
        words["proof"] = proof_as_json(model.proof)
    if model.class_weights is not None:
        words["class_weights"] = [number_as_json(weight) for weight in model.class_weights]
    return words


def schema_of(schema: Schema) -> dict[str, Any]:
    """Return the columns as JSON."""
    columns = [_column_as_json(column, f"columns[{j}]") for j, column in enumerate(schema)]
    return {"columns": columns, "named": schema.named}


def labels_of(labels: tuple[Any, ...] | None) -> list[Any] | None:
    """Return the labels as JSON."""
    return None if labels is None else [as_json(v, f"labels[{k}]") for k, v in enumerate(labels)]


def _column_as_json(column: Column, place: str) -> dict[str, Any]:
    described: dict[str, Any] = {"name": as_json(column.name, f"{place}.name"), "kind": column.kind}
    if column.is_nominal:
        described["categories"] = [
            as_json(value, f"{place}.categories[{code}]") for code, value in enumerate(column.categories)
        ]
        described["declared"] = column.declared
        if column.rare:
            described["rare"] = list(column.rare)
    return described


def _combine_as_json(combine: Combine) -> dict[str, Any]:
    if combine.weights:
        weights = [number_as_json(float(weight)) for weight in combine.weights]
        link = {"link": combine.link} if combine.kind == "weighted_vote" else {}
        return {"kind": combine.kind, "weights": weights, **link}
    if combine.kind != "sum":
        return {"kind": combine.kind}
    return {
        "kind": combine.kind,
        "base": [number_as_json(float(number)) for number in combine.base],
        "output": None if combine.output is None else [int(k) for k in combine.output],
        "link": combine.link,
    }


# ---- to a model


@dataclass(frozen=True)
class About:
    """All of a model but its trees."""

    schema: Schema
    labels: tuple[Any, ...] | None
    occurring: tuple[int, ...] | None
    handle_unknown: HandleUnknown
    spread: tuple[float, ...] | None
    combine: Combine
    recipe: dict[str, Any]
    target: str | None
    ensemble: Ensemble | None
    proof: Proof | None
    class_weights: tuple[float, ...] | None


def words_from(found: dict[str, Any]) -> About:
    """Read what `words_of` wrote; the document may contain other things."""
    schema, labels = schema_from(found), labels_from(found["labels"])
    return About(
        schema,
        labels,
        _occurring(found["occurring"], labels),
        handling_from(found["handle_unknown"]),
        _spread(found["spread"], len(schema)),
        _combine(found["combine"]),
        recipe_from(found["recipe"]),
        text_from(found["target"], "target") if "target" in found else None,
        ensemble_from(found["ensemble"]) if "ensemble" in found else None,
        proof_from(found["proof"]) if "proof" in found else None,
        _class_weights(found["class_weights"], labels) if "class_weights" in found else None,
    )


def labels_from(found: Any) -> tuple[Any, ...] | None:
    """Read the labels; None means that the model predicts numbers."""
    labels = None if found is None else _distinct_values(found, "labels")
    if labels == ():
        refuse("labels", "there are none")
    return labels


def handling_from(found: Any) -> HandleUnknown:
    """Read how unseen categories are handled."""
    known: Any = one_of(found, "handle_unknown", get_args(HandleUnknown))
    return known  # type: ignore[no-any-return]


def schema_from(found: dict[str, Any]) -> Schema:
    """Read the columns."""
    return _schema(found["columns"], a_flag(found["named"], "named"))


def _schema(found: Any, named: bool) -> Schema:
    columns = [_column(one, f"columns[{j}]") for j, one in enumerate(a_list(found, "columns"))]
    if not columns:
        refuse("columns", "there are none")
    try:
        return Schema(tuple(columns), named)
    except BranchworkError as error:
        refuse("columns", str(error).rstrip("."))


def _column(found: Any, place: str) -> Column:
    of_nominal = ("categories", "declared")
    an_object(found, place, ("name", "kind"), (*of_nominal, "rare"))
    name = text_from(found["name"], f"{place}.name")
    kind: ColumnKind = one_of(found["kind"], f"{place}.kind", get_args(ColumnKind))  # type: ignore[assignment]
    if kind == "numeric":
        an_object(found, place, ("name", "kind"))
        return Column(name, kind)
    an_object(found, place, ("name", "kind", *of_nominal), ("rare",))
    categories = _distinct_values(found["categories"], f"{place}.categories")
    rare = _rare(found["rare"], f"{place}.rare", len(categories)) if "rare" in found else ()
    return Column(name, kind, categories, a_flag(found["declared"], f"{place}.declared"), rare)


def _rare(found: Any, place: str, count: int) -> tuple[int, ...]:
    """Read the codes of the rare categories: two or more, in ascending order."""
    codes = [a_whole(code, f"{place}[{k}]", 0, count - 1) for k, code in enumerate(a_list(found, place))]
    for k, (code, following) in enumerate(pairwise(codes)):
        if code >= following:
            refuse(f"{place}[{k + 1}]", "codes do not rise")
    if len(codes) < 2:
        refuse(place, "expected at least two")
    return tuple(codes)


def text_from(found: Any, place: str) -> str:
    """Read text, such as a name."""
    text = from_json(found, place)
    if not isinstance(text, str):
        refuse(place, "expected text")
    return text


def _distinct_values(found: Any, place: str) -> tuple[Any, ...]:
    values = [from_json(value, f"{place}[{k}]") for k, value in enumerate(a_list(found, place))]
    seen: set[Any] = set()
    for k, value in enumerate(values):
        if value != value:
            refuse(f"{place}[{k}]", "not a number, which stands for a missing value")
        if category_key(value) in seen:
            refuse(f"{place}[{k}]", "the same value a second time")
        seen.add(category_key(value))
    return tuple(values)


def _occurring(found: Any, labels: tuple[Any, ...] | None) -> tuple[int, ...] | None:
    if found is None:
        return None
    most = len(labels or ()) - 1
    codes = [a_whole(code, f"occurring[{k}]", 0, most) for k, code in enumerate(a_list(found, "occurring"))]
    for k, (code, following) in enumerate(pairwise(codes)):
        if code >= following:
            refuse(f"occurring[{k + 1}]", "positions do not rise")
    if not codes:
        refuse("occurring", "there are none")
    return tuple(codes)


def _spread(found: Any, n_columns: int) -> tuple[float, ...] | None:
    if found is None:
        return None
    widths = [a_number(width, f"spread[{j}]") for j, width in enumerate(a_list(found, "spread", n_columns))]
    for j, width in enumerate(widths):
        if width <= 0 or width == float("inf"):
            refuse(f"spread[{j}]", "expected a number above 0, or null")
    return tuple(widths)


def _class_weights(found: Any, labels: tuple[Any, ...] | None) -> tuple[float, ...]:
    if labels is None:
        refuse("class_weights", "the model predicts numbers")
    given = enumerate(a_list(found, "class_weights", len(labels)))
    weights = tuple(a_number(one, f"class_weights[{k}]") for k, one in given)
    for k, weight in enumerate(weights):
        if not 0 <= weight < float("inf"):
            refuse(f"class_weights[{k}]", "expected a number, 0 or more")
    return weights


def _combine(found: Any) -> Combine:
    of_sum = ("base", "output", "link")
    an_object(found, "combine", ("kind",), (*of_sum, "weights"))
    kind: Kind = one_of(found["kind"], "combine.kind", get_args(Kind))  # type: ignore[assignment]
    if kind in ("weighted_vote", "median"):
        return _weighted(found, kind)
    if kind != "sum":
        an_object(found, "combine", ("kind",))
        return Combine(kind)
    an_object(found, "combine", ("kind", *of_sum))
    base = [
        a_number(one, f"combine.base[{k}]") for k, one in enumerate(a_list(found["base"], "combine.base"))
    ]
    for k, number in enumerate(base):
        if not abs(number) < float("inf"):
            refuse(f"combine.base[{k}]", "not finite")
    output = found["output"]
    if output is not None:
        given = enumerate(a_list(output, "combine.output"))
        output = tuple(a_whole(one, f"combine.output[{k}]", 0, len(base) - 1) for k, one in given)
    link: Link = one_of(found["link"], "combine.link", get_args(Link))  # type: ignore[assignment]
    try:
        return Combine(kind, tuple(base), output, link)
    except BranchworkError as error:
        refuse("combine", str(error).rstrip("."))


def _weighted(found: Any, kind: Kind) -> Combine:
    """Read the weights of trees that vote, or whose median is taken."""
    votes = kind == "weighted_vote"
    an_object(found, "combine", ("kind", "weights", "link") if votes else ("kind", "weights"))
    given = enumerate(a_list(found["weights"], "combine.weights"))
    weights = tuple(a_number(one, f"combine.weights[{k}]") for k, one in given)
    link: Link = one_of(found["link"], "combine.link", get_args(Link)) if votes else "identity"  # type: ignore[assignment]
    try:
        return Combine(kind, link=link, weights=weights)
    except BranchworkError as error:
        refuse("combine", str(error).rstrip("."))
