"""Exported Python answers as the model does, on the interpreter that runs and on old ones."""

from __future__ import annotations

import pytest

from export.cases import cases, rule_lists, special


def module(text: str) -> dict:
    assert text.isascii()
    names: dict = {}
    exec(compile(text, "written.py", "exec"), names)
    return names


@pytest.mark.parametrize("made", [cases, special, rule_lists])
def test_python_answers_as_the_model_does(made):
    for case in made():
        written = module(case.model.export("python"))
        predicted = [written["predict"](row) for row in case.rows]
        if case.model.labels is None:
            assert "predict_proba" not in written
            case.check(predicted, None)
        else:
            assert list(written["CLASSES"]) == case.model.classes.tolist()
            case.check(predicted, [written["predict_proba"](row) for row in case.rows])
