"""Rows that live in several places: tallies add up, travel, and give the tree of the whole table."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwork import _core
from branchwork.grow.grow import core_options, grow
from branchwork.grow.recipes import RECIPES
from branchwork.grow.steps import LocalRows, grow_in_steps
from branchwork.learn.single import without_weightless_rows
from branchwork.table.adapt import to_table
from branchwork.table.target import classes, values

from same_tree import assert_same_tree
from tables import OF_EACH, cases

IN_STEPS = sorted(
    name
    for name, recipe in RECIPES.items()
    if recipe.chaid is None and recipe.optimal is None and recipe.search.missing not in ("share", "surrogate")
)


class PartedRows:
    """A table in parts, as a cluster has it; what travels is pickled."""

    def __init__(self, table, target, options, parts):
        self.parts = [LocalRows(table.take(p), target.take(p), options) for p in parts]
        self.has_missing = np.any([part.has_missing for part in self.parts], axis=0)

    def tally(self, node):
        first = [part.tally(node, 0.0) for part in self.parts]
        weight = sum(tally.weight for tally in first)
        mean = sum(tally.mean * tally.weight for tally in first) / weight if weight else 0.0
        tallies = [pickle.loads(pickle.dumps(part.tally(node, mean))) for part in self.parts]
        total = tallies[0]
        for tally in tallies[1:]:
            total = total + tally
        return total

    def route(self, node, split, children):
        for part in self.parts:
            part.route(node, pickle.loads(pickle.dumps(split)), children)


@pytest.mark.parametrize("name", IN_STEPS)
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_parts_of_a_table_give_its_tree(name, data):
    recipe = RECIPES[name]
    case = data.draw(cases(classification=recipe.is_classification))
    table, target = without_weightless_rows(case.table, case.target)
    place = np.array(data.draw(st.lists(st.integers(0, 2), min_size=table.n_rows, max_size=table.n_rows)))
    parts = [np.flatnonzero(place == k) for k in range(3)]
    rows = PartedRows(table, target, core_options(recipe, target), [p for p in parts if len(p)])
    tree, _ = grow(table, target, recipe)
    assert_same_tree(tree, grow_in_steps(table, target, recipe, rows), 1e-9)


def tallies_of(y, parts, criterion, centre=None):
    table = to_table({"a": [3.0, 1.0, 1.0, np.nan, 2.0], "b": ["u", "v", None, "u", "u"]})
    recipe = RECIPES["tree" if criterion == "gini" else "tree-regression"].replace(criterion=criterion)
    target = classes(y) if criterion == "gini" else values(y)
    options = core_options(recipe, target)
    return [_core.tally(table.core, target.core, np.array(p, np.uint32), options, centre) for p in parts]


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "variance", "poisson"])
def test_a_sum_of_tallies_is_the_tally_of_all_rows(criterion):
    y = ["p", "q", "q", "p", "q"] if criterion == "gini" else [1.0, 4.0, 4.0, 0.0, 2.5]
    first, second, whole = tallies_of(y, [[0, 3], [1, 2, 4], [0, 1, 2, 3, 4]], criterion, 2.0)
    total = first + second
    assert (total.rows, total.pure, total.weight) == (5, False, 5.0)
    assert total.variance == pytest.approx(whole.variance)
    np.testing.assert_allclose(total.total, whole.total, rtol=1e-14)
    for ours, theirs in zip(total.columns, whole.columns, strict=True):
        np.testing.assert_array_equal(ours.values, theirs.values)
        np.testing.assert_allclose(ours.stats, theirs.stats, rtol=1e-14, atol=1e-14)


def test_purity_is_that_of_all_rows():
    one, two, three = tallies_of([4.0, 4.0, 4.0, 4.0, 1.0], [[0, 1], [2, 3], [4]], "squared_error", 0.0)
    assert (one + two).pure and not (one + three).pure
    a, b, c = tallies_of(["p", "p", "p", "p", "q"], [[0, 1], [2, 3], [4]], "gini")
    assert (a + b).pure and not (b + c).pure


def test_tallies_that_do_not_belong_together_are_refused():
    (about_two,) = tallies_of([1.0, 2.0, 3.0, 4.0, 5.0], [[0, 1]], "squared_error", 2.0)
    (about_three,) = tallies_of([1.0, 2.0, 3.0, 4.0, 5.0], [[2, 3]], "squared_error", 3.0)
    with pytest.raises(ValueError, match="different centres"):
        about_two + about_three
    (of_classes,) = tallies_of(["p", "q", "q", "p", "q"], [[0]], "gini")
    with pytest.raises(ValueError, match="different tables"):
        about_two + of_classes


def test_a_damaged_pickle_of_a_tally_is_refused():
    (tally,) = tallies_of([1.0, 2.0, 3.0, 4.0, 5.0], [[0, 1]], "squared_error", 2.0)
    state = tally.__getstate__()
    fresh = _core.NodeTally.__new__(_core.NodeTally)
    with pytest.raises(ValueError, match="not the state of a tally"):
        fresh.__setstate__((*state[:8], [1.0], state[9]))
