"""Files that are damaged or malicious: every one is refused with a ModelFormatError, and none harms."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ModelFormatError, ParameterError

from foreign_cases import quietly
from tables import DEEP

FOLDER = Path(__file__).parents[1] / "agree" / "foreign"
XGBOOST = json.loads((FOLDER / "xgboost_codes.json").read_text(encoding="utf-8"))
LIGHTGBM = (FOLDER / "lightgbm_codes.txt").read_text(encoding="utf-8")
RANDOM = 20_000 if DEEP else 300


def damaged(change):
    document = copy.deepcopy(XGBOOST)
    change(document["learner"])
    return document


def tree_of(learner, k=0):
    return learner["gradient_booster"]["model"]["trees"][k]


def in_tree(name, value, at=None):
    """A change of one array of the first tree, or of one of its entries."""

    def change(learner):
        if at is None:
            tree_of(learner)[name] = value
        else:
            tree_of(learner)[name][at] = value

    return change


def in_learner(*keys_and_value):
    *keys, last, value = keys_and_value

    def change(learner):
        for key in keys:
            learner = learner[key]
        learner[last] = value

    return change


def twice(*names):
    return lambda learner: [tree_of(learner)[name].extend(tree_of(learner)[name]) for name in names]


XGBOOST_CASES = {
    "a child beyond the end": in_tree("left_children", 10**6, 0),
    "a negative child": in_tree("right_children", -7, 0),
    "only one child": in_tree("right_children", -1, 0),
    "a circle": in_tree("left_children", 0, 1),
    "a node with two parents": in_tree("left_children", 2, 1),
    "a column beyond the end": in_tree("split_indices", 4, 1),
    "a huge number": in_tree("split_indices", 10**400, 0),
    "a fraction": in_tree("left_children", 1.5, 0),
    "text for a number": in_tree("split_conditions", "x", 3),
    "truth for a number": in_tree("sum_hessian", True, 3),
    "a threshold that is none": in_tree("split_conditions", float("nan"), 1),
    "an infinite leaf": in_tree("split_conditions", float("inf"), -1),
    "an infinite weight": in_tree("sum_hessian", float("inf"), -1),
    "arrays of two lengths": in_tree("right_children", []),
    "no array": in_tree("default_left", None),
    "no nodes": lambda learner: tree_of(learner).update(
        {name: [] for name, value in tree_of(learner).items() if isinstance(value, list)}
    ),
    "categories of no node": in_tree("categories_nodes", 99, 0),
    "categories twice": twice("categories_nodes", "categories_segments", "categories_sizes"),
    "categories beyond the end": in_tree("categories_sizes", 10**6, 0),
    "categories before the start": in_tree("categories_segments", -1, 0),
    "a category too large": in_tree("categories", 2**24, 0),
    "a nominal node without categories": in_tree("categories_nodes", []),
    "a tree that is none": in_learner("gradient_booster", "model", "trees", [5]),
    "no trees": in_learner("gradient_booster", "model", "trees", []),
    "a class that there is not": in_learner("gradient_booster", "model", "tree_info", [0, 0, 7]),
    "too few classes of trees": in_learner("gradient_booster", "model", "tree_info", [0]),
    "no columns": in_learner("learner_model_param", "num_feature", "0"),
    "too many columns": in_learner("learner_model_param", "num_feature", str(2**31 - 1)),
    "too many columns without a name": lambda learner: learner.update(
        feature_types=[], learner_model_param=learner["learner_model_param"] | {"num_feature": str(2**31 - 1)}
    ),
    "a number of columns beyond reason": in_learner("learner_model_param", "num_feature", "9" * 5000),
    "names for other columns": in_learner("feature_names", ["a"]),
    "two columns of one name": in_learner("feature_names", ["a"] * 4),
    "names that are none": in_learner("feature_names", [1, 2, 3, 4]),
    "a base that is none": in_learner("learner_model_param", "base_score", "[]"),
    "an infinite base": in_learner("learner_model_param", "base_score", "inf"),
    "bases for other classes": in_learner("learner_model_param", "base_score", "[1,2]"),
    "classes without a sum each": in_learner("learner_model_param", "num_class", "3"),
    "no settings": in_learner("learner_model_param", 3),
    "settings of a tree that are none": in_tree("tree_param", []),
    "no booster": in_learner("gradient_booster", {}),
    "no model": in_learner("gradient_booster", "model", []),
    "cats of another table": in_learner("gradient_booster", "model", "cats", {"enc": [1, 2]}),
    "cats with offsets beyond the end": in_learner(
        "gradient_booster",
        "model",
        "cats",
        {"enc": [{"offsets": [0, 9], "values": [97]}, *[{"offsets": [], "values": []}] * 3]},
    ),
}


@pytest.mark.parametrize("name", XGBOOST_CASES)
def test_xgboost_damaged(name):
    with pytest.raises(ModelFormatError):
        bw.from_xgboost(damaged(XGBOOST_CASES[name]))


def test_xgboost_children_are_where_the_file_says():
    """XGBoost itself reads the node after the left child, whatever the right one is (its issue 7903)."""
    document = copy.deepcopy(XGBOOST)
    for tree in document["learner"]["gradient_booster"]["model"]["trees"]:
        n = len(tree["left_children"])
        away = [0, *range(n - 1, 0, -1)]  # node k becomes node away[k]: right children come before left ones
        for name, values in tree.items():
            if isinstance(values, list) and len(values) == n and not name.startswith("categories"):
                points = name in ("left_children", "right_children")
                moved = [away[v] if points and v >= 0 else v for v in values]
                tree[name] = [moved[away[k]] for k in range(n)]
        tree["categories_nodes"] = [away[node] for node in tree["categories_nodes"]]
    rows = np.array(json.loads((FOLDER / "xgboost_codes.rows.json").read_text(encoding="utf-8"))["rows"])
    ours = bw.from_xgboost(document)
    assert (quietly(ours.predict, rows) == quietly(bw.from_xgboost(XGBOOST).predict, rows)).all()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"{}",
        b'{"learner": 3}',
        b"binf\x00\x01",
        b"{L\x00\x00\x00\x00",
        b"\xff\xfe",
    ],
)
def test_what_is_no_model_is_refused(text):
    with pytest.raises(ModelFormatError):
        bw.from_xgboost(text)
    with pytest.raises(ModelFormatError):
        bw.from_lightgbm(text)


def test_a_file_that_is_not_there_is_told(tmp_path):
    for read in (bw.from_xgboost, bw.from_lightgbm):
        with pytest.raises(ModelFormatError, match="There is no file"):
            read(tmp_path / "nothing")
        with pytest.raises(ParameterError, match="found int"):
            read(3)


LIGHTGBM_CASES = {
    "a leaf beyond the end (issue 7357)": ("left_child=", "left_child=-1000000 "),
    "a node beyond the end (issue 7438)": ("right_child=", "right_child=1000000 "),
    "a column beyond the end": ("split_feature=", "split_feature=99 "),
    "a negative column": ("split_feature=", "split_feature=-1 "),
    "a threshold that is none": ("threshold=", "threshold=nan "),
    "a word": ("threshold=", "threshold=x "),
    "a kind of node that there is not": ("decision_type=", "decision_type=14 "),
    "bits beyond a byte": ("decision_type=", "decision_type=257 "),
    "an infinite leaf": ("leaf_value=", "leaf_value=inf "),
    "negative rows": ("leaf_count=", "leaf_count=-5 "),
}


def first_entry(text, field, entry):
    """The text with the first entry of a field in the first tree replaced."""
    at = text.index(f"\n{field}", text.index("Tree=0")) + 1
    line, rest = text[at:].split("\n", 1)
    values = line.removeprefix(field).split(" ", 1)
    return text[:at] + entry + (values[1] if len(values) > 1 else "") + "\n" + rest


@pytest.mark.parametrize("name", LIGHTGBM_CASES)
def test_lightgbm_damaged(name):
    text = first_entry(LIGHTGBM, *LIGHTGBM_CASES[name])
    assert text != LIGHTGBM
    with pytest.raises(ModelFormatError):
        bw.from_lightgbm(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("end of trees", ""),
        ("Tree=1", "Tree=7"),
        ("num_leaves=6", "num_leaves=7"),
        ("num_leaves=6", "num_leaves=0"),
        ("num_leaves=6", "num_leaves=999999999"),
        ("max_feature_idx=3", "max_feature_idx=2147483646"),
        ("max_feature_idx=3", "max_feature_idx=-1"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=2"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=0"),
        ("feature_infos=[", "feature_infos=1:x["),
        ("cat_boundaries=0", "cat_boundaries=5"),
        ("cat_boundaries=0 ", "cat_boundaries=0 99999 "),
        ("cat_threshold=", "cat_threshold=-1 "),
        ("num_cat=1", "num_cat=0"),
        ("\nnum_cat=", "\nnum_dog="),
    ],
)
def test_lightgbm_that_does_not_fit_together(old, new):
    assert old in LIGHTGBM
    with pytest.raises(ModelFormatError):
        bw.from_lightgbm(LIGHTGBM.replace(old, new, 1))


def test_lightgbm_asks_for_a_set_of_categories_that_is_there():
    """Of another number LightGBM reads what lies beyond (its issue 7437)."""
    lines = LIGHTGBM.split("\n")
    kinds = (
        next(line for line in lines if line.startswith("decision_type="))
        .removeprefix("decision_type=")
        .split()
    )
    nominal = next(k for k, kind in enumerate(kinds) if int(kind) & 1)
    at = next(k for k, line in enumerate(lines) if line.startswith("threshold="))
    for strange in ("1000000", "-1", "0.5", "1e300"):
        values = lines[at].removeprefix("threshold=").split()
        values[nominal] = strange
        text = "\n".join([*lines[:at], "threshold=" + " ".join(values), *lines[at + 1 :]])
        with pytest.raises(ModelFormatError, match="sets of categories"):
            bw.from_lightgbm(text)


def test_pandas_categories_that_do_not_fit():
    text = LIGHTGBM.replace("pandas_categorical:null", 'pandas_categorical:[["a"], ["b"]]')
    assert text != LIGHTGBM
    with pytest.raises(ModelFormatError, match="2 pandas columns"):
        bw.from_lightgbm(text)
    with pytest.raises(ModelFormatError, match="has 1 categories"):
        bw.from_lightgbm(LIGHTGBM.replace("pandas_categorical:null", 'pandas_categorical:[["a"]]'))
    with pytest.raises(ModelFormatError, match="distinct texts"):
        bw.from_lightgbm(LIGHTGBM.replace("pandas_categorical:null", 'pandas_categorical:[["a", "a"]]'))


def scrambled(data, rng):
    """The bytes with a few of them changed, cut out or doubled."""
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(0, len(data)))
        way = int(rng.integers(0, 4))
        if way == 0:
            data[at] = int(rng.integers(0, 256))
        elif way == 1:
            data[at : at + 1] = rng.choice([b"9", b"-", b"0", b"e", b",", b" ", b"\n"]).item()
        elif way == 2:
            del data[at : at + int(rng.integers(1, 40))]
        else:
            data[at:at] = data[at : at + int(rng.integers(1, 40))]
    return bytes(data)


@pytest.mark.parametrize(
    "name", ["xgboost_codes.json", "xgboost_softprob.json", "lightgbm_codes.txt", "lightgbm_forest.txt"]
)
def test_random_damage_is_refused_or_does_no_harm(name):
    """A change may make another model; then it answers with numbers for any row."""
    data = (FOLDER / name).read_bytes()
    read = bw.from_xgboost if name.startswith("xgboost") else bw.from_lightgbm
    rows = np.array([[0.0, 1.0, -1.0, 2.0], [np.nan] * 4, [1e300, 40.0, -1e300, 0.5]])
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(RANDOM):
        try:
            model = read(scrambled(data, rng))
        except (ModelFormatError, ParameterError):
            refused += 1
            continue
        if len(model.schema) == 4 and model.handle_unknown != "error":
            with np.errstate(over="ignore", invalid="ignore"):
                assert len(quietly(model.outputs, rows)) == 3
    assert 0 < refused < RANDOM
