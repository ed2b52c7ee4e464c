"""The lecture style: its equations are the lecture's, and every one of them is true."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import branchwork as bw
from branchwork.view import formula

NUMBERS = json.loads((Path(__file__).parents[1] / "lecture_numbers.json").read_text())


def lecture_of(estimator, data, node=0):
    return estimator.fit(data.X, data.y).working(node, data.X, data.y, style="lecture").to_text()


def equations(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.startswith("  ") and " = " in line]


def computed(side: str) -> float:
    """A side of an equation, worked out by Python."""
    code = side.replace("·", "*").replace("−", "-").replace("²", "**2")
    return eval(code, {"log2": math.log2, "ln": math.log, "__builtins__": {}})


def assert_true(equation: str) -> None:
    """All sides that are numbers are equal, as far as four places can tell."""
    _, *sides = re.split(r" = (?=[^=]*$)| = (?=[−(\d])|(?<=\)) = ", equation)
    values = [computed(side) for side in sides if side and "y" not in side]
    assert len(values) > 1 or len(sides) == 1, equation
    size = max([1.0, *map(float, re.findall(r"\d+\.\d+", equation))])  # whole numbers are exact
    assert all(math.isclose(value, values[-1], abs_tol=3e-4 * size) for value in values), equation


def test_a_false_equation_is_found():
    assert_true("A(x = y) = −(1/2)·log2(1/2) = 0.5000")
    with pytest.raises(AssertionError):
        assert_true("A(x = y) = −(1/2)·log2(1/2) = 0.5100")
    with pytest.raises(AssertionError):  # large counts are no excuse
        assert_true("A(S) = −(93/200)·log2(93/200) − (107/200)·log2(107/200) = 0.9960")


# ---- the lecture's numbers


def test_play_tennis_is_as_on_the_blackboard():
    text = lecture_of(bw.ID3Classifier(), bw.datasets.load("play_tennis"))
    for line in (
        "S is node 0, 14 rows; PlayTennis: 5 No, 9 Yes.",
        "  Entropy(S) = −(5/14)·log2(5/14) − (9/14)·log2(9/14) = 0.9403",
        "  Entropy(Outlook = Sunny) = −(3/5)·log2(3/5) − (2/5)·log2(2/5) = 0.9710",
        "  Remainder(Outlook) = (4/14)·0 + (5/14)·0.9710 + (5/14)·0.9710 = 0.6935",
        "  Gain(Outlook) = 0.9403 − 0.6935 = 0.2467",
        "  Gain(Humidity) = 0.9403 − 0.7885 = 0.1518",
        "  Gain(Wind) = 0.9403 − 0.8922 = 0.0481",
        "  Gain(Temperature) = 0.9403 − 0.9111 = 0.0292",
        "Verdict: chosen, the best of all columns.",
        "Node 0 is split by Outlook.",
    ):
        assert line in text.splitlines()


@pytest.mark.parametrize("name", ["spam6", "playtennis_mitchell14", "restaurant_russell_norvig12"])
def test_gains_are_the_lecture_s(name):
    text = lecture_of(bw.ID3Classifier(), bw.datasets.load(name))
    for feature, gain in NUMBERS[name]["gain"].items():
        (line,) = [line for line in equations(text) if line.startswith(f"Gain({feature})")]
        assert float(line.rsplit(" = ", 1)[1]) == pytest.approx(gain, abs=1e-9)


def test_gain_ratio_has_its_two_equations_and_the_average():
    wanted = NUMBERS["playtennis_mitchell14"]["gain_ratio"]
    text = lecture_of(bw.C45Classifier(), bw.datasets.load("play_tennis"))
    assert "  SplitInfo(Humidity) = −(7/14)·log2(7/14) − (7/14)·log2(7/14) = 1" in text
    for feature, ratio in wanted.items():
        (line,) = [line for line in equations(text) if line.startswith(f"GainRatio({feature})")]
        assert float(line.rsplit(" = ", 1)[1]) == pytest.approx(ratio, abs=1e-9)
    assert "  AverageGain(S) = (0.2467 + 0.0292 + 0.1518 + 0.0481)/4 = 0.1190" in text


def test_bike_rentals_by_variance():
    text = lecture_of(bw.ID3Regressor(), bw.datasets.load("bike_rentals"))
    assert "  Var(SEASON = winter) = Σ(y − 842)²/(3 − 1) = 5384/2 = 2692" in text
    assert (
        "  Remainder(SEASON) = (3/12)·2100 + (3/12)·2472533.3333 + (3/12)·3040000 + (3/12)·2692 = 1379331.3333"
        in text
    )


@pytest.mark.parametrize(
    ("criterion", "line"),
    [
        ("gini", "  Gini(S) = 1 − (3/7)² − (2/7)² − (2/7)² = 0.6531"),
        ("accuracy", "  Error(S) = (7 − 3)/7 = 0.5714"),
    ],
)
def test_other_scores_have_their_own_formula(criterion, line):
    text = lecture_of(bw.ID3Classifier(criterion=criterion), bw.datasets.load("vegetation"))
    assert line in text.splitlines()


# ---- every equation is true


def mixed(n=40):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"size": rng.normal(size=n).round(1), "kind": rng.choice(list("pqrs"), n)})
    y = np.where(X["size"] > 0, "x", np.where(X["kind"] == "p", "y", "z"))
    y[rng.random(n) < 0.2] = "y"
    return X.mask(rng.random(X.shape) < 0.15), y


ESTIMATORS = [
    *(
        bw.TreeClassifier(criterion=c, missing=m, nominal=s, max_depth=2)
        for c, m, s in (
            ("entropy", "branch", "multiway"),
            ("gini", "larger", "subset"),
            ("accuracy", "learn", "one_vs_rest"),
            ("gain_ratio", "share", "multiway"),
        )
    ),
    *(bw.TreeRegressor(criterion=c, max_depth=2) for c in ("variance", "squared_error", "poisson")),
    bw.TreeRegressor(missing="larger", max_depth=2),
    bw.C45Classifier(),
    bw.CARTClassifier(priors={"x": 0.2, "y": 0.3, "z": 0.5}),
    bw.CHAIDClassifier(alpha_split=1.0),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_every_equation_is_true_and_none_is_left_out(estimator):
    X, y = mixed()
    if hasattr(estimator, "criterion") and not hasattr(estimator, "predict_proba"):
        y = np.array([ord(label) - 118.0 for label in y])
    estimator = clone(estimator).fit(X, y)
    for node in range(estimator.tree_.n_nodes):
        text = estimator.working(node, X, y, style="lecture").to_text()
        assert "left out" not in text
        lines = equations(text)
        assert lines or estimator.tree_.weight[node] == 0
        for line in lines:
            assert_true(line)


def test_missing_cells_that_do_not_count_show_in_the_factor():
    X, y = pd.DataFrame({"a": ["p", "p", "q", "q", None]}), list("xxyyx")
    text = bw.CARTClassifier().fit(X, y).working(0, X, y, style="lecture").to_text()
    assert "  Gini(S where a is known) = 1 − (2/4)² − (2/4)² = 0.5000" in text
    assert "  Gain(a) = 0.5000 − 0 = 0.5000" in text
    assert "  NetGain(a) = (4/5)·0.5000 = 0.4000" in text


def test_the_price_of_a_cut_is_written_out():
    X, y = [[float(k)] for k in range(12)], [0] * 6 + [1] * 6
    text = bw.C45Classifier().fit(X, y).working(0, X, y, style="lecture").to_text()
    (line,) = [line for line in equations(text) if line.startswith("NetGain(")]
    assert "1 − (log2(9)/12)" in line  # each side has at least two of twelve rows: nine cuts
    assert_true(line)


def test_weights_are_shown_as_weights():
    X, y = [[0.0], [0.0], [1.0]], ["a", "b", "b"]
    tree = bw.ID3Classifier().fit(X, y, sample_weight=[0.5, 1.5, 2])
    text = tree.working(0, X, y, [0.5, 1.5, 2], style="lecture").to_text()
    assert "S is node 0, 4 rows: 0.5 a, 3.5 b." in text
    assert "−(0.5/4)·log2(0.5/4) − (3.5/4)·log2(3.5/4)" in text


# ---- without data


def test_without_data_the_winner_is_in_full_and_the_others_in_short():
    data = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(data.X, data.y)
    text = tree.working(style="lecture").to_text()
    assert "  Remainder(Outlook) = (4/14)·0 + (5/14)·0.9710 + (5/14)·0.9710 = 0.6935" in text
    assert "  Gain(Wind) = 0.9403 − 0.8922 = 0.0481" in text and "Remainder(Wind)" not in text
    assert 'handed back: working(0, X=X, y=y, style="lecture").' in text
    with_data = tree.working(0, data.X, data.y, style="lecture").to_text()
    assert "handed back" not in with_data


def test_a_lecture_on_other_rows_is_about_these_rows():
    data = bw.datasets.load("play_tennis")
    tree = bw.C45Classifier().fit(data.X, data.y)
    other = data.X.take(np.arange(7))
    text = tree.working(0, other, data.y[:7], style="lecture").to_text()
    assert "Computed on the 7 rows given, not on the 14 training rows." in text
    assert "S is node 0, 7 rows; PlayTennis: 3 No, 4 Yes." in text
    lines = equations(text)
    assert any(line.startswith("Remainder(Outlook)") for line in lines)
    for line in lines:
        assert_true(line)


def test_shrunken_answers_are_not_passed_off_as_means():
    data = bw.datasets.load("bike_rentals")
    tree = bw.CARTRegressor(criterion="poisson", shrink=0.01, max_depth=2).fit(data.X, data.y)
    kept, again = tree.working(style="lecture"), tree.working(0, data.X, data.y, style="lecture")
    assert "Remainder(" not in kept.to_text() and "ln(842)" in again.to_text()


def test_a_leaf_shows_its_own_impurity():
    data = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier(max_depth=1).fit(data.X, data.y)
    pure, stopped = (tree.working(node, style="lecture").to_text() for node in (1, 2))
    assert "Entropy(S) = −(4/4)·log2(4/4) = 0" in pure and "same target" in pure
    assert "Entropy(S) = −(2/5)·log2(2/5) − (3/5)·log2(3/5) = 0.9710" in stopped


def test_an_empty_branch_has_nothing_to_compute():
    X = pd.DataFrame({"c": pd.Categorical(list("aab"), categories=["a", "b", "never"])})
    tree = bw.ID3Classifier().fit(X, list("xxy"))
    text = tree.working(3, style="lecture").to_text()
    assert "an empty branch" in text and "Entropy" not in text
    assert "never" not in "".join(equations(tree.working(0, X, list("xxy"), style="lecture").to_text()))


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_many_branches_and_classes_are_cut_short():
    n = 60
    X, y = {"id": [f"row {k}" for k in range(n)]}, [f"class {k % 30}" for k in range(n)]
    text = bw.ID3Classifier().fit(X, y).working(0, X, y, style="lecture").to_text()
    assert "… 19 more terms" in text and "… 48 more branches" in text and "… 18 more classes" in text
    assert max(map(len, text.splitlines())) < 500


# ---- formulas


def test_a_long_sum_takes_several_lines_in_tex():
    terms = [("+", formula.value(k)) for k in range(1, 10)]
    line = formula.equation(formula.named("Sum", "S"), formula.total(terms), formula.value(45))
    assert line.tex.count("\\\\ &\\quad") == 2 and line.tex.count("&=") == 1
    assert "\\\\" not in formula.brackets(formula.total(terms)).tex
    assert "\\\\" not in formula.ratio(formula.total(terms), formula.value(2)).tex


@pytest.mark.parametrize("name", ["a_b", "50%", "$x$", "{", "\\", "<b>", "x^2~y", "a|b", "`c`", "[d](e)"])
def test_names_in_formulas_are_only_names(name):
    made = formula.named("Gain", name)
    assert made.text == f"Gain({name})"
    inside = re.sub(r"\\text\{[^{}$&#%_^~`|<>*\[\]\\]*\}", "", made.tex.removeprefix("\\mathrm{Gain}"))
    assert re.fullmatch(r"\((\\(backslash|wedge|sim|mid) |\{'\}|\\[{}$&#%_]|\{[<>*\[\]]\})*\)", inside)
    assert "<b>" not in made.mathml


def test_text_has_no_more_brackets_than_needed():
    half = formula.ratio(formula.count(1), formula.count(2))
    assert formula.log2(half).text == "log2(1/2)"
    assert formula.equation(formula.named("A", "x"), half, formula.value(0.5)).text == "A(x) = 1/2 = 0.5000"
    two = formula.product(half, half)
    assert formula.equation(formula.named("A", "x"), two).text == "A(x) = (1/2)·(1/2)"
