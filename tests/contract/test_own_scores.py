"""A user's own score in every estimator that takes a criterion for classes: views, files, pruning, folds, copies."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.estimators._parameters import checks_of
from own_scores import COST, ENTROPY, GINI, INFORMATION_GAIN, OWN, TSALLIS

from registry import CLASS_ENSEMBLES, CLASSIFIERS, Factory
from same_tree import assert_same_splits

TENNIS = bw.datasets.load("play_tennis")
SCORES = [TSALLIS, INFORMATION_GAIN]


def takes_a_score(factory: Factory) -> bool:
    check = checks_of(type(factory())).get("criterion")
    try:
        return check is not None and check("criterion", TSALLIS) is TSALLIS
    except ParameterError:
        return False


TAKES = [factory for factory in (*CLASSIFIERS, *CLASS_ENSEMBLES) if takes_a_score(factory)]
ONE_TREE = [factory for factory in TAKES if factory not in CLASS_ENSEMBLES]


def table(rows: int = 90):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(rows, 4))
    X[rng.random((rows, 4)) < 0.05] = np.nan
    y = np.where(np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) > 0, "yes", "no")
    y[rng.random(rows) < 0.1] = "no"
    return X, y


def test_these_estimators_take_a_score_and_no_other_with_a_criterion_for_classes():
    assert {factory.__name__ for factory in TAKES} == {
        "ID3Classifier",
        "StumpClassifier",
        "CARTClassifier",
        "TreeClassifier",
        "RandomForestClassifier",
        "ExtraTreesClassifier",
    }


@pytest.mark.parametrize("factory", TAKES)
@pytest.mark.parametrize("name", OWN)
def test_a_built_in_score_written_as_one_s_own_answers_the_same(factory, name):
    X, y = table()
    built_in, own = (factory().set_params(criterion=one).fit(X, y) for one in (name, OWN[name]))
    assert np.array_equal(built_in.predict_proba(X), own.predict_proba(X))


@pytest.mark.parametrize("factory", TAKES)
@pytest.mark.parametrize("score", [TSALLIS, COST], ids=repr)
def test_threads_and_copies_change_nothing(factory, score):
    X, y = table()
    estimator = factory().set_params(criterion=score)
    first = estimator.fit(X, y).predict_proba(X)
    assert clone(estimator).get_params()["criterion"] is score or clone(estimator).criterion == score
    again = clone(estimator).set_params(n_jobs=2).fit(X, y)
    assert np.array_equal(first, again.predict_proba(X))


@pytest.mark.parametrize("factory", TAKES)
@pytest.mark.parametrize("weight", [0.5, 2], ids=["real", "whole"])
@pytest.mark.parametrize("name", OWN)
def test_with_weights_it_answers_the_same_too(factory, name, weight):
    X, y = table()
    weights = np.where(y == "yes", 5 * weight, weight)
    built_in, own = (
        factory().set_params(criterion=one).fit(X, y, sample_weight=weights) for one in (name, OWN[name])
    )
    for ours, theirs in zip(own.model_.trees, built_in.model_.trees, strict=True):
        assert_same_splits(ours, theirs)
    assert built_in.predict_proba(X) == pytest.approx(own.predict_proba(X), abs=1e-12)


@pytest.mark.parametrize("factory", TAKES)
def test_a_gain_answers_as_the_score_that_it_is(factory):
    X, y = table()
    by_gain, own = (factory().set_params(criterion=one).fit(X, y) for one in (INFORMATION_GAIN, "entropy"))
    assert np.array_equal(by_gain.predict_proba(X), own.predict_proba(X))


@pytest.mark.parametrize("name", OWN)
def test_adaboost_weighs_rows_anew_in_every_round(name):
    X, y = table()
    built_in, own = (
        bw.AdaBoostClassifier(bw.TreeClassifier(criterion=one, max_depth=2), n_estimators=5).fit(X, y)
        for one in (name, OWN[name])
    )
    for ours, theirs in zip(own.model_.trees, built_in.model_.trees, strict=True):
        assert_same_splits(ours, theirs)
    assert built_in.predict_proba(X) == pytest.approx(own.predict_proba(X), abs=1e-9)


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("factory", ONE_TREE)
def test_every_view_shows_a_score_of_one_s_own(factory, score):
    tree = factory().set_params(criterion=score).fit(TENNIS.X, TENNIS.y)
    assert (score.unit or score.name) in str(tree.working())
    assert score.name in str(tree.working(0, style="lecture"))
    handed = tree.working(0, X=TENNIS.X, y=TENNIS.y, style="lecture")
    assert f"{score.name}(S)" in str(handed)
    for view in (tree.to_text, tree.to_svg, tree.to_dot, tree.to_html, tree.rules):
        assert str(view())
    assert score.name in handed.to_html() and score.name in handed.to_latex()
    assert str(tree.why(TENNIS.X.to_pandas().iloc[0]))
    assert tree.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("factory", ONE_TREE)
@pytest.mark.parametrize("score", [*SCORES, GINI], ids=repr)
def test_the_ledger_is_the_one_that_rows_handed_back_make_again(factory, score):
    tree = factory().set_params(criterion=score).fit(TENNIS.X, TENNIS.y)
    kept, again = tree.working(), tree.working(0, X=TENNIS.X, y=TENNIS.y)
    for a, b in zip(kept.to_dict(), again.to_dict(), strict=True):
        assert (a["feature"], a["verdict"]) == (b["feature"], b["verdict"])
        assert a["gain"] == pytest.approx(b["gain"], abs=1e-12)


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("factory", TAKES)
def test_a_file_keeps_name_unit_and_impurities_and_no_code(factory, score, tmp_path):
    X, y = table()
    estimator = factory().set_params(criterion=score).fit(X, y)
    path = tmp_path / "model.bw"
    bw.save(estimator, path)
    loaded = bw.load(path)
    assert loaded.recipe["criterion"] == bw.Score.remembered(score.name, score.unit)
    assert loaded.unit == (score.unit or score.name)
    assert np.array_equal(loaded.predict_proba(X), estimator.predict_proba(X))
    for ours, theirs in zip(estimator.model_.trees, loaded.trees, strict=True):
        assert np.array_equal(ours.impurity, theirs.impurity) and np.array_equal(ours.gain, theirs.gain)
    bw.save(loaded, tmp_path / "again.bw")
    assert (tmp_path / "again.bw").read_bytes() == path.read_bytes()
    content = path.read_bytes()
    assert score.name.encode() in content and b"lambda" not in content


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_a_loaded_model_shows_all_but_computes_nothing(score, tmp_path):
    tree = bw.ID3Classifier(criterion=score).fit(TENNIS.X, TENNIS.y)
    bw.save(tree, tmp_path / "model.bw")
    loaded = bw.load(tmp_path / "model.bw")
    assert str(loaded.working()) == str(tree.working())
    assert f"{score.name}(S) = " in str(loaded.working(0, style="lecture"))
    assert loaded.to_text() == tree.to_text() and loaded.to_svg() == tree.model_.to_svg()
    for ask in (
        lambda: loaded.working(0, X=TENNIS.X, y=TENNIS.y),
        lambda: loaded.prune("cost_complexity", TENNIS.X, TENNIS.y, folds=2),
        lambda: bw.ID3Classifier(criterion=loaded.recipe["criterion"]).fit(TENNIS.X, TENNIS.y),
    ):
        with pytest.raises(
            ParameterError, match="was read from a model file, which keeps the name of a score"
        ):
            ask()


def test_a_hostile_name_is_only_text(tmp_path):
    score = bw.Score(
        name="<script>alert(1)</script>",
        unit="</style>$x_1$",
        term=GINI.term,
        offset=GINI.offset,
        scale=GINI.scale,
    )
    tree = bw.ID3Classifier(criterion=score).fit(TENNIS.X, TENNIS.y)
    bw.save(tree, tmp_path / "model.bw")
    lecture = bw.load(tmp_path / "model.bw").working(0, style="lecture")
    assert "<script>alert" not in lecture.to_html() + tree.to_html() + lecture.to_latex()
    assert "</style>$" not in lecture.to_html() + tree.to_html()


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize(
    ("method", "options"),
    [("cost_complexity", {"alpha": 0.05}), ("pessimistic", {}), ("error_based", {}), ("mdl", {})],
)
def test_pruning_takes_trees_of_any_score(method, options, score):
    X, y = table()
    tree = bw.TreeClassifier(criterion=score).fit(X, y)
    pruned = tree.prune(method, **options)
    assert pruned.tree_.n_leaves < tree.tree_.n_leaves
    assert pruned.model_.unit == tree.model_.unit


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_pruning_by_held_out_rows_and_by_folds(score):
    X, y = table(150)
    tree = bw.TreeClassifier(criterion=score).fit(X[:100], y[:100])
    assert tree.prune("reduced_error", X[100:], y[100:]).tree_.n_leaves < tree.tree_.n_leaves
    assert tree.prune("cost_complexity", X[:100], y[:100], folds=3).tree_.n_leaves < tree.tree_.n_leaves
    assert bw.CARTClassifier(criterion=score, xval=3).fit(X, y).tree_.n_leaves > 1


@pytest.mark.parametrize("name", OWN)
def test_folds_with_weights_prune_as_by_the_built_in_score(name):
    X, y = table(150)
    weights = np.random.default_rng(2).integers(1, 8, 150) / 4
    built_in, own = (
        bw.CARTClassifier(criterion=one, xval=3, random_state=0).fit(X, y, sample_weight=weights)
        for one in (name, OWN[name])
    )
    assert_same_splits(own.tree_, built_in.tree_)


@pytest.mark.parametrize("factory", TAKES)
def test_cross_validation_and_comparison_refit_it(factory):
    X, y = table()
    estimator = factory().set_params(criterion=TSALLIS)
    assert cross_val_score(estimator, X, y, cv=3).mean() > 0.6
    weights = {"sample_weight": np.random.default_rng(2).random(len(y)) + 0.5}
    own, built_in = (
        cross_val_score(factory().set_params(criterion=one), X, y, cv=3, params=weights)
        for one in (ENTROPY, "entropy")
    )
    assert np.array_equal(own, built_in)


def test_bagging_grows_trees_by_it():
    X, y = table()
    bag = bw.BaggingClassifier(bw.TreeClassifier(criterion=ENTROPY), n_estimators=4, random_state=1).fit(X, y)
    wanted = bw.BaggingClassifier(bw.TreeClassifier(criterion="entropy"), n_estimators=4, random_state=1).fit(
        X, y
    )
    assert np.array_equal(bag.predict_proba(X), wanted.predict_proba(X))


def test_an_estimator_is_pickled_with_its_score_if_python_can_find_the_functions():
    X, y = table()
    known = bw.TreeClassifier(criterion=bw.Score(name="gain", gain=INFORMATION_GAIN.gain)).fit(X, y)
    again = pickle.loads(pickle.dumps(known))
    assert np.array_equal(again.predict(X), known.predict(X))
    assert again.fit(X, y).criterion.gain is INFORMATION_GAIN.gain
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(bw.TreeClassifier(criterion=TSALLIS).fit(X, y))
    model = pickle.loads(pickle.dumps(bw.TreeClassifier(criterion=TSALLIS).fit(X, y).model_))
    assert model.recipe["criterion"].is_remembered


def test_the_score_is_a_public_name_with_keywords_only():
    assert all(p.kind is p.KEYWORD_ONLY for p in inspect.signature(bw.Score).parameters.values())
