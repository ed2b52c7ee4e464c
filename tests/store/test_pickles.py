"""Pickles and copies of estimators and models carry the model as the bytes of a model file."""

import copy
import datetime
import io
import pickle
from dataclasses import replace

import joblib
import numpy as np
import pytest
from sklearn.base import clone

import branchwork as bw
from branchwork.errors import ModelFormatError, TreeError
from branchwork.store.container import to_bytes

from program_cases import hard_rows, model_of, table_of
from registry import EVERYTHING


def fitted(factory):
    tennis = bw.datasets.load("play_tennis")
    y = np.arange(14.0) % 5 if "Regressor" in factory.__name__ else tennis.y
    return factory().fit(tennis.X, y), tennis.X


def through_joblib(estimator):
    file = io.BytesIO()
    joblib.dump(estimator, file)
    file.seek(0)
    return joblib.load(file)


WAYS = [lambda estimator: pickle.loads(pickle.dumps(estimator)), through_joblib, copy.deepcopy, copy.copy]


@pytest.mark.parametrize("again", WAYS, ids=["pickle", "joblib", "deepcopy", "copy"])
@pytest.mark.parametrize("factory", EVERYTHING, ids=lambda factory: factory.__name__)
def test_an_estimator_comes_back(factory, again):
    estimator, X = fitted(factory)
    other = again(estimator)
    assert other is not estimator
    assert other.predict(X).tolist() == estimator.predict(X).tolist()
    assert other.to_text() == estimator.to_text()
    assert other.get_params() == estimator.get_params()
    assert not hasattr(clone(other), "model_")
    assert type(estimator.model_) is bw.Model  # pickling changed nothing here


def test_a_pickle_holds_the_bytes_of_a_model_file():
    estimator, _ = fitted(bw.ID3Classifier)
    data = pickle.dumps(estimator)
    assert b"branchwork model" in data and b"Tree" not in data
    damaged = data.replace(b"Sunny", b"Snowy")
    with pytest.raises(ModelFormatError, match="sha256"):
        pickle.loads(damaged)


def test_a_copy_shares_the_model_and_an_unfitted_estimator_has_none():
    estimator, _ = fitted(bw.C45Classifier)
    assert copy.copy(estimator).model_ is estimator.model_
    assert not hasattr(pickle.loads(pickle.dumps(bw.C45Classifier())), "model_")


def test_labels_that_no_file_holds_travel_as_objects():
    day = datetime.date(2020, 1, 1)
    estimator = bw.ID3Classifier().fit([["a"], ["b"]], [day, day + datetime.timedelta(1)])
    other = pickle.loads(pickle.dumps(estimator))
    assert other.predict([["a"]])[0] == day


# ---- a model by itself


@pytest.mark.parametrize("again", WAYS, ids=["pickle", "joblib", "deepcopy", "copy"])
@pytest.mark.parametrize("kind", ["id3", "c45", "cart", "chaid regression", "mean", "sum softmax"])
def test_a_model_comes_back(kind, again):
    model = model_of(6, kind=kind, rows=60)
    model.predict(table_of(model, hard_rows(model, 3)))  # what is made on the way is not carried along
    other = again(model)
    assert other is not model and type(other) is bw.Model
    assert to_bytes(other) == to_bytes(model)
    rows = hard_rows(model, 30)
    assert other.outputs(table_of(other, rows)).tobytes() == model.outputs(table_of(model, rows)).tobytes()


def test_a_model_in_a_pickle_is_checked():
    data = pickle.dumps(model_of(6, kind="id3"))
    assert b"branchwork model" in data and b"Tree" not in data
    with pytest.raises(ModelFormatError, match="sha256"):
        pickle.loads(data.replace(b"column 1", b"column 9"))


def test_a_copy_of_a_model_has_the_same_trees():
    model = model_of(6, kind="mean")
    assert all(a is b for a, b in zip(copy.copy(model).trees, model.trees, strict=True))


@pytest.mark.parametrize("again", WAYS, ids=["pickle", "joblib", "deepcopy", "copy"])
def test_a_model_whose_labels_no_file_holds_is_checked_too(again):
    day = datetime.date(2020, 1, 1)
    model = bw.ID3Classifier().fit([["a"], ["b"]], [day, day + datetime.timedelta(1)]).model_
    assert again(model).predict([["b"]])[0] == day + datetime.timedelta(1)
    loop = model.tree.replace(first_child=np.array([0, -1, -1], np.int32))
    damaged = replace(model, trees=(loop,))
    if again is not copy.copy:
        with pytest.raises(TreeError, match="first_child of node 0"):
            again(damaged)


def test_a_damaged_model_does_not_arrive():
    model = model_of(6, kind="mean")
    value = model.trees[1].value.copy()
    value[0] = np.nan
    damaged = replace(model, trees=(model.trees[0], model.trees[1].replace(value=value), *model.trees[2:]))
    with pytest.raises(ModelFormatError, match=r"tree\.1: Not a valid tree: value of node 0 is not finite"):
        pickle.loads(pickle.dumps(damaged))
