"""Pickles of models: the bytes of a model file, checked when they arrive.

The model file knows models, not the other way round; it is fetched when a model is pickled, as views are (looks.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, cast

from branchwork.errors import ModelFormatError
from branchwork.tree.check import check

if TYPE_CHECKING:
    from branchwork.model.model import Model


class Pickles:
    """What pickle, joblib and copy ask for."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        from branchwork.store.container import from_bytes, to_bytes

        model = cast("Model", self)
        try:
            return from_bytes, (to_bytes(model),)
        except ModelFormatError:  # labels of a type that no model file holds, dates for example
            return _checked, (type(model), *(getattr(model, own.name) for own in fields(model)))

    def __copy__(self) -> Model:
        """Return another model of the very same trees: nothing of them can change."""
        return replace(cast("Model", self))


def _checked(kind: type[Model], *parts: Any) -> Model:
    """The model of these parts; they came as objects, and only the trees can be wrong in a way that harms."""
    model = kind(*parts)
    for tree in model.trees:
        check(tree, model.schema)
    return model
