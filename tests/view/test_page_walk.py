"""The page's own walk, row reader and layout, run in a real browser and compared with the library's."""

import json
import warnings
from itertools import pairwise

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import UnseenCategoryWarning
from branchwork.tree.arrive import shown_split
from branchwork.view.cards import short_labels
from branchwork.view.html import script
from branchwork.view.page import to_data
from branchwork.view.terminal import harmless
from branchwork.webpage.parts import safe_json

from registry import ESTIMATORS

VARIANTS = {
    **{factory.__name__: factory for factory in ESTIMATORS},
    "surrogates": lambda: bw.CARTClassifier(max_surrogates=3, min_samples_leaf=4),
    "surrogates of numbers": lambda: bw.CARTRegressor(max_surrogates=2, max_depth=5),
    "rpart": lambda: bw.CARTClassifier.like_rpart(xval=None),
    "j48": lambda: bw.C45Classifier(variant="j48"),
    "value groups": lambda: bw.C45Classifier(value_groups=True),
    "majority": lambda: bw.C45Classifier(handle_unknown="majority"),
    "surrogates, majority": lambda: bw.CARTClassifier(max_surrogates=2, handle_unknown="majority"),
    **{
        f"{nominal}, {missing}": lambda nominal=nominal, missing=missing: bw.TreeClassifier(
            nominal=nominal, missing=missing, max_depth=6, smoothing="laplace"
        )
        for nominal in ("multiway", "subset", "one_vs_rest")
        for missing in ("branch", "larger", "share", "learn")
    },
    "shared numbers": lambda: bw.TreeRegressor(missing="share", max_depth=5),
}

ANSWER = """([data, rows]) => {
  const tree = page.readTree(data);
  return rows.map((text) => {
    const { leaves } = page.walk(tree, page.parseRow(tree, text));
    return { leaves, ...page.answerOf(tree, leaves) };
  });
}"""


@pytest.fixture(scope="module")
def module(browser):
    """A page in which `page` has the functions of the module."""
    blank = browser.new_page()
    names = "readTree, walk, answerOf, parseRow, cellOfText, emptyRow, layout, levelsThatFit, geometryOf"
    names += ", conditionInFull, branchLabel"
    blank.add_script_tag(type="module", content=f"{script()}\nwindow.page = {{ {names} }};")
    blank.wait_for_function("window.page !== undefined")
    yield blank
    blank.close()


def a_table(seed, n=240):
    """Columns of both kinds with ties, gaps, booleans and names that need quoting."""
    rng = np.random.default_rng(seed)
    columns = {
        "x": rng.normal(size=n).round(1).tolist(),
        "very, small": (rng.normal(size=n) * 1e-7).tolist(),
        'the "colour"': rng.choice(["red", "green, or so", "blu\te", ' "q" '], n).tolist(),
        "bool": rng.choice([True, False], n).tolist(),
        "many": rng.choice([f"m{k}" for k in range(9)], n).tolist(),
    }
    score = np.array(columns["x"]) + 2 * np.array(columns["bool"]) + (np.array(columns["many"]) > "m4")
    for cells in columns.values():
        for row in np.flatnonzero(rng.random(n) < 0.12).tolist():
            cells[row] = None
    return columns, score, rng


def rows_to_ask(estimator, columns, rng, count=120):
    """Rows of the table's values, of cuts and their neighbours, with gaps and with values never seen."""
    tree = estimator.tree_
    stand_ins = [] if tree.surrogates is None else tree.surrogates.cut
    cuts = np.concatenate([tree.cut, tree.bounds, stand_ins])
    cuts = cuts[np.isfinite(cuts)]
    near = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)]).tolist()
    rows = []
    for _ in range(count):
        row = {name: cells[rng.integers(len(cells))] for name, cells in columns.items()}
        for name in ("x", "very, small"):
            if near and rng.random() < 0.5:
                row[name] = near[rng.integers(len(near))]
        if rng.random() < 0.2:
            row["many"] = "never seen"
        rows.append(row)
    return [*rows, dict.fromkeys(columns)]


def as_csv(rows, delimiter):
    def cell(value):
        text = "" if value is None else str(value)
        return (
            '"' + text.replace('"', '""') + '"'
            if value is not None and not isinstance(value, float)
            else text
        )

    header = delimiter.join(cell(name) for name in rows[0])
    return [header + "\n" + delimiter.join(map(cell, row.values())) for row in rows]


def ask(module, code, estimator, *rest):
    """Call a function in the browser with the tree's data; by way of JSON text, which is quick."""
    given = safe_json([to_data(estimator.model_, unit=""), *rest])
    return json.loads(module.evaluate(f"(given) => JSON.stringify(({code})(JSON.parse(given)))", given))


@pytest.mark.parametrize("what", VARIANTS)
def test_the_page_answers_as_the_library_does(module, what):
    columns, score, rng = a_table(seed=len(what))
    estimator = VARIANTS[what]()
    classes = hasattr(estimator, "predict_proba")
    y = np.array(["no", "perhaps", "yes"])[np.digitize(score, [0.5, 2])] if classes else score.round(1)
    estimator.fit(columns, y)
    rows = rows_to_ask(estimator, columns, rng)
    answers = ask(module, ANSWER, estimator, [json.dumps(row) for row in rows])
    for delimiter in ",\t":
        assert answers == ask(module, ANSWER, estimator, as_csv(rows, delimiter))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        outputs, parts = estimator.model_.outputs(rows), estimator.model_.shares(rows)
        predicted = estimator.predict(rows).tolist()
    found = [answer["outputs"] if classes else [answer["value"]] for answer in answers]
    leaves = [leaf for answer in answers for leaf in answer["leaves"]]
    assert [leaf["node"] for leaf in leaves] == parts.leaf.tolist()
    assert [leaf["share"] for leaf in leaves] == parts.share.tolist()
    assert not estimator.tree_.shares_rows or len(leaves) > len(rows)
    assert found == outputs.tolist()
    if classes:
        assert [estimator.model_.labels[answer["label"]] for answer in answers] == predicted


def parsed(module, estimator, text):
    return ask(module, "([data, text]) => page.parseRow(page.readTree(data), text)", estimator, text)


def test_a_row_may_be_pasted_in_many_ways(module):
    X = {
        "age": [1.0, 2, 3, 4],
        "flag": [True, False, True, False],
        "size": [1, 2, 1, 2],
        "name": list("abab"),
    }
    tree = bw.CARTClassifier(max_surrogates=3, categorical_features=["size"]).fit(X, list("xyxy"))
    for text in (
        '{"age": 2.5, "flag": true, "size": 2, "name": "b"}',
        '[{"flag": "true", "name": "b", "age": 2.5, "size": 2.0, "else": 0}]',
        "2.5,true,2,b",
        "2.5\tTrue\t2\tb",
        " 2.5;true;2;b\n",
        'name,size,flag,age\r\n"b",2,true,2.5\r\n',
    ):
        assert parsed(module, tree, text) == [2.5, 1, 1, 1], text
    assert parsed(module, tree, "NA,,,") == [None, -1, -1, -1]
    assert parsed(module, tree, "name\nzzz") == [None, -1, -1, -2]
    assert parsed(module, tree, '{"age": null, "size": "2"}') == [None, -1, -2, -1]  # text is no number


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2", "The row has 2 cells, the table has 3 columns"),
        ("one,2,3", "a: expected a number, found “one”"),
        ("0x10,2,3", "a: expected a number, found “0x10”"),
        ("a\n1\n2", "found 3 lines"),
        ("z\n1", "None of the names is a column"),
        ('{"a": "1"}', 'a: expected a number, found "1"'),
        ("[1]", "Expected an object"),
        ('[{"a": 1}, {"a": 2}]', "and only one"),
        ('{"a": NaN}', "This is not JSON"),
        ('"1"x,2,3', "A quote ends in the middle of a cell"),
        ('"1,2,3', "A quote is not closed"),
        ("a,b\n1", "The header has 2 names, the row has 1 cells"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused_with_its_reason(module, text, message):
    tree = bw.ID3Classifier().fit({"a": [1.0, 2], "b": [0.0, 0], "c": [0.0, 0]}, ["x", "y"])
    with pytest.raises(Exception) as error:
        parsed(module, tree, text)
    assert message in str(error.value)


# ---- layout


CARDS_APART = 114
LAYOUT = """([data, room]) => {
  const tree = page.readTree(data);
  const geometry = page.geometryOf("TB", 106);
  const unfolded = page.levelsThatFit(tree, geometry, { width: room, height: 1e9 });
  const { nodes, levels, x, width } = page.layout(tree, unfolded);
  return { nodes, levels, x: nodes.map((node) => x[node]), width, unfolded: [...unfolded] };
}"""


@pytest.mark.parametrize("room", [1, 1200, 10_000_000])
@pytest.mark.parametrize("factory", [bw.ID3Classifier, bw.CARTClassifier, bw.CHAIDClassifier])
def test_cards_stand_apart_in_order_and_over_their_children(module, factory, room):
    columns, score, _ = a_table(seed=3)
    estimator = factory().fit(columns, (score > 1).astype(int))
    tree, found = estimator.tree_, ask(module, LAYOUT, estimator, room)
    x = dict(zip(found["nodes"], found["x"], strict=True))
    assert min(x.values()) == 0 and max(x.values()) + 1 == pytest.approx(found["width"])
    for depth, level in enumerate(found["levels"]):
        assert level == sorted(level) and {int(tree.depths[node]) for node in level} == {depth}
        assert all(x[b] - x[a] > 1 - 1e-9 for a, b in pairwise(level))
    for node in found["unfolded"]:
        children = tree.children(node)
        middle = (x[children[0]] + x[children[-1]]) / 2
        heaviest = x[max(children, key=lambda child: tree.weight[child])]
        assert x[node] == pytest.approx(np.clip(middle, heaviest - 2, heaviest + 2))
    if room == 10_000_000:
        assert len(x) == tree.n_nodes
    elif room == 1200:
        assert found["width"] * CARDS_APART - 8 <= room
    else:
        assert set(found["unfolded"]) <= {0, *tree.children(0)}


CONDITIONS = """(data) => {
  const tree = page.readTree(data);
  const nodes = Array.from({ length: tree.n - 1 }, (_, k) => k + 1);
  return nodes.map((node) => [page.conditionInFull(tree, node), page.branchLabel(tree, node)]);
}"""


@pytest.mark.parametrize(
    "name", ["subset, learn", "subset, larger", "subset, share", "surrogates", "CHAIDClassifier"]
)
def test_conditions_in_full_are_those_of_the_text(module, name):
    """Only categories that can arrive, and where rows with missing cells went; labels are those of the pictures."""
    columns, score, _ = a_table(3)
    del columns["very, small"]  # JavaScript writes e-8, Python e-08
    estimator = VARIANTS[name]().fit(columns, np.digitize(score, [0, 2]))
    tree, schema = estimator.tree_, estimator.schema_
    inner = np.flatnonzero(tree.feature >= 0).tolist()
    splits = [shown_split(tree, schema, node) for node in inner]
    full = [harmless(text) for split in splits for text in split.branches(schema, full=True)]
    labels = [harmless(text) or "is missing" for split in splits for text in short_labels(split)]
    found = module.evaluate(CONDITIONS, json.loads(safe_json(to_data(estimator.model_, unit="entropy"))))
    assert [condition for condition, _ in found] == full
    assert [label.replace("is known", "known") for _, label in found] == labels
    assert any("more" in label for label in labels)
