"""The nearest change by trying everything: all sets of columns, all values at the cuts and one step above them.

What a changed row is answered is asked of the estimator itself, so missing cells go wherever it sends them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from itertools import combinations, product
from typing import Any


def nearest(
    estimator: Any, row: dict[str, Any], wanted: Callable[[Any], bool], fixed: Collection[str] = ()
) -> Any:
    """(number of changes, distance, leaf), or None. `wanted` is a test of an answer; `fixed` columns do not change."""
    model = estimator.model_
    values = {name: [] if name in fixed else candidates(estimator, k) for k, name in enumerate(row)}
    widths = dict(zip(model.schema.names, model.spread, strict=True))
    scale = {name: 1.0 if math.isnan(width) else width for name, width in widths.items()}
    for count in range(1, len(row) + 1):
        tried = list(changes_of(row, values, count))
        changed = [{**row, **changes} for changes in tried]
        if not changed:
            continue
        answers, leaves = estimator.predict(changed).tolist(), estimator.apply(changed).tolist()
        found = [
            (count, math.fsum(distance(row[name], new, scale[name]) for name, new in changes.items()), leaf)
            for changes, answer, leaf in zip(tried, answers, leaves, strict=True)
            if wanted(answer)
        ]
        if found:
            return min(found)
    return None


def changes_of(row: dict[str, Any], values: dict[str, list[Any]], count: int) -> Iterator[dict[str, Any]]:
    """Every way to change so many columns."""
    for names in combinations(row, count):
        for chosen in product(*(values[name] for name in names)):
            yield dict(zip(names, chosen, strict=True))


def candidates(estimator: Any, feature: int) -> list[Any]:
    """Values that a column might be changed to: categories, or cuts of the tree and of its surrogates."""
    column, tree = estimator.schema_[feature], estimator.tree_
    if column.is_nominal:
        return list(column.categories)
    cuts = {*tree.cut[tree.feature == feature].tolist(), *tree.bounds.tolist()}
    if tree.surrogates is not None:
        cuts |= set(tree.surrogates.cut[tree.surrogates.feature == feature].tolist())
    finite = {cut for cut in cuts if math.isfinite(cut)}
    return sorted(finite | {math.nextafter(cut, math.inf) for cut in finite} | {0.0})


def distance(old: Any, new: Any, scale: float) -> float:
    return 1.0 if old is None or isinstance(old, str) else abs(new - old) / scale
