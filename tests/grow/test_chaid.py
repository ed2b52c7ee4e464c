"""CHAID: every merge, multiplier, p-value and split equals what the slow version finds; then its rules, one by one."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import chdtrc, chdtri, fdtrc

import branchwork as bw
from branchwork import _core
from branchwork.errors import DataError, ParameterError
from branchwork.grow import recipes
from branchwork.grow.chaid_looks import adjusted
from branchwork.grow.chaid_multiplier import exhaustive_multiplier, multiplier, stirling
from branchwork.grow.recipe import Stopping
from branchwork.grow.special import special_functions
from branchwork.tree.check import check
from grow import chaid_slow
from grow.chaid_numpy import f_tail, log_chi_square_tail

WORDS = list("abcdef")


def random_column(rng, rows, ordered):
    """Cells of some categories, some of them missing; an ordered column holds numbers."""
    count = int(rng.integers(2, 7))
    codes = rng.integers(0, count, rows)
    cells = [float(code) if ordered else WORDS[code] for code in codes]
    if rng.random() < 0.5:
        cells = [None if gone else cell for cell, gone in zip(cells, rng.random(rows) < 0.15, strict=True)]
    return cells, codes


def random_table(seed):
    """A table of up to three columns that have more or less to do with the target, and settings."""
    rng = np.random.default_rng(seed)
    rows, numeric = int(rng.integers(12, 70)), bool(seed % 3 == 0)
    columns, order, scales, push = {}, {}, {}, np.zeros(rows)
    for j in range(int(rng.integers(1, 4))):
        ordered = bool(rng.random() < 0.5)
        cells, codes = random_column(rng, rows, ordered)
        columns[f"c{j}"] = cells
        order[f"c{j}"] = [*sorted({c for c in cells if c is not None}), None]
        scales[f"c{j}"] = "ordinal" if ordered else "nominal"
        push += rng.choice([0, 0.5, 1.0]) * rng.normal(size=6)[codes]
    noisy = push + rng.normal(size=rows)
    if numeric:
        y = np.round(2 * noisy).tolist()
    else:
        y = np.digitize(noisy, [0.0] if rng.random() < 0.5 else [-0.5, 0.7]).tolist()
    exhaustive = bool(rng.random() < 0.35)
    settings = {
        "alpha_merge": 0.05 if exhaustive else float(rng.choice([0.05, 0.2, 0.5])),
        "bonferroni": (bonferroni := bool(rng.random() < 0.8)),
        "min_samples_leaf": int(rng.choice([1, 1, 5])),
        "variant": "exhaustive" if exhaustive else "chaid",
        "multiplier": str(rng.choice(["spss", "biggs"])) if exhaustive and bonferroni else "spss",
    }
    if not exhaustive and rng.random() < 0.4:
        settings["alpha_resplit"] = settings["alpha_merge"] * float(rng.choice([0.5, 1.0]))
    if not numeric:
        settings["statistic"] = str(rng.choice(["pearson", "likelihood"]))
    return columns, order, scales, y, numeric, settings


def slow_answer(cells, y, order, scale, numeric, settings):
    return chaid_slow.chaid(
        cells,
        y,
        order,
        scale,
        numeric=numeric,
        alpha_merge=settings["alpha_merge"],
        alpha_resplit=settings.get("alpha_resplit"),
        statistic=settings.get("statistic", "pearson"),
        exhaustive=settings["variant"] == "exhaustive",
        bonferroni=settings["bonferroni"],
        source=settings["multiplier"],
        least=settings["min_samples_leaf"] if settings["min_samples_leaf"] > 1 else 0,
    )


def groups_of(estimator, name, parts):
    """Groups of a candidate as lists of cells, missing cells apart: what the ledger's `parts` say."""
    column = estimator.schema_[estimator.schema_.index(name)]
    if column.is_nominal:
        groups = [[] for _ in range(int(max(parts)) + 1)]
        for value, group in zip([*column.categories, None], parts, strict=True):
            if group >= 0:
                groups[int(group)].append(value)
        return groups
    return list(parts)


@pytest.mark.parametrize("block", range(10))
def test_merges_multipliers_and_splits_equal_the_slow_version_on_500_tables(block):
    splits = 0
    for seed in range(50 * block, 50 * block + 50):
        columns, order, scales, y, numeric, settings = random_table(seed)
        if len(set(y)) < 2:
            continue
        face = bw.CHAIDRegressor if numeric else bw.CHAIDClassifier
        tree = face(max_depth=1, **settings).fit(columns, y)
        page = tree.tree_.ledger.page(0)
        answers = {
            name: slow_answer(cells, y, order[name], scales[name], numeric, settings)
            for name, cells in columns.items()
        }
        for candidate, (name, answer) in zip(page.candidates, answers.items(), strict=True):
            if answer is None:
                assert candidate.gain is None, seed
                continue
            found = groups_of(tree, name, candidate.parts)
            if scales[name] == "nominal":
                assert found == answer.groups, seed
            else:
                assert len(found) == len(answer.groups) - 1, seed
                assert (found[-1] == math.inf) == ([None] in answer.groups), seed
                assert splits_alike(found, answer.groups), seed
            assert candidate.p_value == pytest.approx(answer.p, rel=1e-10, abs=1e-10), seed
            assert candidate.statistic == pytest.approx(answer.statistic, rel=1e-8, abs=1e-10), seed
            assert candidate.adjusted_p == pytest.approx(answer.adjusted, rel=1e-10, abs=1e-10), seed
        chosen = slow_choice(answers)
        assert tree.tree_.feature[0] == (-1 if chosen is None else list(columns).index(chosen)), seed
        if chosen is not None:
            splits += 1
            sizes = [sum(cell in group for cell in columns[chosen]) for group in answers[chosen].groups]
            assert tree.tree_.n_rows[1:].tolist() == sizes, seed
    assert splits > 15


@pytest.mark.parametrize("seed", range(0, 60, 2))
def test_whole_trees_split_every_node_as_the_slow_version_would(seed):
    columns, order, scales, y, numeric, settings = random_table(1000 + seed)
    columns = {name: cells * 3 for name, cells in columns.items()}  # more rows, deeper trees
    y = y * 3
    if len(set(y)) < 2:
        return
    tree = (bw.CHAIDRegressor if numeric else bw.CHAIDClassifier)(**settings).fit(columns, y)
    path = tree.decision_path(columns).toarray().astype(bool)
    for node in range(tree.tree_.n_nodes):
        rows = np.flatnonzero(path[:, node])
        here = [y[row] for row in rows]
        assert len(rows) == tree.tree_.n_rows[node]
        if len(set(here)) < 2:
            assert tree.tree_.is_leaf(node)
            continue
        answers = {}
        for name, cells in columns.items():
            mine = [cells[row] for row in rows]
            answers[name] = slow_answer(mine, here, order[name], scales[name], numeric, settings)
        chosen = slow_choice(answers)
        assert tree.tree_.feature[node] == (-1 if chosen is None else list(columns).index(chosen))
        if chosen is not None:
            sizes = [sum(columns[chosen][row] in group for row in rows) for group in answers[chosen].groups]
            assert [int(tree.tree_.n_rows[child]) for child in tree.tree_.children(node)] == sizes


def test_limits_that_chaid_does_not_know_are_refused():
    with pytest.raises(ParameterError, match="knows no max_leaf_nodes"):
        recipes.CHAID.replace(stopping=Stopping(max_leaf_nodes=3))


def splits_alike(bounds, groups):
    """Whether bounds put every known cell where its group is, and missing cells into a group that has some."""
    places = {}
    for k, group in enumerate(groups):
        for cell in group:
            if cell is not None:
                places[cell] = k
    return all(int(np.searchsorted(bounds, cell)) == k for cell, k in places.items())


def slow_choice(answers):
    """The column with the smallest adjusted p-value, if it is significant and the groups differ at all."""
    best = None
    for name, answer in answers.items():
        if answer is None or answer.statistic <= 1e-9:
            continue
        log = chaid_slow.log_of(answer.p) + math.log(answer.multiplier)
        if best is None or chaid_slow.better(best[0], log):
            best = (log, name, answer)
    return best[1] if best and best[2].adjusted <= 0.05 else None


UNMERGED = {"alpha_merge": 1, "alpha_split": 1, "bonferroni": False, "max_depth": 1}
"""Every category stays a group of its own, and its table is tested as it is."""


@pytest.mark.parametrize("seed", range(40))
def test_p_values_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 40, size=(rng.integers(2, 6), rng.integers(2, 12))) + 1
    cells = [(WORDS[a], int(c)) for (a, c), n in np.ndenumerate(counts) for _ in range(n)]
    X, y = {"c": [cell for cell, _ in cells]}, [label for _, label in cells]
    for statistic, method in (("pearson", None), ("likelihood", "log-likelihood")):
        expected = stats.chi2_contingency(counts, correction=False, lambda_=method)
        found = (
            bw.CHAIDClassifier(statistic=statistic, **UNMERGED).fit(X, y).tree_.ledger.page(0).candidates[0]
        )
        assert found.statistic == pytest.approx(expected[0], rel=1e-12)
        assert found.p_value == chdtrc((len(counts) - 1) * (counts.shape[1] - 1), found.statistic)
    parts = [rng.normal(rng.normal(), 1, rng.integers(2, 30)) for _ in range(rng.integers(2, 6))]
    X = {"c": [WORDS[k] for k, part in enumerate(parts) for _ in part]}
    expected = stats.f_oneway(*parts)
    found = bw.CHAIDRegressor(**UNMERGED).fit(X, np.concatenate(parts)).tree_.ledger.page(0).candidates[0]
    assert found.statistic == pytest.approx(expected[0], rel=1e-10)
    freedom = len(parts) - 1, sum(map(len, parts)) - len(parts)
    assert found.p_value == fdtrc(*freedom, found.statistic)


def test_logarithms_of_far_tails_continue_those_of_scipy():
    special = special_functions()
    for freedom in (1, 2, 7, 60):
        for x in np.linspace(700, 1300, 10).tolist():
            exact = pytest.approx(stats.chi2.logsf(x, freedom), rel=1e-12)
            assert special.chi_square_tail(2 * x, freedom)[1] == pytest.approx(
                log_chi_square_tail(np.array([2 * x]), np.array([float(freedom)]))[0], rel=1e-12
            )
            assert special.chi_square_tail(x, freedom)[1] == exact
            assert special.chi_square_tail(x, freedom)[2] == exact
    for d1, d2, f in ((1, 200, 4000.0), (3, 1000, 300.0), (5, 10**5, 100.0), (9, 20, 1e12)):
        assert special.f_tail(f, d1, d2)[1] == pytest.approx(np.log(stats.f.sf(f, d1, d2)), rel=1e-10)
    for d1, d2, f in ((1, 2000.0, 1e4), (3, 1e5, 900.0), (5, 1e13, 400.0)):
        exact = f_tail(np.array([f]), np.array([float(d1)]), np.array([d2]))[1][0]
        assert special.f_tail(f, d1, d2)[1] == pytest.approx(exact, rel=1e-12) and exact < -600
    assert special.f_tail(math.inf, 1, 5) == (0, -1e300)
    assert special.chi_square_tail(3.0, 0) == (1, 0, 0)


def test_logarithms_for_comparisons_differ_from_those_of_scipy_by_rounding():
    rng = np.random.default_rng(0)
    for freedom in (1, 2, 3, 10):
        for x in np.exp(rng.uniform(-30, 6, 300)).tolist():
            _, log_p, compared = special_functions().chi_square_tail(x, freedom)
            assert compared == pytest.approx(log_p, rel=1e-11, abs=1e-15)


def test_f_lies_between_the_bounds_that_tell_p_values_apart():
    """Wallace's bounds: what F with 1 and d degrees of freedom is worth as a chi-square of one degree."""
    rng = np.random.default_rng(0)
    d, f = np.exp(rng.uniform(np.log(0.51), np.log(1e7), 20_000)), np.exp(rng.uniform(-27, 9, 20_000))
    can_tell = fdtrc(1.0, d, f) > 1e-280
    assert can_tell.sum() > 15_000
    d, f = d[can_tell], f[can_tell]
    q, share = chdtri(1.0, fdtrc(1.0, d, f)), np.log1p(f / d)
    rounding = 1e-10 + 1e-9 * q
    assert ((d - 0.5) * share <= q + rounding).all()
    assert (d * share >= q - rounding).all()


def test_functions_with_another_signature_are_refused():
    from scipy.special.cython_special import __pyx_capi__ as exported

    wrong = [exported["gammaln"], *(exported[name] for name in ("gammaln", "gammaln", "betaln"))]
    with pytest.raises(TypeError, match=r"expected a C function double \(double, double, int"):
        _core.SpecialFunctions(*wrong)


def test_p_values_too_small_for_a_float_still_decide():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 6000)
    worse, better = (np.where(rng.random(6000) < wrong, 1 - y, y) for wrong in (0.06, 0.05))
    tree = bw.CHAIDClassifier(max_depth=1).fit({"worse": worse, "better": better}, y)
    rows = tree.working().to_dict()
    assert [row["p_value"] for row in rows] == [0, 0]
    assert [row["verdict"] for row in rows] == ["less_significant", "chosen"]


def test_multipliers_count_groupings():
    for size in range(2, 7):
        for r in range(2, size + 1):
            assert multiplier("nominal", size, r) == chaid_slow.ways_to_group(size, r, "nominal", False)
            assert multiplier("ordinal", size, r) == chaid_slow.ways_to_group(size, r, "ordinal", False)
            assert multiplier("floating", size, r) == chaid_slow.ways_to_group(size, r, "ordinal", True)
    signs = [(-1) ** i * math.comb(5, i) * (5 - i) ** 12 for i in range(5)]
    assert stirling(12, 5) == sum(signs) // math.factorial(5)
    assert stirling(1000, 2) == 2**999 - 1
    assert [exhaustive_multiplier("nominal", n, "biggs") for n in (2, 3, 4)] == [1, 4, 10]
    assert [exhaustive_multiplier("nominal", n, "spss") for n in (2, 3, 4)] == [3, 12, 30]
    assert [exhaustive_multiplier("floating", n, "spss") for n in (2, 3, 4)] == [1, 3, 6]


def test_multipliers_beyond_all_floats_are_multiplied_all_the_same():
    """500 categories: the number of ways to group them has hundreds of digits."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 500, 5000)
    X = {"many": [f"k{code}" for code in codes], "one": codes % 2}
    noise = bw.CHAIDClassifier(max_depth=1).fit(X, rng.integers(0, 2, 5000)).working().to_dict()
    assert noise[0]["adjusted_p"] == 1 and 0 < noise[0]["p_value"] < 1
    signal = bw.CHAIDClassifier(max_depth=1).fit(X, codes % 2)
    assert [row["p_value"] for row in signal.working().to_dict()] == [0, 0]
    assert signal.tree_.feature[0] == 1
    p_value, times = np.array([1e-300, 0.5, 0.01]), np.array([1e299, np.inf, 3.0])
    log_times = np.array([math.log(10**299), math.log(10**400), math.log(3)])
    found = adjusted(p_value, np.log(p_value) + log_times, times)
    assert found.tolist() == [pytest.approx(0.1), 1, 0.03]


# ---- rules and shapes --------------------------------------------------------------------------------------


def test_numeric_columns_are_cut_by_rank():
    X = np.repeat(np.arange(100.0), 3)[::-1].reshape(-1, 1)
    ranks = stats.rankdata(X[:, 0])
    wanted = np.floor(ranks * 10 / 301)
    tree = bw.CHAIDClassifier(alpha_merge=1, max_depth=1).fit(X, (X[:, 0] // 5 % 7).astype(int))
    leaves = tree.apply(X) - 1
    assert leaves.tolist() == wanted.tolist()
    assert len(tree.to_dict()["bounds"]) == 9
    assert tree.to_dict()["bounds"][0] == 9.5


def test_few_values_and_ordinal_features_keep_all_their_values():
    x = np.repeat([0.0, 1, 2], [300, 2, 2])
    y = np.repeat([0, 1, 2], [300, 2, 2])
    assert bw.CHAIDClassifier().fit(x[:, None], y).to_dict()["bounds"] == [0.5, 1.5]
    many = np.tile(np.arange(30.0), 10)
    parts = bw.CHAIDClassifier(alpha_merge=1, max_depth=1, ordinal_features=[0], bonferroni=False)
    assert parts.fit(many[:, None], many.astype(int)).get_n_leaves() == 30


def test_ordinal_categories_merge_neighbours_only():
    grades, y = ["low", "middle", "high"] * 40, [1, 0, 1] * 40
    X = pd.DataFrame({"grade": pd.Categorical(grades, ["low", "middle", "high"])})
    nominal = bw.CHAIDClassifier().fit(X, y)
    ordinal = bw.CHAIDClassifier(ordinal_features=["grade"]).fit(X, y)
    assert nominal.to_dict()["values"] == [["low", "high"], ["middle"]]
    assert ordinal.to_dict()["values"] == [["low"], ["middle"], ["high"]]


def test_intervals_route_every_number_and_print():
    rng = np.random.default_rng(3)
    x = rng.normal(size=900)
    gone = rng.random(900) < 0.1
    y = np.where(gone, 3, np.digitize(x, [-0.8, 0.6]))
    X = np.where(gone, np.nan, x).reshape(-1, 1)
    tree = bw.CHAIDClassifier(max_depth=1, alpha_merge=0.05).fit(X, y)
    told = tree.to_dict()
    bounds = told["bounds"]
    assert told["missing"] == len(told["children"]) - 1 == len(bounds) + 1
    check(tree.tree_, tree.schema_)
    edges = [b for bound in bounds for b in (np.nextafter(bound, -9), bound, np.nextafter(bound, 9))]
    asked = np.array([*edges, -np.inf, np.inf, *x])
    wanted = [sum(bound < a for bound in bounds) + 1 for a in asked]
    assert tree.apply(asked[:, None]).tolist() == wanted
    assert tree.apply(np.tile(asked, 3)[:, None].astype(np.float64)).tolist() == wanted * 3
    assert tree.apply([[None]]).tolist() == [len(bounds) + 2]
    lines = tree.to_text().splitlines()
    assert lines[1].startswith("├─ x0 <= ") and " < x0 <= " in lines[2] and "└─ x0 is missing" in lines[-1]
    assert "| missing" in tree.working().to_dict()[0]["test"]


def test_damaged_bounds_are_refused():
    x = np.repeat(np.arange(6.0), 40)
    tree = bw.CHAIDClassifier().fit(x[:, None], (x // 2).astype(int))
    good = tree.tree_
    assert good.bounds.tolist() == [1.5, 3.5]
    damages = [
        {"bounds": good.bounds[::-1].copy()},
        {"bounds": good.bounds[:1].copy()},
        {"bounds": np.array([np.nan, 3.5])},
        {"bounds": np.array([1.5, np.nan])},
        {"lookup": np.array([1, -1, -1, -1], np.int32)},
        {"lookup": np.array([-1, -1, -1, -1], np.int32)},
        {"cut": np.array([1.5, *good.cut[1:]])},
    ]
    for damage in damages:
        with pytest.raises(bw.errors.TreeError, match="Not a valid tree"):
            check(good.replace(**damage), tree.schema_)


def test_a_merged_group_may_be_parted_again():
    """Found by trying tables: the groups differ with and without the step, and are the slow version's."""
    differ = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        cells = [WORDS[c] for c in rng.integers(0, 6, 60)]
        y = rng.integers(0, 3, 60).tolist()
        found = []
        for alpha in (None, 0.5):
            tree = bw.CHAIDClassifier(alpha_merge=0.5, alpha_resplit=alpha, max_depth=1)
            page = tree.fit({"c": cells}, y).tree_.ledger.page(0)
            found.append(groups_of(tree, "c", page.candidates[0].parts))
        if found[0] != found[1]:
            differ += 1
            answer = chaid_slow.chaid(cells, y, [*WORDS, None], "nominal", alpha_merge=0.5, alpha_resplit=0.5)
            assert found[1] == answer.groups
    assert differ >= 2


def test_large_merged_groups_are_parted_along_the_order_of_the_target():
    rng = np.random.default_rng(1)
    cells = [f"item {k:02}" for k in range(20)] * 12
    y = [int(rng.random() < (0.25 + 0.5 * (cell > "item 09"))) for cell in cells]
    tree = bw.CHAIDClassifier(alpha_merge=0.05, alpha_resplit=0.05, max_depth=1).fit({"c": cells}, y)
    check(tree.tree_, tree.schema_)
    assert tree.working().to_dict()[0]["p_value"] < 1e-4


def test_the_working_shows_tests_and_verdicts():
    rng = np.random.default_rng(0)
    signal = rng.integers(0, 3, 300)
    X = {"noise": rng.normal(size=300), "weak": signal // 2, "signal": signal, "one": [1.0] * 300}
    for face, shown in ((bw.CHAIDClassifier, "chi2"), (bw.CHAIDRegressor, "f")):
        y = signal if shown == "chi2" else signal + rng.normal(size=300)
        tree = face(max_depth=1).fit(X, y)
        rows = tree.working().to_dict()
        verdicts = [row["verdict"] for row in rows]
        assert verdicts == ["not_significant", "less_significant", "chosen", "one_branch"]
        assert all((row[shown] is None) == (row["feature"] == "one") for row in rows)
        assert tree.working(0, X=X, y=y).to_dict() == rows
        text = str(tree.working())
        assert "adjusted p" in text and "not significant" in text
    leaf = bw.CHAIDClassifier().fit({"noise": X["noise"]}, rng.integers(0, 2, 300))
    assert "no split is significant" in str(leaf.working())


def test_likelihood_and_pearson_are_different_tests():
    X, y = {"c": list("aabbbbcc") * 5}, [0, 1, 1, 1, 1, 0, 0, 0] * 5
    pearson, likelihood = (
        bw.CHAIDClassifier(statistic=s).fit(X, y).working().to_dict()[0]["chi2"]
        for s in ("pearson", "likelihood")
    )
    assert pearson != likelihood


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"variant": "chade"}, "Did you mean 'chaid'"),
        ({"statistic": "chi2"}, "'pearson', 'likelihood'"),
        ({"multiplier": "kass"}, "'spss', 'biggs'"),
        ({"alpha_merge": 0}, "alpha_merge=0; expected a number above 0"),
        ({"alpha_split": 1.5}, "alpha_split=1.5; expected a number above 0 and at most 1"),
        ({"alpha_split": "low"}, "alpha_split='low'; expected a finite number"),
        ({"alpha_resplit": 0.1}, "alpha_resplit=0.1 is above alpha_merge=0.05"),
        (
            {"alpha_resplit": 0.01, "variant": "exhaustive"},
            "exhaustive CHAID never splits merged groups again",
        ),
        ({"bonferroni": "yes"}, "bonferroni='yes'; expected True or False"),
        ({"bins": 1}, "bins=1; expected a whole number of at least 2"),
        ({"min_samples_leaf": -1}, "min_samples_leaf=-1"),
        ({"ordinal_features": "c"}, "ordinal_features='c'; expected a list"),
        ({"ordinal_features": [3]}, "ordinal_features names 3"),
        ({"ordinal_features": ["d"]}, "There is no column 'd'"),
    ],
)
def test_bad_settings_are_refused_with_a_sentence(settings, says):
    with pytest.raises((ParameterError, DataError)) as caught:
        bw.CHAIDClassifier(**settings).fit({"c": [1.0, 2.0, 1.0, 2.0]}, [0, 1, 0, 1])
    assert says in str(caught.value)


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_too_many_categories_are_refused_by_name():
    names = [f"item {k}" for k in range(2000)]
    with pytest.raises(DataError, match=r"'item' has 2000 categories.*at most 1000"):
        bw.CHAIDClassifier().fit({"item": names}, [0, 1] * 1000)


def test_cuts_lie_between_their_values():
    a = np.array([1.0, -np.inf, 0.0, 1e308, 5e-324, -0.0])
    b = np.array([np.nextafter(1, 2), np.inf, np.inf, np.inf, 1e-323, 5e-324])
    for low, high in zip(a.tolist(), b.tolist(), strict=True):
        tree = bw.CHAIDClassifier().fit(np.array([[low], [high]] * 20), [0, 1] * 20).tree_
        assert low <= tree.cut[0] < high
        assert tree.cut[0] != 0 or not np.signbit(tree.cut[0])


def test_growth_takes_no_seconds_for_many_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 5))
    y = (X[:, 0] + rng.normal(size=50_000) > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = bw.CHAIDClassifier(max_depth=3).fit(X, y)
    assert tree.get_depth() >= 1 and tree.score(X, y) > 0.7
