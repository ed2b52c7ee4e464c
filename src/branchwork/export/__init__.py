"""A model, or a list of rules, as a program: one small form (program.py) and a writer for each language."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from branchwork.errors import ParameterError, did_you_mean
from branchwork.model.model import Model
from branchwork.rules.rule_list import RuleList

WRITERS: dict[str, str] = {
    "python": "export.python",
    "c": "export.c",
    "javascript": "export.javascript",
    "java": "export.java",
    "sql": "export.sql",
    "onnx": "export.onnx_file",
    "pmml": "export.pmml",
    "json": "export.json_file",
    "markdown": "export.markdown",
    "latex": "export.latex",
    "questionnaire": "export.questionnaire",
}
"""Language → the module whose `write(model, **options)` writes it."""


OF_TREES = ("onnx", "pmml", "json")
"""Languages that hold trees, and no rules."""


def export(model: Model | RuleList, language: str, **options: Any) -> str | bytes:
    """Write a model, or a list of rules, in a language; `options` are those of its writer."""
    if language not in WRITERS:
        known = ", ".join(map(repr, WRITERS))
        raise ParameterError(
            f"There is no export to {language!r}.{did_you_mean(language, WRITERS)} Expected one of {known}."
        )
    if isinstance(model, RuleList) and language in OF_TREES:
        known = ", ".join(repr(name) for name in WRITERS if name not in OF_TREES)
        raise ParameterError(f"{language!r} holds trees; a list of rules can be exported to {known}.")
    writer = import_module(f"branchwork.{WRITERS[language]}").write
    try:
        written: str | bytes = writer(model, **options)
    except TypeError as error:
        if "unexpected keyword argument" in str(error) and "write()" in str(error):
            raise ParameterError(f"export({language!r}): {error}.") from None
        raise
    return written
