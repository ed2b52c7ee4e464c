"""A model is looked at as its estimator is."""

from __future__ import annotations

from dataclasses import replace

import pytest

import branchwork as bw
from branchwork.errors import ParameterError


@pytest.fixture(scope="module")
def tennis():
    data = bw.datasets.load("play_tennis")
    return bw.ID3Classifier().fit(data.X, data.y)


def test_views_are_those_of_the_estimator(tennis, tmp_path):
    model = tennis.model_
    row = {"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"}
    assert model.to_text() == tennis.to_text()
    assert model.to_dict() == tennis.to_dict()
    assert model.to_svg(theme="dark") == tennis.to_svg(theme="dark")
    assert model.to_dot() == tennis.to_dot()
    assert model.to_html(title="T") == tennis.to_html(title="T")
    assert model.to_html(tmp_path / "t.html", title="T").read_text() == tennis.to_html(title="T")
    assert model.why(row).to_text() == tennis.why(row).to_text()
    assert model.rules().to_text() == tennis.rules().to_text()
    assert model.working(2).to_dict() == tennis.working(2).to_dict()
    assert model.working(0, style="lecture").to_text() == tennis.working(0, style="lecture").to_text()


def test_a_page_is_titled_by_what_the_model_predicts(tennis):
    model = tennis.model_
    assert "<title>PlayTennis</title>" in model.to_html()
    assert "<title>Tree</title>" in replace(model, target=None).to_html()
    assert "<title>Play</title>" in replace(model, target="Play").to_html()
    assert "<title>T</title>" in replace(model, target="Play").to_html(title="T")


def test_a_working_that_is_not_there_is_refused(tennis):
    model = tennis.model_
    with pytest.raises(ParameterError, match="nodes 0 to 7"):
        model.working(8)
    bare = bw.Model(model.schema, model.labels, (model.tree.replace(ledger=None),), model.recipe)
    with pytest.raises(ParameterError, match=r"was not kept.*working\(0, X=X, y=y\)"):
        bare.working()
    tennis_data = bw.datasets.load("play_tennis")
    assert bare.working(0, tennis_data.X, tennis_data.y).to_dict() == model.working(0).to_dict()


def test_an_unknown_language_gets_a_suggestion(tennis):
    with pytest.raises(ParameterError, match=r"no export to 'pythn'\. Did you mean 'python'"):
        tennis.export("pythn")
