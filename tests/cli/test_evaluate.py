"""`branchwork evaluate` and `branchwork diff`."""

import json

import numpy as np
import pytest

import branchwork as bw
from branchwork.store.file import save

from commands import call, run

RNG = np.random.default_rng(2)
TARGET = bw.datasets.load("bike_rentals").target


def lines(rows):
    return ["age,pulse,city,outcome", *(",".join(map(str, row)) for row in rows)]


def write(path, rows):
    path.write_text("\n".join(lines(rows)) + "\n", encoding="utf-8")
    return path


ROWS = []
for _ in range(240):
    row_age, row_pulse = int(RNG.integers(20, 80)), int(RNG.integers(50, 100))
    ill = (row_age > 50) != (RNG.random() < 0.15)
    ROWS.append([row_age, row_pulse, RNG.choice(["Rome", "Oslo"]), "ill" if ill else "well"])


@pytest.fixture
def files(tmp_path):
    """A tree of age and pulse, its training rows, and rows to test it on."""
    train, test = write(tmp_path / "train.csv", ROWS[:120]), write(tmp_path / "test.csv", ROWS[120:])
    table = bw.read(train)
    est = bw.TreeClassifier(max_depth=3).fit(table.drop(["city", "outcome"]), table.column("outcome"))
    save(est, tmp_path / "tree.bw")
    return tmp_path / "tree.bw", train, test, est


def rows_of(path):
    table = bw.read(path)
    return table.drop(["city", "outcome"]), table.column("outcome"), table.column("city")


def test_the_command_says_what_the_function_says(files):
    model, train, test, est = files
    X, y, city = rows_of(test)
    given = ["evaluate", model, test, "--target", "outcome"]
    done = call(*given, "--bootstrap", 50, "--subgroup", "city", "--train", train)
    assert done.exit_code == 0, done.stderr
    found = bw.study.report(
        est.model_, X, y, n_bootstrap=50, subgroup={"city": city}, train=rows_of(train)[:2]
    )
    assert done.stdout.rstrip("\n") == str(found)
    data = json.loads(call(*given, "--bootstrap", 50, "--json").stdout)
    plain = bw.study.report(est.model_, X, y, n_bootstrap=50).to_dict()
    assert data == json.loads(json.dumps(plain))
    seeded = json.loads(call(*given, "--bootstrap", 50, "--json", "--seed", 5, "--level", 0.8).stdout)
    assert seeded["level"] == 0.8 and seeded["seed"] == 5
    assert seeded["figures"]["brier"]["value"] == data["figures"]["brier"]["value"]
    assert seeded["figures"]["brier"]["low"] != data["figures"]["brier"]["low"]


def test_the_page_is_written_and_costs_are_read(files, tmp_path):
    model, _, test, _ = files
    given = ["evaluate", model, test, "--target", "outcome", "--bootstrap", 10]
    done = call(*given, "-o", tmp_path / "page.html")
    assert done.exit_code == 0 and "Confusion matrix" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert done.stdout == "" and "accuracy" in done.stderr and "baseline" in done.stderr
    costly = json.loads(call(*given, "--cost", "ill:well=10", "--positive", "ill", "--json").stdout)
    assert costly["positive"] == "ill" and costly["decision"]["threshold"]["value"] < 0.5
    table = np.array(costly["confusion"])
    assert costly["figures"]["cost"]["value"] == pytest.approx((10 * table[0, 1] + table[1, 0]) / table.sum())
    for wrong in ("ill:sick=2", "ill=2", "ill:well=dear"):
        refused = call(*given, "--cost", wrong)
        assert refused.exit_code == 2 and "such as --cost ill:well=5" in refused.stderr
    assert "is no class. The classes are ill, well" in call(*given, "--positive", "sick").stderr
    assert call(*given, "-o", tmp_path / "page.png").exit_code == 2
    assert "--level=2" in call(*given, "--level", 2).stderr


def test_strange_and_missing_answers_are_counted(files, tmp_path):
    model, _, _, _ = files
    rows = [*ROWS[120:160], [60, 70, "Rome", "dead"], [30, 70, "Rome", ""]]
    test = write(tmp_path / "odd.csv", rows)
    data = json.loads(call("evaluate", model, test, "--target", "outcome", "--bootstrap", 0, "--json").stdout)
    assert data["labels"] == ["ill", "well", "dead"] and data["n_rows"] == 41
    assert any("1 of 42 rows was left out" in note for note in data["notes"])
    piped = run("evaluate", model, "-", "--target", "outcome", stdin=test.read_text())
    assert piped.returncode == 2 and "Write the rows to a file first" in piped.stderr
    plain = run("evaluate", model, "-", "--target", "outcome", stdin="\n".join(lines(ROWS[120:])))
    assert plain.returncode == 0 and "accuracy" in plain.stdout


def test_models_of_every_kind(files, tmp_path):
    _, train, test, _ = files
    X, y, _ = rows_of(train)
    kinds = [
        bw.RandomForestClassifier(n_estimators=3, random_state=0),
        bw.RuleListClassifier(),
        bw.VoteClassifier([("a", bw.TreeClassifier(max_depth=1)), ("b", bw.StumpClassifier())]),
        bw.NeighboursClassifier(k=3),
    ]
    for est in kinds:
        save(est.fit(X, y), tmp_path / "other.bw")
        done = call(
            "evaluate", tmp_path / "other.bw", test, "--target", "outcome", "--bootstrap", 5, "--json"
        )
        assert done.exit_code == 0, (est, done.stderr)
        expected = est.score(*rows_of(test)[:2])
        assert json.loads(done.stdout)["figures"]["accuracy"]["value"] == pytest.approx(expected)


def test_numbers_and_weights(rentals, files, tmp_path):
    done = call("evaluate", rentals, "bike_rentals", "--bootstrap", 10, "--target", TARGET)
    assert done.exit_code == 0 and "root mean squared error" in done.stdout
    assert (
        "--cost is about classes"
        in call("evaluate", rentals, "bike_rentals", "--cost", "a:b=1", "--target", TARGET).stderr
    )
    model, _, test, est = files
    X, y, _ = rows_of(test)
    given = ["evaluate", model, test, "--target", "outcome", "--bootstrap", 0, "--json"]
    weighted = json.loads(call(*given, "--weights", "city").stdout or "{}")
    assert weighted == {}  # a city is no weight
    own = [*(f"{row},{k % 3}" for k, row in enumerate(lines(ROWS[120:])[1:]))]
    (tmp_path / "w.csv").write_text("\n".join([lines([])[0] + ",w", *own]) + "\n", encoding="utf-8")
    given[2] = tmp_path / "w.csv"
    data = json.loads(call(*given, "--weights", "w").stdout)
    weights = np.arange(120) % 3
    assert data["figures"]["accuracy"]["value"] == pytest.approx(est.score(X, y, weights))
    assert data["n_rows"] == 80 and data["weighted"]


def test_a_calibrated_copy_is_saved(files, tmp_path):
    model, _, test, est = files
    copy = tmp_path / "copy.bw"
    given = ["evaluate", model, test, "--target", "outcome", "--bootstrap", 0]
    done = call(*given, "--calibrated", copy)
    assert done.exit_code == 0 and "Judge it on other rows" in done.stderr
    X, y, _ = rows_of(test)
    expected = bw.study.calibrate(est, X, y).predict_proba(X)
    assert bw.load(copy).predict_proba(X) == pytest.approx(expected)
    assert call(*given, "--calibrated", model).exit_code == 2


def test_what_is_missing_is_said(files):
    model, _, test, _ = files
    assert "Did you mean 'outcome'" in call("evaluate", model, test, "--target", "outcom").stderr
    assert (
        "is a column that the model predicts from" in call("evaluate", model, test, "--target", "age").stderr
    )
    assert (
        "Did you mean 'city'"
        in call("evaluate", model, test, "--target", "outcome", "--subgroup", "citi").stderr
    )
    assert call("evaluate", "none.bw", test).exit_code == 2
    for command in ("evaluate", "diff"):
        assert call(command, "--help").exit_code == 0


# ---- diff


def test_two_saved_trees(files, tmp_path):
    model, train, test, est = files
    X, y, _ = rows_of(train)
    other = bw.TreeClassifier(max_depth=1).fit(X, y)
    save(other, tmp_path / "small.bw")
    done = call("diff", model, tmp_path / "small.bw", test, "--target", "outcome")
    assert done.exit_code == 0, done.stderr
    rows, truth, _ = rows_of(test)
    found = bw.study.compare_trees(est, other, rows, truth)
    assert done.stdout.rstrip("\n") == str(found)
    data = json.loads(call("diff", model, tmp_path / "small.bw", test, "--json").stdout)
    assert data["disagreement"]["rows"] == found.disagreement.rows.tolist()
    assert data["disagreement"]["a_right"] is None
    page = call("diff", model, tmp_path / "small.bw", "-o", tmp_path / "two.html")
    assert page.exit_code == 0 and "places differ" in page.stderr
    assert "Tree" in (tmp_path / "two.html").read_text(encoding="utf-8")
    same = call("diff", model, model)
    assert same.stdout.startswith("Both trees ask the same questions")
    assert call("diff", model, model, "--target", "outcome").exit_code == 2
    shuffled = bw.TreeClassifier(max_depth=2).fit(bw.read(train).drop(["age", "outcome"]), y)
    save(shuffled, tmp_path / "city.bw")
    mixed = call("diff", model, tmp_path / "city.bw", test, "--target", "outcome", "--json")
    assert json.loads(mixed.stdout)["disagreement"]["n_rows"] == 120


def test_advice_in_notes_is_about_the_command(files, tmp_path):
    _, train, test, _ = files
    X, y, _ = rows_of(train)
    save(bw.RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y), tmp_path / "forest.bw")
    given = ["evaluate", tmp_path / "forest.bw", test, "--target", "outcome", "--bootstrap", 0]
    assert "give --train FILE" in call(*given).stdout
    assert "--train FILE" not in call(*given, "--train", train).stdout


def test_standard_input_is_read_once(files):
    model, _, test, _ = files
    given = [model, "-", "--target", "outcome", "--bootstrap", 0]
    rows = test.read_text(encoding="utf-8")
    assert run("evaluate", *given, stdin=rows).returncode == 0
    done = run("evaluate", *given, "--subgroup", "city", stdin=rows)
    assert done.returncode == 2 and "Standard input can be read only once" in done.stderr
