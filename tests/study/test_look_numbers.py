"""The numbers of a look against slow computations, scipy, scikit-learn, numpy and the lecture."""

import math
from collections import Counter

import numpy as np
import pytest
import scipy.stats as st
from hypothesis import given
from hypothesis import strategies as hs

import branchwork as bw
from branchwork.measure.association import (
    entropy_of,
)
from branchwork.study.look_association import drawn_rows
from branchwork.study.look_profile import MOST_GROUPS, ROWS_PER_GROUP, profile_of
from branchwork.study.look_redundancy import correlations, shared_information
from branchwork.study.look_rows import equal_rows, key_of_cells
from branchwork.study.look_summary import summary_of
from branchwork.table.adapt import to_table
from branchwork.table.schema import Column
from measure.slow_association import slow_information
from study.look_tables import mixed_table, regression_table

FINITE = hs.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 2))


def slow_group(value, values):
    """The group of a number: how many cuts are below it, one cut after each tenth (or so) of the sorted numbers."""
    ordered = sorted(values)
    distinct = sorted(set(ordered))
    if len(distinct) <= MOST_GROUPS:
        return distinct.index(value)
    n = len(ordered)
    groups = min(MOST_GROUPS, max(2, n // ROWS_PER_GROUP))
    cuts = {ordered[math.ceil(k * n / groups - 1e-9) - 1] for k in range(1, groups)} - {distinct[-1]}
    return sum(value > cut for cut in cuts)


# ---- one column --------------------------------------------------------------------------------------------


@given(hs.lists(FINITE | hs.just(float("nan")), min_size=1, max_size=60))
def test_the_summary_of_numbers(cells):
    found = summary_of(profile_of(Column("x", "numeric"), np.array(cells)))
    known = np.array([cell for cell in cells if cell == cell])
    assert (found.known, found.missing) == (len(known), len(cells) - len(known))
    assert found.distinct == len(set(known.tolist()))
    if not len(known):
        assert found.median is None and found.mean is None and found.most_frequent == ()
        return
    for share, value in [
        (0, found.minimum),
        (0.25, found.quartile1),
        (0.5, found.median),
        (1, found.maximum),
    ]:
        assert value == np.quantile(known, share, method="inverted_cdf")
    assert found.mean == pytest.approx(known.mean(), rel=1e-9, abs=1e-9)
    if len(known) > 1:
        assert found.deviation == pytest.approx(known.std(ddof=1), rel=1e-7, abs=1e-6)
    (top,) = Counter(known.tolist()).most_common(1)
    assert not found.most_frequent or found.most_frequent[0][1] == top[1]


def test_the_summary_of_categories():
    found = bw.study.look({"c": ["b", "a", None, "b", "c"]}).feature("c").summary
    assert found.most_frequent == (("b", 2), ("a", 1), ("c", 1))
    assert (found.known, found.missing, found.distinct, found.mean) == (4, 1, 3, None)


def test_numbers_near_the_ends_of_floats():
    found = bw.study.look({"x": [1e308, -1e308, 1e308, 0.0]}).feature("x").summary
    assert found.mean == 2.5e307 and math.isfinite(found.deviation)
    assert bw.study.look({"x": [1e308, -1e308] * 20}, list(range(40))).to_html()


@given(hs.lists(hs.integers(-30, 30), min_size=2, max_size=200))
def test_groups_of_numbers(cells):
    profile = profile_of(Column("x", "numeric"), np.array(cells, float))
    assert profile.groups.tolist() == [slow_group(cell, cells) for cell in cells]
    assert profile.n_groups <= MOST_GROUPS


@given(hs.lists(FINITE | hs.sampled_from([np.nan, np.inf, -np.inf]), min_size=1, max_size=40))
def test_an_ordered_profile_is_the_same_and_has_ranks(cells):
    plain = profile_of(Column("x", "numeric"), np.array(cells))
    ordered = profile_of(Column("x", "numeric"), np.array(cells), ordered=True)
    assert summary_of(plain) == summary_of(ordered) and plain.infinite == ordered.infinite
    finite = np.isfinite(cells)
    assert ordered.ranks[finite].tolist() == st.rankdata(np.array(cells)[finite]).tolist()
    assert plain.infinite == np.isinf(cells).sum() and plain.missing == np.isnan(cells).sum()


# ---- a whole look ------------------------------------------------------------------------------------------


def test_the_tennis_table_has_the_gains_of_the_lecture():
    tennis = bw.datasets.load("play_tennis")
    seen = bw.study.look(tennis.X, tennis.y)
    found = {one.name: round(one.association.mutual_information, 4) for one in seen.features}
    assert found == {"Outlook": 0.2467, "Temperature": 0.0292, "Humidity": 0.1518, "Wind": 0.0481}
    assert [one.name for one in seen.ranked()] == ["Outlook", "Humidity", "Wind", "Temperature"]
    assert seen.target_look.classes == (("No", 5), ("Yes", 9))


@pytest.mark.parametrize("make", [mixed_table, regression_table])
def test_associations_of_a_table_with_missing_cells(make):
    columns, y = make(200)
    columns["weight"] = np.where(np.arange(200) % 7 == 0, np.nan, columns["weight"])
    columns["town"] = [None if k % 9 == 0 else name for k, name in enumerate(columns["town"])]
    seen = bw.study.look(columns, y)
    is_number = isinstance(y, np.ndarray)
    codes = [slow_group(cell, y.tolist()) for cell in y.tolist()] if is_number else y
    for name, cells in columns.items():
        known = [k for k, cell in enumerate(cells) if cell is not None and cell == cell]
        own = [cells[k] for k in known]
        groups = own if name == "town" else [slow_group(float(cell), [float(c) for c in own]) for cell in own]
        found = seen.feature(name).association
        assert found.rows == len(known)
        assert found.mutual_information == pytest.approx(
            slow_information(groups, [codes[k] for k in known]), abs=1e-12
        )
        uncertainty = entropy_of(np.array(list(Counter(codes[k] for k in known).values()), float))
        assert found.share == pytest.approx(found.mutual_information / uncertainty)
        beyond = found.mutual_information - found.degrees_of_freedom / (2 * len(known) * math.log(2))
        assert found.corrected_information == pytest.approx(max(0.0, beyond))
        if is_number and name != "town":
            target = y[known]
            assert found.pearson == pytest.approx(st.pearsonr(own, target).statistic)
            assert found.spearman == pytest.approx(st.spearmanr(own, target).statistic)
        else:
            assert found.pearson is None and found.spearman is None
        if is_number or name != "town":
            values, by = (y[known], groups) if is_number else (np.array(own), [codes[k] for k in known])
            between = sum(
                by.count(g) * (values[[b == g for b in by]].mean() - values.mean()) ** 2 for g in set(by)
            )
            assert found.correlation_ratio == pytest.approx(
                math.sqrt(between / ((values - values.mean()) ** 2).sum())
            )
        else:
            assert found.correlation_ratio is None


def test_the_permutation_p_value():
    columns, y = mixed_table(120)
    columns["noise"] = np.random.default_rng(3).normal(size=120)
    seen = bw.study.look(columns, y, permutations=99, random_state=4)
    found = {one.name: one.association for one in seen.features}
    assert found["visits"].permutation_p == 0.01 and found["noise"].permutation_p > 0.1
    assert bw.study.look(columns, y).feature("noise").association.permutation_p is None
    # the same by hand, for the last column
    profile = profile_of(Column("noise", "numeric"), columns["noise"])
    codes = np.array([label == "well" for label in y]).astype(np.int32)
    chance, own = np.random.default_rng([4, 4]), slow_information(profile.groups.tolist(), codes.tolist())
    as_good = 1 + sum(
        slow_information(profile.groups.tolist(), chance.permutation(codes).tolist()) >= own - 1e-9
        for _ in range(99)
    )
    assert found["noise"].permutation_p == as_good / 100


def test_a_permutation_test_of_a_long_table_draws_rows():
    rows = drawn_rows(50_000, 10_000, seed=3)
    assert len(set(rows.tolist())) == 10_000 and (np.diff(rows) > 0).all() and rows.max() < 50_000
    assert np.array_equal(rows, drawn_rows(50_000, 10_000, seed=3))
    assert not np.array_equal(rows, drawn_rows(50_000, 10_000, seed=4))
    assert drawn_rows(5, 10, 0).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("make", [mixed_table, regression_table])
def test_threads_and_repetition_change_nothing(make):
    columns, y = make(500)
    columns["weight"] = np.where(np.arange(500) % 7 == 0, np.nan, columns["weight"])
    columns["twice"] = 2 * columns["income"]
    one, two, three = (bw.study.look(columns, y, permutations=20, n_jobs=threads) for threads in (1, 3, None))
    assert one.to_dict() == two.to_dict() == three.to_dict()
    assert one.to_html() == two.to_html() and one.to_text() == two.to_text()
    assert "same_column" in [found.kind for found in one.findings]


# ---- rows and pairs of columns -----------------------------------------------------------------------------


@given(
    hs.lists(
        hs.tuples(hs.sampled_from([0.0, -0.0, 1.0, float("nan")]), hs.sampled_from("ab")),
        min_size=1,
        max_size=30,
    )
)
def test_equal_rows_against_a_dictionary(rows):
    table = to_table({"x": [row[0] for row in rows], "c": [row[1] for row in rows]})
    profiles = [profile_of(*pair) for pair in zip(table.schema, table.arrays, strict=True)]
    with np.errstate(over="ignore"):
        keys = sum(key_of_cells(profile, place) for place, profile in enumerate(profiles))
    repeats, firsts = equal_rows(keys, table.arrays)
    seen, expected = {}, []
    for k, (x, c) in enumerate(rows):
        key = ("nan" if x != x else x + 0.0, c)
        if key in seen:
            expected.append((k, seen[key]))
        seen.setdefault(key, k)
    assert list(zip(repeats.tolist(), firsts.tolist(), strict=True)) == expected


def test_rows_with_equal_keys_are_compared():
    keys = np.zeros(4, np.uint64)
    repeats, firsts = equal_rows(keys, [np.array([1.0, 1.0, 2.0, 2.0])])
    assert (repeats.tolist(), firsts.tolist()) == ([1, 3], [0, 2])


def test_correlations_of_columns_with_missing_cells():
    chance = np.random.default_rng(0)
    matrix = chance.normal(size=(80, 4)) @ chance.normal(size=(4, 4)) + 1e6
    matrix[chance.random(matrix.shape) < 0.2] = np.nan
    found = correlations(matrix)
    for i in range(4):
        for j in range(4):
            both = np.isfinite(matrix[:, i]) & np.isfinite(matrix[:, j])
            assert found[i, j] == pytest.approx(np.corrcoef(matrix[both, i], matrix[both, j])[0, 1], abs=1e-9)
    assert correlations(np.array([[1.0, np.nan], [1.0, 2.0]])).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_redundancy_lists_pairs_that_depend_on_each_other():
    columns, y = mixed_table(400)
    chance = np.random.default_rng(9)
    columns["heavy"] = columns["weight"] + chance.normal(0, 1, 400)
    columns["country"] = [{"Bergen": "N", "Aberdeen": "S"}.get(name, "other") for name in columns["town"]]
    seen = bw.study.look(columns, y)
    assert seen.findings == ()
    by_names = {(one.one, one.other): one for one in seen.redundancy}
    assert set(by_names) == {("weight", "heavy"), ("town", "country")}
    rank = st.spearmanr(columns["weight"], columns["heavy"]).statistic
    assert by_names["weight", "heavy"].spearman == pytest.approx(rank)
    assert by_names["town", "country"].strength == pytest.approx(1.0)
    assert [one.strength for one in seen.redundancy] == sorted(
        (one.strength for one in seen.redundancy), reverse=True
    )


def test_shared_information_leaves_out_missing_cells():
    one, other = np.array([0, 0, 1, 1, -1], np.int32), np.array([1, 1, 0, 0, 1], np.int32)
    assert shared_information(one, 2, other, 2) == 1.0
    assert shared_information(np.full(3, -1, np.int32), 1, np.zeros(3, np.int32), 1) == 0.0


def test_at_most_a_thousand_pairs_are_kept():
    base = np.random.default_rng(0).normal(size=60)
    chance = np.random.default_rng(1)
    columns = {f"c{k}": base + 0.01 * chance.normal(size=60) for k in range(60)}
    seen = bw.study.look(columns)
    assert len(seen.redundancy) == 1_000
    everything = np.sort(
        np.abs(correlations(np.column_stack([st.rankdata(c) for c in columns.values()])))[
            np.triu_indices(60, 1)
        ]
    )
    assert [one.strength for one in seen.redundancy] == pytest.approx(everything[::-1][:1_000].tolist())
