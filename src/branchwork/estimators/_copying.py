"""Copies of estimators. In a pickle the model travels as the bytes of a model file (model/pickles.py)."""

from __future__ import annotations

from typing import Self

from sklearn.base import BaseEstimator


class Copies(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """What copy asks for."""

    def __copy__(self) -> Self:
        """Return another estimator with the very same model: nothing of it can change."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other
