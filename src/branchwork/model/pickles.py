"""Pickle models as the bytes of a model file, which are checked when they are unpickled.

Model files depend on models, not the other way round, so their code is imported when a model is pickled (see looks.py).
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
    """The methods that pickle, joblib and copy need."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        from branchwork.store.container import from_bytes, to_bytes

        model = cast("Model", self)
        try:
            return from_bytes, (to_bytes(model),)
        except ModelFormatError:  # labels of a type that model files cannot hold, such as dates
            return _checked, (type(model), *(getattr(model, own.name) for own in fields(model)))

    def __copy__(self) -> Model:
        """Return another model with the same trees, which can be shared because they never change."""
        return replace(cast("Model", self))


def _checked(kind: type[Model], *parts: Any) -> Model:
    """Make a model of these parts and check its trees, the only part that could crash the core if it were damaged."""
    model = kind(*parts)
    for tree in model.trees:
        check(tree, model.schema)
    return model
