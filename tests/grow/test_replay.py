"""The working made from handed-back data is the one that growth kept, whatever the recipe."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.tree.split import number

SHARED = [
    bw.C45Classifier(pruning=None),
    bw.C45Classifier(pruning=None, collapse=False, gain_ratio=False),
    bw.C45Classifier(pruning=None, threshold_penalty=False, min_cases=1),
    bw.C45Classifier(pruning=None, value_groups=True),
    bw.C45Classifier(pruning=None, class_weight={0: 2.0, 1: 0.5}),
    bw.C45Classifier(variant="j48", pruning=None),
    bw.C45Classifier(variant="j48", pruning=None, nominal="one_vs_rest", collapse=False),
    *(
        bw.TreeClassifier(missing="share", nominal=nominal, criterion=criterion, max_depth=4)
        for nominal in ("multiway", "subset", "one_vs_rest")
        for criterion in ("gini", "gain_ratio")
    ),
    bw.TreeClassifier(missing="share", min_samples_leaf=3, min_impurity_decrease=0.005, cut="data"),
    bw.TreeRegressor(missing="share", max_depth=4),
    bw.TreeRegressor(missing="share", criterion="variance", nominal="multiway", max_depth=4),
]
OTHERS = [
    bw.ID3Classifier(),
    bw.ID3Regressor(),
    bw.StumpClassifier(),
    bw.StumpClassifier(search="values", criterion="gini"),
    bw.StumpClassifier(search="grid", grid=4),
    bw.StumpClassifier(search="grid", grid=0.9, criterion="entropy"),
    bw.StumpRegressor(search="grid", grid=6),
    bw.CARTClassifier(),
    bw.CARTClassifier(max_surrogates=2, min_samples_leaf=2),
    bw.CARTClassifier(priors=[0.2, 0.3, 0.5], loss=[[0, 1, 2], [1, 0, 1], [4, 1, 0]]),
    bw.CARTClassifier.like_rpart(min_samples_split=8, xval=None),
    bw.CARTRegressor(criterion="poisson", shrink=0.5),
    bw.CHAIDClassifier(alpha_split=1.0, max_depth=3),
    bw.CHAIDRegressor(alpha_split=1.0, max_depth=3),
    bw.TreeClassifier(max_leaf_nodes=6, min_weight_fraction_leaf=0.05, cut="data"),
    bw.TreeClassifier(missing="branch", nominal="one_vs_rest", min_gain=0.02, criterion="accuracy"),
    bw.TreeClassifier(max_p_value=0.3, class_weight="balanced"),
    bw.TreeRegressor(missing="larger", min_impurity_decrease=0.01),
]


def table(seed: int, n: int = 70):
    """Numbers with ties, categories, missing cells, and weights; a target of classes and one of numbers."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "n0": rng.integers(0, 10, n) / 2.0,
            "n1": rng.normal(size=n).round(2),
            "w0": rng.choice(list("abcd"), n),
            "w1": rng.choice(["u", "v"], n),
            "id": rng.choice([f"id{k}" for k in range(30)], n),
        }
    )
    score = X["n0"] + 2.0 * (X["w0"] == "b") + rng.normal(size=n)
    X = X.mask(rng.random(X.shape) < 0.12)
    labels = np.digitize(score, [1.5, 3.5])
    return X, labels, np.abs(score.to_numpy()).round(1), rng.choice([0.5, 1.0, 2.0], n)


def same(one: float | None, other: float | None) -> bool:
    return one is other is None or one == pytest.approx(other, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("seed", "weighted"), [(0, False), (1, True)], ids=["rows", "weights"])
@pytest.mark.parametrize("estimator", [*SHARED, *OTHERS], ids=repr)
def test_every_kept_page_is_made_again(estimator, seed, weighted):
    X, labels, numbers, weights = table(seed)
    y = labels if hasattr(estimator, "predict_proba") else numbers
    weights = weights if weighted else None
    tree = clone(estimator).fit(X, y, sample_weight=weights)
    seen = 0
    for node in range(tree.tree_.n_nodes):
        kept = tree.tree_.ledger.page(node)
        if kept is None:
            continue
        seen += 1
        for old, new in zip(
            tree.working(node).to_dict(), tree.working(node, X, y, weights).to_dict(), strict=True
        ):
            for key in old:
                equal = old[key] == new[key] if isinstance(old[key], str) else same(old[key], new[key])
                assert equal, (node, old["feature"], key, old[key], new[key])
    assert seen >= 1


@pytest.mark.parametrize(
    "estimator",
    [
        bw.C45Classifier(),
        bw.C45Classifier(value_groups=True),
        bw.C45Classifier(variant="j48"),
        bw.C45Classifier(pruning="reduced_error"),
        bw.C45Classifier(variant="j48", pruning="reduced_error"),
        bw.CARTClassifier.like_rpart(min_samples_split=8),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", range(4))
def test_a_pruned_tree_has_the_working_of_what_is_left(estimator, seed):
    X, y, _, _ = table(seed, n=150)
    tree = clone(estimator).fit(X, y)
    for node in range(tree.tree_.n_nodes):
        again = tree.working(node, X, y)
        assert "rows given" not in str(again)
        kept = tree.tree_.ledger.page(node)
        if kept is not None:
            old, new = (work.to_dict() for work in (tree.working(node), again))
            assert [row["verdict"] for row in old] == [row["verdict"] for row in new]
            assert all(same(a["net_gain"], b["net_gain"]) for a, b in zip(old, new, strict=True))


def raised_tree():
    """A tree whose root has been replaced by its largest branch."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(
            {"a": rng.normal(size=80), "b": rng.normal(size=80), "c": rng.choice(list("pqr"), 80)}
        )
        y = np.where(X["a"] + rng.normal(size=80) > 0, "x", "y")
        tree = bw.C45Classifier().fit(X, y)
        inner = np.flatnonzero(tree.tree_.feature >= 0).tolist()
        raised = [node for node in inner if tree.tree_.ledger.page(node) is None]
        if raised and "before pruning raised" in str(tree.working(raised[0], X, y)):
            return tree, X, y, raised[0]
    raise AssertionError("no table raises a branch")


def test_a_raised_node_says_that_its_split_was_chosen_on_other_rows():
    tree, X, y, node = raised_tree()
    kept = tree.working(node)
    assert kept.to_dict() == [] and f"working({node}, X=X, y=y)" in str(kept)
    again = tree.working(node, X, y)
    assert again.n == pytest.approx(tree.tree_.weight[node]) and "rows given" not in str(again)
    own = [row for row in again.to_dict() if row["verdict"] in ("chosen", "tree_split")]
    assert len(own) == 1 and own[0]["feature"] == tree.schema_[int(tree.tree_.feature[node])].name
    assert own[0]["verdict"] == "tree_split" and "before pruning raised it to this one" in str(again)
    best, second = tree.working(node, X, y, top=2).to_dict()
    assert (best["verdict"], second["verdict"]) == ("best_here", "tree_split")


def test_a_tree_too_large_to_keep_its_working_has_it_from_the_data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(4000, 3)).round(2), columns=list("abc"))
    X = X.mask(rng.random(X.shape) < 0.05)
    y = (X["a"].fillna(0) + rng.normal(size=4000) > 0).astype(int)
    grown = {"collapse": False, "threshold_penalty": False}
    tree = bw.C45Classifier(pruning=None, **grown).fit(X, y)
    assert tree.tree_.n_nodes > 1000 and tree.tree_.ledger is None
    with pytest.raises(ParameterError, match=r"was not kept.*working\(3, X=X, y=y\)"):
        tree.working(3)
    for node in (0, 3, int(np.flatnonzero(tree.tree_.feature >= 0)[-1])):
        rows = tree.working(node, X, y).to_dict()
        (chosen,) = [row for row in rows if row["verdict"] == "chosen"]
        assert chosen["feature"] == tree.schema_[int(tree.tree_.feature[node])].name
        assert chosen["net_gain"] == pytest.approx(tree.tree_.gain[node], rel=1e-9)
        assert chosen["test"].endswith(f"<= {number(float(tree.tree_.cut[node]))}")
    pruned = bw.C45Classifier(confidence=1e-4, **grown).fit(X, y)
    assert pruned.tree_.ledger is None and pruned.tree_.n_nodes < 100
    assert pruned.working(0, X, y).to_dict()


def test_a_loaded_model_has_its_working_from_the_data(tmp_path):
    X, y, _, weights = table(3)
    for estimator in (
        bw.C45Classifier(pruning=None),
        bw.CARTClassifier(max_surrogates=2),
        bw.ID3Classifier(),
    ):
        tree = estimator.fit(X, y, sample_weight=weights)
        bw.save(tree, tmp_path / "tree.bw")
        loaded = bw.load(tmp_path / "tree.bw")
        for node in np.flatnonzero(tree.tree_.feature >= 0).tolist():
            assert loaded.working(node).to_dict() == tree.working(node).to_dict()
            again = loaded.working(node, X, y, weights, cuts=True).to_dict()
            assert again == tree.working(node, X, y, weights, cuts=True).to_dict()
        assert loaded.working(0, X, y, weights, style="lecture", top=1).to_text()


# ---- rows that the tree was not grown on


def test_other_rows_have_a_table_of_their_own():
    X, y, _, _ = table(5, n=120)
    X = X.drop(columns="id")
    train, test = np.arange(60), np.arange(60, 120)
    tree = bw.CARTClassifier(max_depth=2).fit(X.iloc[train], y[train])
    alone = bw.CARTClassifier(max_depth=2).fit(X.iloc[test], y[test])
    work, wanted = tree.working(0, X.iloc[test], y[test]), alone.working(0)
    assert "Computed on the 60 rows given, not on the 60 training rows." in str(work)
    assert (work.n, work.before) == pytest.approx((wanted.n, wanted.before))
    found = [row for row in work.to_dict() if row["verdict"] != "tree_split"]
    own = [row for row in work.to_dict() if row["verdict"] in ("tree_split", "chosen")]
    assert len(own) == 1 and own[0]["feature"] == tree.to_dict()["feature"]
    if len(found) == len(wanted.to_dict()):
        for one, other in zip(found, wanted.to_dict(), strict=True):
            assert one["feature"] == other["feature"] and same(one["gain"], other["gain"])


@pytest.mark.filterwarnings("ignore::branchwork.errors.UnseenCategoryWarning")
@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
@pytest.mark.parametrize("estimator", [*SHARED, *OTHERS], ids=repr)
def test_the_tree_s_split_is_shown_for_what_it_is(estimator):
    X, labels, numbers, _ = table(6, n=140)
    y = labels if hasattr(estimator, "predict_proba") else numbers
    tree = clone(estimator).fit(X.iloc[:70], y[:70])
    for node in np.flatnonzero(tree.tree_.feature >= 0).tolist()[:4]:
        work = tree.working(node, X.iloc[70:], y[70:])
        rows = work.to_dict()
        if work.n == 0:
            assert "None of the rows given reach this node" in str(work) and not rows
            continue
        assert " given, not on the " in str(work)
        own = [row for row in rows if row["verdict"] in ("tree_split", "chosen")]
        assert [row["feature"] for row in own] == [tree.schema_[int(tree.tree_.feature[node])].name]
        for row in rows:
            if row["gain"] is not None:
                assert row["before"] - row["remainder"] == pytest.approx(row["gain"], abs=1e-9)
                net = row["known"] * row["gain"] - (row["penalty"] or 0)
                assert net == pytest.approx(row["net_gain"], abs=1e-9)
        lecture = tree.working(node, X.iloc[70:], y[70:], style="lecture").to_text()
        assert " given, not on the " in lecture and "left out" not in lecture
