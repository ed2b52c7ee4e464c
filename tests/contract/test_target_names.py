"""What is predicted has a name: `fit` learns it, and nothing that is done to a model forgets it."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.table.adapt import to_table
from branchwork.table.named_list import NamedList
from contract.checks import some_target

from registry import ALL, ENSEMBLES, ESTIMATORS, EVERYTHING, VOTES

X = np.random.default_rng(0).random((60, 2))


def target(estimator):
    return some_target(estimator, 60)


def name_in(estimator):
    return estimator.model_.target


CONTAINERS = {
    "pandas Series": lambda y: pd.Series(y, name="outcome"),
    "pandas frame": lambda y: pd.DataFrame({"outcome": y}),
    "pandas Index": lambda y: pd.Index(y, name="outcome"),
    "polars Series": lambda y: pl.Series("outcome", y),
    "polars frame": lambda y: pl.DataFrame({"outcome": y}),
    "Arrow table": lambda y: pa.table({"outcome": y}),
    "column of a Table": lambda y: to_table({"outcome": y, "x": [0.0] * 60}).column("outcome"),
    "Table of one column": lambda y: to_table({"outcome": y}),
    "named list": lambda y: NamedList("outcome", y),
}


@pytest.mark.parametrize("factory", [*ALL, *VOTES])
def test_every_estimator_learns_the_name(factory):
    y = target(factory())
    assert name_in(factory().fit(X, pd.Series(y, name="outcome"))) == "outcome"
    assert name_in(factory().fit(X, y)) is None
    assert name_in(factory().fit(X, y, target_name="outcome")) == "outcome"
    fitted = factory().fit(X, pd.Series(y, name="y"), target_name="outcome")
    assert name_in(fitted) == "outcome", "what is given goes before the name of y"
    for wrong in ("", "  ", 3, ["outcome"]):
        with pytest.raises(ParameterError, match="target_name="):
            factory().fit(X, y, target_name=wrong)
    assert name_in(fitted) == "outcome"


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("factory", [bw.TreeClassifier, bw.TreeRegressor, *VOTES])
def test_every_container_tells_the_name(factory, kind):
    y = target(factory())
    fitted = factory().fit(X, CONTAINERS[kind](y))
    assert name_in(fitted) == "outcome"
    assert fitted.predict(X).tolist() == factory().fit(X, y).predict(X).tolist()


@pytest.mark.parametrize(
    "y", [pd.Series([0, 1], name=7), pd.Series([0, 1], name=""), np.array([[0], [1]])[:, 0]]
)
def test_what_is_no_name_is_not_taken_for_one(y):
    assert name_in(bw.TreeClassifier().fit([[1], [2]], y)) is None


def test_a_column_of_a_frame_keeps_its_declared_order():
    y = pd.DataFrame({"size": pd.Categorical(["s", "m"], categories=["s", "m", "l"], ordered=True)})
    assert bw.TreeClassifier().fit([[1], [2]], y).model_.labels == ("s", "m", "l")


@pytest.mark.parametrize("factory", [*ALL, *VOTES])
def test_the_name_survives_files_pickles_and_copies(factory, tmp_path):
    fitted = factory().fit(X, target(factory()), target_name="outcome")
    models = [fitted.model_] if getattr(fitted, "rules_", None) is None else [fitted.model_, fitted.rules_]
    for model in models:
        for suffix in (".bw", ".json"):
            bw.save(model, tmp_path / f"model{suffix}")
            assert bw.load(tmp_path / f"model{suffix}").target == "outcome"
        assert pickle.loads(pickle.dumps(model)).target == copy.copy(model).target == "outcome"
    assert name_in(pickle.loads(pickle.dumps(fitted))) == "outcome"
    assert name_in(copy.deepcopy(fitted)) == "outcome"


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_the_name_survives_pruning(factory):
    tree = factory().fit(X, target(factory()), target_name="outcome")
    assert name_in(tree.prune("cost_complexity", alpha=1e9)) == "outcome"
    assert name_in(tree.snip(0)) == name_in(tree.simplify()) == "outcome"


@pytest.mark.parametrize("factory", ENSEMBLES)
def test_the_members_of_an_ensemble_know_the_name(factory):
    many = factory().fit(X, target(factory()), target_name="outcome")
    assert name_in(many[0]) == many.model_.first(1).target == "outcome"


@pytest.mark.parametrize("factory", VOTES)
def test_the_members_of_a_vote_know_the_name(factory):
    vote = factory().fit(X, target(factory()), target_name="outcome")
    assert {name_in(member) for member in vote.estimators_} == {"outcome"}


@pytest.mark.parametrize("factory", [bw.TreeClassifier, bw.C45Classifier, bw.CARTRegressor])
def test_tuning_knows_the_name(factory):
    y = pd.Series(target(factory()), name="outcome")
    assert name_in(factory().tune(X, y, grid={"max_depth": [1, 2]}, nested=False)) == "outcome"


@pytest.mark.parametrize("factory", [f for f in EVERYTHING if "Optimal" not in f.__name__])
def test_cross_validation_knows_the_name(factory):
    y = pd.Series(target(factory()), name="outcome")
    found = cross_validate(factory(), X, y, cv=3, return_estimator=True)
    assert {name_in(one) for one in found["estimator"]} == {"outcome"}
    again = cross_validate(
        factory(), X, y.to_numpy(), cv=3, return_estimator=True, params={"target_name": "outcome"}
    )
    assert {name_in(one) for one in again["estimator"]} == {"outcome"}


def test_scikit_learn_routes_the_name():
    y = target(bw.TreeClassifier())
    pipe = make_pipeline(bw.TreeClassifier()).fit(X, y, treeclassifier__target_name="outcome")
    assert name_in(pipe[-1]) == "outcome"
    with sklearn.config_context(enable_metadata_routing=True):
        asks = bw.TreeClassifier().set_fit_request(target_name=True)
        search = GridSearchCV(asks, {"max_depth": [1, 2]}, cv=3).fit(X, y, target_name="outcome")
    assert name_in(search.best_estimator_) == "outcome"


def test_rules_know_the_name():
    y = target(bw.RuleListClassifier())
    fitted = bw.RuleListClassifier().fit(X, y, target_name="outcome")
    assert fitted.rules_.target == fitted.rules().simplify().target == "outcome"
    rules = bw.TreeClassifier(max_depth=2).fit(X, y, target_name="outcome").rules()
    assert rules.target == rules.post_prune(X, y).target == "outcome"


def test_parts_of_a_table_know_the_name():
    data = bw.datasets.load("restaurant")
    parts = bw.study.split(data.X, data.y)
    assert {parts.train.y.name, parts.test.y.name} == {data.target}


def test_trees_made_by_hand_know_the_name():
    data = bw.datasets.load("play_tennis")
    tree = {"feature": "Outlook", "values": ["Rain"], "then": "No", "else": "Yes"}
    assert bw.hand_tree(tree, data.X, data.y).target == data.target == "PlayTennis"


@pytest.mark.parametrize("name", bw.datasets.short_names())
def test_bundled_tables_know_the_name_of_their_target(name):
    data = bw.datasets.load(name)
    assert data.y.name == data.target and isinstance(data.y, list)
    assert pickle.loads(pickle.dumps(data.y)).name == copy.copy(data.y).name == data.y[:2].name == data.target


HOSTILE = "a\x1b[2J\n*/ <script>alert(1)</script> | $x_1$ ● →"
SAFE_LANGUAGES = ("python", "c", "java", "javascript", "sql", "questionnaire")


@pytest.mark.parametrize("factory", ESTIMATORS)
def test_a_hostile_name_is_shown_and_not_obeyed(factory):
    tree = factory().fit(X, target(factory()), target_name=HOSTILE)
    why, rules, working = tree.why(X[0]), tree.rules(), tree.working(0)
    for text in (
        tree.to_text(color=False),
        why.to_text(color=False),
        rules.to_text(),
        working.to_text(color=False),
    ):
        assert "\x1b" not in text and "a\\x1b[2J\\n" in text
    for text in (why.to_html(), rules._repr_html_(), working.to_html(), tree.export("questionnaire")):
        assert "<script>alert" not in text
    for text in (why.to_markdown(), rules.to_markdown(), working.to_markdown()):
        assert "<script>" not in text and "\x1b" not in text
    for language in SAFE_LANGUAGES[:4]:
        comment = tree.export(language).splitlines()[0]
        assert "a_" in comment and "script_alert" in comment and "<script>" not in comment


def test_programs_and_questionnaires_say_what_they_predict():
    data = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(data.X, data.y)
    for language in SAFE_LANGUAGES[:4]:
        assert "predicts PlayTennis, the class of a row" in tree.export(language)
        nameless = bw.ID3Classifier().fit(data.X, list(data.y)).export(language)
        assert "predicts the class of a row" in nameless and "None" not in nameless.split("\n", 1)[0]
    assert "<title>PlayTennis</title>" in tree.export("questionnaire")
    assert "<title>Play?</title>" in tree.export("questionnaire", title="Play?")


def test_without_a_name_texts_are_as_short_as_before():
    data = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(data.X, list(data.y))
    first, second, *_ = tree.to_text().splitlines()
    assert first == "all rows                       14 rows  Yes: 9 (64%)  No: 5 (36%)"
    assert second.startswith("├─ Outlook = Overcast → Yes ")
    assert str(tree.why(data.X.row(0))).startswith("The answer is No (100%).")
    assert "otherwise → Yes" in str(tree.rules())
    assert str(tree.working(0)).startswith("Node 0: 14 rows, entropy (bits) 0.9403")
    for text in (tree.to_text(), str(tree.why(data.X.row(0))), str(tree.rules()), str(tree.working(0))):
        assert "None" not in text and "target" not in text


@pytest.mark.parametrize(
    ("factory", "answer"),
    [
        (lambda: bw.RandomForestClassifier(5, random_state=0), "PlayTennis: "),
        (lambda: bw.NeighboursClassifier(3), "PlayTennis: No, by the nearest 3 neighbours"),
        (lambda: VOTES[0](), "PlayTennis: No, "),
    ],
)
def test_other_explanations_name_it(factory, answer):
    data = bw.datasets.load("play_tennis")
    assert str(factory().fit(data.X, data.y).why(data.X.take([0]))).startswith(answer)
