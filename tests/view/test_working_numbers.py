"""Every number of the working, computed again from the rows with plain loops.

Nothing here is the library's: rows are sent down the tree by hand, a candidate's branches are read from its test in
words, and each score, test and penalty is written out from its definition.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone

import branchwork as bw

CLASSES = [
    bw.ID3Classifier(),
    bw.ID3Classifier(criterion="gini"),
    bw.StumpClassifier(),
    bw.StumpClassifier(search="grid", grid=4, criterion="entropy"),
    bw.StumpClassifier(search="values", criterion="gini", nominal="one_vs_rest"),
    bw.C45Classifier(pruning=None),
    bw.C45Classifier(pruning=None, gain_ratio=False, threshold_penalty=False),
    bw.C45Classifier(pruning=None, value_groups=True, class_weight={"x": 3.0, "y": 0.5}),
    bw.C45Classifier(pruning=None, variant="j48"),
    bw.C45Classifier(pruning=None, variant="j48", nominal="one_vs_rest"),
    bw.CARTClassifier(),
    bw.CARTClassifier(criterion="accuracy", max_surrogates=2),
    bw.CARTClassifier(priors=[0.2, 0.3, 0.5], loss=[[0, 1, 2], [1, 0, 1], [4, 1, 0]]),
    bw.CARTClassifier.like_rpart(min_samples_split=8, xval=None),
    *(
        bw.TreeClassifier(criterion=c, missing=m, nominal=n, max_depth=3)
        for c, m, n in (
            ("gini", "learn", "subset"),
            ("entropy", "learn", "multiway"),
            ("gain_ratio", "share", "multiway"),
            ("accuracy", "larger", "one_vs_rest"),
            ("gain_ratio", "branch", "subset"),
        )
    ),
    bw.TreeClassifier(class_weight="balanced", max_p_value=0.5, smoothing="laplace", missing="larger"),
    bw.CHAIDClassifier(alpha_split=1.0, max_depth=2),
    bw.CHAIDClassifier(alpha_split=1.0, max_depth=2, bonferroni=False),
]
NUMBERS = [
    bw.ID3Regressor(),
    bw.StumpRegressor(),
    bw.CARTRegressor(max_surrogates=2, max_depth=3),
    bw.CARTRegressor(criterion="poisson", shrink=0.5, max_depth=3),
    *(
        bw.TreeRegressor(criterion=c, missing=m, nominal=n, max_depth=3)
        for c, m, n in (
            ("variance", "learn", "subset"),
            ("variance", "larger", "multiway"),
            ("squared_error", "share", "subset"),
            ("poisson", "branch", "one_vs_rest"),
        )
    ),
    bw.CHAIDRegressor(alpha_split=1.0, max_depth=2),
]


def table():
    """Mixed columns with ties and missing cells; classes, counts and weights."""
    rng = np.random.default_rng(11)
    n = 60
    X = pd.DataFrame(
        {"n": rng.integers(0, 8, n) / 2.0, "m": rng.integers(0, 6, n) * 1.5, "w": rng.choice(list("abc"), n)}
    )
    X["u"] = rng.choice(["p", "q"], n)
    score = X["n"] + 2.0 * (X["w"] == "b") + rng.normal(size=n)
    X = X.mask(rng.random(X.shape) < 0.12)
    return (
        X,
        np.array(list("xyz"))[np.digitize(score, [1.2, 2.8])],
        np.abs(score.to_numpy()).round(),
        rng.choice([0.5, 1.0, 2.0], n),
    )


def missing(cell) -> bool:
    return cell is None or cell != cell


# ---- rows of a node


def row_weights(estimator, y, sample):
    """What each row weighs in the choice: its weight times that of its class."""
    settings = estimator.get_params()
    sample = [1.0] * len(y) if sample is None else sample.tolist()
    of_class = {c: sum(w for w, label in zip(sample, y, strict=True) if label == c) for c in sorted(set(y))}
    factor = dict.fromkeys(of_class, 1.0)
    if settings.get("class_weight") == "balanced":
        factor = {c: len(y) / (len(of_class) * y.count(c)) for c in of_class}
    elif settings.get("class_weight"):
        factor = {c: settings["class_weight"].get(c, 1.0) for c in of_class}
    if settings.get("priors") is not None:
        altered = [p * sum(loss) for p, loss in zip(settings["priors"], settings["loss"], strict=True)]
        factor = {
            c: a / sum(altered) * sum(sample) / of_class[c] for c, a in zip(of_class, altered, strict=True)
        }
    return [w * factor[label] for w, label in zip(sample, y, strict=True)]


def arriving(estimator, X, weights, node):
    """Weight of each row at a node; where missing cells are shared, by the weight of the branches' known rows."""
    tree = estimator.tree_
    if not tree.shares_rows:
        there = estimator.decision_path(X).toarray()[:, node]
        return [w * int(here) for w, here in zip(weights, there, strict=True)]
    path, here = [node], list(weights)
    while path[0] != 0:
        path.insert(0, int(tree.parent[path[0]]))
    for above, below in pairwise(path):
        column = estimator.schema_[int(tree.feature[above])]
        known = [0.0] * int(tree.n_children[above])
        goes = []
        for cell, weight in zip(X[column.name], here, strict=True):
            child = None
            if not missing(cell):
                slot = int(tree.lookup[above]) + 1
                child = (
                    int(tree.pool[slot + column.categories.index(cell)])
                    if column.is_nominal
                    else int(cell > tree.cut[above])
                )
                known[child] += weight
            goes.append(child)
        wanted = below - int(tree.first_child[above])
        share = known[wanted] / sum(known)
        here = [
            w * (share if child is None else float(child == wanted))
            for w, child in zip(here, goes, strict=True)
        ]
    return here


# ---- branches of a test in words


def branch_reader(test: str, name: str):
    """What tells the branch of a known cell, the number of branches, and the branch of missing cells, if it is told."""
    words = test.removeprefix(f"{name} ")
    if words == "is known":
        return (lambda cell: 0), 2, 1
    if words.startswith("= "):
        groups = [group.split(", ") for group in words.removeprefix("= ").split(" | ")]
        place = {cell: k for k, group in enumerate(groups) for cell in group if cell != "missing"}
        own = groups.index(["missing"]) if ["missing"] in groups else None
        return place.__getitem__, len(groups), own
    parts = words.split(" | ")
    own = parts.index("missing") if parts[-1] == "missing" else None
    bounds = [float(part.split(" ")[-1]) for part in parts if part.startswith("<= ") or " to " in part]
    return (lambda cell: sum(cell > bound for bound in bounds)), len(bounds) + 1 + (own is not None), own


def partings(row, cells, policy):
    """Every way in which missing cells may have gone: the branch of each row, None: left out of the judgement."""
    read, n_branches, own = branch_reader(row["test"], row["feature"])
    known = [None if missing(cell) else read(cell) for cell in cells]
    if policy in ("larger", "share", "surrogate") or None not in known:
        return [known]
    if own is not None or policy == "branch":
        return [[(n_branches if own is None else own) if child is None else child for child in known]]
    ways = n_branches + (policy == "float")  # CHAID's missing cells join a group, or are one
    return [[k if child is None else child for child in known] for k in range(ways)]


# ---- scores and tests


def spread(pairs, criterion):
    """The impurity of (target, weight) pairs."""
    whole = sum(w for _, w in pairs)
    if not pairs or whole == 0:
        return 0.0
    if criterion in ("variance", "squared_error", "poisson"):
        mean = sum(w * y for y, w in pairs) / whole
        if criterion == "poisson":
            logs = sum(w * y * math.log(y) for y, w in pairs if y > 0) / whole
            return 2 * (logs - (mean * math.log(mean) if mean > 0 else 0.0))
        squares = sum(w * (y - mean) ** 2 for y, w in pairs)
        if criterion == "squared_error":
            return squares / whole
        return squares / (whole - 1) if whole > 1 + 1e-9 else 0.0
    shares = [sum(Fraction(w) for y, w in pairs if y == c) / Fraction(whole) for c in {y for y, _ in pairs}]
    if criterion == "gini":
        return float(1 - sum(share**2 for share in shares))
    if criterion == "accuracy":
        return float(1 - max(shares))
    return -sum(float(share) * math.log2(share) for share in shares if share > 0)


def significance(groups, criterion):
    """The statistic and its p-value."""
    groups = [group for group in groups if sum(w for _, w in group) > 0]
    whole = sum(w for group in groups for _, w in group)
    if criterion == "poisson":
        return None, None
    if criterion in ("variance", "squared_error"):
        means = [sum(w * y for y, w in g) / sum(w for _, w in g) for g in groups]
        mean = sum(w * y for g in groups for y, w in g) / whole
        between = sum(w * (m - mean) ** 2 for g, m in zip(groups, means, strict=True) for _, w in g)
        within = sum(w * (y - m) ** 2 for g, m in zip(groups, means, strict=True) for y, w in g)
        free, rest = len(groups) - 1, whole - len(groups)
        if free <= 0 or rest <= 0:
            return 0.0, 1.0
        if within <= 1e-12 * (between + within):
            return (math.inf, 0.0) if between > 0 else (0.0, 1.0)
        return between / free / (within / rest), stats.f.sf(between / free / (within / rest), free, rest)
    labels = sorted({y for g in groups for y, w in g if w > 0})
    free = (len(groups) - 1) * (len(labels) - 1)
    if free == 0:
        return 0.0, 1.0
    statistic = 0.0
    for group in groups:
        for label in labels:
            observed = sum(w for y, w in group if y == label)
            column = sum(w for g in groups for y, w in g if y == label)
            expected = sum(w for _, w in group) * column / whole
            statistic += (observed - expected) ** 2 / expected
    return statistic, stats.chi2.sf(statistic, free)


def cuts_tried(cells, weights, n_classes, min_cases, j48):
    """How many cuts C4.5 looks at."""
    known = sorted((cell, w) for cell, w in zip(cells, weights, strict=True) if not missing(cell))
    whole, slack = sum(w for _, w in known), 1e-6 if j48 else 1e-9
    tenth = 0.1 * whole / n_classes
    least = min_cases if tenth <= min_cases + slack else min(tenth, 25.0)
    tried, left = 0, 0.0
    for (a, w), (b, _) in pairwise(known):
        left += w
        tried += b > a + 1e-5 and left >= least - slack and whole - left >= least - slack
    return tried


def kass_multiplier(n_branches, cells, nominal):
    """In how many ways the categories could have been merged into this many groups."""
    holes = any(missing(cell) for cell in cells)
    count = len({cell for cell in cells if not missing(cell)}) + holes
    if nominal:
        ways = sum(
            (-1) ** i * math.comb(n_branches, i) * (n_branches - i) ** count for i in range(n_branches)
        )
        return ways // math.factorial(n_branches)
    if holes:
        return math.comb(count - 2, n_branches - 2) + n_branches * math.comb(count - 2, n_branches - 1)
    return math.comb(count - 1, n_branches - 1)


def close(found, wanted) -> bool:
    if found is None or wanted is None:
        return found is wanted is None
    return found == pytest.approx(wanted, rel=1e-7, abs=1e-9)


def expected(row, branch, cells, y, weights, estimator) -> dict:
    """Every number of a row, if its rows went into these branches."""
    recipe = estimator._recipe()
    criterion = recipe.criterion
    whole = sum(weights)
    n_branches = 1 + max(child for child in branch if child is not None)
    groups = [
        [(t, w) for child, t, w in zip(branch, y, weights, strict=True) if child == k]
        for k in range(n_branches)
    ]
    judged = [pair for group in groups for pair in group]
    known = sum(w for _, w in judged) / whole
    before = spread(judged, criterion)
    remainder = sum(sum(w for _, w in g) * spread(g, criterion) for g in groups) / (known * whole)
    gain = before - remainder
    penalty = None
    if recipe.search.rules in ("c45", "j48") and recipe.search.cut_penalty and " <= " in row["test"]:
        tried = cuts_tried(
            cells, weights, len(estimator.classes_), estimator.min_cases, recipe.search.rules == "j48"
        )
        penalty = math.log2(tried) / whole
    net = known * gain - (penalty or 0.0)
    sizes = [sum(w for _, w in group) for group in groups]
    sizes.append(whole - sum(sizes))
    bits = -sum(s / whole * math.log2(s / whole) for s in sizes if s > 1e-9)
    in_bits = criterion in ("entropy", "gain_ratio") and recipe.chaid is None
    statistic, p_value = significance(groups, criterion)
    adjusted = None
    if recipe.chaid is not None:
        ways = kass_multiplier(
            n_branches, cells, estimator.schema_[estimator.schema_.index(row["feature"])].is_nominal
        )
        adjusted = min(1.0, p_value * (ways if recipe.chaid.bonferroni else 1))
    of_classes = criterion in ("accuracy", "entropy", "gini", "gain_ratio")
    return {
        "n": whole,
        "known": known,
        "before": before,
        "remainder": remainder,
        "gain": gain,
        "penalty": penalty,
        "net_gain": net,
        "split_info": bits if in_bits else None,
        "gain_ratio": net / bits if in_bits else None,
        "chi2": statistic if of_classes else None,
        "f": None if of_classes else statistic,
        "p_value": p_value,
        "adjusted_p": adjusted,
    }


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("estimator", [*CLASSES, *NUMBERS], ids=repr)
def test_every_number_is_that_of_the_rows(estimator, weighted):
    X, labels, counts, sample = table()
    y = labels if estimator in CLASSES else counts
    sample = sample if weighted else None
    tree = clone(estimator).fit(X, y, sample_weight=sample)
    weights = row_weights(tree, y.tolist(), sample)
    inner = np.flatnonzero(tree.tree_.feature >= 0).tolist()
    policy = "float" if tree._recipe().chaid else tree._recipe().search.missing
    seen = 0
    for node in inner[:3]:
        here = arriving(tree, X, weights, node)
        rows = [k for k, w in enumerate(here) if w > 0]
        for work in (tree.working(node), tree.working(node, X, y, sample)):
            pairs = [(y[k], here[k]) for k in rows]
            assert work.n == pytest.approx(sum(w for _, w in pairs))
            assert work.before == pytest.approx(spread(pairs, tree._recipe().criterion), abs=1e-9)
            for row in work.to_dict():
                if row["test"] is None:
                    assert row["before"] == work.before
                    numbers = set(row) - {"feature", "test", "n", "before", "verdict", "reason"}
                    assert all(row[name] is None for name in numbers)
                    continue
                cells = [X[row["feature"]].iloc[k] for k in rows]
                wanted = [
                    expected(row, branch, cells, [y[k] for k in rows], [here[k] for k in rows], tree)
                    for branch in partings(row, cells, policy)
                ]
                misses = [{k: (row[k], one[k]) for k in one if not close(row[k], one[k])} for one in wanted]
                assert {} in misses, (node, row["feature"], row["test"], misses)
                seen += 1
    assert seen >= 2 * len(inner[:1])


def test_the_reader_of_tests_reads():
    read, n, own = branch_reader("n <= 2 | 2 to 5 | > 5 | missing", "n")
    assert ([read(x) for x in (1, 2, 3, 9)], n, own) == ([0, 0, 1, 2], 4, 3)
    read, n, own = branch_reader("w = a, b | c", "w")
    assert ([read(x) for x in "abc"], n, own) == ([0, 0, 1], 2, None)
