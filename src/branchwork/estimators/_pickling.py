"""Pickles of estimators: the model travels as the bytes of a model file, and is checked when it arrives."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

from branchwork.errors import ModelFormatError
from branchwork.model.model import Model
from branchwork.store.container import from_bytes, to_bytes


class Pickles(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """What pickle, joblib and copy ask for."""

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {**state, "model_": _packed(state["model_"])} if "model_" in state else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state.get("model_")
        super().__setstate__({**state, "model_": from_bytes(model)} if isinstance(model, bytes) else state)

    def __copy__(self) -> Self:
        """Return another estimator with the very same model: nothing of it can change."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other


def _packed(model: Model) -> bytes | Model:
    """The model as bytes; as an object if its labels are of a type that no model file holds, dates for example."""
    try:
        return to_bytes(model)
    except ModelFormatError:
        return model
