"""Rare categories in a model file: they come back, old files have none, and wrong ones are refused."""

import json

import pytest

import branchwork as bw
from branchwork.errors import ModelFormatError
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes
from store.damage import resealed, with_words

from levels_by_hand import classes_of, towns_and_codes


@pytest.fixture(scope="module")
def model():
    frame = towns_and_codes()
    return bw.TreeClassifier(min_category_rows=8, max_depth=3).fit(frame, classes_of(frame)).model_


def test_they_come_back_from_both_files(model):
    assert model.schema[0].rare
    for again in (from_bytes(to_bytes(model)), from_json_bytes(to_json_bytes(model))):
        assert again.schema == model.schema
        assert again.to_text() == model.to_text()


def test_a_column_without_any_says_nothing_of_them(model):
    columns = json.loads(to_json_bytes(model))["columns"]
    assert ["rare" in column for column in columns] == [True, False, True]


def test_a_file_from_before_the_settings_can_be_pruned_by_folds(model):
    frame = towns_and_codes()
    tree = bw.CARTClassifier().fit(frame, classes_of(frame))

    def before(words):
        del words["recipe"]["search"]["min_category_rows"], words["recipe"]["search"]["max_levels"]

    old = from_bytes(with_words(to_bytes(tree.model_), before))
    assert bw.grow.recipe.Recipe.from_dict(old.recipe) == tree._recipe()


WRONG = {
    "one": [3],
    "none": [],
    "falling": [3, 2],
    "twice": [2, 2],
    "negative": [-1, 2],
    "too large": [2, 10**6],
    "no list": "rare",
    "no codes": ["t01", "t02"],
    "flags": [True, 2],
    "fractions": [0.5, 2],
    "null": None,
}


@pytest.mark.parametrize("rare", WRONG.values(), ids=WRONG)
def test_wrong_ones_are_refused_by_their_place(model, rare):
    def change(words):
        words["columns"][0]["rare"] = rare

    with pytest.raises(ModelFormatError, match=r"columns\[0\]\.rare"):
        from_bytes(with_words(to_bytes(model), change))
    words = json.loads(to_json_bytes(model))
    change(words)
    with pytest.raises(ModelFormatError, match=r"columns\[0\]\.rare"):
        from_json_bytes(resealed(json.dumps(words).encode()))


def test_numbers_have_no_rare_categories(model):
    def change(words):
        words["columns"][1]["rare"] = [0, 1]

    with pytest.raises(ModelFormatError, match=r"columns\[1\]"):
        from_bytes(with_words(to_bytes(model), change))
