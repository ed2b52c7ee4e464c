"""Mutual information, the G test and correlations against their definitions, scipy and scikit-learn."""

import math
import warnings

import numpy as np
import pytest
import scipy.stats as st
from hypothesis import given
from hypothesis import strategies as hs
from sklearn.metrics import mutual_info_score

from branchwork.measure.association import (
    correlation_ratio,
    count_pairs,
    entropy_of,
    g_test,
    mutual_information,
    pearson,
    ranks,
)
from measure.slow_association import slow_information

FINITE = hs.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 2))

CODES = hs.lists(hs.tuples(hs.integers(0, 4), hs.integers(0, 3)), min_size=1, max_size=80)


@given(CODES)
def test_mutual_information_and_the_g_test(pairs):
    one, other = (np.array(column) for column in zip(*pairs, strict=True))
    counted = count_pairs(one, 5, other, 4)
    found = mutual_information(counted)
    assert found == pytest.approx(slow_information(one.tolist(), other.tolist()), abs=1e-12)
    assert found == pytest.approx(mutual_info_score(one, other) / math.log(2), abs=1e-9)
    table = np.zeros((5, 4))
    np.add.at(table, (one, other), 1)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    statistic, freedom, p = g_test(counted)
    if min(table.shape) > 1:
        theirs = st.chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert (statistic, p) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-9)
        assert freedom == theirs.dof
    else:
        assert (freedom, p) == (0, 1.0)


def test_counting_by_sorting_gives_the_same_pairs(monkeypatch):
    chance = np.random.default_rng(0)
    one, other = chance.integers(0, 40, 500), chance.integers(0, 30, 500)
    dense = count_pairs(one, 40, other, 30)
    monkeypatch.setattr("branchwork.measure.association.LARGEST_DENSE", 10)
    sparse = count_pairs(one, 40, other, 30)
    for name in ("counts", "row", "column", "row_totals", "column_totals"):
        assert np.array_equal(getattr(dense, name), getattr(sparse, name))


def test_entropy_of_the_lecture():
    assert entropy_of(np.array([9.0, 5.0])) == pytest.approx(0.9403, abs=5e-5)
    assert entropy_of(np.array([4.0])) == 0.0


@given(hs.lists(hs.tuples(FINITE, FINITE), min_size=3, max_size=40))
def test_correlations_against_scipy(pairs):
    one, other = (np.array(column) for column in zip(*pairs, strict=True))
    assert ranks(one).tolist() == st.rankdata(one).tolist()
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert pearson(one, other) is None
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of nearly constant input
        assert pearson(one, other) == pytest.approx(st.pearsonr(one, other).statistic, abs=1e-6)
        assert pearson(ranks(one), ranks(other)) == pytest.approx(
            st.spearmanr(one, other).statistic, abs=1e-9
        )


def test_the_correlation_ratio_by_hand():
    values, groups = np.array([1.0, 2.0, 3.0, 8.0, 9.0, 4.0]), np.array([0, 0, 1, 1, 1, 3])
    total = ((values - values.mean()) ** 2).sum()
    between = sum(
        (groups == g).sum() * (values[groups == g].mean() - values.mean()) ** 2 for g in np.unique(groups)
    )
    assert correlation_ratio(groups, 4, values) == pytest.approx(math.sqrt(between / total))
    assert correlation_ratio(groups, 4, np.ones(6)) is None
