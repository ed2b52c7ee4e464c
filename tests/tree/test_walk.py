"""Walks, paths and splits of a tree that is known by eye."""

import branchwork as bw
from branchwork.tree.split import Lookup, Threshold, number, split_of
from branchwork.tree.walk import leaves, path_to, preorder


def vegetation():
    data = bw.datasets.load("vegetation")
    return bw.ID3Classifier().fit(data.X, data.y)


def test_nodes_are_numbered_breadth_first_and_walked_depth_first():
    tree = vegetation().tree_
    # 0 ELEVATION <= 4175: 1 STREAM (3 false, 4 true: ELEVATION <= 2250 (5, 6)), 2 conifer
    assert [list(tree.children(n)) for n in range(7)] == [[1, 2], [3, 4], [], [], [5, 6], [], []]
    assert list(preorder(tree)) == [0, 1, 3, 4, 5, 6, 2]
    assert leaves(tree).tolist() == [2, 3, 5, 6]
    assert path_to(tree, 6) == [0, 1, 4, 6]
    assert tree.parent.tolist() == [-1, 0, 0, 1, 1, 4, 4]
    assert tree.depths.tolist() == [0, 1, 1, 2, 2, 3, 3] and tree.depth == 3


def test_splits_speak_in_words():
    fitted = vegetation()
    root, stream = (split_of(fitted.tree_, fitted.schema_, node) for node in (0, 1))
    assert root == Threshold(2, 4175.0, False)
    assert root.branches(fitted.schema_) == ["ELEVATION <= 4175", "ELEVATION > 4175"]
    assert stream == Lookup(0, (("false",), ("true",)))
    assert stream.describe(fitted.schema_) == "STREAM = false | true"
    assert Lookup(0, (("a", "b"), ())).branches(fitted.schema_) == ["STREAM in {a, b}", "STREAM is missing"]


def test_numbers_are_written_for_people():
    assert [number(x) for x in (3.0, -2.5, 1e-7, 1e20, float("inf"), float("-inf"), 0.1 + 0.2)] == [
        "3", "-2.5", "1e-07", "1e+20", "inf", "-inf", "0.3",
    ]  # fmt: skip
