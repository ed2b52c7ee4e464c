"""The page's own search for the nearest other answer, in a real browser, against the library's `why`."""

import json
import math
import warnings

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import UnseenCategoryWarning
from branchwork.model.counterfactual import search
from branchwork.model.explain import explain, read_row
from branchwork.view.html import script
from branchwork.view.page import to_data
from branchwork.webpage.parts import safe_json

NEAREST = """(given) => {
  const [data, rows] = JSON.parse(given);
  const tree = page.readTree(data);
  return rows.map((text) => page.nearestChange(tree, page.parseRow(tree, text)));
}"""

VARIANTS = {
    "multiway": lambda: bw.ID3Classifier(),
    "shared": lambda: bw.C45Classifier(pruning=None),
    "binary": lambda: bw.CARTClassifier(max_depth=6),
    "surrogates": lambda: bw.CARTClassifier(max_surrogates=3, min_samples_leaf=4),
    "groups": lambda: bw.CHAIDClassifier(),
    "missing branch": lambda: bw.TreeClassifier(nominal="subset", missing="branch", max_depth=5),
    "majority": lambda: bw.C45Classifier(handle_unknown="majority"),
    "numbers": lambda: bw.CARTRegressor(max_depth=5),
    "shared numbers": lambda: bw.TreeRegressor(missing="share", max_depth=4),
}


@pytest.fixture(scope="module")
def nearest(browser):
    """The function of the page that looks for the nearest change."""
    blank = browser.new_page()
    names = "readTree, parseRow, nearestChange"
    blank.add_script_tag(type="module", content=f"{script()}\nwindow.page = {{ {names} }};")
    blank.wait_for_function("window.page !== undefined")
    yield lambda data, rows: blank.evaluate(NEAREST, safe_json([data, rows]))
    blank.close()


def a_table(seed, n=240):
    """Columns of both kinds, with ties and gaps, and a score that depends on most of them."""
    rng = np.random.default_rng(seed)
    columns = {
        "x": rng.normal(size=n).round(1).tolist(),
        "z": rng.integers(0, 30, n).astype(float).tolist(),
        "colour": rng.choice(["red", "green", "blue"], n).tolist(),
        "many": rng.choice([f"m{k}" for k in range(8)], n).tolist(),
    }
    score = np.array(columns["x"]) + (np.array(columns["z"]) > 14) + (np.array(columns["colour"]) == "red")
    for cells in columns.values():
        for row in np.flatnonzero(rng.random(n) < 0.08).tolist():
            cells[row] = None
    return columns, score + rng.normal(0, 0.4, n), rng


def rows_to_ask(columns, rng, count=60):
    rows = [{name: cells[rng.integers(len(cells))] for name, cells in columns.items()} for _ in range(count)]
    for row in rows[::7]:
        row[rng.choice(["colour", "many"])] = "never seen"
    return rows


@pytest.mark.parametrize("name", VARIANTS)
def test_the_page_finds_what_why_finds(nearest, name):
    columns, score, rng = a_table(seed=len(name))
    estimator = VARIANTS[name]()
    y = score if "numbers" in name else np.where(score > 1.6, "high", np.where(score > 0.6, "middle", "low"))
    model = estimator.fit(columns, y).model_
    rows = rows_to_ask(columns, rng)
    found = nearest(to_data(model, unit=""), [json.dumps(row) for row in rows])
    changed = 0
    for row, page in zip(rows, found, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            told = search(model, explain(model, read_row(model, row)))
        assert page["isExact"] == told.is_exact
        assert (page["change"] is None) == (told.change is None)
        if told.change is None:
            continue
        changed += 1
        change, expected = page["change"], told.change
        assert change["leaf"] == expected.leaf and change["isNearest"] == expected.is_nearest
        if model.labels is None:
            assert change["value"] == pytest.approx(expected.prediction, rel=1e-12)
        else:
            assert model.labels[change["label"]] == expected.prediction
        assert change["distance"] == pytest.approx(expected.distance, rel=1e-12)
        assert [told_cell(model, one) for one in change["changes"]] == list(expected.changes)
    assert changed > 20


def told_cell(model, one):
    """A changed cell of the page as the library has it."""
    from branchwork.model.counterfactual import Change

    categories = model.schema[one["feature"]].categories
    if one["among"] is None:
        return Change(one["feature"], one["value"], one["above"], one["upto"])
    among = tuple(categories[code] for code in one["among"])
    return Change(one["feature"], categories[one["value"]], among=among)


def test_the_smallest_number_above_a_threshold_is_the_library_s(nearest):
    """Below, above, and at a threshold of 0, of a negative and of a tiny number."""
    for cut in (0.0, -3.5, 1e-300, 1e16):
        x = [cut - abs(cut) - 1, cut, math.nextafter(cut, math.inf), cut + abs(cut) + 1]
        model = bw.CARTClassifier().fit([[v] for v in x], list("aabb")).model_
        rows = [json.dumps({"x0": v}) for v in x]
        for row, page in zip(x, nearest(to_data(model, unit=""), rows), strict=True):
            told = search(model, explain(model, read_row(model, [row]))).change
            assert page["change"]["changes"][0]["value"] == told.changes[0].value


def test_the_search_is_quick_in_a_large_tree(nearest, large):
    """A slider must feel live: the search, reading the tree included, takes less than a second."""
    rng = np.random.default_rng(1)
    rows = [json.dumps({f"x{k}": float(v) for k, v in enumerate(rng.normal(size=8))}) for _ in range(3)]
    for row, page in zip(rows, nearest(to_data(large.model_, unit=""), rows), strict=True):
        told = search(large.model_, explain(large.model_, read_row(large.model_, json.loads(row)))).change
        assert page["change"]["leaf"] == told.leaf
