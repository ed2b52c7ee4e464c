"""CART with surrogates, priors, losses and cross-validation, against the slow twin on small random tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import branchwork as bw
import oracle_cart
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from branchwork.tree.check import check

LEVELS = 4


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """A small table with missing cells, coarse numbers and groups, and settings."""
    n = draw(st.integers(6, 28))
    kinds = draw(st.lists(st.booleans(), min_size=2, max_size=4))
    cell = st.one_of(st.none(), *[st.integers(0, LEVELS - 1)] * 4)
    number = st.one_of(st.none(), *[st.integers(0, 9)] * 4)
    columns = [draw(st.lists(cell if k else number, min_size=n, max_size=n)) for k in kinds]
    method = draw(st.sampled_from(["class", "class", "anova", "poisson"]))
    classes = draw(st.integers(2, 3)) if method == "class" else 0
    target = draw(st.lists(st.integers(0, classes - 1 if classes else 7), min_size=n, max_size=n))
    known = [t for t, *cells in zip(target, *columns, strict=True) if any(cell is not None for cell in cells)]
    assume(method != "poisson" or any(known))  # a table without counts has no rate
    weights = draw(st.one_of(st.none(), st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    asked: dict[str, Any] = {
        "method": method,
        "cp": draw(st.sampled_from([0.0, 0.01, 0.1])),
        "min_split": draw(st.sampled_from([2, 6])),
        "min_leaf": draw(st.sampled_from([1, 2])),
        "max_surrogates": draw(st.integers(1, 3)),
        "split": draw(st.sampled_from(["gini", "information"])),
        "shrink": 1.0,
    }
    return {"kinds": kinds, "columns": columns, "target": target, "weights": weights, "settings": asked}


def twin(problem: dict[str, Any]) -> oracle_cart.Cart:
    how = oracle_cart.Settings(**problem["settings"], ties_stop=False)
    target = problem["target"]
    weights = problem["weights"] or [1] * len(target)
    rows = [i for i in range(len(target)) if any(column[i] is not None for column in problem["columns"])]
    classes = max(target) + 1 if how.method == "class" else 0
    levels = [LEVELS if nominal else 0 for nominal in problem["kinds"]]
    return oracle_cart.Cart(problem["columns"], levels, target, weights, classes, how, rows)


def as_table(problem: dict[str, Any]) -> Table:
    columns, arrays = [], []
    for j, (nominal, cells) in enumerate(zip(problem["kinds"], problem["columns"], strict=True)):
        if nominal:
            columns.append(Column(f"c{j}", "nominal", tuple("abcd"), declared=True))
            arrays.append(np.array([-1 if cell is None else cell for cell in cells], np.int32))
        else:
            columns.append(Column(f"c{j}", "numeric"))
            arrays.append(np.array([np.nan if cell is None else cell for cell in cells], float))
    return Table(Schema(tuple(columns)), tuple(arrays))


def ours(problem: dict[str, Any], **changes: Any) -> Any:
    s = problem["settings"]
    how: dict[str, Any] = {
        "cp": s["cp"],
        "min_samples_split": s["min_split"],
        "min_samples_leaf": s["min_leaf"],
        "max_surrogates": s["max_surrogates"],
        "xval": None,
    }
    if s["method"] == "class":
        how["criterion"] = "gini" if s["split"] == "gini" else "entropy"
        est: Any = bw.CARTClassifier.like_rpart(**how, **changes)
    else:
        poisson = {"criterion": "poisson", "shrink": 1.0} if s["method"] == "poisson" else {}
        est = bw.CARTRegressor.like_rpart(**how, **poisson, **changes)
    return est


def is_learnable(problem: dict[str, Any]) -> bool:
    rows = [i for i in range(len(problem["target"])) if any(c[i] is not None for c in problem["columns"])]
    targets = {problem["target"][i] for i in rows}
    method = problem["settings"]["method"]
    declared = set(range(max(problem["target"]) + 1))
    return len(targets) > 1 and (method != "class" or targets == declared)


@settings(deadline=None)  # the twin is slow
@given(problems())
def test_the_tree_is_the_slow_twins(problem):
    if not is_learnable(problem):
        return
    slow = twin(problem)
    table = as_table(problem)
    est = ours(problem).fit(table, problem["target"], sample_weight=problem["weights"])
    tree = est.tree_
    check(tree, est.schema_)
    pairs = [(0, slow.root)]
    for node, other in pairs:
        assert tree.n_rows[node] == len(other.rows)
        if other.prob is None:
            assert tree.value[node, 0] == pytest.approx(other.value)
        else:
            np.testing.assert_allclose(tree.value[node], other.prob, atol=1e-9)
        assert tree.is_leaf(node) == (not other.children), (problem, node)
        if tree.is_leaf(node):
            continue
        assert tree.feature[node] == other.feature
        found = tree.surrogates.of(node, [LEVELS] * len(table.schema))
        assert [s.feature for s in found] == [s.feature for s in other.surrogates]
        for mine, theirs in zip(found, other.surrogates, strict=True):
            assert (mine.agreement, mine.adjusted) == pytest.approx((theirs.agree, theirs.adjusted))
        pairs += list(zip(tree.children(node), other.children, strict=True))
    leaves = est.apply(table)
    for i in slow.rows:
        cells = [column[i] for column in problem["columns"]]
        value = tree.value[leaves[i]]
        leaf = slow.leaf(cells)
        assert value == pytest.approx(leaf.prob if leaf.prob is not None else [leaf.value])


@settings(deadline=None)
@given(problems(), st.integers(2, 4))
def test_the_table_of_complexities_is_the_slow_twins(problem, folds):
    if not is_learnable(problem):
        return
    slow = twin(problem)
    fold = np.arange(len(problem["target"])) % folds
    if len(set(fold[slow.rows])) < 2 or slow.root.risk < 1e-9:
        return
    est = ours(problem).set_params(xval=fold)
    est.fit(as_table(problem), problem["target"], sample_weight=problem["weights"])
    expected = slow.cp_table(fold.tolist())
    found = np.array(list(est.cp_table_.values())).T
    assert list(est.cp_table_) == ["CP", "nsplit", "rel_error", "xerror", "xstd"]
    np.testing.assert_allclose(found, expected, atol=1e-7)


@given(problems(), st.sampled_from(["plain", "rpart"]))
def test_a_weight_is_so_many_copies_and_none_is_as_if_absent(problem, style):
    if not is_learnable(problem):
        return
    n = len(problem["target"])
    weights = np.array(problem["weights"] or [1] * n, float)
    table, target = as_table(problem), np.array(problem["target"])
    once = ours(problem, style=style).fit(table, target, sample_weight=weights)
    rows = np.repeat(np.arange(n), weights.astype(int))
    many = ours(problem, style=style).fit(table.take(rows), target[rows])
    same_answers(once, many, table)
    more = np.concatenate([np.arange(n), np.arange(n)[::-1]])
    padded = ours(problem, style=style)
    padded.fit(table.take(more), target[more], sample_weight=np.concatenate([weights, np.zeros(n)]))
    same_answers(once, padded, table)


def same_answers(one: Any, other: Any, table: Table) -> None:
    assert one.tree_.feature.tolist() == other.tree_.feature.tolist()
    assert one.tree_.surrogates.feature.tolist() == other.tree_.surrogates.feature.tolist()
    np.testing.assert_allclose(
        one.tree_.value[one.apply(table)], other.tree_.value[other.apply(table)], atol=1e-9
    )


def large_table() -> tuple[Any, Any]:
    import pandas as pd

    rng = np.random.default_rng(0)
    n = 20_000
    base = rng.normal(size=n)
    X = pd.DataFrame({f"x{j}": base + rng.normal(size=n) * (j + 1) / 2 for j in range(4)})
    X["kind"] = pd.Categorical(rng.choice(list("abcde"), n))
    for name in X:
        X.loc[rng.random(n) < 0.15, name] = None
    return X, np.digitize(base + 0.3 * rng.normal(size=n), [-0.5, 0.5])


def test_the_same_tree_for_any_number_of_threads():
    X, y = large_table()
    trees = [
        bw.CARTClassifier(max_surrogates=3, min_samples_leaf=20, n_jobs=jobs).fit(X, y).tree_
        for jobs in (1, 2, 5)
    ]
    for other in trees[1:]:
        for name in ("feature", "cut", "pool", "default_child", "weight"):
            np.testing.assert_array_equal(getattr(trees[0], name), getattr(other, name))
        for name in (
            "first",
            "count",
            "feature",
            "cut",
            "low_child",
            "lookup",
            "pool",
            "agreement",
            "adjusted",
        ):
            np.testing.assert_array_equal(getattr(trees[0].surrogates, name), getattr(other.surrogates, name))


def test_training_and_prediction_send_rows_the_same_way():
    X, y = large_table()
    est = bw.CARTClassifier(max_surrogates=3, min_samples_leaf=20).fit(X, y)
    check(est.tree_, est.schema_)
    leaves, counts = np.unique(est.apply(X), return_counts=True)
    assert counts.tolist() == est.tree_.n_rows[leaves].tolist()
    assert est.decision_path(X).sum(axis=0).A1.tolist() == est.tree_.n_rows.tolist()


def test_surrogates_help_where_a_cell_is_missing():
    X, y = large_table()
    half = len(X) // 2
    scores = [
        bw.CARTClassifier(max_surrogates=k, max_depth=2).fit(X[:half], y[:half]).score(X[half:], y[half:])
        for k in (0, 5)
    ]
    assert scores[1] > scores[0]


def test_an_unseen_category_is_a_missing_cell_or_goes_with_the_majority():
    kind = list("aaabbbccc") * 4
    twin_column = [0.0 if k == "a" else 1.0 if k == "b" else 2.0 for k in kind]
    twin_column[1], twin_column[4] = 2.0, 0.0
    y = [int(k != "a") for k in kind]
    X = [[k, x] for k, x in zip(kind, twin_column, strict=True)]
    as_missing = bw.CARTClassifier(max_surrogates=1).fit(X, y)
    with_majority = bw.CARTClassifier(max_surrogates=1, handle_unknown="majority").fit(X, y)
    assert as_missing.to_dict()["feature"] == "x0"
    with pytest.warns(UserWarning, match="not in the training table"):
        assert as_missing.predict([["z", 0.0], ["z", 2.0]]).tolist() == [0, 1]
        assert with_majority.predict([["z", 0.0], ["z", 2.0]]).tolist() == [1, 1]


@pytest.mark.parametrize("max_depth", [1, 2])
def test_a_stump_has_surrogates_too(max_depth):
    X, y = large_table()
    est = bw.CARTClassifier(max_surrogates=2, max_depth=max_depth).fit(X, y)
    assert len(est.to_dict()["surrogates"]) == 2


# ---- priors, losses and the choice of a tree


def test_priors_and_losses():
    X = [[0.0]] * 10 + [[1.0]] * 10
    y = ["a"] * 9 + ["b"] + ["b"] * 4 + ["a"] * 6
    plain = bw.CARTClassifier(cp=1e-9).fit(X, y)
    assert plain.predict([[1.0]]).tolist() == ["a"]
    prior = bw.CARTClassifier(priors={"a": 0.5, "b": 0.5}).fit(X, y)
    b, a = 4 / 5 * 0.5, 6 / 15 * 0.5
    assert prior.predict_proba([[1.0]])[0] == pytest.approx([a / (a + b), b / (a + b)])
    assert prior.predict([[1.0]]).tolist() == ["b"]
    assert bw.CARTClassifier(priors=[0.5, 0.5]).fit(X, y).predict([[1.0]]).tolist() == ["b"]
    dear = bw.CARTClassifier(loss=[[0, 1], [5, 0]]).fit(X, y)  # a "b" taken for an "a" costs 5
    assert dear.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    assert dear.predict_proba([[1.0]])[0] == pytest.approx([0.6, 0.4])
    assert "→ b" in dear.to_text()


def test_choose():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int) ^ (rng.random(200) < 0.15)
    whole = bw.CARTClassifier(xval=10).fit(X, y)
    best = bw.CARTClassifier(xval=10, choose="min").fit(X, y)
    simple = bw.CARTClassifier(xval=10, choose="1se").fit(X, y)
    assert simple.get_n_leaves() <= best.get_n_leaves() < whole.get_n_leaves()
    table = whole.cp_table_
    row = table["xerror"].index(min(table["xerror"]))
    assert best.get_n_leaves() == table["nsplit"][row] + 1
    assert best.cp_table_ == table
    assert not hasattr(bw.CARTClassifier().fit(X, y), "cp_table_")
    assert not hasattr(best.set_params(xval=None, choose=None).fit(X, y), "cp_table_")
