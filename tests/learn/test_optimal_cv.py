"""The size of optimal trees by cross-validation: the path of best trees, the table of errors, and what is chosen."""

import itertools

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.grow.optimal_path import Searches, optimal_path
from branchwork.learn.optimal_cv import chosen
from branchwork.table import target as targets
from branchwork.table.adapt import to_table


def noisy(rows=150, seed=3):
    """Two steps of a number and a category decide the class; a tenth of all answers is wrong."""
    rng = np.random.default_rng(seed)
    x, letter = np.round(rng.normal(size=rows), 2), rng.integers(0, 3, size=rows)
    y = ((x > 0.4) | (letter == 1)).astype(int) ^ (rng.random(rows) < 0.1)
    return {"x": x, "noise": np.round(rng.normal(size=rows), 1), "letter": [f"l{k}" for k in letter]}, y


RECIPE = bw.OptimalTreeClassifier(max_depth=3)._recipe()


def test_a_search_gives_the_best_tree_of_every_depth():
    X, y = noisy()
    searches = Searches(to_table(X), targets.classes(y), RECIPE, min_leaf=0, n_jobs=1)
    for penalty in (0.0, 0.004, 0.02, 0.5):
        trees = searches.trees(penalty)
        assert len(trees) == 4
        for depth, tree in enumerate(trees):
            alone = bw.OptimalTreeClassifier(max_depth=depth, leaf_penalty=penalty).fit(X, y)
            leaves, cost = searches.corner(tree)
            assert tree.depth <= depth
            assert cost * len(y) + penalty * len(y) * (leaves - 1) == pytest.approx(alone.objective_)


@pytest.mark.parametrize("numbers", [False, True])
def test_the_path_has_the_best_tree_for_every_penalty(numbers):
    """Penalties drawn at random find no tree that is better than all of the path."""
    X, y = noisy(90)
    rng = np.random.default_rng(1)
    if numbers:
        target, recipe = (
            targets.values(y + rng.normal(size=len(y))),
            bw.OptimalTreeRegressor(max_depth=2)._recipe(),
        )
    else:
        target, recipe = targets.classes(y), RECIPE
    path = optimal_path(to_table(X), target, recipe, min_leaf=0, n_jobs=1)
    searches = Searches(to_table(X), target, recipe, min_leaf=0, n_jobs=1)
    corners = [searches.corner(trees[-1]) for trees in path.trees]
    corners.append(searches.corner(path.trees[0][0]))
    assert list(path.penalties) == sorted(path.penalties)
    assert [leaves for leaves, _ in corners] == sorted({leaves for leaves, _ in corners}, reverse=True)
    for penalty in np.exp(rng.uniform(np.log(1e-5), np.log(0.5), size=20)):
        leaves, cost = searches.corner(searches.trees(float(penalty))[-1])
        best = min(own + penalty * count for count, own in corners)
        assert best == pytest.approx(cost + penalty * leaves, rel=1e-9)


def test_the_table_has_the_errors_of_trees_on_rows_they_have_not_seen():
    X, y = noisy()
    folds = np.arange(len(y)) % 3
    tree = bw.OptimalTreeClassifier(max_depth=2, xval=folds).fit(X, y)
    table = tree.cv_table_
    assert tree.chosen_ is None and tree.get_params()["max_depth"] == 2
    assert table["n_leaves"] == sorted(table["n_leaves"]) and table["n_leaves"][0] == 1
    frame = to_table(X)
    for row in range(len(table["xerror"])):
        wrong = np.zeros(len(y))
        for fold in range(3):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            own = bw.OptimalTreeClassifier(
                max_depth=int(table["max_depth"][row]), leaf_penalty=table["leaf_penalty"][row]
            ).fit(frame.take(train), y[train])
            wrong[test] = own.predict(frame.take(test)) != y[test]
        assert table["xerror"][row] == pytest.approx(wrong.mean())
        assert table["xstd"][row] == pytest.approx(wrong.std() / len(y) ** 0.5)


def test_the_chosen_tree_is_the_optimal_tree_of_that_depth_and_penalty():
    X, y = noisy()
    for choose in ("min", "1se"):
        tree = bw.OptimalTreeClassifier(max_depth=3, xval=5, choose=choose).fit(X, y)
        alone = bw.OptimalTreeClassifier(**tree.chosen_).fit(X, y)
        assert tree.to_text() == alone.to_text() and tree.proven_ and tree.objective_ == alone.objective_
    assert not hasattr(tree.set_params(xval=None, choose=None).fit(X, y), "chosen_")


def test_the_simplest_within_a_standard_error():
    table = {
        "max_depth": [0, 1, 2, 2],
        "leaf_penalty": [0.5, 0.1, 0.02, 0.001],
        "n_leaves": [1, 2, 3, 4],
        "xerror": [0.4, 0.22, 0.2, 0.2],
        "xstd": [0.05, 0.03, 0.03, 0.03],
    }
    assert chosen(table, "min").leaf_penalty == 0.02
    assert chosen(table, "1se") == type(chosen(table, "1se"))(1, 0.1)


def test_weights_costs_and_numbers_have_a_table_too():
    X, y = noisy(80)
    weights = np.where(np.arange(80) % 7 == 0, 0.0, 1.5)
    found = bw.OptimalTreeClassifier(max_depth=2, xval=4, choose="min", loss=[[0, 1], [4, 0]]).fit(
        X, y, weights
    )
    assert found.cv_table_["n_leaves"][0] == 1 and found.proven_
    rng = np.random.default_rng(0)
    numbers = bw.OptimalTreeRegressor(max_depth=2, xval=4, choose="min").fit(X, y * 3.0 + rng.normal(size=80))
    assert numbers.get_n_leaves() > 1 and min(numbers.cv_table_["xerror"]) < numbers.cv_table_["xerror"][0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"choose": "min"}, "choose='min' needs cross-validation"),
        ({"xval": 3, "choose": "min", "leaf_penalty": 0.1}, "leaf_penalty=0.1 does not go with choose='min'"),
        ({"xval": 3, "max_depth": None}, "xval needs a max_depth"),
        ({"xval": 3, "effort": "split"}, "effort='split' does not go with xval"),
        ({"xval": 3, "minimise": "leaves", "max_errors": 3}, "minimise='leaves' does not go with xval"),
        ({"xval": 3, "max_gap": 3}, "max_gap=3 does not go with xval"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, message):
    X, y = noisy(30)
    with pytest.raises(ParameterError, match=message):
        bw.OptimalTreeClassifier(**settings).fit(X, y)
    with pytest.raises(ParameterError, match="Take one or the other"):
        bw.OptimalTreeClassifier(xval=3).fit(X, y, X_val=X, y_val=y)


def test_progress_names_the_fold(capfd):
    X, y = noisy(40)
    tree = bw.OptimalTreeClassifier(max_depth=1, xval=3, choose="min", n_jobs=2)
    plain = tree.fit(X, y).cv_table_
    told = []

    class Bar:
        def __call__(self, done):
            pass

        def tell(self, text):
            told.append(text)

    from branchwork.learn.optimal_cv import learn_optimal

    found = learn_optimal(
        to_table(X), targets.classes(y), tree._recipe(), xval=3, choose="min", progress=Bar()
    )
    assert [text for text in told if "fold" in text] == [f"fold {k} of 3" for k in (1, 2, 3)]
    assert found[2] == plain
    assert all(a <= b for a, b in itertools.pairwise(plain["n_leaves"]))
