"""The working of the largest nodes from the training rows, for a page: which nodes, and which cuts."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.grow.cut_list import best_of_strips
from branchwork.learn import handed_back
from branchwork.learn.handed_back import MOST_CUTS, largest_pages, page_from_rows


def test_of_each_strip_the_best_cut_is_kept_and_the_best_of_all_among_them():
    rng = np.random.default_rng(0)
    cut, cost = np.sort(rng.normal(size=500)), rng.random(500)
    kept = best_of_strips(cut, cost, 20)
    assert len(kept) <= 20 and (np.diff(kept) > 0).all() and cost.argmin() in kept
    strip = np.minimum((cut - cut[0]) / (cut[-1] - cut[0]) * 20, 19).astype(int)
    for k in kept.tolist():
        assert cost[k] == cost[strip == strip[k]].min()


def test_few_cuts_stay_and_an_infinite_one_does_no_harm():
    assert best_of_strips(np.array([1.0, 2.0]), np.array([0.0, 1.0]), 2).tolist() == [0, 1]
    assert best_of_strips(np.array([1.0, 2.0]), np.array([0.0, 1.0]), None).tolist() == [0, 1]
    cut = np.array([-1e308, 0.0, 1e308, np.inf])
    assert best_of_strips(cut, np.array([1.0, 2.0, 3.0, 0.0]), 2).tolist() == [0, 1, 3]
    assert best_of_strips(np.array([5.0, 5.0, 5.0]), np.array([2.0, 1.0, 1.0]), 2).tolist() == [1]


@pytest.fixture(scope="module")
def grown():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    y = X[:, 0] + rng.normal(size=600) > 0
    model = bw.CARTClassifier(max_leaf_nodes=60).fit(X, y).model_
    return model, model.table(X), model.target_of(y)


def test_the_pages_are_those_of_the_largest_nodes(grown):
    model, table, target = grown
    pages = largest_pages(model, table, target)
    assert 0 in pages and len(pages) <= handed_back.MOST_PAGES
    smallest = min(model.tree.weight[node] for node in pages)
    left_out = [
        node for node in range(model.tree.n_nodes) if node not in pages and model.tree.feature[node] >= 0
    ]
    assert left_out and max(model.tree.weight[node] for node in left_out) <= smallest
    whole = page_from_rows(model, 0, table, target)
    for few, one in zip(pages[0].candidates, whole.candidates, strict=True):
        assert len(few.cuts) <= MOST_CUTS < len(one.cuts) and set(few.cuts) <= set(one.cuts)
        assert max(few.cuts, key=lambda cut: cut.gain) == max(one.cuts, key=lambda cut: cut.gain)
        assert (few.gain, few.cut, few.parting) == (one.gain, one.cut, one.parting)


def test_large_tables_have_fewer_pages(grown, monkeypatch):
    model, table, target = grown
    monkeypatch.setattr(handed_back, "MOST_CELLS", 5000)
    assert 0 < len(largest_pages(model, table, target)) < 5


def test_other_rows_have_none(grown):
    model, table, target = grown
    rows = np.arange(500)
    assert largest_pages(model, table.take(rows), target.take(rows)) == {}
