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


def test_smoothing_counts_a_class_whose_rows_were_all_held_out():
    y = np.array([*"aabbaabbaabbab", "c"])
    X = np.zeros((15, 1))
    tree = bw.C45Classifier(pruning="reduced_error", smoothing="laplace").fit(X, y)
    assert tree.predict_proba(X[:1])[0].tolist() == [6 / 13, 6 / 13, 1 / 13]
    tree = bw.C45Classifier(pruning="reduced_error", smoothing=15.0).fit(X, y)  # the table has 7, 7 and 1
    assert tree.predict_proba(X[:1])[0].tolist() == [12 / 25, 12 / 25, 1 / 25]


def test_many_values_are_many_for_the_whole_table():
    """Of 15 rows 10 grow the tree: four values are many for 10 rows (0.3 of them), not for 15.

    So the column of four values takes part in the average gain, which the other column then does not reach.
    """
    values = [*"abcdabcdabcdabc"]
    y = np.array([*"ppqqppqqppqqppq"])
    noise = np.array([*"uvuvvuvuuvuvvuv"])
    X = {"noise": noise, "value": values}
    tree = bw.C45Classifier(pruning="reduced_error", variant="j48", min_cases=1).fit(X, y)
    verdicts = {row["feature"]: row["verdict"] for row in tree.working().to_dict()}
    assert verdicts == {"noise": "below_average", "value": "chosen"}
