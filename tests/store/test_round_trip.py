"""A model comes back from a file as it went in: every array, every word, every prediction."""

import math
import re
import subprocess
import sys
import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import FileFormatError, ModelFormatError, ParameterError
from branchwork.model.model import Model
from branchwork.store.arrays import laid_out
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes
from branchwork.store.values import as_json, from_json
from branchwork.tree.ledger import Ledger
from branchwork.tree.tree import Tree

from program_cases import KINDS, hard_rows, model_of, table_of
from registry import EVERYTHING, RULE_LISTS

SUFFIXES = [".bw", ".json"]


def assert_same_model(model: Model, other: Model) -> None:
    for name in ("schema", "labels", "recipe", "handle_unknown", "occurring", "combine", "target"):
        assert repr(getattr(model, name)) == repr(getattr(other, name)), name
    assert repr(model.spread) == repr(other.spread)
    assert len(model.trees) == len(other.trees)
    for tree, again in zip(model.trees, other.trees, strict=True):
        assert_same_arrays(laid_out(tree, model.schema), again)


def assert_same_arrays(one, other) -> None:
    for own in fields(one):
        a, b = getattr(one, own.name), getattr(other, own.name)
        assert (a is None) == (b is None), own.name
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype, own.name
            assert isinstance(one, Ledger) or not b.flags.writeable, own.name
            np.testing.assert_array_equal(a, b, own.name)
        elif a is not None:
            assert_same_arrays(a, b)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_comes_back_from_both_files(kind):
    model = model_of(KINDS.index(kind), kind=kind, hostile=len(kind) % 2 == 0)
    data, text = to_bytes(model), to_json_bytes(model)
    rows = hard_rows(model, 60)
    coded = table_of(model, rows)
    for other in (from_bytes(data), from_json_bytes(text)):
        assert_same_model(model, other)
        again = table_of(other, rows)
        assert other.outputs(again).tobytes() == model.outputs(coded).tobytes()
        assert other.predict(again).tolist() == model.predict(coded).tolist()
        assert (to_bytes(other), to_json_bytes(other)) == (data, text)  # one model, one file


@pytest.mark.parametrize("target", ["Play", "", "half \ud800 a character", "</script>\0"])
def test_the_name_of_the_target_comes_back(target):
    model = replace(model_of(0, kind="id3"), target=target)
    for other in (from_bytes(to_bytes(model)), from_json_bytes(to_json_bytes(model))):
        assert other.target == target


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("factory", EVERYTHING, ids=lambda factory: factory.__name__)
def test_every_estimator_is_saved_and_loaded(factory, suffix, tmp_path):
    tennis = bw.datasets.load("play_tennis")
    rng = np.random.default_rng(3)
    y = rng.normal(size=14) if "Regressor" in factory.__name__ else tennis.y
    estimator = factory().fit(tennis.X, y)
    path = tmp_path / f"model{suffix}"
    assert bw.save(estimator, path) == path
    model = bw.load(path)
    assert isinstance(model, bw.RuleList if factory in RULE_LISTS else bw.Model)
    assert model.predict(tennis.X).tolist() == estimator.predict(tennis.X).tolist()
    if model.labels is not None:
        assert model.predict_proba(tennis.X).tobytes() == estimator.predict_proba(tennis.X).tobytes()
    assert model.to_text() == estimator.to_text()
    assert model.score(tennis.X, y) == estimator.score(tennis.X, y)
    if factory in RULE_LISTS:
        return
    fitted = replace(estimator.model_, proof=model.proof)  # a file does not keep the work of a search
    assert repr(model.working()) == repr(fitted.working())


VALUES = st.one_of(
    st.text(),
    st.integers(),
    st.integers(-(2**80), 2**80),
    st.just(-(10**5000)),
    st.floats(),
    st.booleans(),
    st.just("\ud800 half"),
)


@given(VALUES)
def test_a_value_keeps_its_type_and_every_bit(value):
    back = from_json(as_json(value, "here"), "here")
    assert type(back) is type(value)
    if isinstance(value, float):
        assert math.isnan(back) if math.isnan(value) else back.hex() == value.hex()
    else:
        assert back == value


@pytest.mark.parametrize(
    "labels",
    [
        ("a", "b"),
        (0, 1),
        (False, True),
        (0.0, 1.0),
        (-(2**70), 2**70),
        ("", "\ud800"),
        (1, "1"),
        (math.inf, -math.inf),
    ],
    ids=repr,
)
def test_labels_and_categories_of_every_type(labels):
    model = model_of(0, kind="stump")
    first = model.schema[0]
    schema = model.schema.with_column(0, replace(first, name="half \udfff"))
    nominal = next(j for j, column in enumerate(schema) if len(column.categories) == 2)
    schema = schema.with_column(nominal, replace(schema[nominal], categories=labels))
    tree = model.tree
    narrow = tree.replace(
        value=tree.value[:, :2].copy(), distribution=tree.distribution[:, :2].copy(), answer=None
    )
    model = replace(model, schema=schema, labels=labels, occurring=(0, 1), trees=(narrow,))
    for other in (from_bytes(to_bytes(model)), from_json_bytes(to_json_bytes(model))):
        assert repr(other.labels) == repr(labels)
        assert other.schema == schema


def test_what_no_file_holds_is_refused_and_named(tmp_path):
    model = model_of(0, kind="stump")
    dates = replace(model, labels=(np.datetime64("2020-01-01"), "b", (1, 2))[: len(model.labels)])
    with pytest.raises(
        ModelFormatError, match=r"labels\[0\]: a datetime64; a model file holds text, numbers and"
    ):
        bw.save(dates, tmp_path / "m.bw")
    twice = replace(model, labels=("a",) * len(model.labels))
    with pytest.raises(ModelFormatError, match=r"labels\[1\]: the same value a second time"):
        bw.save(twice, tmp_path / "m.bw")
    assert list(tmp_path.iterdir()) == []


def test_a_pruned_tree_with_intervals_and_a_lookup_full_of_gaps_is_tidied():
    model = model_of(8, kind="chaid")
    tree = model.tree
    pool = np.concatenate((np.full(5, 9, np.int32), tree.pool))
    nominal = np.array([column.is_nominal for column in model.schema])[tree.feature] & (tree.feature >= 0)
    messy = tree.replace(pool=pool, lookup=np.where(nominal, tree.lookup + 5, tree.lookup).astype(np.int32))
    assert to_bytes(replace(model, trees=(messy,))) == to_bytes(model)


def test_the_container_is_one_that_other_programs_open(tmp_path):
    model = model_of(0, kind="cart")
    bw.save(model, tmp_path / "m.bw")
    tensors = safetensors.numpy.load_file(tmp_path / "m.bw")
    np.testing.assert_array_equal(tensors["tree.0.feature"], model.tree.feature)
    assert "tree.0.surrogates.first" in tensors and "tree.0.ledger.node" in tensors


@pytest.mark.parametrize("kind", ["tree", "forest", "rules", "vote", "neighbours"])
def test_the_bytes_are_those_that_the_safetensors_library_writes(kind, tmp_path):
    tennis = bw.datasets.load("play_tennis")
    est = {
        "tree": bw.CARTClassifier(max_surrogates=2),
        "forest": bw.RandomForestClassifier(n_estimators=12),
        "rules": bw.RuleListClassifier(),
        "vote": bw.VoteClassifier([("id3", bw.ID3Classifier()), ("stump", bw.StumpClassifier())]),
        "neighbours": bw.NeighboursClassifier(k=3),
    }[kind]
    path = bw.save(est.fit(tennis.X, tennis.y, target_name='"größer"\t\x7f\\ 😀'), tmp_path / "m.bw")
    with safetensors.safe_open(path, "np") as file:
        about = file.metadata()
    again = safetensors.numpy.save(safetensors.numpy.load_file(path), about)
    assert path.read_bytes() == again


def test_bytes_are_the_same_in_another_process(tmp_path):
    code = (
        "import sys, branchwork as bw; t = bw.datasets.load('play_tennis');"
        "bw.save(bw.ID3Classifier().fit(t.X, t.y), sys.argv[1])"
    )
    subprocess.run(
        [sys.executable, "-c", code, tmp_path / "there.bw"], check=True
    )  # with other hashes of text
    tennis = bw.datasets.load("play_tennis")
    here = bw.save(bw.ID3Classifier().fit(tennis.X, tennis.y), tmp_path / "here.bw")
    assert (tmp_path / "there.bw").read_bytes() == here.read_bytes()


def test_loading_and_predicting_need_no_scikit_learn(tmp_path):
    tennis = bw.datasets.load("play_tennis")
    for suffix in SUFFIXES:
        bw.save(bw.ID3Classifier().fit(tennis.X, tennis.y), tmp_path / f"m{suffix}")
    code = (
        "import sys, branchwork as bw\n"
        "for suffix in ('.bw', '.json'):\n"
        "    model = bw.load(sys.argv[1] + suffix)\n"
        "    row = dict(Outlook='Sunny', Temperature='Hot', Humidity='High', Wind='Weak')\n"
        "    print(model.predict([row])[0], model.predict_proba([row]).tolist())\n"
        "print([m for m in ('sklearn', 'scipy', 'pandas', 'safetensors') if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, tmp_path / "m"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == "No [[1.0, 0.0]]\nNo [[1.0, 0.0]]\n[]\n"


def test_names_that_are_no_model_files(tmp_path):
    model = model_of(0, kind="stump")
    for name, found in (
        ("m.pkl", r"the suffix '\.pkl'"),
        ("m", "no suffix"),
        ("m.bw.gz", r"the suffix '\.gz'"),
    ):
        for action in (lambda path: bw.save(model, path), bw.load):
            with pytest.raises(FileFormatError, match=rf"{found}; a model file ends in \.bw, or in \.json"):
                action(tmp_path / name)
    with pytest.raises(ModelFormatError, match=r"none\.bw does not exist"):
        bw.load(tmp_path / "none.bw")
    (tmp_path / "folder.bw").mkdir()
    with pytest.raises(ModelFormatError, match=r"folder\.bw is not a file"):
        bw.load(tmp_path / "folder.bw")
    with pytest.raises(FileFormatError, match=r"folder\.bw is not a file"):
        bw.save(model, tmp_path / "folder.bw")


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(ParameterError, match="This ID3Classifier is not fitted"):
        bw.save(bw.ID3Classifier(), tmp_path / "m.bw")
    with pytest.raises(
        ParameterError, match="An object of type dict cannot be saved; expected a fitted estimator"
    ):
        bw.save({}, tmp_path / "m.bw")
    with pytest.raises(ParameterError, match="ID3Classifier is a class"):
        bw.save(bw.ID3Classifier, tmp_path / "m.bw")


def around(estimator, *, fitted=True, refit=True, kind="pipeline"):
    """A pipeline or a search around an estimator, or both."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = np.random.default_rng(0).random((40, 2))
    whole = make_pipeline(StandardScaler(), estimator) if "pipeline" in kind else estimator
    if "search" in kind:
        whole = GridSearchCV(whole, {}, cv=2, refit=refit)
    return whole.fit(X, X[:, 0] > 0.5) if fitted else whole


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (
            {},
            "A Pipeline cannot be saved, but the CARTClassifier in it can: bw.save(pipeline[-1], path). The steps "
            "before it are not in the file; prepare rows with them before predicting.",
        ),
        (
            {"fitted": False},
            "This Pipeline is not fitted; fit it, then save the CARTClassifier in it: bw.save(pipeline[",
        ),
        (
            {"kind": "search"},
            "A GridSearchCV cannot be saved, but the CARTClassifier in it can: bw.save(search.best_esti",
        ),
        (
            {"kind": "search pipeline"},
            "bw.save(search.best_estimator_[-1], path). The steps before it are not in",
        ),
        (
            {"kind": "search", "refit": False},
            "This GridSearchCV keeps no estimator (refit=False); fit it with refit=",
        ),
    ],
)
def test_an_estimator_inside_another_is_named(how, message, tmp_path):
    with pytest.raises(ParameterError, match=re.escape(message)):
        bw.save(around(bw.CARTClassifier(), **how), tmp_path / "m.bw")


def test_the_advice_about_a_pipeline_works(tmp_path):
    pipeline = around(bw.CARTClassifier())
    model = bw.load(bw.save(pipeline[-1], tmp_path / "m.bw"))
    X = np.random.default_rng(1).random((9, 2))
    assert model.predict(pipeline[:-1].transform(X)).tolist() == pipeline.predict(X).tolist()
    search = around(bw.CARTClassifier(), kind="search pipeline")
    bw.save(search.best_estimator_[-1], tmp_path / "m.bw")


def test_a_foreign_estimator_is_told_of_its_reader(tmp_path):
    from sklearn.linear_model import LinearRegression
    from sklearn.tree import DecisionTreeClassifier

    hint = "expected a fitted estimator of Branchwork, a Model or a RuleList.*bw.from_sklearn makes a Model of it"
    for foreign in (LinearRegression(), DecisionTreeClassifier(), around(DecisionTreeClassifier())):
        with pytest.raises(ParameterError, match=hint):
            bw.save(foreign, tmp_path / "m.bw")


def test_a_chain_of_ten_thousand_nodes(tmp_path):
    n = 5000
    x = np.arange(2 * n, dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = bw.TreeRegressor().fit(x[:, None], 2.0**-x).model_
    for suffix in SUFFIXES:
        bw.save(model, tmp_path / f"deep{suffix}")
        other = bw.load(tmp_path / f"deep{suffix}")
        assert isinstance(other.tree, Tree)
        assert other.predict(x[:, None]).tobytes() == model.predict(x[:, None]).tobytes()


@pytest.mark.parametrize("limit", ["strict.MOST_TEXT", "strict.MOST_VALUES", "twin.MOST_VALUES"])
def test_a_model_too_large_to_read_is_not_written_as_json(limit, tmp_path, monkeypatch):
    monkeypatch.setattr(f"branchwork.store.{limit}", 100)
    with pytest.raises(ModelFormatError, match=r"too large for JSON .*Save it as \.bw instead"):
        bw.save(model_of(0, kind="id3"), tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []
