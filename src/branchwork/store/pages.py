"""Write and read the working as JSON: a page for each node, with the candidate of each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from branchwork.store.arrays import LATER, LEDGER, Array
from branchwork.store.rows import Names, numbers_as_json, numbers_from_json
from branchwork.store.strict import a_list, a_number, a_whole, an_object, one_of, refuse
from branchwork.tree.ledger import KEPT, VERDICTS, Ledger

MOST = 2**31 - 1
NUMBERS = ("cut", "gain", "split_info")
"""Numbers that are left out are NaN."""


def ledger_as_json(ledger: Ledger, names: Names) -> list[dict[str, Any]]:
    """Return the pages of a ledger, which is in the layout of files, as JSON."""
    return [
        {
            "node": node,
            "candidates": [_candidate_as_json(ledger, names, at, j) for j in range(len(names.columns))],
        }
        for at, node in enumerate(ledger.node.tolist())
    ]


def _candidate_as_json(ledger: Ledger, names: Names, at: int, column: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "feature": names.columns[column],
        "verdict": VERDICTS[ledger.verdict[at, column]],
    }
    for name in NUMBERS:
        (number,) = numbers_as_json(getattr(ledger, name)[at, column : column + 1])
        if number is not None:
            found[name] = number
    start = int(ledger.sides_at[at, column])
    if start >= 0:
        found["sides"] = ledger.sides[start : start + len(names.categories[column])].tolist()
    if ledger.chance.size:
        found["chance"] = numbers_as_json(ledger.chance[:, at, column])
    if ledger.judged.size:
        found["judged"] = numbers_as_json(ledger.judged[:, at, column])
    if ledger.tests.size:
        begin, end = ledger.parts_at[at, column].tolist()
        found["test"] = numbers_as_json(ledger.tests[:, at, column])
        found["parts"] = numbers_as_json(ledger.parts[begin:end])
    return found


def ledger_from_json(found: Any, names: Names, place: str) -> dict[str, Array]:
    """Return the arrays of the ledger."""
    columns: dict[str, list[Any]] = {name: [] for name in (*LEDGER, *LATER)}
    asked = _asked(found)
    pages = a_list(found, place)
    for at, page in enumerate(pages):
        here = f"{place}[{at}]"
        an_object(page, here, ("node", "candidates"))
        columns["node"].append(a_whole(page["node"], f"{here}.node", 0, MOST))
        candidates = a_list(page["candidates"], f"{here}.candidates", len(names.columns))
        for j, candidate in enumerate(candidates):
            _read_candidate(candidate, names, j, columns, asked, f"{here}.candidates[{j}]")
    return _arrays(columns, len(pages), len(names.columns), asked)


def _asked(found: Any) -> set[str]:
    """Return which groups of numbers the first candidate has; then all must have them."""
    try:
        first = found[0]["candidates"][0]
        return {name for name in ("chance", "judged", "test", "parts") if name in first}
    except (LookupError, TypeError):
        return set()


def _read_candidate(
    found: Any, names: Names, column: int, columns: dict[str, list[Any]], asked: set[str], place: str
) -> None:
    an_object(found, place, ("feature", "verdict", *asked), (*NUMBERS, "sides"))
    if names.column(found["feature"], f"{place}.feature") != column:
        refuse(f"{place}.feature", "the columns do not come in order")
    columns["verdict"].append(VERDICTS.index(one_of(found["verdict"], f"{place}.verdict", KEPT)))
    for name in NUMBERS:
        columns[name].append(a_number(found.get(name), f"{place}.{name}"))
    columns["sides_at"].append(len(columns["sides"]) if "sides" in found else -1)
    for k, side in enumerate(a_list(found.get("sides", []), f"{place}.sides")):
        columns["sides"].append(a_whole(side, f"{place}.sides[{k}]", -1, MOST))
    if "chance" in asked:
        columns["chance"].append(numbers_from_json(found["chance"], f"{place}.chance", 3))
    if "judged" in asked:
        columns["judged"].append(numbers_from_json(found["judged"], f"{place}.judged", 3))
    if "test" in asked:
        columns["tests"].append(numbers_from_json(found["test"], f"{place}.test", 3))
    parts = numbers_from_json(found.get("parts", []), f"{place}.parts")
    columns["parts_at"].append((len(columns["parts"]), len(columns["parts"]) + len(parts)))
    columns["parts"] += parts


def _arrays(columns: dict[str, list[Any]], pages: int, width: int, asked: set[str]) -> dict[str, Array]:
    kinds = LEDGER | LATER
    made = {name: np.array(numbers, kinds[name][0]) for name, numbers in columns.items()}
    for name in (*NUMBERS, "verdict", "sides_at"):
        made[name] = made[name].reshape(pages, width)
    for name, question in (("chance", "chance"), ("judged", "judged"), ("tests", "test")):
        shape = (pages, width) if question in asked else (0, 0)
        made[name] = np.ascontiguousarray(made[name].reshape(*shape, 3).transpose(2, 0, 1))
    for name in LATER:
        if not made[name].size:
            del made[name]
    shape = (pages, width) if "test" in asked else (0, 0)
    made["parts_at"] = made["parts_at"][: shape[0] * shape[1]].reshape(*shape, 2)
    return made
