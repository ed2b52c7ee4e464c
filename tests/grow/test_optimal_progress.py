"""What a search tells while it runs: the best objective so far, the lower bound, and the gap."""

import re

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.grow.grow import grow
from branchwork.grow.optimal_progress import followed, standing_text
from branchwork.table import target as targets
from branchwork.table.adapt import to_table


class Bar:
    """Keeps what it is told."""

    def __init__(self):
        self.done, self.texts = [], []

    def __call__(self, done):
        self.done.append(done)

    def tell(self, text):
        self.texts.append(text)


def hard(rows=3000):
    rng = np.random.default_rng(2)
    return rng.normal(size=(rows, 6)), rng.integers(0, 2, size=rows)


def test_incumbent_and_bound_close_in_on_each_other():
    X, y = hard()
    bar, table, target = Bar(), to_table(X), targets.classes(y)
    recipe = bw.OptimalTreeClassifier(max_depth=3)._recipe()
    _, cost = grow(table, target, recipe, progress=bar)
    shown = [re.match(r"best (\d+), lower bound (\d+), gap (\d+)", text) for text in bar.texts]
    best, bound, gap = ([int(one[k]) for one in shown if one] for k in (1, 2, 3))
    assert len(best) >= 3, "the search is too short to be followed"
    assert best == sorted(best, reverse=True) and bound == sorted(bound) and bar.done == sorted(bar.done)
    assert [top - low for top, low in zip(best, bound, strict=True)] == gap
    assert 0 < bound[-2] <= cost.proof.objective <= best[-2]
    assert (best[-1], gap[-1], bar.done[-1]) == (cost.proof.objective, 0, table.n_rows)


def test_the_search_for_the_fewest_leaves_tells_how_many_there_are_at_least():
    X, y = hard(400)
    bar = Bar()
    asked = bw.OptimalTreeClassifier(max_depth=6, minimise="leaves", max_errors=1, time_limit=0.5)
    with pytest.raises(ParameterError, match="at least"):
        grow(to_table(X), targets.classes(y), asked._recipe(), progress=bar)
    leaves = [int(one[1]) for text in bar.texts if (one := re.match(r"at least (\d+) leaves", text))]
    assert leaves and leaves == sorted(leaves)


def test_a_progress_that_only_counts_is_called_too():
    done = []
    standing = followed(done.append, 200)
    for bound in (0, 5, 10):
        standing(10.0, float(bound), 2)
    assert done == [0, 100, 200]
    assert followed(None, 200) is None
    assert standing_text(np.inf, 0, 0) == "starting"


def test_verbose_shows_incumbent_bound_and_gap(capfd):
    tennis = bw.datasets.load("play_tennis")
    bw.OptimalTreeClassifier(max_depth=1, verbose=1).fit(tennis.X, tennis.y)
    assert "best 4, lower bound 4, gap 0" in " ".join(capfd.readouterr().err.split())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_being_followed_changes_no_tree(n_jobs, capfd):
    X, y = hard(1000)
    plain = bw.OptimalTreeClassifier(max_depth=3, n_jobs=n_jobs).fit(X, y)
    told = bw.OptimalTreeClassifier(max_depth=3, n_jobs=n_jobs, verbose=1).fit(X, y)
    assert plain.to_text() == told.to_text() and plain.objective_ == told.objective_
