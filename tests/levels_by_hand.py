"""Rare categories merged by hand: a slow, obvious twin of what `min_category_rows` and `max_levels` promise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

OTHER = "other"
NOWHERE = "nowhere"
"""A town that no training table has."""


def towns_and_codes(rows: int = 300, seed: int = 0) -> pd.DataFrame:
    """A table with a long-tailed column, one with few categories, numbers, and missing cells in all of them."""
    random = np.random.default_rng(seed)
    town = np.minimum(random.geometric(0.12, rows), 40)
    frame = pd.DataFrame(
        {
            "town": pd.Series([f"t{(7 * k) % 41:02d}" for k in town], dtype=object),
            "age": random.integers(0, 30, rows) / 2,
            "code": pd.Series([f"c{k}" for k in np.minimum(random.geometric(0.3, rows), 12)], dtype=object),
        }
    )
    for name in frame:
        frame.loc[random.random(rows) < 0.08, name] = None
    return frame


def classes_of(frame: pd.DataFrame, seed: int = 0, n_classes: int = 3) -> np.ndarray:
    """A target of classes that depends on town, code and age, with noise."""
    return np.floor(np.clip(values_of(frame, seed) * n_classes / 3, 0, n_classes - 0.01)).astype(int)


def values_of(frame: pd.DataFrame, seed: int = 0) -> np.ndarray:
    """A target of numbers from 0 to 3."""
    random = np.random.default_rng(seed + 1)
    town = frame["town"].map(lambda t: int(t[1:]) % 3 if isinstance(t, str) and t != NOWHERE else 1)
    code = frame["code"].map(lambda c: int(c[1:]) % 2 if isinstance(c, str) else 0)
    age = frame["age"].fillna(5).to_numpy(float) > 4
    return np.clip(0.6 * town + 0.5 * code + 0.5 * age + random.normal(0, 0.5, len(frame)), 0, 3)


@dataclass
class ByHand:
    """The categories of each nominal column that are rare in some rows, and tables in which they are "other"."""

    frame: pd.DataFrame
    weights: Sequence[float] | None = None
    least: float = 0.0
    most: int = 10**9
    kept: dict[str, list[str]] = field(default_factory=dict)
    rare: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        weights = [1.0] * len(self.frame) if self.weights is None else list(self.weights)
        for name in ("town", "code"):
            weight: Counter[str] = Counter()
            for value, of_row in zip(self.frame[name], weights, strict=True):
                if isinstance(value, str) and of_row > 0:
                    weight[value] += of_row
            by_weight = sorted(weight, key=lambda value: (-weight[value], value))
            kept = [value for value in by_weight[: self.most] if weight[value] >= self.least]
            rare = set(weight) - set(kept)
            self.rare[name] = rare if len(rare) > 1 else set()
            self.kept[name] = sorted(set(weight) - self.rare[name])

    def merged(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table with "other", declared as the last category, in place of rare values."""
        frame = frame.copy()
        for name, rare in self.rare.items():
            if rare:
                cells = [OTHER if value in rare else value for value in frame[name]]
                strange = {value for value in cells if isinstance(value, str)} - {*self.kept[name], OTHER}
                if len(frame) == len(self.frame):  # training: strange values are those of rows of weight 0
                    cells, strange = [OTHER if value in strange else value for value in cells], set()
                frame[name] = pd.Categorical(cells, [*self.kept[name], OTHER, *sorted(strange)])
        return frame


def assert_same_nodes(tree: Any, schema: Any, by_hand: Any, hand_schema: Any) -> None:
    """Check that two trees are the same node by node, where one knows rare values as "other"."""
    for name in ("feature", "cut", "first_child", "n_children", "default_child", "bounds", "n_rows", "stop"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(by_hand, name), name)
    for name in ("value", "weight", "impurity", "gain", "distribution", "variance", "answer"):
        one, other = getattr(tree, name), getattr(by_hand, name)
        assert (one is None) == (other is None), name
        if one is not None:
            np.testing.assert_array_equal(one, other, name)
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        column, of_hand = schema[int(tree.feature[node])], hand_schema[int(tree.feature[node])]
        if column.is_nominal:
            slots = tree.pool[int(tree.lookup[node]) :][: len(column.categories) + 1]
            hand = by_hand.pool[int(by_hand.lookup[node]) :][: len(of_hand.categories) + 1]
            assert slots[0] == hand[0]
            assert slots[1:].tolist() == in_own_categories(hand[1:].tolist(), column, of_hand)
        if tree.surrogates is not None:
            of_node = tree.surrogates.of(node, list(schema.levels))
            of_hand_node = by_hand.surrogates.of(node, list(hand_schema.levels))
            assert of_node == [_surrogate_in_own(one, schema, hand_schema) for one in of_hand_node]


def _surrogate_in_own(surrogate: Any, schema: Any, hand_schema: Any) -> Any:
    if surrogate.children is None:
        return surrogate
    columns = schema[surrogate.feature], hand_schema[surrogate.feature]
    return replace(surrogate, children=tuple(in_own_categories(surrogate.children, *columns)))


def in_own_categories(of_hand: Sequence[Any], column: Any, hand_column: Any) -> list[Any]:
    """What "other" has, for every category that "other" stands for."""
    found = dict(zip(hand_column.categories, of_hand, strict=True))
    return [found[value] if value in found else found[OTHER] for value in column.categories]


def assert_same_page(page: Any, schema: Any, by_hand: Any, hand_schema: Any) -> None:
    """Check that the working of a node is the same, candidate by candidate."""
    assert (page is None) == (by_hand is None)
    if page is None:
        return
    assert len(page.candidates) == len(by_hand.candidates)
    names = (
        "feature",
        "verdict",
        "cut",
        "gain",
        "split_info",
        "statistic",
        "p_value",
        "adjusted_p",
        "freedom",
    )
    for one, other in zip(page.candidates, by_hand.candidates, strict=True):
        for name in (*names, "cuts", "parting"):
            assert getattr(one, name) == getattr(other, name), (one.feature, name)
        column, of_hand = schema[one.feature], hand_schema[one.feature]
        if other.parts is not None and column.is_nominal:
            *parts, missing = other.parts
            assert list(one.parts) == [*in_own_categories(parts, column, of_hand), missing]
        elif not column.is_nominal:
            assert one.parts == other.parts
            assert one.sides == other.sides
        elif one.gain is not None and (other.sides is not None or column.rare):
            sides = range(len(of_hand.categories)) if other.sides is None else other.sides
            assert list(one.sides) == in_own_categories(list(sides), column, of_hand)
        else:
            assert one.sides == other.sides
