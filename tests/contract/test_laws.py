"""Laws that hold for every recipe, whatever the table."""

import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwork.errors import BranchworkWarning
from branchwork.grow.grow import grow
from branchwork.grow.recipes import RECIPES
from branchwork.learn.single import learn, without_weightless_rows
from branchwork.table.table import Table
from branchwork.tree.check import check
from branchwork.tree.ledger import Ledger
from branchwork.tree.tree import Tree

from same_tree import assert_same_splits
from tables import OF_EACH, Case, cases

SLACK = {"plain": 1e-9, "c45": 2e-9, "j48": 2e-6}
"""Within which candidates are equal."""

every_recipe = pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))


def grown(case: Case, recipe, **options) -> Tree:
    table, target = without_weightless_rows(case.table, case.target)
    return grow(table, target, recipe, **options)[0]


def assert_same_bytes(a: Tree, b: Tree, *, but: tuple[str, ...] = ()) -> None:
    for field in fields(Tree):
        x, y = getattr(a, field.name), getattr(b, field.name)
        if field.name in but or field.name == "ledger":
            continue
        if x is None or y is None:
            assert x is y
        else:
            assert x.dtype == y.dtype and x.tobytes() == y.tobytes(), field.name
    if a.ledger is None or b.ledger is None:
        assert a.ledger is b.ledger
        return
    for field in fields(Ledger):
        assert getattr(a.ledger, field.name).tobytes() == getattr(b.ledger, field.name).tobytes(), field.name


@every_recipe
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_a_grown_tree_is_valid_and_children_add_up_to_their_parent(recipe, data):
    case = data.draw(cases(classification=recipe.is_classification))
    tree = grown(case, recipe)
    check(tree, case.table.schema)
    for node in np.flatnonzero(tree.feature >= 0):
        children = list(tree.children(node))
        if recipe.search.missing == "share":
            assert tree.weight[children].sum() == pytest.approx(tree.weight[node], rel=1e-12)
            np.testing.assert_allclose(
                tree.distribution[children].sum(0), tree.distribution[node], rtol=1e-12
            )
            continue
        assert tree.weight[children].sum() == tree.weight[node]
        assert tree.n_rows[children].sum() == tree.n_rows[node]
        if tree.distribution is not None:
            assert (tree.distribution[children].sum(0) == tree.distribution[node]).all()
        if recipe.search.missing == "larger":
            continue  # the gain is that of the rows whose cell is known
        shares = tree.weight[children] / tree.weight[node]
        gain = tree.impurity[node] - (shares * tree.impurity[children]).sum()
        assert tree.gain[node] == pytest.approx(gain, abs=1e-12)


@every_recipe
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_the_best_of_the_ledger_is_the_chosen_split(recipe, data):
    tree = grown(data.draw(cases(classification=recipe.is_classification)), recipe)
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        page = tree.ledger.page(node)
        chosen = [c for c in page.candidates if c.verdict == "chosen"]
        assert [c.feature for c in chosen] == [tree.feature[node]]
        assert chosen[0].gain == tree.gain[node]
        assert chosen[0].cut == (tree.cut[node] if chosen[0].cut is not None else None)
        if recipe.chaid is not None:
            tested = [c for c in page.candidates if c.adjusted_p is not None and c.verdict != "no_gain"]
            assert chosen[0].adjusted_p <= min(c.adjusted_p for c in tested) * (1 + 1e-8)
            assert chosen[0].adjusted_p <= recipe.chaid.alpha_split
            continue
        if recipe.optimal is not None:  # whole trees are compared: a single split may gain more
            continue
        worth = "gain_ratio" if recipe.criterion == "gain_ratio" else "gain"
        rivals = [c for c in page.candidates if c.gain is not None and c.verdict != "below_average"]
        best = getattr(chosen[0], worth) or 0
        assert max(getattr(c, worth) or 0 for c in rivals) <= best + SLACK[recipe.search.rules]
        for c in page.candidates:
            if c.verdict == "tie_lost":
                assert (getattr(c, worth) or 0) == pytest.approx(best, abs=SLACK[recipe.search.rules])
                assert c.feature > chosen[0].feature


@every_recipe
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_weight_k_is_k_copies(recipe, data):
    case = data.draw(cases(classification=recipe.is_classification, weighted=True))
    weighted, repeated = grown(case, recipe), grown(case.repeated(), recipe)
    assert_same_splits(weighted, repeated)
    if recipe.search.missing == "share":  # shares of rows add up to what rounding makes of them
        np.testing.assert_allclose(weighted.weight, repeated.weight, rtol=1e-12)
    else:
        assert np.array_equal(weighted.stop, repeated.stop)
        assert np.array_equal(weighted.weight, repeated.weight)
        assert np.array_equal(weighted.weight, repeated.n_rows)
    np.testing.assert_allclose(weighted.value, repeated.value, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(weighted.gain, repeated.gain, rtol=1e-12, atol=1e-12)


@every_recipe
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_weight_0_is_absent(recipe, data):
    case = data.draw(cases(classification=recipe.is_classification, weighted=True))
    present = [i for i, w in enumerate(case.weights) if w > 0]
    absent = replace(
        case,
        cells=tuple([column[i] for i in present] for column in case.cells),
        y=[case.y[i] for i in present],
        weights=[case.weights[i] for i in present],
    )
    assert_same_bytes(grown(case, recipe), grown(absent, recipe))


@every_recipe
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_rows_in_another_order_give_the_same_tree(recipe, data):
    case = data.draw(cases(classification=recipe.is_classification))
    order = data.draw(st.permutations(range(len(case.y))))
    shuffled = replace(
        case,
        cells=tuple([column[i] for i in order] for column in case.cells),
        y=[case.y[i] for i in order],
        weights=None if case.weights is None else [case.weights[i] for i in order],
    )
    a, b = grown(case, recipe), grown(shuffled, recipe)
    for name in ("feature", "first_child", "n_children", "default_child", "n_rows"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    np.testing.assert_allclose(a.weight, b.weight, rtol=1e-12 if recipe.search.missing == "share" else 0)
    assert np.array_equal(a.cut, b.cut, equal_nan=True)


@every_recipe
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_a_monotone_change_of_scale_changes_no_partition(recipe, data):
    if recipe.search.rules != "plain":
        return  # values closer than 1e-5 are one value to Quinlan's rules
    case = data.draw(cases(classification=recipe.is_classification))
    scale = data.draw(
        st.sampled_from([lambda x: 8 * x + 3, np.cbrt, np.exp, lambda x: x * 1e-300, lambda x: x * 1e300])
    )
    rescaled = replace(
        case,
        cells=tuple(
            [None if c is None else float(scale(c)) for c in cells] if kind == "numeric" else cells
            for kind, cells in zip(case.kinds, case.cells, strict=True)
        ),
    )
    a, b = grown(case, recipe), grown(rescaled, recipe)
    assert_same_bytes(a.replace(ledger=None), b.replace(ledger=None), but=("cut", "bounds"))


@every_recipe
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_narrow_and_strided_cells_give_the_same_tree(recipe, data):
    case = data.draw(cases(classification=recipe.is_classification))
    table, target = without_weightless_rows(case.table, case.target)
    narrow = Table(
        table.schema,
        tuple(
            np.repeat(a.astype(np.float32) if not c.is_nominal else a, 3)[::3]
            for c, a in zip(table.schema, table.arrays, strict=True)
        ),
    )
    assert_same_bytes(grow(table, target, recipe)[0], grow(narrow, target, recipe)[0])


@every_recipe
@settings(max_examples=OF_EACH)
@given(data=st.data())
def test_a_table_without_contradictions_is_fitted_without_error(recipe, data):
    if not recipe.zero_gain or recipe.search.rules != "plain":
        return
    case = data.draw(cases(classification=recipe.is_classification, weighted=False))
    seen: dict = {}
    keep = [
        i for i, row in enumerate(case.rows()) if seen.setdefault(tuple(row.values()), case.y[i]) == case.y[i]
    ]
    consistent = replace(
        case, cells=tuple([column[i] for i in keep] for column in case.cells), y=[case.y[i] for i in keep]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchworkWarning)
        model, _ = learn(consistent.table, consistent.target, recipe)
    assert model.predict(consistent.table).tolist() == consistent.y
