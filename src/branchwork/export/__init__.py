"""Write a model, or a list of rules, as a program: one intermediate form (program.py), and a writer per language."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Any

from branchwork.errors import ParameterError, did_you_mean
from branchwork.model.flatten import as_sum
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
"""Formats for trees that cannot hold a list of rules."""


MOST_BYTES = 200_000_000
"""A larger program is refused: no compiler, database or editor would accept it."""
BYTES_OF_A_NODE, BYTES_OF_A_NUMBER = 60, 20
"""The minimum size of a step of a program, and of a number in an answer, in most languages."""


def _check_size(model: Model, language: str) -> None:
    """Refuse a program that would be too large, and say how large it would be."""
    nodes = sum(tree.n_nodes for tree in model.trees)
    leaves = sum(tree.n_leaves for tree in model.trees)
    size = nodes * BYTES_OF_A_NODE + leaves * model.trees[0].n_outputs * BYTES_OF_A_NUMBER
    if size > MOST_BYTES:
        raise ParameterError(
            f"{len(model.trees)} trees with {nodes} nodes would make about {size / 1e6:.0f} MB of {language}; the "
            f"limit is {MOST_BYTES / 1e6:.0f} MB. Take fewer or smaller trees (n_estimators, max_depth, "
            "min_samples_leaf), or keep the model in a file with bw.save."
        )


def export(model: Model | RuleList, language: str, **options: Any) -> str | bytes:
    """Write a model, or a list of rules, in a language; `options` are those of its writer."""
    if language not in WRITERS:
        known = ", ".join(map(repr, WRITERS))
        raise ParameterError(
            f"There is no export to {language!r}.{did_you_mean(language, WRITERS)} Expected one of {known}."
        )
    if isinstance(model, RuleList) and language in OF_TREES:
        known = ", ".join(repr(name) for name in WRITERS if name not in OF_TREES)
        raise ParameterError(
            f"{language!r} is a format for trees. A list of rules can be exported to {known}."
        )
    if isinstance(model, Model) and language != "json":  # JSON is a model file, which has a limit of its own
        model = as_sum(model)
        _check_size(model, language)
    writer = import_module(f"branchwork.{WRITERS[language]}").write
    _check_options(writer, language, options)
    written: str | bytes = writer(model, **options)
    return written


def _check_options(writer: Callable[..., Any], language: str, options: dict[str, Any]) -> None:
    """Refuse an option that the writer of a language does not have."""
    parameters = signature(writer).parameters.values()
    known = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters)
    for name in () if takes_any else options:
        if name not in known:
            has = f"It has {', '.join(known)}." if known else "It has none."
            raise ParameterError(
                f"export to {language} has no option {name!r}.{did_you_mean(name, known)} {has}"
            )
