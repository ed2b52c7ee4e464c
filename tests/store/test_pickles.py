"""Pickles and copies of estimators carry the model as the bytes of a model file."""

import copy
import datetime
import io
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone

import branchwork as bw
from branchwork.errors import ModelFormatError

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
