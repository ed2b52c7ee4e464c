"""Rare categories as one: the laws of `min_category_rows` and `max_levels`, for every estimator that has them."""

import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

import branchwork as bw
from branchwork.errors import UnseenCategoryWarning
from branchwork.learn.handed_back import page_from_rows
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes
from branchwork.table.conform import conform
from branchwork.tree.check import check

from levels_by_hand import (
    NOWHERE,
    ByHand,
    assert_same_nodes,
    assert_same_page,
    classes_of,
    towns_and_codes,
    values_of,
)
from registry import EVERYTHING

MERGING = [factory for factory in EVERYTHING if "min_category_rows" in factory().get_params()]

CASES = {
    "tree": bw.TreeClassifier(),
    "tree-multiway": bw.TreeClassifier(nominal="multiway", missing="branch", criterion="entropy"),
    "tree-one-vs-rest": bw.TreeClassifier(nominal="one_vs_rest", missing="larger", max_leaf_nodes=12),
    "tree-share": bw.TreeClassifier(missing="share", criterion="gain_ratio", max_depth=4),
    "tree-chance": bw.TreeClassifier(max_p_value=0.05, correction="bonferroni", class_weight="balanced"),
    "tree-regression": bw.TreeRegressor(nominal="multiway", missing="branch"),
    "tree-subset-regression": bw.TreeRegressor(min_samples_leaf=3),
    "cart": bw.CARTClassifier(),
    "cart-surrogates": bw.CARTClassifier(max_surrogates=3, max_depth=5),
    "cart-folds": bw.CARTClassifier(xval=5, choose="1se"),
    "cart-priors": bw.CARTClassifier(priors=[0.2, 0.3, 0.5], cp=0.01),
    "rpart": bw.CARTClassifier.like_rpart(),
    "cart-regression": bw.CARTRegressor(cp=0.005, xval=4),
    "cart-poisson": bw.CARTRegressor(criterion="poisson", max_depth=4),
    "c45": bw.C45Classifier(),
    "c45-as-grown": bw.C45Classifier(pruning=None, collapse=False),
    "c45-groups": bw.C45Classifier(value_groups=True),
    "c45-reduced-error": bw.C45Classifier(pruning="reduced_error"),
    "j48": bw.C45Classifier(variant="j48"),
    "j48-reduced-error": bw.C45Classifier(variant="j48", pruning="reduced_error", nominal="one_vs_rest"),
    "chaid": bw.CHAIDClassifier(alpha_split=0.3),
    "chaid-exhaustive": bw.CHAIDClassifier(variant="exhaustive", alpha_split=0.3),
    "chaid-regression": bw.CHAIDRegressor(alpha_split=0.3),
}
LIMITS = {
    "rows": {"min_category_rows": 8},
    "levels": {"max_levels": 4},
    "both": {"min_category_rows": 5.5, "max_levels": 6},
}

pytestmark = pytest.mark.filterwarnings("ignore::branchwork.errors.UnseenCategoryWarning")


def with_settings(estimator, **settings):
    return type(estimator)(**{**estimator.get_params(), **settings})


def target_of(estimator, frame):
    return classes_of(frame) if is_classifier(estimator) else values_of(frame)


def some_weights(rows):
    return np.random.default_rng(5).choice([0.0, 0.5, 1.0, 2.0, 3.0], rows)


def pair(estimator, limits, weighted):
    """The same fit twice: with rare categories merged by the library, and by hand."""
    frame = towns_and_codes()
    y, weights = target_of(estimator, frame), some_weights(len(frame)) if weighted else None
    hand = ByHand(frame, weights, limits.get("min_category_rows", 0), limits.get("max_levels", 10**9))
    fitted = with_settings(estimator, **limits).fit(frame, y, sample_weight=weights)
    by_hand = with_settings(estimator).fit(hand.merged(frame), y, sample_weight=weights)
    return frame, y, weights, hand, fitted, by_hand


@pytest.mark.parametrize(
    ("limits", "weighted"), [("rows", False), ("rows", True), ("levels", False), ("both", True)]
)
@pytest.mark.parametrize("estimator", CASES.values(), ids=CASES)
def test_the_tree_is_the_one_of_a_table_merged_by_hand(estimator, limits, weighted):
    frame, _, _, hand, fitted, by_hand = pair(estimator, LIMITS[limits], weighted)
    assert hand.rare["town"], "nothing would be tested"
    check(fitted.tree_, fitted.schema_)
    assert_same_nodes(fitted.tree_, fitted.schema_, by_hand.tree_, by_hand.schema_)
    for column in fitted.schema_:
        rare = {column.categories[code] for code in column.rare}
        assert rare == hand.rare.get(column.name, set())
    if fitted.tree_.ledger is not None:
        for node in range(fitted.tree_.n_nodes):
            pages = fitted.tree_.ledger.page(node), by_hand.tree_.ledger.page(node)
            assert_same_page(pages[0], fitted.schema_, pages[1], by_hand.schema_)
    if hasattr(by_hand, "cp_table_"):
        assert fitted.cp_table_ == by_hand.cp_table_
    np.testing.assert_array_equal(fitted.feature_importances_, by_hand.feature_importances_)
    new = strange_rows(frame)
    np.testing.assert_array_equal(fitted.predict(new), by_hand.predict(hand.merged(new)))


def strange_rows(frame):
    """Other rows, some with a category that training never saw."""
    new = towns_and_codes(200, seed=9)
    new.loc[::7, "town"] = NOWHERE
    new.loc[::11, "code"] = "c99"
    return new


@pytest.mark.parametrize("name", CASES)
def test_the_working_made_again_from_the_rows_is_that_of_a_table_merged_by_hand(name):
    frame, y, _, hand, fitted, by_hand = pair(CASES[name], LIMITS["rows"], False)
    for node in range(0, fitted.tree_.n_nodes, 11):
        pages = (
            page_from_rows(fitted.model_, node, *fitted._handed_in(frame, y, None)),
            page_from_rows(by_hand.model_, node, *by_hand._handed_in(hand.merged(frame), y, None)),
        )
        assert_same_page(pages[0], fitted.schema_, pages[1], by_hand.schema_)


def plain_words(text):
    """Text without the widths of its columns, and without how many values "other" stands for."""
    return re.sub(r"[\s─]+", " ", re.sub(r"other \(\d+ values\)", "other", text))


@pytest.mark.parametrize("estimator", CASES.values(), ids=CASES)
def test_the_words_are_those_of_a_table_merged_by_hand(estimator):
    frame, y, _, hand, fitted, by_hand = pair(
        estimator, {"max_levels": 2}, False
    )  # so few that all are shown
    assert plain_words(fitted.to_text()) == plain_words(by_hand.to_text())
    data = (frame, y), (hand.merged(frame), y)
    for style in ("table", "lecture"):
        one, other = (
            est.working(0, *rows, style=style) for est, rows in zip((fitted, by_hand), data, strict=True)
        )
        assert plain_words(one.to_text()) == plain_words(other.to_text())


def test_the_average_gain_of_c45_counts_merged_levels():
    """22 towns are too many for C4.5's average over 60 rows; with the rare ones merged, three are not."""
    town = ["A"] * 20 + ["B"] * 20 + [f"rare{k:02d}" for k in range(20)]
    frame = pd.DataFrame({"town": town, "deck": ["x", "y", "z"] * 20})
    y = ["yes"] * 18 + ["no"] * 22 + ["yes", "no"] * 10
    hand = frame.assign(
        town=pd.Categorical([t if len(t) == 1 else "other" for t in town], ["A", "B", "other"])
    )
    fitted = bw.C45Classifier(min_category_rows=2, pruning=None).fit(frame, y)
    by_hand = bw.C45Classifier(pruning=None).fit(hand, y)
    lectures = [est.working(0, style="lecture").to_text() for est in (fitted, by_hand)]
    assert "average" in lectures[0]
    assert plain_words(lectures[0]) == plain_words(lectures[1])


PRUNED = {
    "reduced_error": ("held out", {}),
    "error_based": ("training", {}),
    "pessimistic": (None, {}),
    "minimum_error": (None, {}),
    "mdl": (None, {}),
    "significance": (None, {}),
    "cost_complexity": ("training", {"folds": 4, "choose": "1se"}),
}


@pytest.mark.parametrize("method", PRUNED)
@pytest.mark.parametrize("name", ["tree-multiway", "cart", "c45-as-grown"])
def test_pruning_is_that_of_a_table_merged_by_hand(name, method):
    frame, y, _, hand, fitted, by_hand = pair(CASES[name], LIMITS["rows"], False)
    rows, options = PRUNED[method]
    if rows == "training" and method == "cost_complexity" and fitted.tree_.shares_rows:
        rows, options = None, {"alpha": 0.01}
    other = strange_rows(frame)
    given = {None: None, "training": (frame, y), "held out": (other, classes_of(other))}[rows]
    pruned = [
        est.prune(method, *(() if given is None else (change(given[0]), given[1])), **options)
        for est, change in ((fitted, lambda f: f), (by_hand, hand.merged))
    ]
    assert_same_nodes(pruned[0].tree_, fitted.schema_, pruned[1].tree_, by_hand.schema_)
    assert pruned[0].get_n_leaves() < fitted.get_n_leaves()


@pytest.mark.parametrize("name", ["tree", "c45", "cart", "chaid", "tree-regression"])
def test_validation_rows_are_merged_as_the_training_rows_are(name):
    frame = towns_and_codes()
    y, held = target_of(CASES[name], frame), strange_rows(frame)
    hand = ByHand(frame, None, 8)
    y_val = target_of(CASES[name], held)
    fitted = with_settings(CASES[name], min_category_rows=8).fit(frame, y, X_val=held, y_val=y_val)
    by_hand = with_settings(CASES[name]).fit(hand.merged(frame), y, X_val=hand.merged(held), y_val=y_val)
    assert_same_nodes(fitted.tree_, fitted.schema_, by_hand.tree_, by_hand.schema_)


@pytest.mark.parametrize(
    "nothing", [{"min_category_rows": 1}, {"min_category_rows": 0}, {"max_levels": 1000}]
)
@pytest.mark.parametrize("estimator", CASES.values(), ids=CASES)
def test_limits_that_merge_nothing_change_no_byte(estimator, nothing):
    frame = towns_and_codes()
    frame["code"] = pd.Categorical(frame["code"], [f"c{k}" for k in range(20)])  # some do not occur
    y = target_of(estimator, frame)
    plain, limited = (with_settings(estimator, **limits).fit(frame, y).model_ for limits in ({}, nothing))
    different = json.loads(to_json_bytes(limited))
    usual = json.loads(to_json_bytes(plain))
    for name in nothing:
        assert different["recipe"]["search"].pop(name) == nothing[name]
        assert usual["recipe"]["search"].pop(name) is None
    different.pop("sha256"), usual.pop("sha256")
    assert different == usual


@pytest.mark.parametrize("estimator", CASES.values(), ids=CASES)
def test_names_of_categories_matter_only_by_their_order(estimator):
    frame = towns_and_codes()
    y = target_of(estimator, frame)
    renamed = frame.copy()
    renamed["town"] = frame["town"].map(lambda t: f"Zürich {t}" if isinstance(t, str) else None)
    fitted, again = (with_settings(estimator, min_category_rows=8).fit(X, y) for X in (frame, renamed))
    np.testing.assert_array_equal(fitted.tree_.pool, again.tree_.pool)
    np.testing.assert_array_equal(fitted.tree_.value, again.tree_.value)


@pytest.mark.parametrize("estimator", CASES.values(), ids=CASES)
def test_the_order_of_rare_categories_changes_no_answer(estimator):
    frame = towns_and_codes()
    y, hand = target_of(estimator, frame), ByHand(frame, None, 8)
    backwards = frame.copy()
    order = [*hand.kept["town"], *sorted(hand.rare["town"], reverse=True)]
    backwards["town"] = pd.Categorical(frame["town"], order)
    frame["town"] = pd.Categorical(frame["town"], [*hand.kept["town"], *sorted(hand.rare["town"])])
    fitted, again = (with_settings(estimator, min_category_rows=8).fit(X, y) for X in (frame, backwards))
    np.testing.assert_array_equal(fitted.tree_.value, again.tree_.value)
    np.testing.assert_array_equal(fitted.predict(frame), again.predict(frame))


@pytest.mark.parametrize("estimator", CASES.values(), ids=CASES)
def test_rows_that_differ_only_in_rare_categories_end_in_the_same_leaf(estimator):
    frame, _, _, hand, fitted, _ = pair(estimator, LIMITS["rows"], False)
    rows = frame.head(40)
    leaves = [fitted.apply(rows.assign(town=rare)).tolist() for rare in sorted(hand.rare["town"])]
    assert len(leaves) > 2
    assert all(of_one == leaves[0] for of_one in leaves)


@pytest.mark.parametrize("estimator", CASES.values(), ids=CASES)
def test_files_pickles_and_programs_answer_the_same(estimator):
    frame, _, _, _, fitted, _ = pair(estimator, LIMITS["rows"], False)
    new = strange_rows(frame)
    model = fitted.model_
    expected = fitted.predict(new)
    for again in (
        from_bytes(to_bytes(model)),
        from_json_bytes(to_json_bytes(model)),
        pickle.loads(pickle.dumps(model)),
    ):
        assert again.schema == model.schema
        assert again.recipe == model.recipe
        np.testing.assert_array_equal(predicted(again, new), expected)
    scope = {}
    exec(fitted.export("python"), scope)
    records = [
        {name: None if value != value else value for name, value in row.items()}
        for row in new.to_dict("records")
    ]
    assert [scope["predict"](row) for row in records] == expected.tolist()


def predicted(model, frame):
    return model.predict(conform(bw.to_table(frame), model.schema, handle_unknown=model.handle_unknown))


@pytest.mark.parametrize("handle_unknown", ["missing", "majority", "error"])
def test_a_category_that_training_never_saw_is_not_one_of_the_others(handle_unknown):
    frame = towns_and_codes()
    tree = bw.TreeClassifier(min_category_rows=8, handle_unknown=handle_unknown).fit(frame, classes_of(frame))
    new = frame.head(5).assign(town=NOWHERE)
    if handle_unknown == "error":
        with pytest.raises(bw.errors.DataError, match="'nowhere' was not in the training table"):
            tree.predict(new)
    else:
        with pytest.warns(UnseenCategoryWarning, match="'town'"):
            tree.predict(new)


@pytest.mark.parametrize("factory", MERGING)
def test_ordinal_features_of_chaid_keep_their_categories_and_all_others_merge(factory):
    frame = towns_and_codes()
    estimator = factory(min_category_rows=8)
    y = target_of(estimator, frame)
    assert [bool(column.rare) for column in estimator.fit(frame, y).schema_] == [True, False, True]
    if "ordinal_features" in estimator.get_params():
        ordered = factory(min_category_rows=8, ordinal_features=["town"]).fit(frame, y)
        assert [bool(column.rare) for column in ordered.schema_] == [False, False, True]


def test_the_estimators_that_merge():
    names = {factory.__name__ for factory in MERGING}
    assert names == {
        "C45Classifier",
        "CARTClassifier",
        "CARTRegressor",
        "CHAIDClassifier",
        "CHAIDRegressor",
        "OptimalTreeClassifier",
        "OptimalTreeRegressor",
        "TreeClassifier",
        "TreeRegressor",
    }
