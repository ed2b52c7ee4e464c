"""ONNX files, run by onnxruntime: the same answers as the model, to the last bit."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import MissingExtraError, ParameterError
from branchwork.export.onnx_trees import DEEPEST
from branchwork.export.program import AS_MISSING, cell_type, program
from branchwork.model.combine import Combine
from branchwork.table.schema import Column, Schema
from branchwork.tree.reshape import collapse

from program_cases import HOSTILE, KINDS, hard_rows, model_of, table_of
from tables import DEEP
from unseen_cases import mixed_up, outputs_of

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
ReferenceEvaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator

NOTHING = "nothing is known"
"""Stands for a missing category; the empty text is a category in some tables."""


def session(file):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # refusals are raised; they need not be printed as well
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def fed(model, rows, names=None):
    """Rows as onnxruntime takes them: one array a column."""
    found = {}
    for name, column in zip(names or model.schema.names, model.schema, strict=True):
        cells = [row[column.name] for row in rows]
        if cell_type(column) == "number":
            found[name] = np.array([math.nan if cell is None else cell for cell in cells], np.float64)[
                :, None
            ]
        else:
            text = [NOTHING if cell is None else str(cell) for cell in cells]
            found[name] = np.array(text, object)[:, None]
    return found


def check(model, rows, **options):
    """The file answers as the model does: leaves exactly, sums to 1e-12."""
    table = table_of(model, rows)
    run = session(model.export("onnx", missing=NOTHING, **options))
    names = [value.name for value in run.get_inputs()]
    first, *rest = run.run(None, fed(model, rows, names))
    exact = model.combine.kind == "single"
    if model.labels is None:
        assert first.dtype == np.float64
        assert_close(first, model.predict(table), exact)
        return
    (shares,) = rest
    assert shares.dtype == np.float64
    assert_close(shares, model.predict_proba(table), exact)
    assert first.tolist() == model.predict(table).tolist()


def assert_close(found, expected, exact):
    if exact:
        assert np.array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def shared_columns(model):
    """Positions of the columns whose missing cells send a row down several branches."""
    return {j for tree in model.trees if tree.shares_rows for j in tree.feature.tolist() if j >= 0}


def missing_in(model, rows):
    """For each row the names of the columns that the file refuses it for; a column's own category is known."""
    table, found = table_of(model, rows), [[] for _ in rows]
    for j in shared_columns(model):
        column, cells = model.schema[j], table.arrays[j]
        for row in np.flatnonzero(cells < 0 if column.is_nominal else np.isnan(cells)).tolist():
            found[row].append(column.name)
    return found


def answered(model, rows):
    """The rows that the file answers."""
    return [row for row, names in zip(rows, missing_in(model, rows), strict=True) if not names]


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_answers_as_the_model(kind):
    for seed in range(3):
        model = model_of(seed, kind=kind, hostile=seed == 2)
        rows = answered(model, hard_rows(model, 600, seed))
        assert len(rows) > 20
        check(model, rows)


@pytest.mark.parametrize(
    "kind", ["id3 majority", "tree larger subset", "cart", "sum softmax", "chaid regression", "c45"]
)
def test_the_evaluator_of_onnx_itself_agrees(kind):
    for seed in range(2):
        model = model_of(seed, kind=kind)
        rows = answered(model, hard_rows(model, 40, seed))
        written = onnx.load_from_string(model.export("onnx", missing=NOTHING))
        *_, found = ReferenceEvaluator(written).run(None, fed(model, rows))
        table = table_of(model, rows)
        expected = model.predict(table) if model.labels is None else model.predict_proba(table)
        assert_close(found, expected, exact=model.combine.kind == "single")


@pytest.mark.skipif(not DEEP, reason="many models; make deep")
def test_many_models_on_many_rows():
    for seed in range(300):
        model = model_of(1000 + seed, hostile=seed % 3 == 0)
        check(model, answered(model, hard_rows(model, 10_000, seed)))


@pytest.mark.parametrize("kind", ["tree larger subset", "cart", "tree branch multiway"])
def test_trees_of_a_mean_answer_together(kind):
    model = model_of(0, kind=kind)
    short = collapse(model.tree, model.tree.depths >= 2)
    leaf = collapse(model.tree, model.tree.depths >= 0)
    model = replace(model, trees=(model.tree, short, leaf, model.tree), combine=Combine("mean"))
    check(model, hard_rows(model, 300))


def test_sums_that_differ_by_rounding_are_equal():
    model = bw.ID3Classifier().fit([[0.0], [1.0]], ["a", "b"]).model_
    leaf = collapse(model.tree, model.tree.depths >= 0)
    values = ([[0.3, 0.1]], [[0.2, 0.2]], [[0.1, 0.3]])
    assert 0.3 + 0.2 + 0.1 < 0.1 + 0.2 + 0.3
    trees = tuple(leaf.replace(value=np.array(value)) for value in values)
    model = replace(model, trees=trees, combine=Combine("mean"))
    label, _ = session(model.export("onnx", inputs="matrix")).run(None, {"X": np.zeros((1, 1))})
    assert label.tolist() == ["a"] == model.predict([[0.0]]).tolist()


def test_a_sum_of_trees_that_have_all_outputs():
    model = model_of(1, kind="tree larger subset")
    labels = model.labels
    combine = Combine("sum", base=tuple(0.1 * k for k in range(len(labels))), link="softmax")
    model = replace(model, trees=(model.tree, collapse(model.tree, model.tree.depths >= 1)), combine=combine)
    check(model, hard_rows(model, 300))


@pytest.mark.parametrize("link", ["identity", "exp"])
def test_of_several_numbers_the_first_is_the_answer(link):
    X = np.arange(6.0)[:, None]
    model = bw.TreeRegressor().fit(X, X[:, 0]).model_
    combine = Combine("sum", base=(0.5, 1.0), output=(0, 1), link=link)
    model = replace(model, trees=(model.tree, model.tree), combine=combine)
    (value,) = session(model.export("onnx", inputs="matrix")).run(None, {"X": X})
    assert_close(value, model.predict(X), exact=False)


def test_a_leaf_may_decide_against_its_largest_output():
    X = np.arange(6.0)[:, None]
    model = bw.ID3Classifier().fit(X, list("aabbcc")).model_
    model = replace(model, trees=(model.tree.replace(answer=(model.tree.decision + 1).astype(np.int32) % 3),))
    assert model.predict(X).tolist() == list("bbccaa")
    label, _ = session(model.export("onnx", inputs="matrix")).run(None, {"X": X})
    assert label.tolist() == model.predict(X).tolist()


def test_a_matrix_goes_in_as_it_is():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 4)) < 0.1, np.nan, rng.normal(size=(300, 4)))
    y = X[:, 2] > 0
    for model in (
        bw.CARTClassifier(max_surrogates=3).fit(X, y).model_,
        bw.TreeClassifier(missing="branch").fit(X, y).model_,
    ):
        run = session(model.export("onnx", inputs="matrix"))
        label, shares = run.run(None, {"X": X})
        assert label.tolist() == model.predict(X).tolist() and label.dtype == bool
        assert np.array_equal(shares, model.predict_proba(X))


def test_numbers_as_categories():
    column = Column("x", "nominal", (0, 1, 2.5, 10), declared=True)
    table = bw.Table(Schema((column,)), (np.array([0, 1, 2, 3, -1], np.int32),))
    for handle_unknown in ("missing", "majority"):
        model = bw.ID3Classifier(handle_unknown=handle_unknown).fit(table, list("abcda")).model_
        rows = [{"x": x} for x in (0, -0.0, 1.0, 2.5, 10, 3, math.inf, None)]
        check(model, rows)


def test_a_column_of_several_types_is_refused():
    column = Column("x", "nominal", ("a", 1), declared=True)
    table = bw.Table(Schema((column,)), (np.array([0, 1], np.int32),))
    for language in ("onnx", "pmml"):
        with pytest.raises(ParameterError, match="Column 'x' has categories of several types"):
            bw.ID3Classifier().fit(table, ["n", "y"]).model_.export(language)


def test_groups_of_categories_are_sets():
    file = onnx.load_from_string(model_of(0, kind="tree larger subset").export("onnx"))
    (trees,) = [node for node in file.graph.node if node.op_type == "TreeEnsemble"]
    assert any(attribute.name == "membership_values" for attribute in trees.attribute)


@pytest.mark.parametrize("kind", ["id3", "cart", "tree larger subset", "chaid", "tree branch multiway"])
def test_steps_may_differ_in_where_new_categories_go(kind, monkeypatch):
    for seed in range(3):
        model = model_of(seed, kind=kind)
        written, rows = mixed_up(model, seed), hard_rows(model, 200, seed)
        monkeypatch.setattr("branchwork.export.onnx_file.program", lambda _, written=written: written)
        _, shares = session(model.export("onnx", missing=NOTHING)).run(None, fed(model, rows))
        assert np.array_equal(shares, outputs_of(written, model, rows)[:, list(written.class_order)])


def test_labels_keep_their_type():
    X = [[0.0], [1.0], [2.0]]
    for labels, expected in [
        ([3, 1, 2], np.int64),
        ([1.0, 5.0, 2.0], np.float64),
        ([True, False, True], np.bool_),
        (["größe", "'", ""], np.object_),
        ([2**70, 1, 5], np.object_),
    ]:
        model = bw.ID3Classifier().fit(X, np.array(labels, object)).model_
        (label, _) = session(model.export("onnx", inputs="matrix")).run(None, {"X": np.array(X)})
        assert label.dtype == expected
        given = [str(x) for x in labels] if expected == np.object_ else labels
        assert label.tolist() == given


def test_the_classes_of_the_probabilities_are_told():
    model = bw.ID3Classifier().fit([[0.0], [1.0]], ["水", "b"]).model_
    written = onnx.load_from_string(model.export("onnx"))
    assert json.loads(written.metadata_props[0].value) == ["b", "水"]
    assert written.producer_name == "branchwork"


def test_columns_may_be_called_as_the_outputs_are():
    X = {
        "label": [0.0, 1.0, 2.0, 3.0],
        "probabilities": ["a", "b", "a", "b"],
        "": [1.0, 1.0, 2.0, 2.0],
        "x": [0.0] * 4,
    }
    model = bw.ID3Classifier().fit(X, ["n", "n", "y", "n"]).model_
    run = session(model.export("onnx"))
    assert [value.name for value in run.get_inputs()] == ["label", "probabilities", "x_", "x"]
    assert [value.name for value in run.get_outputs()] == ["label_2", "probabilities_2"]
    rows = [dict(zip(X, cells, strict=True)) for cells in zip(*X.values(), strict=True)]
    found = run.run(None, fed(model, rows, ["label", "probabilities", "x_", "x"]))
    assert found[0].tolist() == ["n", "n", "y", "n"]


def test_200_hostile_names():
    names = [f"{name}{k}" for k in range(10) for name in HOSTILE]
    rng = np.random.default_rng(0)
    X = dict(zip(names, rng.normal(size=(len(names), 50)), strict=True))
    y = sum(X[name] for name in names[::13]) > 0
    model = bw.ID3Classifier().fit(X, y).model_
    label, _ = session(model.export("onnx")).run(None, {name: cells[:, None] for name, cells in X.items()})
    assert label.tolist() == y.tolist()


def test_the_same_model_has_the_same_bytes():
    for kind in ("cart", "chaid", "sum softmax", "c45"):
        one, other = (model_of(2, kind=kind) for _ in range(2))
        assert one.export("onnx", missing="?") == other.export("onnx", missing="?")


# ---- rows that would be shared among branches

SHARING = (
    "c45",
    "c45 unpruned",
    "j48",
    "tree share multiway",
    "tree share subset",
    "tree regression share",
    "mean",
)


def refusal(run, cells):
    """What onnxruntime says about a batch that it does not answer."""
    with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument) as told:
        run.run(None, cells)
    return str(told.value)


@pytest.mark.parametrize("kind", SHARING)
def test_a_row_with_a_missing_cell_is_refused_where_the_tree_asks_for_it(kind):
    for seed in range(2):
        model = model_of(seed, kind=kind)
        assert all(tree.shares_rows for tree in model.trees)
        rows = hard_rows(model, 60, seed)
        names = missing_in(model, rows)
        assert any(names)
        run = session(model.export("onnx", missing=NOTHING))
        for row, of_row in zip(rows, names, strict=True):
            if of_row:
                told = refusal(run, fed(model, [row]))
                assert any(f"branchwork_refuses_missing_cells: {name}'" in told for name in of_row)
                assert "idx=0 " in told
            else:
                run.run(None, fed(model, [row]))


def test_the_refusal_names_the_column_and_the_first_row():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    model = bw.C45Classifier().fit(X, X[:, 1] > 0).model_
    assert set(model.tree.feature.tolist()) == {1, -1}
    run = session(model.export("onnx", inputs="matrix"))
    X[[7, 150], 1] = np.nan
    told = refusal(run, {"X": X})
    assert "branchwork_refuses_missing_cells: x1'" in told and "idx=7 " in told
    X[:, 1], X[:, [0, 2]] = 1.0, np.nan  # columns that the tree does not ask
    label, _ = run.run(None, {"X": X})
    assert label.all()


def test_one_bad_row_refuses_its_batch_and_no_row_is_answered_by_a_guess():
    tennis = bw.datasets.load("play_tennis")
    model = bw.C45Classifier().fit(tennis.X, tennis.y).model_
    cells = {name: np.array(tennis.X.column(name), object)[:, None] for name in model.schema.names}
    run = session(model.export("onnx"))
    label, _ = run.run(None, cells)
    assert label.tolist() == model.predict(tennis.X).tolist()
    for bad in ("", "Fog"):  # missing, and never seen in training
        cells["Outlook"][5] = bad
        assert "branchwork_refuses_missing_cells: Outlook'" in (told := refusal(run, cells))
        assert "idx=5 " in told
    with pytest.raises(IndexError):
        ReferenceEvaluator(onnx.load_from_string(model.export("onnx"))).run(None, cells)


def test_an_unseen_category_that_goes_with_the_majority_is_answered():
    tennis = bw.datasets.load("play_tennis")
    model = bw.C45Classifier(handle_unknown="majority").fit(tennis.X, tennis.y).model_
    rows = [dict.fromkeys(model.schema.names, "Fog")]
    check(model, rows)


def test_no_rows_are_no_bad_rows():
    X = np.arange(20.0)[:, None]
    model = bw.C45Classifier().fit(X, X[:, 0] > 9).model_
    label, shares = session(model.export("onnx", inputs="matrix")).run(None, {"X": X[:0]})
    assert label.shape == (0,) and shares.shape == (0, 2)


def test_a_known_category_that_a_step_shares_is_refused_when_it_is_written(monkeypatch):
    model = model_of(0, kind="tree share subset")
    written = program(model)
    at, step = next((k, s) for k, s in enumerate(written.trees[0]) if getattr(s, "child_of", None))
    steps = list(written.trees[0])
    steps[at] = replace(step, child_of=(AS_MISSING, *step.child_of[1:]))
    changed = replace(written, trees=(tuple(steps),))
    monkeypatch.setattr("branchwork.export.onnx_file.program", lambda _: changed)
    with pytest.raises(ParameterError, match="shares rows of some categories among branches"):
        model.export("onnx")


# ---- what it says no to


def test_stopping_at_a_new_category_is_refused():
    tennis = bw.datasets.load("play_tennis")
    with pytest.raises(ParameterError, match="an ONNX graph cannot do that"):
        bw.ID3Classifier(handle_unknown="error").fit(tennis.X, tennis.y).model_.export("onnx")
    numbers = bw.ID3Classifier(handle_unknown="error").fit([[0], [1]], ["a", "b"])
    assert numbers.model_.export("onnx")


def test_a_category_that_stands_for_missing_is_refused():
    fitted = bw.ID3Classifier().fit({"x": ["", "a"]}, ["n", "y"])
    with pytest.raises(ParameterError, match=r"Column 'x' has the category '', .* missing='\?'"):
        fitted.model_.export("onnx")
    assert fitted.model_.export("onnx", missing="?")


def test_a_matrix_of_categories_is_refused():
    fitted = bw.ID3Classifier().fit({"x": ["b", "a"]}, ["n", "y"])
    with pytest.raises(ParameterError, match="column 'x' has categories"):
        fitted.model_.export("onnx", inputs="matrix")
    with pytest.raises(ParameterError, match="expected 'columns' or 'matrix'"):
        fitted.model_.export("onnx", inputs="rows")


def test_half_characters_are_refused():
    with pytest.raises(ParameterError, match="cannot be written in UTF-8"):
        bw.ID3Classifier().fit({"\ud800": [0.0, 1.0]}, ["n", "y"]).model_.export("onnx")
    with pytest.raises(ParameterError, match="cannot be written in UTF-8"):
        bw.ID3Classifier().fit({"x": ["\ud800", "a"]}, ["n", "y"]).model_.export("onnx")


def test_without_onnx_the_install_line_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"branchwork\[onnx\]"):
        bw.ID3Classifier().fit([[0], [1]], ["a", "b"]).model_.export("onnx")


# ---- size


def chain(depth):
    """Labels that alternate along one column: every split peels one row."""
    return (
        bw.TreeClassifier(missing="larger")
        .fit(np.arange(depth + 1.0)[:, None], np.arange(depth + 1) % 2)
        .model_
    )


def test_too_deep_trees_are_refused():
    model = chain(DEEPEST)
    assert model.tree.depth == DEEPEST
    X = np.array([[-1.0], [0.0], [DEEPEST / 2], [DEEPEST + 1], [np.nan]])
    label, _ = session(model.export("onnx", inputs="matrix")).run(None, {"X": X})
    assert label.tolist() == model.predict(X).tolist()
    with pytest.raises(ParameterError, match=f"more than {DEEPEST} tests long"):
        chain(DEEPEST + 1).export("onnx")


def test_many_leaves():
    n = 100_000 if DEEP else 10_000
    X = np.arange(float(n))[:, None]
    model = bw.TreeRegressor(min_samples_split=2).fit(X, np.arange(n) % 7 + X[:, 0]).model_
    assert model.tree.n_leaves == n
    (value,) = session(model.export("onnx", inputs="matrix")).run(None, {"X": X})
    assert np.array_equal(value, model.predict(X))
