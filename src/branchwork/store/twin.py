"""Write and read a model as JSON that people can read: one line per column, node and page of the working.

    {"id": 0, "feature": "Outlook", "values": [["Overcast"], ["Rain"], ["Sunny"]], "children": [1, 2, 3], …}

It holds the same as a .bw file, to the last bit: floats are written with all their digits, and null is NaN.
"""

from __future__ import annotations

import io
import json
from typing import IO, Any

from branchwork.errors import ModelFormatError
from branchwork.model.committee import Committee
from branchwork.model.model import Model
from branchwork.neighbours.model import Neighbours
from branchwork.rules.rule_list import RuleList
from branchwork.store.about import OPTIONAL_WORDS, WORDS, check_heading, heading, words_from, words_of
from branchwork.store.arrays import Array, laid_out, trees_from
from branchwork.store.assemble import assemble
from branchwork.store.committee import VOTE_WORDS, committee_from, own_members, vote_words_of
from branchwork.store.neighbours import (
    NEIGHBOUR_WORDS,
    arrays_from_rows,
    neighbour_rows_of,
    neighbour_words_of,
    neighbours_from,
)
from branchwork.store.pages import ledger_as_json, ledger_from_json
from branchwork.store.rows import (
    Names,
    nodes_as_json,
    nodes_from_json,
    surrogates_as_json,
    surrogates_from_json,
)
from branchwork.store.rule_rows import OPTIONAL_RULE_WORDS, RULE_WORDS, rule_words_of, rules_from
from branchwork.store.seal import check_seal, sealed
from branchwork.store.strict import MOST_TEXT, MOST_VALUES, a_list, an_object, parse, refuse, too_much
from branchwork.tree.tree import Tree

ONE_LINE_EACH = ("columns", "trees", "nodes", "surrogates", "ledger", "list", "models", "rows")
"""Lists whose items are written on lines of their own."""


def to_json_bytes(model: Model | RuleList | Committee | Neighbours) -> bytes:
    """Return a model, a list of rules, a vote or neighbours as the bytes of a .json file."""
    return _sealed_text({**heading(), **_body_of(model)})


def _body_of(model: Model | RuleList | Committee | Neighbours) -> dict[str, Any]:
    """Return everything except the heading."""
    if isinstance(model, Committee):
        return {**vote_words_of(model), "models": [_body_of(one) for one in own_members(model)]}
    if isinstance(model, RuleList):
        return rule_words_of(model)
    if isinstance(model, Neighbours):
        if (len(model.schema) + 2) * model.rows.n_rows > MOST_VALUES:
            raise _too_large(f"more than {MOST_VALUES} values")
        return {**neighbour_words_of(model), "rows": neighbour_rows_of(model)}
    # Every node has at least this many values.
    if 8 * sum(tree.n_nodes for tree in model.trees) > MOST_VALUES:
        raise _too_large(f"more than {MOST_VALUES} values")
    names = Names(model.schema)
    trees = [_tree_as_json(laid_out(tree, model.schema), names) for tree in model.trees]
    return {**words_of(model), "trees": trees}


def _sealed_text(found: dict[str, Any]) -> bytes:
    data = ("\n".join(_lines(found)) + "\n").encode()
    if complaint := too_much(data):
        raise _too_large(complaint)
    return sealed(data)


def _too_large(complaint: str) -> ModelFormatError:
    return ModelFormatError(f"The model is too large for JSON ({complaint}). Save it as .bw instead.")


def _tree_as_json(tree: Tree, names: Names) -> dict[str, Any]:
    found: dict[str, Any] = {"nodes": nodes_as_json(tree, names)}
    if tree.surrogates is not None:
        found["surrogates"] = surrogates_as_json(tree.surrogates, names)
    if tree.ledger is not None:
        found["ledger"] = ledger_as_json(tree.ledger, names)
    return found


def _lines(found: dict[str, Any], indent: str = "") -> list[str]:
    """Return the lines of an object, with the items of some lists on lines of their own."""
    lines = []
    for name, value in found.items():
        start = f"{indent} {json.dumps(name)}: "
        if name == "rules":
            lines += [f"{start}{{", *_lines(value, indent + " ")[1:]]
            lines[-1] += ","
            continue
        if name not in ONE_LINE_EACH or not value:
            lines.append(f"{start}{_text(value)},")
            continue
        lines.append(f"{start}[")
        for item in value:
            lines += (
                _lines(item, indent + "  ") if name in ("trees", "models") else [f"{indent}  {_text(item)}"]
            )
            lines[-1] += ","
        lines[-1] = lines[-1].removesuffix(",")
        lines.append(f"{indent} ],")
    lines[-1] = lines[-1].removesuffix(",")
    return [f"{indent}{{", *lines, f"{indent}}}"]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def from_json_bytes(data: bytes) -> Model | RuleList | Committee | Neighbours:
    """Return the model, the list of rules, the vote or the neighbours of such bytes."""
    return read_twin(io.BytesIO(data), len(data))


def read_twin(file: IO[bytes], size: int) -> Model | RuleList | Committee | Neighbours:
    """Read a model, a list of rules, a vote or neighbours from a .json file of this size."""
    if size > MOST_TEXT:
        refuse("file", f"{size} bytes of JSON; at most {MOST_TEXT} are read")
    data = file.read(size)
    found = parse(data, "file")
    check_heading(found, "file")
    check_seal(found.get("sha256"), data)
    return _from_body(found, tuple(heading()))


def _from_body(
    found: dict[str, Any], also: tuple[str, ...], place: str = "file"
) -> Model | RuleList | Committee | Neighbours:
    """Read what `_body_of` wrote; `also` has other names in the same object."""
    if "vote" in found and also:
        an_object(found, place, (*also, *VOTE_WORDS, "models"))
        given = a_list(found["models"], "models")

        def member(k: int) -> Any:
            if k >= len(given):
                refuse("vote.names", f"there are {len(given)} members")
            here = f"models[{k}]"
            if not isinstance(given[k], dict):
                refuse(here, "expected an object")
            try:
                return _from_body(given[k], (), here)
            except ModelFormatError as error:
                raise ModelFormatError(f"{here}: {error}") from None

        if len(given) != len(
            a_list(found["vote"]["names"], "vote.names") if isinstance(found["vote"], dict) else ()
        ):
            refuse("models", "expected one for each name of the vote")
        return committee_from(found, member)
    if "neighbours" in found:
        an_object(found, place, (*also, *NEIGHBOUR_WORDS, "rows"))
        return neighbours_from(found, arrays_from_rows(found, found["rows"]))
    if "rules" in found:
        return rules_from(an_object(found, place, (*also, *RULE_WORDS), OPTIONAL_RULE_WORDS))
    an_object(found, place, (*also, *WORDS, "trees"), OPTIONAL_WORDS)
    words = words_from(found)
    names = Names(words.schema)
    given_trees = [
        _arrays(tree, names, f"tree.{k}") for k, tree in enumerate(a_list(found["trees"], "trees"))
    ]
    return assemble(words, trees_from(given_trees, words.schema))


def _arrays(found: Any, names: Names, place: str) -> dict[str, Array]:
    an_object(found, place, ("nodes",), ("surrogates", "ledger"))
    arrays = nodes_from_json(found["nodes"], names, f"{place}.nodes")
    if "surrogates" in found:
        of_them = surrogates_from_json(
            found["surrogates"], names, len(arrays["feature"]), f"{place}.surrogates"
        )
        arrays |= {f"surrogates.{name}": array for name, array in of_them.items()}
    if "ledger" in found:
        ledger = ledger_from_json(found["ledger"], names, f"{place}.ledger")
        arrays |= {f"ledger.{name}": array for name, array in ledger.items()}
    return arrays
