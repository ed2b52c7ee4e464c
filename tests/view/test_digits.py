"""Numbers are shown to as many digits as they need: neither nothing nor noise is shown of any."""

import re

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.tree.split import UNITS, number
from branchwork.view.digits import brief, chance, deciding_chance, measured, percent, rounded, weighed
from branchwork.view.html import script


def numbers(n=120, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng


def read(shown):
    """Return a number that may be shown in millions."""
    digits, _, unit = shown.partition(" ")
    return float(digits) * {"": 1, **{name: size for size, name in UNITS}}[unit]


def equations(text):
    return [line for line in text.splitlines() if line.startswith("  ") and " = " in line]


@pytest.mark.parametrize("factor", [1e-100, 1e-9, 1e-3, 1.0, 1e6, 1e60])
@pytest.mark.parametrize("recipe", ["squared_error", "variance"])
def test_nothing_is_lost_of_numbers_of_any_size(factor, recipe):
    X, _ = numbers()
    y = np.sign(X[:, 0]) * factor + X[:, 1] * factor
    tree = bw.TreeRegressor(criterion=recipe, max_depth=2).fit(X, y)
    row = tree.working(0).to_dict()[0]
    shown = re.split(r"  +", tree.working(0).to_text().splitlines()[3])
    assert [read(cell) for cell in shown[3:5]] == pytest.approx([row["remainder"], row["gain"]], rel=1e-3)
    for line in equations(tree.working(0, X, y, style="lecture").to_text()):
        assert not line.endswith(" = 0"), line
    last = tree.why(X[0]).to_text()
    assert not re.search(r"gain 0\.0000 against", last), last


@pytest.mark.parametrize("factor", [1e-9, 1e-3, 1.0, 1e3])
def test_weights_of_any_size_are_counted_on_the_blackboard(factor):
    X, rng = numbers()
    y, weight = (X[:, 0] > 0).astype(int), factor * rng.random(len(X))
    tree = bw.TreeClassifier(max_depth=2).fit(X, y, sample_weight=weight)
    line = equations(tree.working(0, style="lecture").to_text())[0]
    counts = [float(digits) for digits in re.findall(r"\(([\d.e−-]+)/", line.replace("−", "-"))]
    assert counts == pytest.approx([weight[y == 0].sum(), weight[y == 1].sum()], rel=1e-3, abs=1e-4)
    assert not re.search(r"\b0 \(\d+%\)", tree.to_text()), "no class of some weight weighs 0"


def test_rounding_is_not_shown():
    X = pd.DataFrame({"a": list("xxyyzz") * 5, "b": list("pqpqpq") * 5})
    for estimator, y in ((bw.ID3Classifier(), list("kkkmmm") * 5), (bw.ID3Regressor(), [0.1, 0.1, 0.7] * 10)):
        tree = estimator.fit(X, y)
        for node in range(tree.tree_.n_nodes):
            for style in ("table", "lecture"):
                text = tree.working(node, X, y, style=style).to_text()
                assert not re.search(r"e-1\d|-0\.0000", text), text


def test_prices_are_no_powers_of_ten():
    X, _ = numbers()
    y = (X[:, 0] * 3e5 + 1.5e6).round()
    tree = bw.CARTRegressor(max_depth=2).fit(X, y)
    for text in (tree.to_text(), str(tree.to_svg()), str(tree.why(X[0])), str(tree.rules()), tree.to_dot()):
        assert "e+" not in text
    first = tree.to_text().splitlines()[0]
    assert first.endswith(f"mean {y.mean() / 1e6:.4g} M  sd {y.std(ddof=1):.0f}")
    assert repr(float(y.mean())) in tree.to_text(full=True).splitlines()[0], "all digits on demand"


def test_a_weight_that_is_the_number_of_rows_but_for_rounding_is_not_told():
    X, rng = numbers(103)
    weight = rng.random(len(X))
    weight *= len(X) / weight.sum() * (1 + 1e-15)
    assert weight.sum() != len(X), "or this tests nothing"
    tree = bw.TreeClassifier(max_depth=1).fit(X, X[:, 0] > 0, sample_weight=weight)
    assert "weight" not in tree.to_text().splitlines()[0]
    assert "weight" in tree.to_text().splitlines()[1]


def test_rows_that_weigh_less_than_one_have_no_deviation():
    X, _ = numbers()
    tree = bw.TreeRegressor(max_depth=1).fit(X, X[:, 0], sample_weight=np.full(len(X), 1 / len(X)))
    assert "sd" not in tree.to_text()
    assert "±" not in tree.to_text() + tree.to_dot()
    assert "sd" in bw.TreeRegressor(max_depth=1).fit(X, X[:, 0]).to_text()


def test_one_row_is_a_row():
    tree = bw.ID3Classifier().fit([["a"], ["b"]], ["x", "y"])
    assert repr(tree.working(1)).startswith("Node 1: 1 row, ")
    assert repr(tree.working(0)).startswith("Node 0: 2 rows, ")
    tree = bw.ID3Classifier().fit([["a"], ["b"]], ["x", "y"], sample_weight=[0.25, 0.5])
    assert repr(tree.working(0)).startswith("Node 0: 2 rows (weight 0.75), ")


def test_whole_numbers_too_large_to_write_out_are_powers_of_ten():
    X, _ = numbers()
    tree = bw.CARTRegressor(max_depth=1).fit(X, np.sign(X[:, 0]) * 3e98)
    lines = equations(tree.working(0, style="lecture").to_text())
    assert max(map(len, re.findall(r"[\d.]+(?=e\+)", " ".join(lines)))) <= 5


def test_a_sum_that_is_cut_goes_on_with_its_own_sign():
    X, rng = numbers(300)
    y = rng.integers(0, 40, 300)
    text = bw.TreeClassifier(max_depth=1).fit(X, y).working(0, style="lecture").to_text()
    (line,) = [line for line in text.splitlines() if line.startswith("  Gini(S)")]
    assert " − … 30 more terms = " in line


def test_the_average_of_many_gains_is_cut_too():
    rng = np.random.default_rng(0)
    X, y = rng.choice(["a", "b"], (80, 40)), rng.integers(0, 2, 80)
    text = bw.C45Classifier(pruning=None).fit(X, y).working(0, style="lecture").to_text()
    (line,) = [line for line in text.splitlines() if line.startswith("  AverageGain(S)")]
    assert line.count("+") == 11 and " more terms)/" in line


def test_classes_that_are_numbers_are_called_classes():
    tree = bw.ID3Classifier().fit([["a"], ["b"], ["b"]], [0, 1, 1])
    assert "S is node 0, 3 rows: 1 of class 0, 2 of class 1." in tree.working(0, style="lecture").to_text()


def test_four_digits_decide_everywhere():
    """`15.92 M`, not `15915334.3626`: in trees, rules, explanations and tables; all digits where they are asked for."""
    X = np.array([[0.0], [1.0]])
    tree = bw.CARTRegressor(min_samples_leaf=1, min_samples_split=2).fit(X, [15915334.3626, 0.00012344321])
    for text in (tree.to_text(), str(tree.rules()), str(tree.why(X[0]))):
        assert "15.92 M" in text and "15915334" not in text
        assert "0.0001234" in text and "0.00012344" not in text
    for text in (
        tree.to_text(full=True),
        tree.export("markdown"),
        tree.export("latex"),
        tree.export("python"),
    ):
        assert "15915334.3626" in text and "0.00012344321" in text
    assert str(tree.to_dict()).count("15915334.3626") >= 1


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        (0.0, "0"),
        (-0.5, "-0.5"),
        (999949.0, "999949"),
        (999999.6, "1 M"),
        (-15915334.3626, "-15.92 M"),
        (999.96e6, "1 G"),
        (2.5e12, "2.5 T"),
        (1e15, "1e+15"),
        (1.23456e-7, "1.235e-07"),
        (12345.6, "12346"),
        (float("inf"), "inf"),
    ],
)
def test_a_number_is_shown_to_four_digits(x, shown):
    assert rounded(x) == shown


def test_thresholds_are_told_apart_from_their_neighbours():
    X = np.array([1.00001, 1.00002, 1.00003]).reshape(-1, 1)
    text = bw.ID3Classifier().fit(X, list("aba")).to_text()
    assert "x0 <= 1.000015" in text and "x0 <= 1.000025" in text


def any_numbers(n=4000):
    """Numbers of every magnitude: any double, usual ones, halves that round to the even digit, middles of float32."""
    rng = np.random.default_rng(0)
    sign = rng.choice([-1.0, 1.0], n)
    doubles = rng.integers(0, 2**63, n).view(np.float64)
    usual = sign * 10 ** rng.uniform(-9, 17, n)
    whole = sign * np.floor(10 ** rng.uniform(0, 16, n))
    halves = rng.integers(-(10**6), 10**6, n) / 2.0 ** rng.integers(1, 8, n)
    powers = rng.integers(-12, 8, n)
    decimals = [float(f"{d}5e{e}") for d, e in zip(rng.integers(1, 10**6, n), powers, strict=True)]
    singles = (sign * 10 ** rng.uniform(-7, 7, n)).astype(np.float32)
    middles = (singles.astype(float) + np.nextafter(singles, np.float32(np.inf))) / 2
    edges = [0.0, 8.696e-05, 9.99995, 0.001, 999999.5, 1e15, 1e16, 5e-324, 2.0**-150, np.inf, -np.inf, np.nan]
    parts = [doubles, usual, whole, halves, decimals, middles, np.nextafter(middles, -np.inf), edges]
    return [x for part in parts for x in np.asarray(part, float).tolist() if x == x or part is edges]


SHARES = [0, 1e-12, 1e-6, 0.004, 0.02, 0.125, 0.5, 0.625, 0.996, 0.999999, 1 - 1e-12, 1]
RULES = {
    "number": number,
    "rounded": rounded,
    "measured": measured,
    "brief": brief,
    "chance": chance,
    "decidingChance": deciding_chance,
    "weighed": lambda x: weighed(x, 2),
    "percent": percent,
}
"""The functions of a page, and their twins in Python."""


@pytest.fixture(scope="module")
def page_digits(browser):
    page = browser.new_page()
    page.add_script_tag(type="module", content=f"{script()}\nwindow.page = {{ {', '.join(RULES)} }};")
    page.wait_for_function("window.page !== undefined")
    yield lambda name, xs: page.evaluate("([name, xs]) => xs.map((x) => page[name](x))", [name, xs])
    page.close()


@pytest.mark.parametrize("name", RULES)
def test_the_page_writes_every_number_as_python_does(page_digits, name):
    xs = any_numbers()
    if name == "percent":
        xs = SHARES + np.random.default_rng(1).random(2000).tolist() + [k / 800 for k in range(801)]
    elif "hance" in name:
        xs = [abs(x) for x in xs if abs(x) <= 1]
    elif name == "weighed":
        xs = [x for x in xs if abs(x) < 1e15]
    wrong = [
        (x, shown, RULES[name](x))
        for x, shown in zip(xs, page_digits(name, xs), strict=True)
        if shown != RULES[name](x)
    ]
    assert not wrong, wrong[:10]
    assert len(xs) > 2000


def test_shares_of_rows_are_weighed_without_noise():
    assert weighed(sum([0.1] * 10)) == "1"
    assert weighed(3 * 0.1, 2) == "0.3"
