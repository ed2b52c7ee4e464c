"""Printouts of awkward trees."""

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import ParameterError


def test_many_classes_are_cut_short_and_shares_do_not_pretend():
    X = np.zeros((10_001, 1))
    y = np.concatenate([np.zeros(10_000, int), [1]])
    text = bw.ID3Classifier().fit(X, y).to_text()
    assert "0: 10000 (99.99%)  1: 1 (0.01%)" in text
    text = bw.ID3Classifier().fit(np.zeros((7, 1)), list("abcdefg")).to_text()
    assert "a: 1 (14%)  b: 1 (14%)  c: 1 (14%)  d: 1 (14%)  … 3 more" in text


def test_weights_are_shown_where_they_are_not_rows():
    text = bw.ID3Classifier().fit([[0], [0]], ["a", "b"], sample_weight=[2.5, 1]).to_text()
    assert text.startswith("all rows → a  2 rows (weight 3.5)  a: 2.5 (71%)  b: 1 (29%)")


def test_a_chain_deeper_than_any_screen_prints_its_depths():
    n = 200
    tree = bw.ID3Classifier().fit(np.arange(n).reshape(-1, 1), np.arange(n) % 2)
    assert tree.get_depth() > 60
    text = tree.to_text()
    assert "[depth 55]" in text and max(map(len, text.splitlines())) < 250
    assert len(text.splitlines()) == tree.tree_.n_nodes


def test_control_characters_are_shown_not_obeyed():
    X = pd.DataFrame({"a\nb\x1b[2J": ["x\r", "\x07y"]})
    text = bw.ID3Classifier().fit(X, ["\x1b[31m", "ok"]).to_text(color=False)
    assert "\x1b" not in text and "\r" not in text and "\x07" not in text and len(text.splitlines()) == 3


def test_a_single_leaf_is_one_line():
    assert (
        bw.StumpClassifier().fit([[0], [0]], ["a", "b"]).to_text()
        == "all rows → a  2 rows  a: 1 (50%)  b: 1 (50%)"
    )


@pytest.mark.parametrize("depth", [-1, 1.5, True, "2"])
def test_a_depth_that_makes_no_sense_is_refused(depth):
    tree = bw.ID3Classifier().fit([["a"], ["b"]], ["x", "y"])
    for show in (tree.to_text, tree.to_svg, tree.to_dot):
        with pytest.raises(ParameterError, match="max_depth="):
            show(max_depth=depth)


def test_every_category_is_named_when_asked_for():
    letters = list("abcdefghij")
    tree = bw.CARTRegressor(max_depth=1).fit([[letter] for letter in letters], [0] * 5 + [9] * 5)
    assert "x0 in {a, b, c, … 2 more}" in tree.to_text()
    assert "x0 in {a, b, c, d, e}" in tree.to_text(full=True) == tree.model_.to_text(full=True)
    rules = tree.rules()
    assert "x0 in {f, g, h, … 2 more}" in str(rules) == rules.to_text()
    for text in (rules.to_text(full=True), rules.to_markdown(full=True), tree.export("markdown")):
        assert "f, g, h, i, j" in text and "more" not in text
    assert "f, g, h, i, j" in tree.export("latex")
