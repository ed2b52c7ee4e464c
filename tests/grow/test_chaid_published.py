"""CHAID trees that others have printed."""

from __future__ import annotations

import numpy as np
import pytest

import branchwork as bw


def counted(rows, names):
    """Columns, labels and weights of a table of counts: cells of each column, then the count of each label."""
    *features, labels = names
    lines = []
    for *cells, counts in rows:
        lines += [(cells, label, n) for label, n in zip(labels, counts, strict=True) if n]
    columns = {name: [cells[j] for cells, _, _ in lines] for j, name in enumerate(features)}
    return columns, [label for _, label, _ in lines], [n for _, _, n in lines]


def chosen_at(tree, node):
    return next(row for row in tree.working(node).to_dict() if row["verdict"] == "chosen")


def test_the_titanic_tree_of_the_python_package_chaid():
    """README of github.com/Rambatino/CHAID, "Running from the Command Line": survived by sex and embarked.

    It prints chi-square and p-value of three splits, their groups and the counts of every node; its p-values are not
    adjusted. The counts of harbours within the groups are those of the table it names (1 309 passengers).
    """
    X, y, weights = counted(
        [
            ("female", "C", (11, 102)),
            ("female", "Q", (23, 37)),
            ("female", "S", (93, 198)),
            ("female", None, (0, 2)),
            ("male", "C", (109, 48)),
            ("male", "Q", (56, 7)),
            ("male", "S", (517, 106)),
        ],
        ["sex", "embarked", (0, 1)],
    )
    tree = bw.CHAIDClassifier(bonferroni=False, max_depth=4, min_samples_split=2)
    tree.fit(X, y, sample_weight=weights)
    root, women, men = (chosen_at(tree, node) for node in (0, 1, 2))
    assert (root["feature"], women["feature"], men["feature"]) == ("sex", "embarked", "embarked")
    for row, chi2, p in (
        (root, 365.886947811, 1.47145310169e-81),
        (women, 24.0936494474, 9.17624191599e-07),
        (men, 16.4413525404, 5.017855245e-05),
    ):
        assert (row["chi2"], row["p_value"]) == pytest.approx((chi2, p), rel=1e-11)
    found = tree.tree_.distribution.tolist()
    assert found == [[809, 500], [127, 339], [682, 161], [11, 104], [116, 235], [109, 48], [573, 113]]
    assert tree.predict({"sex": ["female"], "embarked": [None]}).tolist() == [1]
    assert tree.apply({"sex": ["female"], "embarked": [None]}).tolist() == [3]  # with C


TITANIC = [  # class, sex, age, (died, survived): the table `Titanic` of R
    ("1st", "Male", "Child", (0, 5)),
    ("1st", "Female", "Child", (0, 1)),
    ("1st", "Male", "Adult", (118, 57)),
    ("1st", "Female", "Adult", (4, 140)),
    ("2nd", "Male", "Child", (0, 11)),
    ("2nd", "Female", "Child", (0, 13)),
    ("2nd", "Male", "Adult", (154, 14)),
    ("2nd", "Female", "Adult", (13, 80)),
    ("3rd", "Male", "Child", (35, 13)),
    ("3rd", "Female", "Child", (17, 14)),
    ("3rd", "Male", "Adult", (387, 75)),
    ("3rd", "Female", "Adult", (89, 76)),
    ("Crew", "Male", "Adult", (670, 192)),
    ("Crew", "Female", "Adult", (3, 20)),
]


def test_the_exhaustive_titanic_tree_of_the_r_package_chaidr():
    """Vignette "Introduction to chaidr" (CRAN, chaidr 0.1.0), section "Exhaustive CHAID".

    It prints adjusted p, chi-square and multiplier of five splits, and the size of every node.
    """
    X, y, weights = counted(TITANIC, ["Class", "Sex", "Age", ("No", "Yes")])
    assert sum(weights) == 2201
    limits = {"max_depth": 3, "min_samples_split": 100, "min_samples_leaf": 50}
    tree = bw.CHAIDClassifier(variant="exhaustive", **limits).fit(X, y, sample_weight=weights)
    printed = {  # by weight of the node: feature, adjusted p, chi-square, multiplier, sizes of the children
        2201: ("Sex", "6.91e-101", "456.9", 3, {1731, 470}),
        1731: ("Age", "4.55e-06", "23.12", 3, {64, 1667}),
        1667: ("Class", "8.53e-07", "37.99", 30, {175, 168, 462, 862}),
        470: ("Class", "4.44e-28", "127.4", 30, {274, 196}),
        274: ("Class", "0.0263", "9.384", 12, {145, 129}),
    }
    inner = np.flatnonzero(tree.tree_.feature >= 0).tolist()
    assert {int(tree.tree_.weight[node]) for node in inner} == set(printed)
    for node in inner:
        row = chosen_at(tree, node)
        feature, adjusted, chi2, times, children = printed[int(tree.tree_.weight[node])]
        assert row["feature"] == feature
        assert (f"{row['adjusted_p']:.3g}", f"{row['chi2']:.4g}") == (adjusted, chi2)
        assert row["adjusted_p"] / row["p_value"] == pytest.approx(times)
        assert {int(tree.tree_.weight[child]) for child in tree.tree_.children(node)} == children


def test_the_floating_category_of_the_r_package_chaidr():
    """The same vignette, "Quick start": penguins by flipper length, in ten intervals, two lengths missing.

    It prints flipper_len (adj.p=2.48e-63, chi2=328.5, B=714) and 2.484038e-63 further down, and groups of 99, 67, 38,
    61 (with the missing ones) and 79 penguins. The intervals here are the vignette's; they end at 184, 187, 190, 193,
    196, 202, 209, 214 and 220 mm. Data: palmerpenguins, CC0.
    """
    rows = [
        (1.0, (29, 3, 0)),
        (2.0, (25, 7, 0)),
        (3.0, (30, 5, 0)),
        (4.0, (25, 10, 0)),
        (5.0, (20, 12, 0)),
        (6.0, (18, 20, 0)),
        (7.0, (3, 7, 14)),
        (8.0, (1, 4, 30)),
        (9.0, (0, 0, 44)),
        (10.0, (0, 0, 35)),
        (None, (1, 0, 1)),
    ]
    X, y, weights = counted(rows, ["flipper", ("Adelie", "Chinstrap", "Gentoo")])
    tree = bw.CHAIDClassifier(max_depth=1, min_samples_split=30, min_samples_leaf=10)
    tree.fit(X, y, sample_weight=weights)
    row = chosen_at(tree, 0)
    assert tree.to_dict()["bounds"] == [3.5, 5.5, 6.5, 8.5]
    assert tree.to_dict()["missing"] == 3
    assert [child["weight"] for child in tree.to_dict()["children"]] == [99, 67, 38, 61, 79]
    assert f"{row['chi2']:.4g}" == "328.5"
    assert f"{row['adjusted_p']:.6e}" == "2.484038e-63"
    assert row["adjusted_p"] / row["p_value"] == pytest.approx(714)
