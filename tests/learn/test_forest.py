"""Forests and bagging, against slow and obvious computations of the same."""

import dataclasses
import os

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import InterruptedWarning, ParameterError, TooLargeError
from branchwork.grow.grow import grow
from branchwork.learn import forest as module
from branchwork.store.container import to_bytes
from branchwork.table.adapt import to_table
from branchwork.table.target import classes, values
from ctrl_c import ALLOWED, interrupted
from forest_rows import N, mixed_rows
from grow.test_prepared import slow_forest_tree


def arrays(tree):
    found = {f.name: getattr(tree, f.name) for f in dataclasses.fields(tree)}
    return {
        name: (a.dtype, a.shape, a.tobytes())
        for name, a in found.items()
        if isinstance(a, np.ndarray) and name != "missing_weight"
    }


FORESTS = [
    (bw.RandomForestClassifier, bw.TreeClassifier, 1),
    (bw.RandomForestRegressor, bw.TreeRegressor, 2),
    (bw.BaggingClassifier, bw.TreeClassifier, 1),
    (bw.BaggingRegressor, bw.TreeRegressor, 2),
]


@pytest.mark.parametrize(("ensemble", "single", "answer"), FORESTS)
def test_one_tree_without_sampling_is_the_tree(ensemble, single, answer):
    data = mixed_rows()
    X, y = data[0], data[answer]
    one = ensemble(n_estimators=1, bootstrap=False, max_features=None).fit(X, y)
    tree = single().fit(X, y)
    assert arrays(one.trees_[0]) == arrays(tree.tree_)
    assert one.predict(X).tolist() == tree.predict(X).tolist()
    assert one.model_.member(0).predict(X).tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize("per", ["node", "tree"])
@pytest.mark.parametrize("kind", [bw.RandomForestClassifier, bw.RandomForestRegressor])
def test_every_tree_is_that_of_the_slow_oracle_on_its_sample(kind, per):
    X, labels, numbers = mixed_rows()
    y = labels if kind is bw.RandomForestClassifier else numbers
    forest = kind(n_estimators=6, max_features=2, subspace=per, random_state=7).fit(X, y)
    table = to_table(X)
    target = classes(y) if kind is bw.RandomForestClassifier else values(y)
    recipe = module.Recipe.from_dict(forest.model_.recipe)
    for k, rows in enumerate(forest.estimators_samples_):
        wanted = slow_forest_tree(table.take(rows), target.take(rows), recipe, 7, k)
        tree = forest.trees_[k]
        found = [
            None if f < 0 else (f, c) for f, c in zip(tree.feature.tolist(), tree.cut.tolist(), strict=True)
        ]
        assert repr(found) == repr(wanted)


def test_samples_are_bootstrap_samples_of_the_rows():
    X, y, _ = mixed_rows()
    bag = bw.BaggingClassifier(n_estimators=5, random_state=3).fit(X, y)
    table, target = to_table(X), classes(y)
    for rows, tree in zip(bag.estimators_samples_, bag.trees_, strict=True):
        assert len(rows) == N and len(set(rows.tolist())) < N
        alone, _ = grow(table.take(rows), target.take(rows), bw.TreeClassifier()._recipe())
        assert arrays(alone) == arrays(tree)


# ---------------------------------------------------------------------------------------------------- the same model


def with_settings(kind, **more):
    return kind(n_estimators=25, oob_score=True, random_state=2, **more)


KINDS = [bw.RandomForestClassifier, bw.RandomForestRegressor, bw.BaggingClassifier, bw.BaggingRegressor]


def answers_for(kind, data):
    return data[1] if kind.__name__.endswith("Classifier") else data[2]


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_file_is_the_same_for_any_number_of_threads(kind):
    data = mixed_rows(n=400)
    y = answers_for(kind, data)
    files = {to_bytes(with_settings(kind, n_jobs=jobs).fit(data[0], y).model_) for jobs in (1, 2, 3, 7)}
    assert len(files) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [10, 13])
@pytest.mark.filterwarnings("ignore::branchwork.errors.OutOfBagWarning")
def test_a_warm_start_gives_the_same_model_as_one_fit(kind, first):
    data = mixed_rows()
    y = answers_for(kind, data)
    at_once = with_settings(kind).fit(data[0], y)
    warm = with_settings(kind, warm_start=True).set_params(n_estimators=first)
    with_trees = warm.fit(data[0], y).trees_
    assert len(with_trees) == first
    warm.set_params(n_estimators=25).fit(data[0], y)
    assert to_bytes(warm.model_) == to_bytes(at_once.model_)
    assert warm.trees_[0] is with_trees[0]
    assert warm.oob_score_ == at_once.oob_score_


def test_a_warm_start_on_other_rows_is_refused():
    X, y, _ = mixed_rows()
    forest = bw.RandomForestClassifier(3, warm_start=True).fit(X, y)
    with pytest.raises(ParameterError, match="columns are different"):
        forest.set_params(n_estimators=4).fit({"a": X["a"]}, y)
    with pytest.raises(ParameterError, match=r"n_estimators=2.*3 trees already"):
        forest.set_params(n_estimators=2).fit(X, y)
    with pytest.raises(ParameterError, match="settings of the trees are different"):
        forest.set_params(n_estimators=5, max_depth=2).fit(X, y)


def test_no_seed_is_seed_0_and_the_model_records_it():
    X, y, _ = mixed_rows()
    one, other = (
        bw.RandomForestClassifier(4).fit(X, y),
        bw.RandomForestClassifier(4, random_state=0).fit(X, y),
    )
    assert to_bytes(one.model_) == to_bytes(other.model_)
    assert one.model_.ensemble.seed == 0
    drawn = bw.RandomForestClassifier(4, random_state=np.random.RandomState(1)).fit(X, y)
    assert drawn.model_.ensemble.seed == np.random.RandomState(1).randint(2**31)


# -------------------------------------------------------------------------------------------------- on the way


def test_early_stopping_looks_after_every_ten_trees_whatever_the_threads():
    X, y, _ = mixed_rows()
    sizes = set()
    for jobs in (1, 5):
        forest = bw.RandomForestClassifier(300, n_iter_no_change=2, n_jobs=jobs).fit(X, y)
        errors = [error for _, error in forest.model_.ensemble.errors]
        assert len(forest) == 10 * len(errors) < 300
        assert min(errors[-2:]) >= min(errors[:-2])
        for k in range(3, len(errors)):
            assert min(errors[k - 2 : k]) < min(errors[: k - 2])
        sizes.add(len(forest))
    assert len(sizes) == 1
    longer = bw.RandomForestClassifier(300, n_iter_no_change=2, tol=1.0).fit(X, y)
    assert len(longer) == 30


def test_a_callback_sees_every_tree_and_can_end_growth():
    X, y, _ = mixed_rows()
    seen = []
    forest = bw.RandomForestClassifier(25, callback=lambda k, tree: seen.append((k, tree))).fit(X, y)
    assert [k for k, _ in seen] == list(range(25))
    assert [tree for _, tree in seen] == list(forest.trees_)
    assert len(bw.RandomForestClassifier(25, callback=lambda k, _: k == 6).fit(X, y)) == 7


def test_ctrl_c_keeps_the_trees_that_are_done(monkeypatch):
    X, y, _ = mixed_rows()

    def press(k, _):
        if k == 4:
            raise KeyboardInterrupt

    whole = bw.RandomForestClassifier(12).fit(X, y)
    original = module.Members.grow

    def interrupted(self, first, copies, progress=None):
        if first >= 5:
            raise KeyboardInterrupt
        return original(self, first, copies, progress)

    monkeypatch.setattr(module.Members, "grow", interrupted)
    with pytest.warns(InterruptedWarning, match="after 5 of 12 trees"):
        kept = bw.RandomForestClassifier(12, on_interrupt="keep").fit(X, y)
    assert [arrays(tree) for tree in kept.trees_] == [arrays(tree) for tree in whole.trees_[:5]]
    forest = bw.RandomForestClassifier(12, callback=press)
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, y)
    assert not hasattr(forest, "model_")


def test_ctrl_c_is_heard_at_once():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 10)), rng.integers(0, 2, 60_000)
    heard = interrupted(lambda: bw.RandomForestClassifier(500, n_jobs=2).fit(X, y), 0.4)
    assert heard.processor_seconds < ALLOWED


def test_a_forest_that_does_not_fit_in_memory_is_refused_with_the_figure(monkeypatch):
    X, y, _ = mixed_rows()
    monkeypatch.setattr(module, "SURELY_FREE", 0)
    monkeypatch.setattr(module, "free_bytes", lambda: 1000)
    with pytest.raises(TooLargeError, match=r"100 000 trees do not fit in memory: the first 10 take .* GB"):
        bw.RandomForestClassifier(100_000).fit(X, y)


# ---------------------------------------------------------------------------------------------------- settings


def test_groups_are_drawn_together():
    X, y, _ = mixed_rows()
    groups = [f"patient {row // 5}" for row in range(N)]
    bag = bw.BaggingClassifier(n_estimators=5).fit(X, y, groups=groups)
    for rows in bag.estimators_samples_:
        counts = np.bincount(rows, minlength=N).reshape(30, 5)
        assert (counts == counts[:, :1]).all() and counts[:, 0].sum() == 30
    with pytest.raises(ParameterError, match="groups and sample_weight"):
        bw.BaggingClassifier().fit(X, y, sample_weight=np.ones(N) * 2, groups=groups)
    with pytest.raises(bw.errors.DataError, match="groups has shape"):
        bw.BaggingClassifier().fit(X, y, groups=groups[:5])
    with pytest.raises(bw.errors.DataError, match="row 3: the group is missing"):
        bw.BaggingClassifier().fit(X, y, groups=[1, 1, 1, None] * 37 + [1, 1])


def test_samples_have_the_size_that_is_asked_for():
    X, y, _ = mixed_rows()
    for most, size in ((40, 40), (0.5, 75), (1.0, 150), (None, 150)):
        for rows in bw.BaggingClassifier(n_estimators=3, max_samples=most).fit(X, y).estimators_samples_:
            assert len(rows) == size
        for rows in (
            bw.BaggingClassifier(n_estimators=3, max_samples=most, bootstrap=False)
            .fit(X, y)
            .estimators_samples_
        ):
            assert len(rows) == size == len(set(rows.tolist()))
    with pytest.raises(ParameterError, match="max_samples=151, but there are 150 rows"):
        bw.BaggingClassifier(max_samples=151).fit(X, y)


def test_weights_are_chances_to_be_drawn_and_each_draw_counts_once():
    X, y, _ = mixed_rows()
    weights = np.where(np.arange(N) < 10, 20.0, 0.25)
    weights[-3:] = 0
    bag = bw.BaggingClassifier(n_estimators=5).fit(X, y, sample_weight=weights)
    for rows, tree in zip(bag.estimators_samples_, bag.trees_, strict=True):
        assert len(rows) == N - 3 and rows.max() < N - 3
        assert np.mean(rows < 10) > 0.75
        assert tree.weight[0] == tree.n_rows[0] == N - 3
    exact = bw.BaggingClassifier(n_estimators=1, bootstrap=False).fit(X, y, sample_weight=weights)
    assert arrays(exact.trees_[0]) == arrays(bw.TreeClassifier().fit(X, y, sample_weight=weights).tree_)


def test_balanced_subsamples_count_the_classes_of_each_sample():
    X, y, _ = mixed_rows()
    forest = bw.RandomForestClassifier(4, class_weight="balanced_subsample").fit(X, y)
    for rows, tree in zip(forest.estimators_samples_, forest.trees_, strict=True):
        np.testing.assert_allclose(tree.distribution[0], tree.weight[0] / 3)
        counts = np.unique(y[rows], return_counts=True)[1]
        assert tree.weight[0] == pytest.approx(N) and counts.sum() == N
    balanced = bw.RandomForestClassifier(4, class_weight="balanced").fit(X, y)
    assert to_bytes(balanced.model_) != to_bytes(forest.model_)


@pytest.mark.parametrize(
    "estimator",
    [
        bw.C45Classifier(),
        bw.C45Classifier(variant="j48", pruning="reduced_error"),
        bw.CHAIDClassifier(alpha_split=0.5),
        bw.CARTClassifier(cp=0.02),
        bw.CARTClassifier(max_surrogates=2),
        bw.TreeClassifier(max_p_value=0.05),
        bw.ID3Classifier(),
        bw.StumpClassifier(),
        bw.TreeClassifier(min_category_rows=20, missing="share"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::branchwork.errors.OneClassWarning")
def test_bagging_takes_every_single_tree(estimator):
    X, y, _ = mixed_rows()
    bag = bw.BaggingClassifier(estimator, n_estimators=4, random_state=1).fit(X, y)
    table = to_table(X)
    for rows, member in zip(bag.estimators_samples_, bag.estimators_, strict=True):
        alone = type(estimator)(**estimator.get_params()).fit(table.take(rows), y[rows])
        assert type(member) is type(estimator)
        if estimator.get_params().get("min_category_rows") is None:
            assert member.predict(X).tolist() == alone.predict(X).tolist()
            assert member.tree_.feature.tolist() == alone.tree_.feature.tolist()
    mean = np.mean([member.predict_proba(X) for member in bag.estimators_], axis=0)
    np.testing.assert_allclose(bag.predict_proba(X), mean, rtol=1e-12)


def test_what_is_no_single_tree_is_refused():
    X, y, _ = mixed_rows()
    for wrong in (bw.TreeRegressor(), bw.RuleListClassifier(), bw.RandomForestClassifier()):
        with pytest.raises(ParameterError, match="grows a single tree"):
            bw.BaggingClassifier(wrong).fit(X, y)
    with pytest.raises(ParameterError, match="max_depth='x'"):
        bw.BaggingClassifier(bw.TreeClassifier(max_depth="x")).fit(X, y)
    with pytest.raises(ParameterError, match="max_features=2"):
        bw.BaggingClassifier(bw.C45Classifier(), max_features=2).fit(X, y)
    with pytest.raises(ParameterError, match="max_features=9, but the table has 4 features"):
        bw.RandomForestClassifier(max_features=9).fit(X, y)
    with pytest.raises(ParameterError, match="oob_score=True needs rows"):
        bw.RandomForestClassifier(bootstrap=False, oob_score=True).fit(X, y)
    with pytest.raises(ParameterError, match="n_iter_no_change=2 needs rows"):
        bw.RandomForestClassifier(bootstrap=False, n_iter_no_change=2).fit(X, y)


def test_defaults_of_max_features():
    X = np.random.default_rng(0).normal(size=(40, 12))
    y = np.arange(40) % 2
    features = {
        "classes": bw.RandomForestClassifier(1).fit(X, y),
        "numbers": bw.RandomForestRegressor(1).fit(X, y),
        "tree": bw.RandomForestClassifier(1, subspace="tree").fit(X, y),
        "share": bw.RandomForestClassifier(1, max_features=0.25).fit(X, y),
        "log2": bw.RandomForestClassifier(1, max_features="log2").fit(X, y),
    }
    found = {name: forest.model_.recipe["subspace"]["features"] for name, forest in features.items()}
    assert found == {"classes": 3, "numbers": 4, "tree": 6, "share": 3, "log2": 3}


def test_a_vote_counts_decisions_and_a_mean_probabilities():
    X, y, _ = mixed_rows()
    settings = {"n_estimators": 15, "max_depth": 2}
    mean = bw.RandomForestClassifier(**settings).fit(X, y)
    vote = bw.RandomForestClassifier(combine="vote", **settings).fit(X, y)
    for member, other in zip(mean.trees_, vote.trees_, strict=True):
        assert arrays(member) == arrays(other)
    decided = np.array([member.predict(X) for member in vote.estimators_])
    wanted = np.stack([(decided == label).mean(axis=0) for label in vote.classes_], axis=1)
    np.testing.assert_allclose(vote.predict_proba(X), wanted, rtol=1e-12)
    assert (vote.predict_proba(X) != mean.predict_proba(X)).any()


# -------------------------------------------------------------------------------------------- among other processes


def test_a_forest_inside_a_search_uses_the_threads_of_the_search_only():
    from sklearn.model_selection import GridSearchCV

    X, y, _ = mixed_rows()
    table = np.column_stack([X["a"], X["b"]])
    search = GridSearchCV(bw.RandomForestClassifier(5, n_jobs=-1), {"max_depth": [2, 3]}, cv=2, n_jobs=2)
    search.fit(table, y)
    alone = bw.RandomForestClassifier(5, max_depth=search.best_params_["max_depth"]).fit(table, y)
    assert to_bytes(search.best_estimator_.model_) == to_bytes(alone.model_)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fit_after_a_fork_works():
    X, y, _ = mixed_rows(n=400)
    forest = bw.RandomForestClassifier(10, n_jobs=2).fit(X, y)
    wanted = to_bytes(forest.model_)
    for _ in range(10):
        child = os.fork()
        if child == 0:
            same = to_bytes(bw.RandomForestClassifier(10, n_jobs=2).fit(X, y).model_) == wanted
            os._exit(0 if same and forest.predict(X) is not None else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_many_threads_may_predict_at_once():
    from concurrent.futures import ThreadPoolExecutor

    X, y, _ = mixed_rows()
    forest = bw.RandomForestClassifier(10).fit(X, y)
    wanted = forest.predict_proba(X).tolist()
    fresh = bw.RandomForestClassifier(10).fit(X, y)  # nothing that prediction keeps is made yet
    with ThreadPoolExecutor(32) as threads:
        assert all(
            found.tolist() == wanted for found in threads.map(lambda _: fresh.predict_proba(X), range(64))
        )


def test_a_pickle_of_a_forest_is_the_forest():
    import pickle

    X, y, _ = mixed_rows()
    forest = bw.BaggingClassifier(n_estimators=6, random_state=3).fit(X, y)
    again = pickle.loads(pickle.dumps(forest))
    assert to_bytes(again.model_) == to_bytes(forest.model_)
    for rows, others in zip(forest.estimators_samples_, again.estimators_samples_, strict=True):
        assert rows.tolist() == others.tolist()


def test_verbose_shows_a_bar_on_standard_error(capfd):
    X, y, _ = mixed_rows()
    bw.RandomForestClassifier(5, verbose=1).fit(X, y)
    bw.AdaBoostClassifier(n_estimators=3, verbose=1).fit(X, y)
    shown = capfd.readouterr()
    assert shown.out == "" and "RandomForestClassifier" in shown.err and "AdaBoostClassifier" in shown.err
