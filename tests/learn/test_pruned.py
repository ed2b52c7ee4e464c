"""Pruning inside fit: what is held out still counts as seen."""

import numpy as np

import branchwork as bw


def test_a_class_whose_rows_were_all_held_out_is_a_class():
    y = np.array([*"aabbaabbaabbab", "c"])  # in order of class its row is the last of three
    X = np.arange(15.0).reshape(-1, 1)
    tree = bw.C45Classifier(pruning="reduced_error").fit(X, y)
    assert tree.tree_.distribution[0].tolist() == [5, 5, 0]
    assert tree.classes_.tolist() == ["a", "b", "c"]
    assert tree.predict_proba(X).shape == (15, 3)
    assert set(tree.predict(X)) <= {"a", "b", "c"}
