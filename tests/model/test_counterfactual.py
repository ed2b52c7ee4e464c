"""The nearest change is a change that works, and none is nearer."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.model.counterfactual import counterfactual
from branchwork.model.explain import explain, read_row
from model.awkward import KINDS, fitted, rows_for
from model.slow_counterfactual import nearest

pytestmark = pytest.mark.filterwarnings(
    "ignore::branchwork.errors.UnseenCategoryWarning", "ignore::branchwork.errors.OneClassWarning"
)

NUMBERS = [f"{k}-{factory().__class__.__name__}" for k, factory in enumerate(KINDS)]


def found_for(estimator, row, want=None, fixed=()):
    model = estimator.model_
    explained = explain(model, read_row(model, row))
    return explained, counterfactual(model, explained, want, fixed)


@pytest.mark.parametrize("factory", KINDS, ids=NUMBERS)
def test_the_changed_row_has_the_other_answer_all_over_its_ranges(factory):
    works = 0
    for seed in range(3):
        estimator = fitted(factory, seed)
        for row in rows_for(estimator, seed, count=8):
            explained, change = found_for(estimator, row)
            if change is None:
                continue
            works += 1
            assert change.prediction != explained.prediction
            assert {n for n in row if row[n] != change.row[n]} == {
                estimator.schema_[c.feature].name for c in change.changes
            }
            others = [change.row, *neighbours(estimator, change)]
            assert (estimator.predict(others) == change.prediction).all()
            assert (estimator.apply(others) == change.leaf).all()
    assert works or estimator.get_n_leaves() == 1


def neighbours(estimator, change):
    """Rows with one changed cell at another place of its range."""
    for one in change.changes:
        if one.among is not None:
            others = one.among
        else:
            low = -1e300 if one.above is None else math.nextafter(one.above, math.inf)
            high = 1e300 if one.upto is None else one.upto
            others = (low, high, low / 2 + high / 2 if low < high else high)
        for value in others:
            yield {**change.row, estimator.schema_[one.feature].name: value}


@pytest.mark.parametrize("factory", KINDS, ids=NUMBERS)
def test_a_cell_just_outside_its_range_does_not_lead_there(factory):
    for seed in range(2):
        estimator = fitted(factory, seed)
        for row in rows_for(estimator, seed, count=6):
            _, change = found_for(estimator, row)
            for one in change.changes if change else ():
                beside = [one.above, None if one.upto is None else math.nextafter(one.upto, math.inf)]
                name = estimator.schema_[one.feature].name
                outside = [{**change.row, name: value} for value in beside if value is not None]
                for row_outside in outside:
                    assert leaves_of(estimator, row_outside) != leaves_of(estimator, change.row)


def leaves_of(estimator, row):
    found = estimator.model_.shares([row])
    return list(zip(found.leaf.tolist(), found.share.tolist(), strict=True))


@pytest.mark.parametrize("factory", KINDS, ids=NUMBERS)
def test_no_change_is_nearer(factory):
    """Rows with missing cells and unseen categories, and every way in which a tree deals with them."""
    for seed in range(2):
        estimator = fitted(factory, 100 + seed, rows=18)
        for row in rows_for(estimator, seed, count=6):
            explained, change = found_for(estimator, row)
            expected = nearest(estimator, row, lambda answer, own=explained.prediction: another(answer, own))
            got = None if change is None else (len(change.changes), change.distance, change.leaf)
            assert got == expected, row
            assert change is None or change.is_nearest


@pytest.mark.parametrize("factory", KINDS, ids=NUMBERS)
def test_no_change_that_leaves_fixed_cells_alone_is_nearer(factory):
    estimator = fitted(factory, 300, rows=18)
    names = estimator.schema_.names
    for row in rows_for(estimator, 4, count=4):
        for fixed in ([names[0]], [names[-1], names[1]], list(names)):
            explained, change = found_for(estimator, row, fixed=fixed)
            expected = nearest(
                estimator, row, lambda answer, own=explained.prediction: another(answer, own), fixed
            )
            got = None if change is None else (len(change.changes), change.distance, change.leaf)
            assert got == expected, (row, fixed)


def test_what_is_fixed_is_said():
    tennis = bw.datasets.load("play_tennis")
    tree = bw.ID3Classifier().fit(tennis.X, tennis.y)
    row = tennis.X.row(0)
    text = str(tree.why(row, fixed=["Outlook"]))
    assert "To get PlayTennis: Yes instead without a change of Outlook, change\n   Humidity to Normal" in text
    assert str(tree.why(row, fixed="Outlook")) == text
    none = str(tree.why(row, fixed=["Outlook", "Humidity"]))
    assert (
        "No change of the features other than Outlook, Humidity to known values gives another answer." in none
    )
    with pytest.raises(ParameterError, match=r"fixed: There is no column 'Outlok'. Did you mean 'Outlook'\?"):
        tree.why(row, fixed=["Outlok"])
    forest = bw.RandomForestClassifier(3).fit(tennis.X, tennis.y)
    with pytest.raises(ParameterError, match="fixed= is for a single tree"):
        forest.model_.why(row, fixed=["Outlook"])


def another(answer, own):
    return answer != own if isinstance(own, str) else abs(answer - own) > 1e-12


@pytest.mark.parametrize("factory", KINDS, ids=NUMBERS)
def test_no_change_to_a_wanted_answer_is_nearer(factory):
    estimator = fitted(factory, 200, rows=18)
    for row in rows_for(estimator, 3, count=4):
        own = estimator.predict([row])[0]
        if estimator.model_.labels is None:
            wants = [(own + 0.1, own + 0.7), (own - 5, own - 0.2)]
            tests = [lambda answer, ends=want: ends[0] <= answer <= ends[1] for want in wants]
        else:
            wants = [label for label in estimator.classes_.tolist() if label != own]
            tests = [lambda answer, label=want: answer == label for want in wants]
        for want, test in zip(wants, tests, strict=True):
            _, change = found_for(estimator, row, want)
            got = None if change is None else (len(change.changes), change.distance, change.leaf)
            assert got == nearest(estimator, row, test), (row, want)


def test_a_shared_row_needs_one_change_where_filling_in_would_need_two():
    """Both leaves that the row may come to answer otherwise once `sex` is changed; its `age` may stay unknown."""
    rows = [[s, a] for s in ("m", "f") for a in range(10)] * 2
    y = ["no" if s == "m" else "yes" for s, _ in rows]
    y = ["perhaps" if a > 7 and s == "f" else label for (s, a), label in zip(rows, y, strict=True)]
    frame = {"sex": [s for s, _ in rows], "age": [float(a) for _, a in rows]}
    tree = bw.C45Classifier(pruning=None).fit(frame, y)
    row = {"sex": "m", "age": None}
    _, change = found_for(tree, row)
    assert [tree.schema_[c.feature].name for c in change.changes] == ["sex"] and change.row["age"] is None
    assert len(change.leaves) == 2 and change.prediction == "yes"
    assert "The row is then shared among 2 leaves: 80% to leaf" in str(tree.why(row))


def test_where_there_are_too_many_ways_the_change_is_called_near(monkeypatch):
    from branchwork.model import nearest as module

    estimator = fitted(KINDS[18], 1)
    row = dict.fromkeys(estimator.schema_.names)
    _, exact = found_for(estimator, row)
    assert exact.is_nearest
    monkeypatch.setattr(module, "MOST_STEPS", -estimator.tree_.n_nodes)
    found = estimator.why(row)
    change = found.counterfactual
    assert not change.is_nearest and found.to_dict()["counterfactual"]["is_nearest"] is False
    assert (len(change.changes), change.distance) >= (len(exact.changes), exact.distance)
    assert estimator.predict([change.row])[0] == change.prediction != found.prediction
    assert "a near change" in str(found)


@pytest.mark.parametrize("factory", KINDS, ids=NUMBERS)
def test_a_wanted_answer_is_what_the_change_gives(factory):
    estimator = fitted(factory, 7)
    for row in rows_for(estimator, 7, count=6):
        answer = estimator.predict([row])[0]
        if estimator.model_.labels is None:
            want = (answer + 0.3, answer + 1e9)
            _, change = found_for(estimator, row, want)
            assert change is None or want[0] <= change.prediction <= want[1]
            continue
        for label in set(estimator.classes_.tolist()) - {answer}:
            _, change = found_for(estimator, row, label)
            assert change is None or (change.prediction == estimator.predict([change.row])[0] == label)


def test_fewest_cells_come_first_then_the_distance_then_the_leaf():
    X = np.array([[0, 0], [0, 10], [1, 0], [1, 10]], float)
    tree = bw.TreeClassifier().fit(X, ["a", "b", "c", "d"])
    _, change = found_for(tree, [0, 0])
    assert len(change.changes) == 1
    assert change.prediction in ("b", "c") and change.distance == pytest.approx(0.5)
    _, both = found_for(tree, [0, 0], "d")
    assert [c.value for c in both.changes] == [math.nextafter(0.5, 1), math.nextafter(5, 6)]
    assert [(c.above, c.upto) for c in both.changes] == [(0.5, None), (5.0, None)]


def test_a_missing_cell_that_takes_a_branch_by_itself_may_stay():
    X = [[0, 0], [0, 1], [1, 0], [1, 1], [None, 1], [None, 0]]
    tree = bw.TreeClassifier(missing="larger").fit(X, ["a", "b", "c", "c", "b", "a"])
    explained, change = found_for(tree, [None, 0])
    assert explained.prediction == "a" and change.prediction == "b"
    assert [(c.feature, c.above) for c in change.changes] == [(1, 0.5)] and change.row["x0"] is None


def test_groups_of_groups():
    """A category that no row of a node has is in one of its groups all the same, but does not come there."""
    tree = bw.CARTRegressor().fit([["a"], ["b"], ["c"], ["d"]], [1, 2, 30, 40])
    for row, wanted in [("a", "b"), ("a", "c"), ("a", "d"), ("d", "a"), ("d", "b"), ("c", "d")]:
        answer = tree.predict([[wanted]])[0]
        _, change = found_for(tree, [row], (answer, answer))
        assert [(c.value, c.among) for c in change.changes] == [(wanted, (wanted,))]


def test_where_rows_are_shared_the_larger_output_answers_however_little_larger():
    tennis = bw.datasets.load("play_tennis")
    model = bw.C45Classifier().fit(tennis.X, tennis.y).model_
    overcast = {"Outlook": "Overcast", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    (leaf,) = model.apply([overcast]).tolist()
    value = model.tree.value.copy()
    value[leaf] = 0.5 + 1e-9, 0.5 - 1e-9
    model = replace(model, trees=(model.tree.replace(value=value),))
    assert model.predict([overcast])[0] == "No"
    normal = {**overcast, "Outlook": "Rain"}
    change = counterfactual(model, explain(model, read_row(model, normal)))
    assert change.prediction == "No" == model.predict([change.row])[0] and change.leaf == leaf


def test_where_nothing_gives_another_answer_there_is_none():
    assert found_for(bw.CARTClassifier().fit([[0], [1]], ["a", "a"]), [0])[1] is None
    tree = bw.TreeClassifier().fit([[None], [1]], ["a", "b"])
    assert found_for(tree, [1])[1] is None  # a would need the cell to be missing
    assert found_for(tree, [None])[1].row == {"x0": 0.0}  # any number will do


def test_what_cannot_be_wanted_is_refused():
    tree = bw.CARTClassifier().fit([[0], [1]], ["yes", "no"])
    with pytest.raises(ParameterError, match="Did you mean 'yes'"):
        found_for(tree, [0], "yess")
    with pytest.raises(ParameterError, match="answers already"):
        found_for(tree, [0], "yes")
    tree = bw.CARTRegressor().fit([[0], [1]], [0, 1])
    with pytest.raises(ParameterError, match="already in that range"):
        found_for(tree, [0], (-1, 0))
    with pytest.raises(ParameterError, match="comes first"):
        found_for(tree, [0], (2, 1))
    with pytest.raises(ParameterError, match="lowest, highest"):
        found_for(tree, [0], 3)


def test_ten_thousand_leaves_are_searched():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 10)), rng.integers(0, 5, 40_000)
    tree = bw.TreeClassifier(max_leaf_nodes=10_000).fit(X, y)
    assert tree.get_n_leaves() == 10_000
    for row in X[:3]:
        assert found_for(tree, row)[1] is not None
