"""The command grows ensembles, shows them as a whole or tree by tree, and explains their votes."""

import json

import pytest

import branchwork as bw

from commands import call

METHODS = ("bagging", "forest", "extra", "adaboost")


def run(*arguments, code=0):
    done = call(*arguments)
    assert done.exit_code == code, done.stderr
    return done


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("table", ["play_tennis", "bike_rentals"])
def test_every_method_grows_saves_and_predicts(tmp_path, method, table):
    file = str(tmp_path / "model.bw")
    data = json.loads(
        run(
            "grow",
            table,
            "--method",
            method,
            "--set",
            "n_estimators=12",
            "--folds",
            "2",
            "--json",
            "-o",
            file,
        ).stdout
    )
    assert data["method"] == method and 1 <= data["trees"] <= 12
    assert sum(data["importances"].values()) == pytest.approx(1)
    assert data["cross_validated_error"] >= 0
    model = bw.load(file)
    assert len(model.trees) == data["trees"] and model.ensemble.method == method
    assert len(run("predict", file, table).stdout.splitlines()) == bw.datasets.load(table).X.n_rows + 1


def test_the_command_and_the_estimator_grow_the_same_forest(tmp_path):
    file = str(tmp_path / "model.bw")
    run("grow", "play_tennis", "--method", "forest", "--set", "n_estimators=9", "--folds", "0", "-o", file)
    tennis = bw.datasets.load("play_tennis")
    forest = bw.RandomForestClassifier(9).fit(tennis.X, tennis.y)
    assert [t.feature.tolist() for t in bw.load(file).trees] == [t.feature.tolist() for t in forest.trees_]
    run("grow", "play_tennis", "--method", "adaboost", "--set", "n_estimators=4", "--folds", "0", "-o", file)
    boosted = bw.AdaBoostClassifier(n_estimators=4).fit(tennis.X, tennis.y)
    assert bw.load(file).combine.weights == pytest.approx(boosted.model_.combine.weights)


def test_text_says_how_good_it_is(tmp_path):
    file = str(tmp_path / "model.bw")
    done = run("grow", "play_tennis", "--method", "forest", "--set", "n_estimators=30", "-o", file)
    for words in (
        "Random forest for PlayTennis: 30 trees",
        "Which features matter",
        "out of bag",
        "cross-validated",
        "baseline",
    ):
        assert words in done.stdout
    assert "saved" in done.stderr
    assert "to keep these trees" in run("grow", "play_tennis", "--method", "bagging", "--folds", "0").stderr
    boosted = run("grow", "play_tennis", "--method", "adaboost", "--set", "n_estimators=3", "--folds", "0")
    assert "in round 1" in boosted.stdout


def test_an_ensemble_is_shown_as_a_whole_or_tree_by_tree(tmp_path):
    file = str(tmp_path / "model.bw")
    run("grow", "play_tennis", "--method", "forest", "--set", "n_estimators=5", "--folds", "0", "-o", file)
    assert "One of the trees: branchwork show" in run("show", file).stdout
    assert "all rows" in run("show", file, "--tree", "3").stdout
    page = tmp_path / "page.html"
    run("show", file, "-o", str(page))
    assert "How many trees split on each feature first" in page.read_text(encoding="utf-8")
    refused = run("show", file, "--format", "svg", code=2)
    assert "--tree 0 to --tree 4" in refused.stderr


def test_why_counts_votes(tmp_path):
    file = str(tmp_path / "model.bw")
    run("grow", "play_tennis", "--method", "forest", "--set", "n_estimators=25", "--folds", "0", "-o", file)
    asked = ("why", file, "Outlook=Sunny", "Temperature=Mild", "Humidity=Normal", "Wind=Strong")
    done = run(*asked)
    assert "of 25 trees" in done.stdout and "add --tree" in done.stderr
    assert json.loads(run(*asked, "--json").stdout)["prediction"] in ("Yes", "No")
    assert "The answer is" in run(*asked, "--tree", "2").stdout
    assert "--want is about one tree" in run(*asked, "--want", "Yes", code=2).stderr


WRONG = [
    (["--set", "n_estimators=0"], "n_estimators=0"),
    (["--set", "max_features=none_of_them"], "max_features"),
    (["--set", "n_tree=5"], "no setting 'n_tree'"),
    (["--set", "combine=duel"], "combine='duel' is not known"),
    (["--set", "max_samples=1000"], "max_samples=1000"),
    (["--set", "max_depth=deep"], "max_depth"),
]


@pytest.mark.parametrize(("options", "says"), WRONG, ids=str)
def test_wrong_settings_are_refused_by_name(options, says):
    assert says in run("grow", "play_tennis", "--method", "forest", *options, code=2).stderr


def test_a_saved_vote_predicts_and_is_not_a_tree(tmp_path):
    tennis = bw.datasets.load("play_tennis")
    vote = bw.VoteClassifier([("a", bw.ID3Classifier()), ("b", bw.StumpClassifier())]).fit(tennis.X, tennis.y)
    file = str(bw.save(vote, tmp_path / "vote.bw"))
    assert run("predict", file, "play_tennis").stdout.splitlines()[1:] == vote.predict(tennis.X).tolist()
    assert "holds a vote of 2 models ('a', 'b')" in run("show", file, code=2).stderr
