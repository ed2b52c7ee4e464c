"""Stability against slow twins: trees fitted one by one, pairs of rows counted one by one, votes two by two."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import branchwork as bw
from branchwork.errors import DataError, ParameterError
from branchwork.learn.sampling import Sampling

RNG = np.random.default_rng(1)
X = RNG.normal(size=(70, 3)).round(1)
Y = np.where((X[:, 0] > 0) ^ (RNG.random(70) < 0.2), "yes", "no")
HEIGHT = X[:, 0] + RNG.normal(size=70) * 0.3
MIXED = pd.DataFrame(X, columns=["a", "b", "c"]).assign(
    d=pd.Categorical(RNG.choice(["x", "y", "z"], 70)), e=np.where(RNG.random(70) < 0.2, np.nan, X[:, 1])
)
N = 12
CASES = [
    (bw.TreeClassifier(max_depth=3), X),
    (bw.TreeClassifier(), MIXED),
    (bw.ID3Classifier(max_depth=2), MIXED),
    (bw.C45Classifier(), MIXED),
    (bw.CARTClassifier(xval=3, choose="1se"), MIXED),
    (bw.TreeClassifier(class_weight="balanced", max_depth=2), MIXED),
    (bw.OptimalTreeClassifier(max_depth=1), X),
    (bw.TreeRegressor(max_depth=3), MIXED),
    (bw.CHAIDRegressor(), X),
]


def refitted(est, table, y):
    """Fit every bootstrap sample by itself: the estimator, and the rows it has not seen."""
    found = []
    for k in range(N):
        copies = Sampling(len(y), len(y), 0).copies(k)
        rows = np.repeat(np.arange(len(y)), copies)
        own = type(est)(**est.get_params()).fit(table.take(rows), y[rows])
        found.append((own, np.flatnonzero(copies == 0)))
    return found


@pytest.mark.parametrize(("est", "data"), CASES, ids=lambda x: type(x).__name__ if hasattr(x, "fit") else "")
@pytest.mark.filterwarnings("ignore::branchwork.errors.BranchworkWarning")
def test_shares_distances_and_intervals_are_those_counted_one_by_one(est, data):
    is_classes = hasattr(est, "predict_proba")
    y = Y if is_classes else HEIGHT
    table = bw.to_table(data)
    found = bw.study.stability(est, data, y, n=N)
    whole = type(est)(**est.get_params()).fit(table, y)
    trees = refitted(est, table, y)
    n_rows, own = len(y), whole.apply(table)

    root = whole.tree_.feature[0]
    assert found.root == np.mean([one.tree_.feature[0] == root for one, _ in trees])
    for j in range(table.shape[1]):
        assert found.root_features[j] == np.mean([one.tree_.feature[0] == j for one, _ in trees])
        assert found.used_features[j] == np.mean([(one.tree_.feature == j).any() for one, _ in trees])
    assert found.sizes.tolist() == [one.get_n_leaves() for one, _ in trees]

    for k, (one, _) in enumerate(trees):
        other = one.apply(table)
        apart = [(own[i] == own[j]) != (other[i] == other[j]) for i, j in combinations(range(n_rows), 2)]
        assert found.distances[k] == pytest.approx(np.mean(apart))

    said = [one.predict(table) for one, _ in trees]
    differences = []
    for row in range(n_rows):
        unseen = [k for k, (_, out) in enumerate(trees) if row in out]
        pairs = [(said[i][row], said[j][row]) for i, j in combinations(unseen, 2)]
        if pairs:
            differences.append(np.mean([a != b if is_classes else (a - b) ** 2 for a, b in pairs]))
    expected = np.mean(differences) if is_classes else np.sqrt(np.mean(differences))
    assert found.disagreement == pytest.approx(expected)

    for k, leaf in enumerate(found.leaves.node.tolist()):
        means = []
        for one, out in trees:
            rows = [row for row in out if own[row] == leaf]
            if not rows:
                continue
            part = table.take(np.array(rows))
            if is_classes:
                label = whole.model_.labels[whole.tree_.decision[leaf]]
                column = one.classes_.tolist().index(label) if label in one.classes_ else None
                means.append(0.0 if column is None else one.predict_proba(part)[:, column].mean())
            else:
                means.append(one.predict(part).mean())
        assert found.leaves.trees[k] == len(means)
        if means:
            ends = np.quantile(means, (0.025, 0.975))
            assert (found.leaves.low[k], found.leaves.high[k]) == pytest.approx(tuple(ends))


def came_back(mine, other, node=0, place=0):
    """All splits of a tree of numbers that come back, by recursion over both trees."""
    if mine.is_leaf(node) or other.feature[place] != mine.feature[node]:
        return {}
    found = {node: float(other.cut[place])}
    for a, b in zip(mine.children(node), other.children(place), strict=True):
        found |= came_back(mine, other, a, b)
    return found


def test_splits_come_back_place_by_place():
    est = bw.TreeClassifier(max_depth=4, min_samples_leaf=5)
    found = bw.study.stability(est, X, Y, n=N)
    whole = bw.TreeClassifier(max_depth=4, min_samples_leaf=5).fit(X, Y).tree_
    back = [came_back(whole, one.tree_) for one, _ in refitted(est, bw.to_table(X), Y)]
    assert max(map(len, back)) > 1
    for k, node in enumerate(found.splits.node.tolist()):
        cuts = [one[node] for one in back if node in one]
        assert found.splits.back[k] == len(cuts) / N
        above = whole.parent[node]
        reached = sum(above in one for one in back) if node else N
        assert found.splits.given[k] == (len(cuts) / reached if reached else 0)
        if cuts:
            assert found.splits.cuts[k] == pytest.approx(np.quantile(cuts, (0.05, 0.95)))
        else:
            assert np.isnan(found.splits.cuts[k]).all()


def test_groups_of_categories_are_matched_by_their_rows():
    """One feature with three categories decides everything: its branches come back whatever their order."""
    letters = np.array(list("abc"))[np.arange(120) % 3]
    noise = RNG.normal(size=120)
    frame = pd.DataFrame({"letter": pd.Categorical(letters), "noise": noise})
    y = np.where(letters == "a", "one", np.where(noise > 0, "two", "three"))
    for nominal in ("multiway", "subset"):
        found = bw.study.stability(bw.TreeClassifier(nominal=nominal, max_depth=2), frame, y, n=20)
        data = found.to_dict()
        assert data["root"] == 1 and data["splits"][0]["rows_alike"] == 1
        assert all(one["comes_back"] == 1 for one in data["splits"])


def test_a_clear_rule_is_stable_and_noise_is_not():
    clear = bw.study.stability(bw.TreeClassifier(max_depth=1), X, X[:, 1] > 0, n=30)
    assert clear.root == 1 and clear.disagreement < 0.1 and "stable" in clear.verdict
    noise = bw.study.stability(bw.TreeClassifier(), RNG.normal(size=(60, 8)), np.arange(60) % 2, n=30)
    assert noise.root < 0.6 and noise.disagreement > 0.4 and noise.distance > 0


def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads():
    for est in (bw.TreeClassifier(), bw.CARTClassifier(xval=3, choose="min")):
        one, other = (bw.study.stability(est, MIXED, Y, n=10, n_jobs=jobs).to_dict() for jobs in (1, 3))
        assert one == other
    assert bw.study.stability(bw.TreeClassifier(), X, Y, n=10, random_state=1).to_dict() != (
        bw.study.stability(bw.TreeClassifier(), X, Y, n=10).to_dict()
    )


def test_words_pictures_and_the_page(tmp_path):
    found = bw.study.stability(bw.TreeClassifier(max_depth=3), MIXED, Y, n=20)
    text = str(found)
    assert found.verdict in text and "at the root" in text and "95% interval" in text
    page = found.to_html(tmp_path / "s.html").read_text(encoding="utf-8")
    assert "How much should I trust this tree?" in page and "<script" not in page and page.count("<svg") == 3
    assert found.to_svg().startswith("<svg") and len(found.plot().get_yticklabels()) == len(found.splits.node)
    numbers = bw.study.stability(bw.TreeRegressor(max_depth=1), X, HEIGHT, n=4)
    assert found.leaf_chart().percent and not numbers.leaf_chart().percent
    large = bw.study.stability(bw.TreeClassifier(), RNG.normal(size=(300, 3)), np.arange(300) % 2, n=3)
    assert "splits further down are left out" in str(large) and "smaller leaves are left out" in str(large)
    strange = MIXED.rename(columns={"a": "<b>\x1b[31m"})
    found = bw.study.stability(bw.TreeClassifier(max_depth=2), strange, Y, n=3)
    assert "<b>\x1b" not in found.to_html() and "\x1b" not in str(found)


def test_a_tree_of_one_leaf_and_tiny_tables():
    found = bw.study.stability(bw.TreeClassifier(max_depth=0), X, Y, n=5)
    assert found.root == 1 and "single leaf" in found.verdict and found.stable_splits == 0
    assert found.to_html() and found.to_svg() and len(found.leaves.node) == 1
    with pytest.warns(bw.errors.OneClassWarning):
        bw.study.stability(bw.TreeClassifier(), [[1.0], [2.0]], ["a", "a"], n=3)
    with pytest.raises(DataError, match="one row"):
        bw.study.stability(bw.TreeClassifier(), [[1.0]], ["a"])


def test_what_has_no_stability():
    for est in (bw.RandomForestClassifier(), bw.RuleListClassifier(), bw.NeighboursClassifier(), 3):
        with pytest.raises(ParameterError, match="est="):
            bw.study.stability(est, X, Y)
    with pytest.raises(ParameterError, match="n=1"):
        bw.study.stability(bw.TreeClassifier(), X, Y, n=1)
    with pytest.raises(ParameterError, match="random_state=-1"):
        bw.study.stability(bw.TreeClassifier(), X, Y, random_state=-1)


def test_a_split_between_known_and_missing_cells_has_no_threshold():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 2))
    y = np.where(rng.random(120) < 0.4, "no", "yes")
    X[(y == "no") & (rng.random(120) < 0.95), 0] = np.nan
    found = bw.study.stability(bw.TreeClassifier(max_depth=2), X, y, n=20)
    assert np.isinf(found.model.tree.cut[0]) and np.isnan(found.splits.cuts[0]).all()
    assert "x0" in str(found)
