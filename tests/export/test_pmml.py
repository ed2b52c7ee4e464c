"""PMML files, read by a plain reader of our own and by one of others: the same answers as the model."""

from __future__ import annotations

import io
import warnings
from dataclasses import replace

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.export.program import program
from branchwork.model.combine import Combine
from branchwork.tree.reshape import collapse

from pmml_reader import NAMESPACE, Document, InvalidValueError
from program_cases import HOSTILE, KINDS, hard_rows, model_of, table_of
from tables import DEEP
from unseen_cases import mixed_up, outputs_of


def read(model, **options):
    return Document(model.export("pmml", **options))


def check(model, rows):
    """The document answers as the model does: leaves exactly, sums to 1e-12."""
    document = read(model)
    names = [name for name in document.fields if name != document.target]
    table = table_of(model, rows)
    exact = model.combine.kind == "single" and not model.tree.shares_rows
    tolerance = 0 if exact else 1e-12
    found = document.evaluate([dict(zip(names, row.values(), strict=True)) for row in rows])
    expected = model.predict(table).tolist()
    if model.labels is None:
        np.testing.assert_allclose(found.value, expected, rtol=tolerance, atol=tolerance)
        return
    shares = model.predict_proba(table)
    np.testing.assert_allclose(probabilities(found), shares, rtol=0, atol=tolerance)
    tied = np.zeros(len(rows), bool)
    if not exact and shares.shape[1] > 1:  # PMML has no rule for ties of sums
        second, first = np.sort(shares, axis=1)[:, -2:].T
        tied = first - second <= 1e-9
    labels = document.labels(found)
    assert [label for label, tie in zip(labels, tied, strict=True) if not tie] == [
        label for label, tie in zip(expected, tied, strict=True) if not tie
    ]


def probabilities(answer):
    return np.stack(list(answer.outputs.values()), axis=1)


def is_expressible(model):
    """Whether a model does not both share rows and predict numbers."""
    numbers = model.labels is None or model.combine.kind == "sum"
    return not (numbers and program(model).shares_rows)


@pytest.mark.parametrize("kind", KINDS)
def test_the_document_answers_as_the_model(kind):
    for seed in range(3):
        model = model_of(seed, kind=kind, hostile=seed == 2)
        if is_expressible(model):
            check(model, hard_rows(model, 100, seed))
        else:
            with pytest.raises(ParameterError, match="PMML can share rows only for classes"):
                model.export("pmml")


@pytest.mark.skipif(not DEEP, reason="many models; make deep")
def test_many_models_on_many_rows():
    done = seed = 0
    while done < 300:
        seed += 1
        model = model_of(2000 + seed, hostile=seed % 3 == 0)
        if is_expressible(model):
            check(model, hard_rows(model, 10_000, seed))
            done += 1


@pytest.mark.parametrize("kind", ["tree larger subset", "cart", "tree share multiway"])
def test_trees_of_a_mean_answer_together(kind):
    model = model_of(0, kind=kind)
    short = collapse(model.tree, model.tree.depths >= 2)
    leaf = collapse(model.tree, model.tree.depths >= 0)
    check(replace(model, trees=(model.tree, short, leaf), combine=Combine("mean")), hard_rows(model, 100))


def test_a_tree_among_others_names_the_fields_that_it_asks():
    X = np.arange(40.0).reshape(8, 5)
    model = bw.TreeRegressor(max_depth=1).fit(X, X[:, 0]).model_
    leaf = collapse(model.tree, model.tree.depths >= 0)
    last = model.tree.replace(feature=np.where(model.tree.feature == 0, 4, -1).astype(np.int32))
    model = replace(model, trees=(model.tree, last, leaf), combine=Combine("sum", base=(0.5,)))
    check(model, hard_rows(model, 100))
    outer, *trees = read(model).root.iter(f"{NAMESPACE}MiningSchema")
    names = [[field.get("name") for field in schema] for schema in trees]
    assert len(outer) == 6 and names == [["x0"], ["x4"], ["x0"]]


def test_a_sum_of_trees_that_have_all_outputs():
    model = model_of(1, kind="tree larger subset")
    combine = Combine("sum", base=tuple(0.1 * k for k in range(len(model.labels))), link="softmax")
    model = replace(model, trees=(model.tree, collapse(model.tree, model.tree.depths >= 1)), combine=combine)
    check(model, hard_rows(model, 100))


def test_a_leaf_may_decide_against_its_largest_output():
    X = np.arange(6.0)[:, None]
    model = bw.ID3Classifier().fit(X, list("aabbcc")).model_
    model = replace(model, trees=(model.tree.replace(answer=(model.tree.decision + 1).astype(np.int32) % 3),))
    document = read(model)
    assert document.labels(document.evaluate([{"x0": x} for x in X[:, 0].tolist()])) == list("bbccaa")


def test_surrogates_are_written_short_where_that_is_exact():
    X = np.arange(8.0)[:, None] * [1, 2]
    numbers = (
        bw.CARTClassifier(max_surrogates=1, min_samples_split=2)
        .fit(X, list("aaaabbbb"))
        .model_.export("pmml")
    )
    assert 'booleanOperator="surrogate"' in numbers and "isNotMissing" not in numbers
    mixed = [model_of(seed, kind="cart majority").export("pmml") for seed in range(3)]
    assert any('operator="isNotMissing"' in text for text in mixed)


def test_a_small_tree_is_easy_to_read():
    tennis = bw.datasets.load("play_tennis")
    text = bw.StumpClassifier().fit(tennis.X, tennis.y).model_.export("pmml", target="Play")
    assert text.startswith(
        '<?xml version="1.0" encoding="UTF-8"?>\n<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">'
    )
    assert (
        """
    <Node id="0" recordCount="14.0" defaultChild="2">
      <True/>
      <Node id="1" recordCount="4.0" score="Yes">
        <SimplePredicate field="Outlook" operator="equal" value="Overcast"/>
        <ScoreDistribution value="No" recordCount="0.0" probability="0.0"/>
        <ScoreDistribution value="Yes" recordCount="4.0" probability="1.0"/>
      </Node>
"""
        in text
    )
    assert (
        '<OutputField name="probability(Yes)" optype="continuous" dataType="double" feature="probability" value="Yes"/>'
        in text
    )


def test_labels_have_their_type():
    X = [[0.0], [1.0], [2.0]]
    for labels in ([3, 1, 2], [1.0, 5.0, 2.0], [True, False, True], ["größe\n", "'<", ""], [2**70, 1, 5]):
        document = read(bw.ID3Classifier().fit(X, np.array(labels, object)).model_)
        found = document.labels(document.evaluate([{"x0": x} for (x,) in X]))
        assert found == labels and list(map(type, found)) == list(map(type, labels))


def test_another_reader_agrees_on_numbers():
    trees = pytest.importorskip("sklearn_pmml_model.tree")
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(200, 4)), 3)
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own: it divides the counts of inner nodes, which have none
        for estimator in (
            bw.CARTClassifier(max_surrogates=0),
            bw.TreeClassifier(missing="larger"),
            bw.ID3Classifier(),
        ):
            model = estimator.fit(X, y).model_
            other = trees.PMMLTreeClassifier(pmml=io.StringIO(model.export("pmml")))
            assert other.predict(X).tolist() == model.predict(X).tolist()
            np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X), atol=1e-12)
        model = bw.TreeRegressor(missing="larger", max_depth=5).fit(X, X[:, 0] * 2 + X[:, 2]).model_
        other = trees.PMMLTreeRegressor(pmml=io.StringIO(model.export("pmml")))
        np.testing.assert_allclose(other.predict(X), model.predict(X), atol=1e-12)


# ---- words of the user's table


def test_200_hostile_names():
    names = [f"{name}{k}" for k in range(10) for name in HOSTILE]
    rng = np.random.default_rng(0)
    X = dict(zip(names, rng.normal(size=(len(names), 50)), strict=True))
    y = sum(X[name] for name in names[::13]) > 0
    document = read(bw.ID3Classifier().fit(X, y).model_)
    rows = [dict(zip(names, cells, strict=True)) for cells in np.stack(list(X.values()), axis=1).tolist()]
    assert document.labels(document.evaluate(rows)) == y.tolist()


def test_names_that_are_taken_are_not_used_twice():
    X = {"prediction": [0.0, 1.0, 2.0], "": [1.0, 1.0, 2.0], "probability(a)": [0.0] * 3}
    document = read(bw.ID3Classifier().fit(X, list("aba")).model_)
    assert list(document.fields) == ["prediction", "x", "probability(a)", "prediction_"]
    answer = document.evaluate([{"prediction": 1.0, "x": 1.0, "probability(a)": 0.0}])
    assert answer.value == ["b"] and list(answer.outputs) == ["probability(a)_", "probability(b)"]


@pytest.mark.parametrize("strange", ["nul\x00", "\x1b[31m", "\ud800", "\ufffe"])
def test_what_xml_cannot_hold_is_refused(strange):
    for model in (
        bw.ID3Classifier().fit({strange: [0.0, 1.0]}, ["a", "b"]).model_,
        bw.ID3Classifier().fit({"x": [strange, "b"]}, ["a", "b"]).model_,
        bw.ID3Classifier().fit({"x": [0.0, 1.0]}, ["a", strange]).model_,
    ):
        with pytest.raises(ParameterError, match=r"which XML 1\.0 cannot contain"):
            model.export("pmml")


# ---- unseen categories, shared rows


def test_a_reader_may_be_told_to_stop_at_new_categories():
    tennis = bw.datasets.load("play_tennis")
    row = {"Outlook": "Foggy", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    with pytest.raises(InvalidValueError, match="Outlook"):
        read(bw.ID3Classifier(handle_unknown="error").fit(tennis.X, tennis.y).model_).evaluate([row])
    assert read(bw.ID3Classifier().fit(tennis.X, tennis.y).model_).evaluate([row]).value[0] in ("Yes", "No")


@pytest.mark.parametrize("kind", ["id3", "cart", "tree larger subset", "chaid", "tree branch multiway"])
def test_steps_may_differ_in_where_new_categories_go(kind, monkeypatch):
    for seed in range(3):
        model = model_of(seed, kind=kind)
        written, rows = mixed_up(model, seed), hard_rows(model, 100, seed)
        monkeypatch.setattr("branchwork.export.pmml.program", lambda _, written=written: written)
        document = read(model)
        found = probabilities(document.evaluate(rows))
        assert np.array_equal(found, outputs_of(written, model, rows)[:, list(written.class_order)])


def test_shared_rows_are_weighted_confidence():
    tennis = bw.datasets.load("play_tennis")
    model = bw.C45Classifier(pruning=None).fit(tennis.X, tennis.y).model_
    assert read(model).model.get("missingValueStrategy") == "weightedConfidence"
    rows = [dict.fromkeys(model.schema.names)]
    check(model, rows)


@pytest.mark.parametrize("link", ["identity", "exp"])
def test_several_numbers_are_refused(link):
    model = bw.TreeRegressor().fit([[0.0], [1.0]], [0.0, 5.0]).model_
    combine = Combine("sum", base=(0.5, 1.0), output=(0, 1), link=link)
    with pytest.raises(ParameterError, match="several outputs that are not class probabilities"):
        replace(model, trees=(model.tree, model.tree), combine=combine).export("pmml")


def test_shared_rows_of_numbers_are_refused():
    model = bw.TreeRegressor(missing="share").fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0]).model_
    with pytest.raises(ParameterError, match="PMML can share rows only for classes"):
        model.export("pmml")


# ---- size


def test_deep_and_large_trees_come_out():
    depth = 20_000 if DEEP else 3_000
    X, y = np.arange(depth + 1.0)[:, None], np.arange(depth + 1) % 2
    model = bw.TreeClassifier(missing="larger").fit(X, y).model_
    assert model.tree.depth == depth
    document = read(model)
    cells = [0.0, 10.0, depth - 1.0]
    found = document.labels(document.evaluate([{"x0": x} for x in cells]))
    assert found == model.predict([[x] for x in cells]).tolist()
    n = 100_000 if DEEP else 5_000
    X = np.arange(float(n))[:, None]
    model = bw.TreeRegressor(min_samples_split=2).fit(X, np.arange(n) % 7 + X[:, 0]).model_
    found = read(model).evaluate([{"x0": x} for x in X[:, 0].tolist()])
    assert np.array_equal(found.value, model.predict(X))


def test_the_same_model_has_the_same_text():
    for kind in ("cart", "chaid", "mean"):
        assert model_of(2, kind=kind).export("pmml") == model_of(2, kind=kind).export("pmml")
