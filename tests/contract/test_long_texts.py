"""A cell, a name or a label of 50 000 letters, in `make deep` of a megabyte: all that is printed takes time in
proportion to its length.

What is printed comes from `test_terminal_width.py`, whose list of classes is complete.
"""

import inspect
import time
import warnings

import numpy as np
import pytest

import branchwork as bw
from contract import test_terminal_width as wide

LENGTHS = [50_000, pytest.param(1_000_000, marks=pytest.mark.deep)]
ENOUGH = 60e-6
"""Processor seconds for each letter, several times what the slowest call takes. A search for typing errors whose time
grew with the square of the length took 150e-6 for each of 50 000 letters."""
X, Y = wide.rows()
CLASS, JOB = X.columns[0], X.columns[2]
WAYS = (
    "__str__",
    "__repr__",
    "_repr_html_",
    "to_text",
    "to_html",
    "to_svg",
    "to_markdown",
    "to_dot",
    "to_dict",
)
LANGUAGES = ("python", "c", "javascript", "java", "sql", "markdown", "latex", "questionnaire", "pmml", "json")


def rows_with(what, length):
    """Return the table with one long text in many places."""
    long = ("ab c, " * length)[:length]
    if what == "cells":
        cells = X[CLASS].where(X[CLASS] != "二等舱的旅客", long)
        return X.assign(**{CLASS: cells.where(cells.index != 7, long + "x")}), Y
    if what == "names":
        return X.rename(columns={JOB: long}), Y.rename(long + "y")
    return X, Y.where(Y[0] != Y, long)


class Measured(dict):
    """Processor seconds of calls by name."""

    def call(self, name, work):
        start = time.process_time()
        found = work()
        self[name] = time.process_time() - start
        return found


def shown(thing, name, took):
    """Show something in all ways that it has."""
    for way in WAYS:
        if hasattr(thing, way):
            asks = [
                one
                for one in inspect.signature(getattr(thing, way)).parameters.values()
                if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
            ]
            if not asks:
                took.call(f"{name}.{way}", getattr(thing, way))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("what", ["cells", "names", "labels"])
def test_long_texts(what, length, monkeypatch):
    table, target = rows_with(what, length)
    monkeypatch.setattr(wide, "rows", lambda: (table, target))
    wide.fitted.cache_clear()
    took = Measured()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for name, make in wide.OBJECTS.items():
                if make is not None:
                    shown(took.call(name, lambda make=make: make(table, target)), name, took)
            for kind in ("tree", "numbers", "forest", "boost", "vote", "neighbours"):
                shown(wide.fitted(kind), kind, took)
            tree = wide.fitted("tree")
            for language in LANGUAGES:
                took.call(language, lambda language=language: tree.export(language))
            took.call("page", lambda: tree.to_html(table, target))
            took.call("lecture", lambda: str(tree.working(0, table, target, style="lecture")))
            took.call("rule list", lambda: str(bw.RuleListClassifier().fit(table, target).rules_))
        finally:
            wide.fitted.cache_clear()
    assert {name: seconds for name, seconds in took.items() if seconds > ENOUGH * length} == {}


def test_the_tree_splits_by_the_long_cells():
    table, target = rows_with("cells", 50_000)
    long = table[CLASS].str.len() == 50_000
    tree = bw.C45Classifier().fit(table, target)
    assert max(map(len, tree.schema_[0].categories)) == 50_001
    assert len(tree.to_text()) > 50_000
    assert np.count_nonzero(long) > 20
