"""Honest trees against a slow twin: rows halved by hand, a tree of one half, the other half counted node by node."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.learn.draws import HALVES, key_of, tree_key
from branchwork.learn.honest import estimated, halves, halves_of_copies
from branchwork.measure.criteria import impurity_of_counts, impurity_of_values
from branchwork.table.target import classes, values

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 3)).round(1)
Y = np.where((X[:, 0] > 0) ^ (RNG.random(90) < 0.25), "yes", "no").astype(object)
Y[:3] = "rare"
HEIGHT = np.abs(X[:, 0]) + RNG.random(90)


def slow_halves(order, seed, tree):
    """Walk the rows in the order of their target, two at a time."""
    structure, key = [], key_of(tree_key(seed, tree), HALVES)
    for pair in range(0, len(order), 2):
        both = order[pair : pair + 2]
        second = key_of(key, pair // 2) >> 63
        structure.append(both[min(second, len(both) - 1)])
    return sorted(structure)


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("target", [classes(Y), classes(Y[:89]), values(HEIGHT)])
def test_halves_are_drawn_from_pairs_in_the_order_of_the_target(target, seed):
    found = halves(target, seed, tree=2)
    numbers = target.codes if hasattr(target, "codes") else target.values
    order = sorted(range(len(target)), key=lambda row: (numbers[row], row))
    assert found.structure.tolist() == slow_halves(order, seed, 2)
    assert sorted([*found.structure, *found.estimate]) == list(range(len(target)))
    if hasattr(target, "codes"):
        both = [np.bincount(target.codes[rows], minlength=3) for rows in found]
        assert np.abs(both[0] - both[1]).max() <= 2


def test_copies_of_a_row_stay_together():
    rows = np.sort(RNG.integers(0, 90, 90))
    target = classes(Y[rows])
    found = halves(target, 3, ids=rows)
    assert not set(rows[found.structure]) & set(rows[found.estimate])
    copies = np.bincount(rows, minlength=90).astype(np.uint32)
    structure, estimate = halves_of_copies(classes(Y), copies, 3, 0)
    assert (structure + estimate == copies).all() and not (structure & estimate).any()
    assert np.repeat(np.arange(90), structure).tolist() == rows[found.structure].tolist()


def test_a_single_row_is_both_halves():
    tree = bw.TreeClassifier(honest=True)
    with pytest.warns(bw.errors.OneClassWarning):
        tree.fit([[1.0]], ["a"])
    assert tree.predict([[2.0]]).tolist() == ["a"]
    assert bw.TreeRegressor(honest=True).fit([[1.0], [2.0]], [3.0, 4.0]).tree_.n_rows.tolist() == [1]


def below(tree, node):
    """All leaves below a node, by recursion."""
    return (
        [node]
        if tree.is_leaf(node)
        else [leaf for child in tree.children(node) for leaf in below(tree, child)]
    )


@pytest.mark.parametrize("criterion", ["gini", "entropy", "accuracy", "gain_ratio"])
@pytest.mark.parametrize("smoothing", [None, "laplace", 2.0])
def test_classes_of_the_other_half_are_counted_node_by_node(criterion, smoothing):
    est = bw.TreeClassifier(criterion=criterion, smoothing=smoothing, honest=True, random_state=4).fit(X, Y)
    parts = halves(classes(Y), 4)
    grown = bw.TreeClassifier(criterion=criterion).fit(X[parts.structure], Y[parts.structure])
    tree = est.tree_
    assert (tree.feature == grown.tree_.feature).all()
    np.testing.assert_array_equal(tree.cut, grown.tree_.cut)
    leaf, y = grown.apply(X[parts.estimate]), Y[parts.estimate]
    labels = est.model_.labels
    for node in range(tree.n_nodes):
        here = y[np.isin(leaf, below(tree, node))]
        counts = np.array([(here == label).sum() for label in labels], float)
        assert tree.n_rows[node] == tree.weight[node] == len(here)
        assert tree.distribution[node].tolist() == counts.tolist()
        assert tree.impurity[node] == pytest.approx(impurity_of_counts(criterion, counts))
        if len(here) == 0:
            assert (tree.value[node] == tree.value[tree.parent[node]]).all()
        else:
            k, share = len(labels), np.array([(label == Y).mean() for label in labels])
            m, share = {None: (0, share), "laplace": (k, np.full(k, 1 / k)), 2.0: (2, share)}[smoothing]
            assert tree.value[node] == pytest.approx((counts + m * share) / (len(here) + m))
        if not tree.is_leaf(node) and len(here):
            after = sum(tree.weight[c] * tree.impurity[c] for c in tree.children(node)) / len(here)
            assert tree.gain[node] == pytest.approx(tree.impurity[node] - after)


@pytest.mark.parametrize("criterion", ["squared_error", "variance", "poisson"])
def test_numbers_of_the_other_half_are_averaged_node_by_node(criterion):
    weights = RNG.integers(1, 4, 90).astype(float)
    est = bw.TreeRegressor(criterion=criterion, honest=True, max_depth=5).fit(
        X, HEIGHT, sample_weight=weights
    )
    rows = halves(values(HEIGHT), 0).estimate
    leaf, y, w = est.apply(X[rows]), HEIGHT[rows], weights[rows]
    tree = est.tree_
    assert (tree.n_rows == 0).any()
    for node in range(tree.n_nodes):
        here = np.isin(leaf, below(tree, node))
        assert tree.n_rows[node] == here.sum() and tree.weight[node] == pytest.approx(w[here].sum())
        if not here.any():
            assert tree.value[node] == tree.value[tree.parent[node]] and tree.impurity[node] == 0
            continue
        assert tree.value[node, 0] == pytest.approx(np.average(y[here], weights=w[here]))
        assert tree.impurity[node] == pytest.approx(
            impurity_of_values(criterion, y[here], w[here]), abs=1e-12
        )
        assert tree.variance[node] == pytest.approx(
            impurity_of_values("variance", y[here], w[here]), abs=1e-12
        )


@pytest.mark.parametrize("kind", [bw.RandomForestClassifier, bw.ExtraTreesClassifier])
def test_trees_of_an_honest_forest_are_counted_by_the_other_half_of_their_sample(kind):
    forest = kind(6, honest=True, bootstrap=True, random_state=2).fit(X, Y)
    for k, rows in enumerate(forest.estimators_samples_):
        copies = np.bincount(rows, minlength=90).astype(np.uint32)
        structure, estimate = halves_of_copies(classes(Y), copies, 2, k)
        tree = forest.model_.trees[k]
        leaf = forest.model_.member(k).apply(bw.to_table(X))
        for node in range(tree.n_nodes):
            here = np.isin(leaf, below(tree, node))
            counts = [float(estimate[here & (label == Y)].sum()) for label in forest.model_.labels]
            assert tree.distribution[node].tolist() == counts and tree.n_rows[node] == sum(counts)
            if tree.is_leaf(node):
                assert structure[here].sum() > 0  # every leaf has rows that chose it
    assert forest.model_.recipe["honest"] == 2


def test_a_forest_of_all_rows_and_balanced_samples():
    forest = bw.RandomForestClassifier(4, honest=True, class_weight="balanced_subsample").fit(X, Y)
    assert all(tree.weight[0] == pytest.approx(tree.distribution[0].sum()) for tree in forest.model_.trees)
    assert forest.oob_score is False and forest.score(X, Y) > 0.6
    numbers = bw.RandomForestRegressor(40, honest=True, oob_score=True).fit(X, HEIGHT)
    assert all(tree.n_rows[0] < 60 for tree in numbers.model_.trees) and numbers.oob_score_ < 1


def test_no_digit_depends_on_threads():
    one, other = (bw.RandomForestClassifier(8, honest=True, n_jobs=jobs).fit(X, Y) for jobs in (1, 3))
    for a, b in zip(one.model_.trees, other.model_.trees, strict=True):
        np.testing.assert_array_equal(a.value, b.value)
        np.testing.assert_array_equal(a.cut, b.cut)
    again = bw.TreeClassifier(honest=True, random_state=1).fit(X, Y)
    assert again.to_text() == bw.TreeClassifier(honest=True, random_state=1).fit(X, Y).to_text()
    assert again.to_text() != bw.TreeClassifier(honest=True, random_state=2).fit(X, Y).to_text()


def test_pruning_by_cross_validation_is_part_of_the_choice():
    est = bw.CARTClassifier(honest=True, xval=5, choose="1se").fit(X, Y)
    parts = halves(classes(Y), 0)
    grown = bw.CARTClassifier(xval=5, choose="1se").fit(X[parts.structure], Y[parts.structure])
    assert est.cp_table_ == grown.cp_table_ and (est.tree_.feature == grown.tree_.feature).all()
    assert est.tree_.n_rows[0] == len(parts.estimate)
    assert est.prune("cost_complexity", alpha=0.5).get_n_leaves() == 1


def test_an_honest_tree_is_not_pruned_by_the_rows_that_chose_its_splits():
    est = bw.TreeClassifier(honest=True).fit(X, Y)
    for method, options in [("cost_complexity", {}), ("reduced_error", {"folds": 3}), ("error_based", {})]:
        with pytest.raises(
            ParameterError, match="would give an honest tree the numbers of the rows that chose"
        ):
            est.prune(method, X, Y, **options)
    for method in ("cost_complexity", "error_based", "pessimistic", "mdl", "minimum_error", "significance"):
        pruned = est.prune(method)
        assert pruned.get_n_leaves() <= est.get_n_leaves() and pruned.model_.recipe["honest"] == 0
    assert est.prune("reduced_error", X, Y).get_n_leaves() < est.get_n_leaves()


def test_leaves_of_pure_noise_are_not_sure_of_themselves():
    """On noise, the leaves of a grown tree say 0 or 1; those of an honest tree are right on average."""
    rng = np.random.default_rng(0)
    noise, coin = rng.normal(size=(4000, 3)), rng.integers(0, 2, 4000)
    est = bw.TreeRegressor(min_samples_leaf=20, honest=True).fit(noise, coin)
    own = bw.TreeRegressor(min_samples_leaf=20).fit(noise, coin)

    def variance(tree):
        leaves = tree.feature < 0
        return np.average((tree.value[leaves, 0] - 0.5) ** 2, weights=tree.weight[leaves])

    assert variance(est.tree_) < 0.02 < 0.03 < variance(own.tree_)


def test_what_does_not_go_together():
    for settings, match in [
        ({"missing": "share"}, 'missing="share"'),
    ]:
        with pytest.raises(ParameterError, match=match):
            bw.TreeClassifier(honest=True, **settings).fit(X, Y)
    costs = np.ones((3, 3)) - np.eye(3)
    for settings in ({"priors": [0.2, 0.4, 0.4]}, {"loss": costs}, {"style": "rpart"}):
        with pytest.raises(
            ParameterError, match=f"honest=True counts other rows in the nodes, and {next(iter(settings))}"
        ):
            bw.CARTClassifier(honest=True, **settings).fit(X, Y)
    with pytest.raises(ParameterError, match="and shrink decides"):
        bw.CARTRegressor(honest=True, criterion="poisson", shrink=1.0).fit(X, HEIGHT)
    with pytest.raises(ParameterError, match="honest=True is not for AdaBoost"):
        bw.AdaBoostClassifier(bw.TreeClassifier(max_depth=1, honest=True)).fit(X, Y)
    with pytest.raises(ParameterError, match="not for members of an ensemble"):
        bw.BaggingClassifier(bw.CARTClassifier(honest=True, cp=0.01)).fit(X, Y)
    assert bw.BaggingClassifier(bw.TreeClassifier(honest=True), n_estimators=3).fit(X, Y).score(X, Y) > 0.5


def test_studies_fit_honest_trees_as_fit_does():
    fold = np.arange(90) % 3
    found = bw.study.curve(bw.TreeClassifier(honest=True), X, Y, "max_depth", [1, 4], folds=fold)
    for v, depth in enumerate([1, 4]):
        for k in range(3):
            est = bw.TreeClassifier(honest=True, max_depth=depth).fit(X[fold != k], Y[fold != k])
            assert found.validation_folds[v, k] == pytest.approx(1 - est.score(X[fold == k], Y[fold == k]))
    compared = bw.compare([bw.TreeClassifier(honest=True)], X, Y, cv=fold)
    est = bw.TreeClassifier(honest=True).fit(X[fold != 0], Y[fold != 0])
    assert compared.fold_losses[1, 0] == pytest.approx(1 - est.score(X[fold == 0], Y[fold == 0]))


def test_the_number_of_nodes_does_not_change():
    tree = bw.TreeClassifier().fit(X, Y).tree_
    other = estimated(tree, bw.to_table(X), classes(Y), "gini")
    np.testing.assert_allclose(other.distribution, tree.distribution)
    np.testing.assert_allclose(other.impurity, tree.impurity, atol=1e-12)
    np.testing.assert_allclose(other.gain, tree.gain, atol=1e-12)
