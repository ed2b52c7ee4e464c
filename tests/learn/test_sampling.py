"""Draws of rows: by the definition, uniform, of the exact size, and the same whatever was drawn before."""

import numpy as np
import pytest

from branchwork.learn.draws import ROWS, key_of, tree_key
from branchwork.learn.sampling import Sampling

WORD = 2**64


def slow_mixed(x):
    x = (x + 0x9E3779B97F4A7C15) % WORD
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def slow_key(key, which):
    return slow_mixed(slow_mixed(key) ^ which)


@pytest.mark.parametrize("rows", [1, 2, 7, 1000])
@pytest.mark.parametrize("tree", [0, 5])
def test_rows_are_drawn_as_the_definition_says(rows, tree):
    key = slow_key(slow_key(slow_mixed(3), tree), 3 << 56)
    assert key == key_of(tree_key(3, tree), ROWS)
    wanted = [0] * rows
    for i in range(rows):
        wanted[slow_key(key, i) * rows >> 64] += 1
    assert Sampling(rows, rows, seed=3).copies(tree).tolist() == wanted


def test_a_million_draws_are_uniform():
    rows, trees = 1000, 1000
    counts = sum(Sampling(rows, rows, seed=1).copies(k).astype(np.int64) for k in range(trees))
    assert counts.sum() == rows * trees
    chi2 = ((counts - trees) ** 2 / trees).sum()
    # 999 degrees of freedom: mean 999, standard deviation 44.7. The seed is fixed, so this cannot fail by chance.
    assert 860 < chi2 < 1140


def test_about_37_percent_of_rows_are_left_out():
    out = np.mean([(Sampling(10_000, 10_000).copies(k) == 0).mean() for k in range(20)])
    assert out == pytest.approx(np.exp(-1), abs=0.002)


@pytest.mark.parametrize("draws", [1, 5, 99, 100])
def test_without_replacement_every_row_comes_at_most_once(draws):
    taken = np.zeros(100)
    for tree in range(200):
        copies = Sampling(100, draws, with_replacement=False).copies(tree)
        assert copies.max() <= 1 and copies.sum() == draws
        taken += copies
    assert abs(taken / 200 - draws / 100).max() < 0.16  # four standard errors


def test_weights_are_chances():
    weights = np.array([1.0, 2.0, 0.5, 4.5, 2.0])
    sampling = Sampling(5, 1000, weights=weights)
    counts = sum(sampling.copies(k).astype(np.int64) for k in range(200))
    expected = weights / weights.sum() * counts.sum()
    assert counts.sum() == 200_000
    assert ((counts - expected) ** 2 / expected).sum() < 13.3  # 4 degrees of freedom, 1 %
    tiny = Sampling(3, 1000, weights=np.array([1e-300, 1.0, 1e-300]))
    assert tiny.copies(0).tolist() == [0, 1000, 0]


def test_groups_stay_together():
    groups = np.array([0, 1, 1, 2, 2, 2])
    for tree in range(20):
        copies = Sampling(6, 3, groups=groups).copies(tree)
        assert copies[1] == copies[2] and copies[3] == copies[4] == copies[5]
        assert copies[0] + copies[1] + copies[3] == 3
    assert {int(Sampling(6, 3, groups=groups).copies(k)[0]) for k in range(20)} >= {0, 1, 2}


def test_a_tree_has_its_draws_whatever_was_drawn_before():
    one = Sampling(50, 50, seed=9)
    later = one.copies(7)
    assert Sampling(50, 50, seed=9).copies(7).tolist() == later.tolist()
    assert one.copies(7, attempt=1).tolist() != later.tolist()
    assert Sampling(50, 50, seed=10).copies(7).tolist() != later.tolist()
    assert Sampling(50, None).copies(3).tolist() == [1] * 50
