"""One cut of each feature, drawn at random: by the definition, for every kind of target and any number of threads."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.grow.grow import grow, grow_many
from branchwork.grow.prepared import Prepared
from branchwork.grow.recipe import Search, Subspace
from branchwork.grow.recipes import RECIPES
from branchwork.learn.draws import key_of, mixed, tree_key
from branchwork.store.container import to_bytes
from branchwork.table.adapt import to_table
from branchwork.table.target import classes, values

CUT, FEATURES = 4 << 56, 2 << 56


def drawn_cut(key, column, known):
    low, high = min(known), max(known)
    share = (mixed(key_of(key_of(key, CUT), column)) >> 11) * 2.0**-53
    drawn = low * (1 - share) + high * share
    return max(drawn, low) if drawn < high else low


def cost(y, is_classes):
    if not len(y):
        return 0.0
    if is_classes:
        shares = np.unique(y, return_counts=True)[1] / len(y)
        return len(y) * (1 - float((shares**2).sum()))
    return float(((y - y.mean()) ** 2).sum())


def slow_extra_tree(X, y, is_classes, seed, number, wanted, missing):
    """Every node draws a cut for each feature in the order of their draws, until enough have one; the best is taken."""
    splits = []
    waiting = [(tree_key(seed, number), np.arange(len(y)))]
    while waiting:
        key, rows = waiting.pop(0)
        if len(set(y[rows].tolist())) < 2:
            splits.append(None)
            continue
        found = []
        for j in sorted(range(X.shape[1]), key=lambda j, key=key: key_of(key_of(key, FEATURES), j)):
            cells = X[rows, j]
            known = ~np.isnan(cells)
            if len(set(cells[known].tolist())) < 2:
                continue
            cut = drawn_cut(key, j, cells[known])
            left = known & (cells <= cut)
            right = known & ~left
            spent = cost(y[rows[left]], is_classes) + cost(y[rows[right]], is_classes)
            # the gain is that of the known rows; missing cells go with the larger branch
            spent += cost(y[rows], is_classes) - cost(y[rows[known]], is_classes)
            side = left | (~known & (left.sum() >= right.sum()))
            found.append((spent, j, cut, side))
            if len(found) == wanted:
                break
        if not found:
            splits.append(None)
            continue
        least = min(one[0] for one in found)
        best = min((one for one in found if one[0] <= least + 1e-9), key=lambda one: one[1])
        splits.append((best[1], best[2]))
        waiting += [(key_of(key, 0), rows[best[3]]), (key_of(key, 1), rows[~best[3]])]
    return splits


def some_rows(n=150):
    rng = np.random.default_rng(3)
    X = np.column_stack(
        [
            rng.normal(size=n).round(1),
            rng.integers(0, 3, n),
            np.ones(n),
            np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            rng.normal(size=n) * 1e300,
        ]
    )
    return X, rng


@pytest.mark.parametrize("is_classes", [True, False])
@pytest.mark.parametrize("wanted", [1, 2, 5])
def test_trees_are_those_of_the_definition(is_classes, wanted):
    X, rng = some_rows()
    y = rng.integers(0, 3, len(X)) if is_classes else rng.normal(size=len(X)).round(1)
    name = "tree" if is_classes else "tree-regression"
    recipe = RECIPES[name].replace(
        search=Search(nominal="subset", missing="larger", cuts="random"), subspace=Subspace(wanted)
    )
    table, target = to_table(X), classes(y) if is_classes else values(y)
    prepared = Prepared(table)
    for n_jobs in (1, 3):
        trees = grow_many(prepared, target, recipe, [prepared.draw_all()] * 3, seed=5, n_jobs=n_jobs)
        for k, tree in enumerate(trees):
            found = [
                None if f < 0 else (f, c)
                for f, c in zip(tree.feature.tolist(), tree.cut.tolist(), strict=True)
            ]
            assert found == slow_extra_tree(X, y, is_classes, 5, k, wanted, "larger")


def test_all_features_may_compete_and_limits_hold():
    X, rng = some_rows(600)
    y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
    forest = bw.ExtraTreesClassifier(5, max_features=None, min_samples_leaf=9, max_depth=6).fit(X, y)
    for tree in forest.trees_:
        assert tree.depth <= 6 and tree.n_rows[tree.feature < 0].min() >= 9
    stump = bw.ExtraTreesClassifier(3, max_features=None, max_depth=1).fit(X, y)
    assert {tree.depth for tree in stump.trees_} == {1}
    assert len({float(tree.cut[0]) for tree in stump.trees_}) == 3


@pytest.mark.parametrize("missing", ["learn", "branch", "larger"])
def test_missing_values_and_categories(missing):
    rng = np.random.default_rng(0)
    X = {
        "a": np.where(rng.random(300) < 0.2, np.nan, rng.normal(size=300)),
        "c": [None if k == 3 else "xyz"[k] for k in rng.integers(0, 4, 300)],
    }
    y = (np.nan_to_num(X["a"], nan=2) > 0).astype(int)
    forest = bw.ExtraTreesClassifier(30, missing=missing, max_features=None).fit(X, y)
    assert forest.score(X, y) > 0.98


@pytest.mark.parametrize("kind", [bw.ExtraTreesClassifier, bw.ExtraTreesRegressor])
def test_the_model_file_is_the_same_for_any_number_of_threads(kind):
    X, rng = some_rows(3000)
    y = rng.integers(0, 2, 3000)
    assert len({to_bytes(kind(8, n_jobs=jobs).fit(X, y).model_) for jobs in (1, 2, 3)}) == 1


def test_infinite_values_are_parted():
    X = np.array([[-np.inf], [0.0], [1.0], [np.inf], [np.inf], [5.0]])
    forest = bw.ExtraTreesClassifier(20).fit(X, [0, 1, 1, 0, 0, 1])
    assert all(not np.isnan(tree.cut[tree.feature >= 0]).any() for tree in forest.trees_)


def test_cuts_are_uniform():
    X = np.linspace(0, 1, 11)[:, None]
    y = np.arange(11) % 2
    forest = bw.ExtraTreesClassifier(2000, max_depth=1).fit(X, y)
    cuts = np.array([tree.cut[0] for tree in forest.trees_])
    counts = np.histogram(cuts, bins=10, range=(0, 1))[0]
    assert ((counts - 200) ** 2 / 200).sum() < 21.7  # 9 degrees of freedom, 1 %; the seed is fixed


def test_out_of_bag_rows_need_samples_and_one_tree_needs_no_chance():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    with pytest.raises(ParameterError, match="oob_score=True needs rows"):
        bw.ExtraTreesClassifier(oob_score=True).fit(X, y)
    with pytest.raises(ParameterError, match="grow_many"):
        grow(to_table(X), classes(y), RECIPES["tree"].replace(search=Search(cuts="random", missing="larger")))
    with pytest.raises(ParameterError, match='cuts="random"'):
        Search(cuts="random", missing="share")
