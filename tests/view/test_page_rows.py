"""Data on the page: small histograms of the nodes, no rows; what `to_html` takes, and what it refuses."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import DataError, ParameterError
from branchwork.view.page import to_data
from branchwork.view.page_rows import BINS, MOST_CATEGORIES, MOST_LABELS, rows_of
from open_pages import lit, panel


def data_of(page):
    """The data inside the text of a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page, flags=re.S)[1])


def weights(histogram):
    """The lines of a histogram as weights."""
    lines, most = histogram[2], histogram[3] if len(histogram) > 3 else None
    return [[int(digit, 36) * (most / 35 if most else 1) for digit in line] for line in lines]


@pytest.fixture(scope="module")
def ship():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"sex": rng.choice(["female", "male"], 300), "age": rng.integers(1, 80, 300).astype(float)}
    )
    y = np.where((X.sex == "female") ^ (rng.random(300) < 0.2), "yes", "no")
    X.loc[::11, "age"] = np.nan
    return bw.CARTClassifier(max_depth=3, min_samples_leaf=5).fit(X, y), X, y


# ---- what is in the page


def test_a_histogram_counts_the_rows_of_its_node(ship):
    tree, X, y = ship
    nodes = data_of(tree.to_html(X, y))["rows"]["nodes"]
    inner = np.flatnonzero(tree.tree_.feature >= 0).tolist()
    assert sorted(map(int, nodes)) == inner
    reached = reaches(tree, X)
    for node in inner:
        column, here = X.columns[tree.tree_.feature[node]], reached[:, node]
        scale, labels, *_ = nodes[str(node)]
        known = X[column][here].dropna()
        if column == "age":
            assert scale == [known.min(), known.max()]
        else:
            assert [("female", "male")[code] for code in scale] == sorted(known.unique())
        for label, line in zip(labels, weights(nodes[str(node)]), strict=True):
            own = (y[here] == ("no", "yes")[label]) & X[column][here].notna().to_numpy()
            assert sum(line) == pytest.approx(own.sum(), rel=0.1)  # exact where no bin has more than 35


def reaches(tree, X):
    """Which rows reach which nodes."""
    found = np.zeros((len(X), tree.tree_.n_nodes), bool)
    parent = tree.tree_.parent
    for row, leaf in enumerate(tree.apply(X).tolist()):
        at = leaf
        while at >= 0:
            found[row, at] = True
            at = int(parent[at]) if at else -1
    return found


def test_small_histograms_are_exact(tennis, tree):
    rows = data_of(tree.to_html(tennis.X, tennis.y))["rows"]
    assert rows["nodes"]["0"] == [[0, 1, 2], [0, 1], ["023", "432"]]
    assert rows["nodes"]["3"] == [[0, 1], [0, 1], ["3", "02"]]
    assert rows["n"] == 14 and rows["left_out"] == 0
    assert rows["columns"]["0"]["typical"] == 1 and "1" not in rows["columns"]  # no node asks for Temperature


def test_a_numeric_target_is_a_field_of_feature_and_target():
    X = np.repeat(np.arange(10.0), 20)[:, None]
    y = X[:, 0] * 3
    tree = bw.CARTRegressor(max_depth=2).fit(X, y)
    scale, heights, lines, *most = data_of(tree.to_html(X, y))["rows"]["nodes"]["0"]
    assert scale == [0, 9] and heights == [0, 27] and most == []
    assert len(lines) == BINS and [line for line in lines if line] == ["0" * k + "k" for k in range(10)]


def test_no_row_is_stored():
    """Of 40 numbers only those at the ends and in the middle of their node are told."""
    x = np.arange(40.0) + 0.123456789
    tree = bw.CARTClassifier(max_depth=1).fit(x[:, None], x > 19.5)
    told = json.dumps(data_of(tree.to_html(x[:, None], x > 19.5))["rows"])
    assert set(re.findall(r"\d+\.\d+", told)) <= {str(x[0]), str(x[19]), str(x[39])}


def test_many_categories_and_classes_are_cut_to_the_most_frequent():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 40, 2000) * rng.integers(0, 2, 2000)
    X = {"town": [f"t{k:02}" for k in codes]}
    y = rng.integers(0, 12, 2000)
    model = bw.CARTClassifier(max_depth=2).fit(X, y).model_
    told = rows_of(model, model.table(X), model.target_of(y), [0])
    scale, labels, lines, most = told["nodes"]["0"]
    assert len(scale) == MOST_CATEGORIES and 0 in scale
    assert len(labels) == MOST_LABELS == len(lines) and labels[-1] == -1 and most > 35


def test_missing_and_infinite_numbers_do_no_harm(open_page):
    X = np.array([[np.nan], [np.inf], [-np.inf], [1.0], [2.0], [3.0]] * 5)
    y = np.array(list("aabbab") * 5)
    for tree in (bw.CARTClassifier().fit(X, y), bw.CARTClassifier(max_depth=1).fit(X, y)):
        page = open_page(tree.to_html(X, y))
        assert "Node 0" in panel(page)


@pytest.mark.parametrize("missing", ["share", "branch", "larger"])
def test_shared_rows_count_by_their_share(missing):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 2)).round(1)
    X[rng.random((80, 2)) < 0.2] = np.nan
    y = np.nansum(X, axis=1) > 0
    tree = bw.TreeClassifier(missing=missing, max_depth=3).fit(X, y)
    assert data_of(tree.to_html(X, y))["rows"]["nodes"]["0"][1] == [0, 1]


def test_weights_count(tennis, tree):
    weight = np.ones(14)
    weight[:7] = 0
    rows = data_of(tree.to_html(tennis.X, tennis.y, sample_weight=weight))["rows"]
    half = data_of(tree.to_html(tennis.X.take(range(7, 14)), tennis.y[7:]))["rows"]
    assert rows["nodes"] == half["nodes"]


# ---- the training rows


def test_training_rows_give_curves_and_others_do_not(ship):
    tree, X, y = ship
    own = data_of(tree.to_html(X, y))["working"]["details"]
    assert set(own) >= {"0"} and any("curve" in one for one in own["0"] if one)
    assert data_of(tree.to_html(X[:200], y[:200]))["working"]["details"] == {}


def test_a_tree_without_its_working_gets_that_of_its_largest_nodes(open_page):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = (X[:, 0] + rng.normal(size=3000)) > 0
    tree = bw.CARTClassifier().fit(X, y)
    assert tree.tree_.ledger is None
    page = open_page(tree.to_html(X, y))
    assert "wins: gain" in panel(page)
    small = int(np.flatnonzero(tree.tree_.feature >= 0)[-1])
    page.fill(".search", f"#{small}")
    assert "This page has the working of the largest nodes" in panel(page)
    assert "Step by step" in page.locator("aside").inner_text()
    page = open_page(tree.to_html())
    assert "The tree grew too large to keep its working" in panel(page)
    assert page.locator(".player").count() == 0


# ---- what is given


def test_rows_may_be_given_with_and_without_a_path(tmp_path, tennis, tree):
    text = tree.to_html(tennis.X, tennis.y)
    path = tmp_path / "tree.html"
    assert tree.to_html(path, tennis.X, tennis.y) == path and path.read_text(encoding="utf-8") == text
    assert tree.to_html(X=tennis.X, y=tennis.y) == text
    assert tree.model_.to_html(tennis.X, tennis.y, title="ID3Classifier") == text
    assert data_of(tree.to_html())["rows"] is None


def test_what_does_not_go_together_is_refused(tennis, tree):
    with pytest.raises(ParameterError, match="both X and y are needed"):
        tree.to_html(tennis.X)
    with pytest.raises(ParameterError, match="both X and y are needed"):
        tree.to_html(y=tennis.y)
    with pytest.raises(
        ParameterError, match=r"expected a file name before X and y, as in to_html\(path, X, y\)"
    ):
        tree.to_html(tennis.X, tennis.X, tennis.y)
    with pytest.raises(DataError, match="X has 14 rows, but y has 3"):
        tree.to_html(tennis.X, tennis.y[:3])
    with pytest.raises(ParameterError, match=r"start='end' is not known\. Expected 'tree' or 'steps'"):
        tree.to_html(start="end")
    forest = bw.RandomForestClassifier(n_estimators=2).fit(tennis.X, tennis.y)
    with pytest.raises(ParameterError, match=r"model.member\(0\).to_html\(start='steps'\)"):
        forest.model_.to_html(tennis.X, tennis.y, start="steps")


# ---- in the browser


def test_the_histogram_stands_in_the_panel(open_page, ship):
    tree, X, y = ship
    page = open_page(tree.to_html(X, y))
    age = next(int(node) for node in np.flatnonzero(tree.tree_.feature == 1))
    page.fill(".search", f"#{age}")
    said = page.locator(".data svg").get_attribute("aria-label")
    assert said.startswith("Histogram of age, ")
    assert page.locator(".data .mark").count() == 1
    assert page.locator(".data h3").inner_text() == "age"
    assert page.locator(".data .followed").count() == 0
    page.click(".follow summary")
    page.fill("textarea", '{"age": 33, "sex": "male"}')
    assert page.locator(".data svg").get_attribute("aria-label").endswith("the row has 33")
    assert page.locator(".data line.followed").count() == 1
    page.click("text=Clear")
    assert page.locator(".data .followed").count() == 0


def test_a_number_is_shown_against_the_feature_with_both_means(open_page):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"carat": rng.uniform(0, 3, 200)})
    y = pd.Series(5000 * X.carat, name="price")
    tree = bw.CARTRegressor(max_depth=2).fit(X, y)
    page = open_page(tree.to_html(X, y))
    assert page.locator(".data h3").inner_text().endswith("against carat")
    lines = page.locator(".data .average")
    assert lines.count() == 2 and page.locator(".data .mark").count() == 1
    cut = float(page.locator(".data .mark").get_attribute("x1"))
    ends = [[float(line.get_attribute(name)) for name in ("x1", "x2", "y1")] for line in lines.all()]
    assert ends[0][1] == pytest.approx(cut) == ends[1][0]
    assert ends[0][2] > ends[1][2]  # the mean below the cut is the lower one


def test_every_step_of_a_row_has_its_histogram_with_the_row(open_page, ship):
    tree, X, y = ship
    page = open_page(tree.to_html(X, y))
    page.click(".follow summary")
    steps = page.locator(".result ol > li")
    assert steps.count() == len(lit(page)) - 1 > 0
    assert steps.locator("svg.chart").count() == steps.count()
    assert steps.locator("svg.chart:has(.followed)").count() == steps.count()


def test_a_page_of_10_000_nodes_with_data_stays_small(open_page, large):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 8)), rng.integers(0, 4, 40_000)
    model = large.model_
    given = model.table(X), model.target_of(y)
    data = to_data(model, unit="", data=given)
    told = data["rows"]
    assert len(told["nodes"]) > 2000 and len(json.dumps(told)) <= 330_000
    assert len(told["nodes"]) + told["left_out"] == int(
        ((model.tree.feature >= 0) & (model.tree.n_rows > 1)).sum()
    )
    text = large.to_html(X, y)
    assert len(text) < 2_000_000
    page = open_page(text)
    small = next(
        node for node in np.flatnonzero(model.tree.feature >= 0).tolist() if str(node) not in told["nodes"]
    )
    page.fill(".search", f"#{small}")
    assert "Only the largest nodes have a histogram" in panel(page)
