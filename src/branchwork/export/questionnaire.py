"""A model as one HTML page that asks one question at a time and ends with the answer. It works offline, alone.

The page follows the program with the answers given so far (assets/questionnaire.mjs). The first value that it needs
and does not have is the next question. "I do not know" is a missing value: the program then tests a substitute, takes
the branch for missing values, or goes down every branch and mixes the answers of the leaves.
"""

from __future__ import annotations

import html
import math
from collections.abc import Hashable, Sequence
from typing import Any

from branchwork.export.program import Leaf, Program, Step, program
from branchwork.model.model import Model
from branchwork.rules.rule_list import RuleList
from branchwork.tree.split import category, harmless
from branchwork.webpage.parts import safe_json, script_of, style_of

LONGEST = 300
"""Longer names are cut off."""

_PAGE = """<!doctype html>
<html lang="en" class="branchwork">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main id="questions"></main>
<script type="application/json" id="data">{data}</script>
<script type="module">
{script}
const data = JSON.parse(document.getElementById("data").textContent);
mount(document.getElementById("questions"), revived(data), document.title);
</script>
</body>
</html>
"""


def write(model: Model | RuleList, *, title: str | None = None) -> str:
    """Write a model as a page of questions; without a title it is called by what is predicted, or "Questions".

    >>> import branchwork as bw
    >>> tennis = bw.datasets.load("play_tennis")
    >>> page = write(bw.ID3Classifier().fit(tennis.X, tennis.y).model_, title="Tennis or not")
    >>> page.startswith("<!doctype html>"), "Tennis or not" in page
    (True, True)
    """
    return _PAGE.format(
        title=html.escape(harmless(title or model.target or "Questions")),
        style=style_of("export", "questionnaire.css"),
        data=safe_json(to_data(program(model))),
        script=script_of("export", ["questionnaire"]),
    )


def to_data(given: Program) -> dict[str, Any]:
    """Return the program as plain data, with the categories of only those columns that are tested."""
    asked = set(given.asked)
    return {
        "fields": [
            {
                "name": _shown(field.name),
                "nominal": field.is_nominal,
                "texts": [_shown(value) for value in field.categories] if position in asked else [],
                "others": field.is_nominal and position in given.tells_unseen,
            }
            for position, field in enumerate(given.fields)
        ],
        "trees": [[_step(step) for step in steps] for steps in given.trees],
        "kind": given.combine.kind,
        "base": list(given.combine.base),
        "output": given.combine.output,
        "link": given.combine.link,
        "shares_rows": given.shares_rows,
        "target": None if given.target is None else _shown(given.target),
        "labels": None if given.labels is None else [_shown(label) for label in given.labels],
        "classes": list(given.class_order),
    }


def _shown(value: Hashable) -> str:
    """Return a name for a person to read: without control characters, and not too long."""
    text = harmless(category(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _step(step: Step) -> dict[str, Any]:
    if isinstance(step, Leaf):
        return {"outputs": _plain(step.outputs), "decision": step.decision}
    return {
        "field": step.field,
        "children": step.children,
        "bounds": _plain(step.bounds),
        "child_of": step.child_of,
        "unseen": step.unseen,
        "substitutes": [
            {
                "field": other.field,
                "cut": None if other.child_of is not None else _plain([other.cut])[0],
                "low_child": other.low_child,
                "child_of": other.child_of,
            }
            for other in step.substitutes
        ],
        "missing": step.missing,
        "shares": step.shares,
    }


def _plain(numbers: Sequence[float]) -> list[float | str]:
    """Return numbers for JSON, which has no infinity."""
    return [x if math.isfinite(x) else "Infinity" if x > 0 else "-Infinity" for x in numbers]
