"""`--set NAME=VALUE`: exactly the parameters of the estimator's constructor, and their values as in Python."""

import inspect
import json

import pytest

import branchwork as bw
from branchwork.cli.estimators import ESTIMATORS, new_estimator
from branchwork.cli.json_text import dumps
from branchwork.cli.methods import METHODS
from branchwork.cli.procedure import procedure_of
from branchwork.cli.settings import NOT_TYPED
from branchwork.errors import ParameterError
from branchwork.grow.recipes import C45
from branchwork.table.target import classes, values

from commands import call

TARGETS = {"Classifier": classes(["a", "b", "a"]), "Regressor": values([1.0, 2.5, 4.0])}
KINDS = [
    (method, kind, getattr(bw, f"{name}{kind}"))
    for method, (name, _) in ESTIMATORS.items()
    for kind in TARGETS
    if hasattr(bw, f"{name}{kind}")
]


@pytest.mark.parametrize(("method", "kind", "estimator"), KINDS, ids=lambda value: str(value)[:12])
def test_the_names_are_those_of_the_constructor(method, kind, estimator):
    with pytest.raises(ParameterError) as caught:
        new_estimator(method, TARGETS[kind], {"zzz": 1})
    listed = str(caught.value).partition(" It has ")[2].rstrip(".").split(", ")
    expected = {name for name in inspect.signature(estimator).parameters if name not in NOT_TYPED}
    if (
        "estimator" in inspect.signature(estimator).parameters
    ):  # the settings of its trees are known by their names
        tree = bw.TreeClassifier if kind == "Classifier" else bw.TreeRegressor
        expected |= {name for name in inspect.signature(tree).parameters if name not in NOT_TYPED}
    assert set(listed) == expected and len(listed) == len(expected)
    for name in expected:  # and each of them is taken
        new_estimator(method, TARGETS[kind], {name: None})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", TARGETS)
def test_without_settings_a_method_is_its_estimator(method, kind):
    if METHODS[method][kind == "Regressor"] is None:
        return
    table = bw.datasets.load("play_tennis" if kind == "Classifier" else "bike_rentals")
    target = classes(table.y) if kind == "Classifier" else values(table.y)
    plain, by_estimator = (procedure_of(method, target, changes) for changes in ({}, {"n_jobs": 1}))
    assert plain.est is None and by_estimator.est is not None
    assert plain.learn(table.X, target).model.to_dict() == by_estimator.learn(table.X, target).model.to_dict()


@pytest.mark.parametrize("name", NOT_TYPED)
def test_what_makes_no_sense_in_a_terminal_says_what_to_do(name):
    method = next(method for method, _, kind in KINDS if name in inspect.signature(kind).parameters)
    done = call(
        "grow", "play_tennis", "--method", method if method != "neighbours" else "c45", "--set", f"{name}=1"
    )
    assert (
        done.exit_code == 2 and f"--set {name} is not for the command line. {NOT_TYPED[name]}" in done.stderr
    )


def test_any_setting_by_its_name():
    given = ["grow", "play_tennis", "--folds", 0, "--json"]

    def leaves(*others):
        done = call(*given, *others)
        assert done.exit_code == 0, done.stderr
        return done.stdout.count("'prediction'".replace("'", '"')) - done.stdout.count('"children"')

    assert leaves("--method", "c45", "--set", "pruning=none") == 6  # with the baseline's
    assert leaves("--method", "c45", "--set", "confidence=0.001") < 6
    assert leaves("--min-samples-leaf", 4) < leaves()
    assert leaves("--method", "cart", "--set", "max_surrogates=2") > 1
    done = call(*given, "--method", "c45", "--set", "confidense=1")
    assert done.exit_code == 2 and "Did you mean 'confidence'?" in done.stderr
    assert "expected NAME=VALUE" in call(*given, "--set", "confidence").stderr
    assert "is not known" in call(*given, "--set", "nominal=magic").stderr


def test_an_unknown_name_names_the_near_ones():
    done = call("grow", "play_tennis", "--method", "cart", "--set", "leaf=3")
    assert "Did you mean 'max_leaf_nodes' or 'min_samples_leaf' or 'min_weight_fraction_leaf'?" in done.stderr


def grown(*others, method="cart"):
    done = call("grow", "play_tennis", "--method", method, "--folds", 0, "--json", *others)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)["tree"]


def fitted(**settings):
    tennis = bw.datasets.load("play_tennis")
    return json.loads(dumps(bw.CARTClassifier(**settings).fit(tennis.X, tennis.y).to_dict()))


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (["cp=0.1"], {"cp": 0.1}),
        (["xval=none"], {}),
        (["xval=5"], {"xval": 5, "choose": "1se"}),
        (["xval=[0,0,0,0,0,0,0,1,1,1,1,1,1,1]", "choose=min"], {"xval": [0] * 7 + [1] * 7, "choose": "min"}),
        (["xval=none", "class_weight=balanced"], {"class_weight": "balanced"}),
        (["xval=none", 'class_weight={"No": 3}'], {"class_weight": {"No": 3}}),
        (["xval=none", 'priors={"No": 0.8, "Yes": 0.2}'], {"priors": {"No": 0.8, "Yes": 0.2}}),
        (["xval=none", "priors=[0.8, 0.2]"], {"priors": [0.8, 0.2]}),
        (["xval=none", "loss=[[0, 5], [1, 0]]"], {"loss": [[0, 5], [1, 0]]}),
        (
            ["loss=[[0, 5], [1, 0]]", "xval=4", "choose=min"],
            {"loss": [[0, 5], [1, 0]], "xval": 4, "choose": "min"},
        ),
        (["style=rpart", "xval=3", "cp=0.01"], {"style": "rpart", "xval": 3, "cp": 0.01, "choose": "1se"}),
        (["xval=none", "n_jobs=2", "handle_unknown=majority"], {"handle_unknown": "majority"}),
    ],
    ids=str,
)
def test_the_tree_is_that_of_the_estimator(words, settings):
    assert grown(*(word for setting in words for word in ("--set", setting))) == fitted(**settings)


def test_labels_that_are_numbers_are_found_by_their_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "".join(f"{k},{k % 2}\n" for k in range(12)))
    given = [
        "grow",
        path,
        "--target",
        "y",
        "--method",
        "tree",
        "--max-depth",
        0,
        "--folds",
        0,
        "--json",
        "--set",
    ]
    tree = json.loads(call(*given, 'class_weight={"1": 3}').stdout)["tree"]
    assert tree["distribution"] == {"0": 6, "1": 18}
    wrong = call(*given, 'class_weight={"2": 3}')
    assert (
        wrong.exit_code == 2 and "class_weight has a weight for '2', which is no class of y" in wrong.stderr
    )


def test_text_that_is_not_json_is_refused_with_the_place():
    done = call("grow", "play_tennis", "--set", "class_weight={No: 3}")
    assert done.exit_code == 2 and "is not JSON" in done.stderr and "char 1" in done.stderr


@pytest.mark.parametrize(
    ("name", "value"), [("min_cases", 4), ("threshold_penalty", False), ("subtree_raising", False)]
)
def test_settings_of_c45_have_their_names_of_python(name, value):
    found = procedure_of("c45", TARGETS["Classifier"], {name: value}).recipe
    assert found == bw.C45Classifier(**{name: value})._recipe() != C45


@pytest.mark.parametrize("setting", ["confidence=0.1", "subtree_raising=false"])
def test_a_setting_of_pruning_needs_pruning(setting):
    given = ["--method", "c45", "--set", "pruning=none", "--set", setting]
    done = call("grow", "play_tennis", *given)
    assert done.exit_code == 2 and "and this c45 is not pruned that way" in done.stderr


@pytest.mark.parametrize("method", ["bagging", "forest", "extra", "adaboost"])
def test_settings_of_an_ensemble_and_of_its_trees(method, tmp_path):
    path = tmp_path / "many.bw"
    given = ["--method", method, "--set", "n_estimators=7", "--set", "max_depth=2", "--seed", 3, "--folds", 0]
    done = call("grow", "play_tennis", *given, "-o", path)
    assert done.exit_code == 0, done.stderr
    tennis, name = bw.datasets.load("play_tennis"), f"{ESTIMATORS[method][0]}Classifier"
    own = {"n_estimators": 7, "random_state": 3}
    of_trees = {"max_depth": 2}
    if method in ("bagging", "adaboost"):
        of_trees = {"estimator": bw.TreeClassifier(**of_trees)}
    expected = getattr(bw, name)(**own, **of_trees).fit(tennis.X, tennis.y)
    found = bw.load(path)
    assert [tree.n_nodes for tree in found.trees] == [tree.n_nodes for tree in expected.trees_]
    assert found.predict_proba(tennis.X).tolist() == expected.predict_proba(tennis.X).tolist()


def test_an_honest_tree_by_set(tmp_path):
    path = tmp_path / "h.bw"
    done = call("grow", "play_tennis", "--method", "tree", "--set", "honest=true", "--folds", 3, "-o", path)
    assert done.exit_code == 0 and "honest: these rows did not choose the splits" in done.stdout
    assert bw.load(path).recipe["honest"] == 0
    wrong = call("grow", "play_tennis", "--method", "tree", "--set", "honest=2")
    assert wrong.exit_code == 2 and "honest=2" in wrong.stderr
    wrong = call("grow", "play_tennis", "--method", "c45", "--set", "honest=true")
    assert wrong.exit_code == 2 and "c45 has no setting 'honest'" in wrong.stderr
