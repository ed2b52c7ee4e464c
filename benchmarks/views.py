"""Looking at trees: a picture, a page, and what it costs to keep the working, each beside its limit."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

from datasets import logistic, mixed
from timing import Figure, Settings, at_most, best_of_turns

import branchwork as bw
from branchwork.grow import grow


def figures(settings: Settings) -> Iterator[Figure]:
    """Time pictures against a number of seconds, fits with the ledger against fits without."""
    X, y, z = logistic(60_000, 20)
    tree = _tree(X, y, 500)
    limits = {
        "to_svg, 999 nodes": (0.3, tree.to_svg),
        "to_svg, 999 nodes, all drawn": (0.3, lambda: tree.to_svg(max_depth=99)),
        "to_svg, 999 nodes, compact": (0.3, lambda: tree.to_svg(orientation="LR", compact=True)),
        "to_html, 9 999 nodes": (2.0, _tree(X, y, 5000).to_html),
    }
    best = best_of_turns({work: job for work, (_, job) in limits.items()}, settings.rounds)
    for work, (seconds, _) in limits.items():
        yield Figure(work, f"a limit of {seconds:g} s", seconds, best[work], at_most(1))
    size = len(_tree(X, y, 5000).to_html().encode()) / 1e6
    yield Figure("to_html, 9 999 nodes, its size", "a limit of 2 MB", 2.0, size, at_most(1), unit="MB")
    frame, labels = mixed(60_000)
    table = bw.to_table(frame)
    fits = {
        "depth 6, 60 000 × 20": lambda: bw.TreeClassifier(max_depth=6).fit(X, y),
        "squared error, depth 6, 60 000 × 20": lambda: bw.TreeRegressor(max_depth=6).fit(X, z),
        "ID3 mixed, depth 3, 60 000 × 8": lambda: bw.ID3Classifier(max_depth=3).fit(table, labels),
        "full, 3 000 × 20": lambda: bw.TreeClassifier().fit(X[:3000], y[:3000]),
        "C4.5, 3 000 × 20": lambda: bw.C45Classifier().fit(X[:3000], y[:3000]),
    }
    for work, fit in fits.items():
        best = best_of_turns({"kept": fit, "none": lambda fit=fit: _without_ledger(fit)}, 3 * settings.rounds)
        yield Figure(f"ledger, {work}", "ours without it", best["none"], best["kept"], at_most(1.1))


def _tree(X, y, leaves):
    return bw.TreeClassifier(max_leaf_nodes=leaves).fit(X, y)


def _without_ledger(fit):
    with patch.object(grow, "LEDGER_NODES", 0):
        return fit()
