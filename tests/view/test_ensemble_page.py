"""The overview of an ensemble, the votes for one row, and the charts they are made of."""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.model.combine import Combine
from branchwork.view import ensemble_page
from branchwork.view.chart import Series, bar_chart, bars, dot_rows, line_chart, squares
from branchwork.view.icicle import icicle

from program_cases import HOSTILE

RNG = np.random.default_rng(0)
X = {
    "a": RNG.normal(size=120).round(1),
    "c": list(RNG.choice(["x", "y", "z"], 120)),
    "d": RNG.normal(size=120),
}
Y = np.where(X["a"] + RNG.normal(size=120) / 2 > 0, "yes", "no")


def forest(**settings):
    return bw.RandomForestClassifier(n_estimators=25, oob_score=True, **settings).fit(X, Y)


def test_the_page_has_everything_and_needs_nothing():
    page = forest().to_html(title="My <forest>", X=X, y=Y, row={"a": 0.1, "c": "x", "d": 1.0})
    assert "<title>My &lt;forest&gt;</title>" in page
    for section in (
        "Out-of-bag error against the number of trees",
        "Importance: share of all impurity",
        "How many trees split on each feature first",
        "How deep the trees are",
        "Disagreement of every two trees",
        "How wrong each tree is alone",
        "What the trees say about one row",
        "The first 12 of 25 trees",
    ):
        assert section in page, section
    assert page.count("<figure>") == page.count("data-tree=") == 12
    assert not re.search(r"""(src|href)=["'](?!data:,)""", page) and "default-src 'none'" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(picture)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])


ENSEMBLES = {
    "bagging": lambda: bw.BaggingClassifier(n_estimators=3).fit(X, Y),
    "forest": forest,
    "adaboost": lambda: bw.AdaBoostClassifier(n_estimators=4).fit(X, Y),
    "numbers": lambda: bw.RandomForestRegressor(3).fit({"a": X["a"], "c": X["c"]}, X["d"]),
}


@pytest.mark.parametrize("kind", ENSEMBLES)
def test_the_trees_of_an_ensemble_show_the_rows_that_are_handed_in(kind, tmp_path):
    made = ENSEMBLES[kind]()
    rows = ({"a": X["a"], "c": X["c"]}, X["d"]) if kind == "numbers" else (X, Y)
    assert all(tree["rows"] is None for tree in data_of(made.to_html())["trees"])
    for page in (made.to_html(*rows), made.model_.to_html(*rows)):
        for tree in data_of(page)["trees"]:
            assert tree["rows"]["n"] == 120 and "0" in tree["rows"]["nodes"]
        assert "Disagreement of every two trees" in page
    path = made.to_html(tmp_path / "page.html", *rows)
    assert path.read_text(encoding="utf-8") == made.to_html(*rows)
    alone = data_of(made.to_html(*rows, sample_weight=np.arange(120.0)))["trees"][0]["rows"]
    assert alone != data_of(page)["trees"][0]["rows"], "weights count"


def test_the_histograms_of_all_trees_share_the_room_of_one_page(monkeypatch):
    many = bw.RandomForestClassifier(12).fit(X, Y)
    whole = [tree["rows"] for tree in data_of(many.to_html(X, Y))["trees"]]
    assert all(rows["left_out"] == 0 for rows in whole)
    monkeypatch.setattr(ensemble_page, "ROOM", 12 * 400)
    small = [tree["rows"] for tree in data_of(many.to_html(X, Y))["trees"]]
    assert all(rows["left_out"] > 0 and len(json.dumps(rows["nodes"])) < 600 for rows in small)


def test_a_tree_of_the_page_draws_its_histogram(page):
    page.set_content(forest().to_html(X, Y))
    page.wait_for_selector("#tree svg[aria-label^='Histogram of']:not([aria-hidden='true'])")


def test_the_trees_of_a_sum_show_no_rows():
    made = forest().model_
    added = replace(made, labels=None, occurring=None, combine=Combine("sum", base=(0.0,), link="identity"))
    for ask in (added.to_html, added.widget):
        with pytest.raises(ParameterError, match="Leave out X and y"):
            ask(X, np.zeros(120))


def test_a_tree_of_an_ensemble_is_a_widget():
    pytest.importorskip("anywidget")
    made = forest()
    for widget in (made.widget(X, Y, tree=3), made.model_.widget(X, Y, tree=3)):
        data = json.loads(widget.data)
        assert data["rows"]["n"] == 120
        assert data["nodes"]["feature"] == made.trees_[3].feature.tolist()
    assert made.widget(tree=3).title == "RandomForestClassifier, tree 3"
    with pytest.raises(ParameterError, match="both X and y are needed"):
        made.widget(X)
    single = bw.C45Classifier().fit(X, Y)
    assert json.loads(single.widget().data)["rows"] is None
    assert json.loads(single.widget(X, Y).data)["rows"]["n"] == 120


def test_the_page_is_written_to_a_file(tmp_path):
    path = forest().to_html(tmp_path / "forest.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert forest().model_.to_html() == forest().to_html(title="Ensemble")
    with pytest.raises(ParameterError, match="both X and y are needed"):
        forest().to_html(X=X)


@pytest.mark.parametrize(
    "estimator",
    [
        bw.BaggingClassifier(n_estimators=3),
        bw.BaggingRegressor(n_estimators=3),
        bw.RandomForestRegressor(n_estimators=11, oob_score=True),
        bw.ExtraTreesClassifier(n_estimators=3),
        bw.AdaBoostClassifier(n_estimators=5),
        bw.AdaBoostRegressor(n_estimators=5),
        bw.BaggingClassifier(bw.C45Classifier(), n_estimators=3, combine="vote"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::branchwork.errors.OutOfBagWarning")
def test_every_ensemble_has_a_page(estimator):
    y = Y if hasattr(estimator, "predict_proba") else X["a"] * 2
    fitted = estimator.fit(X, y)
    page = fitted.to_html(X=X, y=y, row={"a": 0.1, "c": "x", "d": 1.0})
    assert type(estimator).__name__ in page
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(picture)
        assert not re.search(r'="-?(nan|inf)"', picture)


def test_a_single_leaf_and_hostile_names_do_no_harm():
    names = {name: RNG.normal(size=40) for name in HOSTILE[:12] if name.strip()}
    labels = [HOSTILE[2] if k % 2 else HOSTILE[3] for k in range(40)]
    page = bw.RandomForestClassifier(3).fit(names, labels).to_html(row=dict.fromkeys(names, 0.0))
    assert "<script>" not in page
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(picture)
    with pytest.warns(bw.errors.OneClassWarning):
        leaf = bw.RandomForestClassifier(3).fit(X, ["one"] * 120)
    assert "The trees" in leaf.to_html(X=X, y=["one"] * 120)


def test_a_model_from_another_library_has_a_page():
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

    numbers = np.column_stack([X["a"], X["d"]])
    for estimator in (RandomForestClassifier(5), GradientBoostingClassifier(n_estimators=4)):
        model = bw.from_sklearn(estimator.fit(numbers, Y))
        assert "<svg" in model.to_html(title="theirs")
        assert str(model.why(numbers[:1]))


# ------------------------------------------------------------------------------------------------- in a browser


@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (390, "dark")])
def test_a_picture_opens_its_tree_and_axe_finds_nothing(open_page, theme, width):
    fitted = forest()
    size = {"width": width, "height": 900}
    text = fitted.to_html(X=X, y=Y, row={"a": 0.1, "c": "x", "d": 1.0})
    page = open_page(text, color_scheme=theme, viewport=size, bypass_csp=True)
    assert page.locator("#tree h1").inner_text() == "Tree 0"
    page.click("[data-tree='3']")
    assert page.locator("#tree h1").inner_text() == "Tree 3"
    assert page.locator("[aria-pressed='true'][data-tree]").get_attribute("data-tree") == "3"
    nodes = fitted.model_.trees[3].n_nodes
    assert f"{nodes} nodes" in page.locator("#tree header").inner_text()
    assert page.locator("#tree [data-node='0']").is_visible()
    wide, room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= room
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_the_trees_of_a_page_may_grow_to_the_right(open_page):
    page = open_page(forest().to_html(orientation="LR"))
    assert page.locator("#tree [data-do='turn']").get_attribute("aria-pressed") == "true"
    for fitted in (forest(), forest().model_):
        with pytest.raises(ParameterError, match="orientation='RL'"):
            fitted.to_html(orientation="RL")


def test_the_legend_says_what_is_predicted(open_page):
    model = replace(forest().model_, target="willing <b>")
    page = open_page(model.to_html())
    legend = page.locator(".overview > .legend")
    assert legend.locator("li").all_inner_texts() == ["willing <b>:", "no", "yes"]
    dots = legend.locator("i").evaluate_all(
        "(dots) => dots.map((dot) => getComputedStyle(dot).backgroundColor)"
    )
    assert dots == ["rgb(0, 114, 178)", "rgb(230, 159, 0)"]


def test_letters_of_charts_can_be_read_on_a_phone(open_page):
    page = open_page(forest().to_html(), viewport={"width": 390, "height": 844})
    least = """() => Math.min(...[...document.querySelectorAll(".panel svg text")].map((text) =>
      parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
    assert page.evaluate(least) >= 9.5


def test_a_forest_that_is_too_large_to_open_has_pictures_only(monkeypatch):
    monkeypatch.setattr(ensemble_page, "MOST_NODES", 10)
    page = forest().to_html()
    assert page.count("<figure>") == 12 and "<script" not in page and "data-tree" not in page
    assert "Click a picture" not in page


def test_cells_are_as_wide_as_their_share_of_the_rows():
    tree = bw.StumpClassifier().fit({"x": np.arange(40.0)}, ["a"] * 10 + ["b"] * 30)
    picture = ElementTree.fromstring(icicle(tree.model_, "a stump"))
    widths = [float(part) for path in picture for part in re.findall(r"h([\d.]+)v", path.get("d"))]
    assert sorted(widths) == pytest.approx([74.6, 224.6, 299.6]) and picture.get("aria-label") == "a stump"


# ---------------------------------------------------------------------------------------------------------- why


def test_votes_are_those_of_the_trees():
    fitted = forest(combine="vote")
    row = {"a": 0.05, "c": "x", "d": 1.0}
    why = fitted.why(row)
    said = [tree.predict([row])[0] for tree in fitted.estimators_]
    assert list(why.said) == said
    assert why.prediction == fitted.predict([row])[0]
    assert sum(map(len, why.votes.values())) == 25
    assert why.disagreeing == [k for k, label in enumerate(said) if label != why.prediction]
    path = why.path(why.disagreeing[0])
    assert path.prediction == said[why.disagreeing[0]]
    assert f"{len(why.votes[why.prediction])} of 25 trees" in str(why)
    assert why.to_dict()["prediction"] == why.prediction
    assert "<svg" in why._repr_html_()
    assert f"Tree {why.disagreeing[0]} disagrees" in why.to_text()
    assert "disagrees" not in why.to_text(hint=False)


def test_weighted_votes_and_numbers():
    boosted = bw.AdaBoostClassifier(n_estimators=7).fit(X, Y)
    why = boosted.why({"a": 0.05, "c": "x", "d": 1.0})
    assert "weight" in str(why)
    weights = {label: sum(boosted.stages_[k].confidence for k in trees) for label, trees in why.votes.items()}
    assert max(weights, key=weights.get) == why.prediction
    numbers = bw.RandomForestRegressor(9).fit(X, X["a"])
    why = numbers.why({"a": 0.05, "c": "x", "d": 1.0})
    assert why.prediction == pytest.approx(np.mean(why.said)) and why.votes == {}
    assert "the mean of 9 trees" in str(why) and "farthest" in str(why)
    assert why.to_svg().startswith("<svg")
    median = bw.AdaBoostRegressor(n_estimators=5).fit(X, X["a"]).why({"a": 0.05, "c": "x", "d": 1.0})
    assert "weighted median" in str(median) and median.prediction in median.said


def test_a_wanted_answer_is_for_one_tree():
    with pytest.raises(ParameterError, match=r"model\.member\(0\)"):
        forest().model_.why({"a": 0.1, "c": "x", "d": 1.0}, want="yes")


# ------------------------------------------------------------------------------------------------------- charts


def test_charts_are_pictures_whatever_the_numbers():
    pictures = [
        line_chart([10.0], [Series("e", [0.5])], title="one point", across="trees"),
        line_chart([1.0, 2.0], [Series("e", [0.0, 0.0])], title="nothing", across="trees", theme="dark"),
        bars([], [], title="no bars"),
        bars(["a", "b"], [-1.0, 2.0], title="both sides"),
        bars(["a"], [0.0], title="zero"),
        bar_chart(["1"], [Series("s", [0.0])], title="zero"),
        dot_rows(["r"], np.ones((1, 3)), None, title="dots", columns=["a", "b", "c"]),
        squares(np.zeros((1, 1)), title="one square"),
    ]
    for picture in pictures:
        ElementTree.fromstring(picture)
        assert "nan" not in picture
    with pytest.raises(ParameterError, match="theme='red'"):
        bars(["a"], [1.0], title="red", theme="red")
