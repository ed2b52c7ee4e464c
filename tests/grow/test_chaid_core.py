"""CHAID in the core against the oracle on NumPy arrays: columns of many categories, weights, and every setting."""

from __future__ import annotations

import numpy as np
import pytest

import branchwork as bw
from branchwork.grow.recipe import Chaid
from grow import chaid_numpy

pytestmark = pytest.mark.filterwarnings(
    "ignore::branchwork.errors.IdentifierWarning", "ignore::branchwork.errors.OneClassWarning"
)


def random_column(rng, rows):
    """Codes of up to 60 categories, the last one missing cells, and whether they have an order."""
    count = int(rng.choice([2, 5, 14, 60]))
    codes = rng.integers(0, count, rows)
    if rng.random() < 0.5:
        codes[rng.random(rows) < 0.1] = count
    return codes, count, bool(rng.random() < 0.5)


def random_case(seed):
    """Columns that have more or less to do with the target, weights, and settings."""
    rng = np.random.default_rng(seed)
    rows, numeric = int(rng.integers(30, 500)), seed % 3 == 0
    columns = [random_column(rng, rows) for _ in range(3)]
    push = sum(rng.choice([0, 0.5, 1.0]) * rng.normal(size=61)[codes] for codes, _, _ in columns)
    y = push + rng.normal(size=rows)
    if not numeric:
        classes = int(rng.choice([2, 3, 5, 12]))
        y = np.digitize(y, np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1]))
    exhaustive = bool(rng.random() < 0.35)
    settings = {"variant": "exhaustive" if exhaustive else "chaid"}
    if not exhaustive:
        settings["alpha_merge"] = float(rng.choice([0.05, 0.3, 0.9]))
        if rng.random() < 0.4:
            settings["alpha_resplit"] = settings["alpha_merge"] / 2
    if not numeric:
        settings["statistic"] = str(rng.choice(["pearson", "likelihood"]))
    weights = [None, rng.integers(1, 5, rows).astype(float), rng.random(rows) + 0.1][int(rng.integers(0, 3))]
    return columns, y, weights, settings, int(rng.choice([1, 1, 9]))


def fitted(columns, y, weights, settings, least, *, numeric):
    face = bw.CHAIDRegressor if numeric else bw.CHAIDClassifier
    X = {
        f"c{j}": [None if code == count else float(code) if ordered else f"k{code:03}" for code in codes]
        for j, (codes, count, ordered) in enumerate(columns)
    }
    ordinal = [f"c{j}" for j, (_, _, ordered) in enumerate(columns) if ordered]
    tree = face(
        max_depth=1,
        min_samples_leaf=least,
        ordinal_features=ordinal,
        alpha_split=1,
        bonferroni=False,
        **settings,
    )
    return tree.fit(X, y, sample_weight=weights)


def by_numpy(column, y, weights, settings, least, *, numeric):
    codes, count, ordered = column
    present = np.unique(codes)
    place = np.searchsorted(present, codes)
    if numeric:
        w = np.ones(len(y)) if weights is None else weights
        centred = y - np.average(y, weights=w)
        scaled = centred / 2.0 ** np.frexp(np.abs(centred).max())[1]
        weight = np.bincount(place, w)
        mean = np.bincount(place, w * scaled) / weight
        table = chaid_numpy.ValueTable(weight, mean, np.bincount(place, w * (scaled - mean[place]) ** 2))
    else:
        classes = int(y.max()) + 1
        counts = np.bincount(place * classes + y, weights, len(present) * classes).reshape(-1, classes)
        counts = counts[:, counts.any(axis=0)].astype(float)
        table = chaid_numpy.ClassTable(counts, settings["statistic"])
    has_missing = bool(present[-1] == count)
    scale = "nominal" if not ordered else "floating" if has_missing else "ordinal"
    found = chaid_numpy.merge(table, scale, Chaid(**settings), least if least > 1 else 0)
    groups = None if found is None else [present[list(group)].tolist() for group in found.groups]
    return found, groups


@pytest.mark.parametrize("block", range(4))
def test_groups_and_tests_equal_those_of_the_oracle(block):
    compared = equal_bits = 0
    for seed in range(30 * block, 30 * block + 30):
        columns, y, weights, settings, least = random_case(seed)
        numeric = seed % 3 == 0
        tree = fitted(columns, y, weights, settings, least, numeric=numeric)
        for j, candidate in enumerate(tree.tree_.ledger.page(0).candidates):
            found, groups = by_numpy(columns[j], y, weights, settings, least, numeric=numeric)
            if found is None:
                assert candidate.gain is None, seed
                continue
            assert len(groups) == len(set(candidate.parts) - {-1.0}) + columns[j][2], seed
            if not columns[j][2]:
                assert groups == groups_of(tree.schema_[j].categories, candidate.parts, columns[j][1]), seed
            compared += 1
            whole = (
                not numeric and settings["statistic"] == "pearson" and (weights is None or are_whole(weights))
            )
            if whole:
                assert (candidate.statistic, candidate.p_value) == (found.statistic, found.p_value), seed
                equal_bits += 1
            else:
                assert candidate.statistic == pytest.approx(found.statistic, rel=1e-10, abs=1e-12), seed
                assert candidate.p_value == pytest.approx(found.p_value, rel=1e-9, abs=1e-14), seed
    assert compared > 60 and equal_bits > 8


def are_whole(weights):
    return bool((weights == np.rint(weights)).all())


def groups_of(categories, parts, count):
    """Codes of each group, from the group of each category; a missing cell has the code `count`."""
    codes = [int(name[1:]) for name in categories] + [count]
    groups = [[] for _ in range(int(max(parts)) + 1)]
    for code, group in zip(codes, parts, strict=True):
        if group >= 0:
            groups[int(group)].append(code)
    return groups


def test_a_column_of_500_categories_is_merged_as_by_the_oracle():
    """Most categories have one or two rows, so that most p-values are 1 or equal."""
    rng = np.random.default_rng(4)
    codes = np.concatenate([np.arange(500), rng.integers(0, 500, 300)])
    y = (rng.random(800) < 0.3 + 0.4 * (codes % 7 == 0)).astype(np.int64)
    settings = {"variant": "chaid", "statistic": "pearson"}
    columns = [(codes, 500, False)]
    tree = fitted(columns, y, None, settings, 1, numeric=False)
    candidate = tree.tree_.ledger.page(0).candidates[0]
    found, groups = by_numpy(columns[0], y, None, settings, 1, numeric=False)
    assert groups == groups_of(tree.schema_[0].categories, candidate.parts, 500)
    assert (candidate.statistic, candidate.p_value) == (found.statistic, found.p_value)


def test_a_tree_of_more_nodes_than_the_ledger_keeps_is_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    X = {f"c{j}": rng.choice(list("abcdef"), 3000).tolist() for j in range(4)}
    X["x"] = rng.normal(size=3000)
    y = sum(np.char.compare_chararrays(np.array(X[f"c{j}"]), "c", "<", True) * (j + 1) for j in range(4)) % 3
    grown = bw.CHAIDClassifier(alpha_split=0.5).fit(X, y)
    assert grown.tree_.n_nodes > 12 and grown.tree_.ledger is not None
    monkeypatch.setattr("branchwork.grow.grow.LEDGER_NODES", 10)
    other = bw.CHAIDClassifier(alpha_split=0.5).fit(X, y)
    assert other.tree_.ledger is None
    for name, array in vars(grown.tree_).items():
        if isinstance(array, np.ndarray):
            assert array.tobytes() == getattr(other.tree_, name).tobytes(), name
    assert other.working(1, X=X, y=y).to_dict() == grown.working(1).to_dict()


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_tables_of_a_few_rows_grow(rows):
    X = {"a": list("vwxyz")[:rows], "b": [1.0, np.nan, 3.0, 4.0, 5.0][:rows]}
    for face, y in ((bw.CHAIDClassifier, [0, 1, 0, 1, 1]), (bw.CHAIDRegressor, [0.0, 1.5, 2.5, 9.0, 1.0])):
        assert face(alpha_split=1, bonferroni=False).fit(X, y[:rows]).predict(X).shape == (rows,)


def test_numbers_far_from_one_another_do_not_overflow():
    rng = np.random.default_rng(0)
    X = {"c": rng.choice(list("abc"), 300).tolist()}
    for scale in (1e-99, 1.0, 1e99):
        y = scale * (rng.normal(size=300) + (np.array(X["c"]) == "a"))
        tree = bw.CHAIDRegressor().fit(X, y)
        assert tree.tree_.feature[0] == 0 and np.isfinite(tree.tree_.value).all()
        statistic = tree.tree_.ledger.page(0).candidates[0].statistic
        assert np.isfinite(statistic) and statistic > 1
