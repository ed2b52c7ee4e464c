"""A class has one colour, on the page as in every picture."""

import numpy as np

import branchwork as bw
from branchwork.view.html import style
from branchwork.view.page import to_data
from branchwork.view.palette import DARK, LIGHT


def tree_of(labels):
    X = np.arange(3.0 * len(labels))[:, None]
    return bw.TreeClassifier().fit(X, np.repeat(labels, 3))


def test_labels_have_the_colours_of_the_picture():
    for labels in (["b", "a"], list("abcdefgh"), [f"c{k:02}" for k in range(36)]):
        tree = tree_of(labels)
        colours = to_data(tree.model_, unit="")["colours"]
        picture = tree.to_svg()
        assert len(colours) == len(labels)
        assert all(f'"{name}"' in picture or f" {name}" in picture for name in set(colours))
    assert len(set(colours)) == 32
    X = np.arange(6.0)[:, None]
    assert to_data(bw.TreeRegressor().fit(X, X[:, 0]).model_, unit="")["colours"] is None


def test_the_style_knows_every_colour():
    text = style()
    for name, light in LIGHT.fills().items():
        assert f"--{name}: light-dark({light}, {DARK.fills()[name]});" in text
