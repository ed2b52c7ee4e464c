"""Optimal trees make as few errors as those of STreeD, where the problem is the same: features of 0 and 1."""

import json
from pathlib import Path

import branchwork as bw
from agree.streed.tables import tables

STORED = json.loads((Path(__file__).parent / "streed" / "errors.json").read_text())


def test_errors_are_those_of_streed():
    found = []
    for X, y, depth in tables(len(STORED["errors"])):
        tree = bw.OptimalTreeClassifier(max_depth=depth).fit(X, y)
        assert tree.proven_
        found.append(int((tree.predict(X) != y).sum()))
    assert len(found) == 300 and found == STORED["errors"]
