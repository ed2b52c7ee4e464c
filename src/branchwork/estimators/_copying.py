"""Copies of estimators, and fits that other threads see whole.

While one thread fits an estimator, others may ask the same one. They get the answer of the old fit or of the new one,
never a mixture: a fit replaces all attributes by one assignment, and a method that reads more than one of them works on
a copy, which no fit changes.

In a pickle the model travels as the bytes of a model file (model/pickles.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Self, TypeVar, cast

from sklearn.base import BaseEstimator

Method = TypeVar("Method", bound=Callable[..., Any])


class Copies(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """An estimator whose attributes are read and replaced all at once."""

    def __copy__(self) -> Self:
        """Return another estimator with the very same model: nothing of it can change."""
        other = type(self).__new__(type(self))
        other.__dict__ = self.__dict__.copy()
        return other

    def _become(self, fitted: dict[str, Any]) -> None:
        """Replace everything that an earlier fit left behind, in one step."""
        settings = {name: value for name, value in self.__dict__.items() if not name.endswith("_")}
        self.__dict__ = settings | fitted


def of_one_fit(method: Method) -> Method:
    """Let a method read the attributes of one fit only."""

    @wraps(method)
    def on_copy(self: Copies, *args: Any, **kwargs: Any) -> Any:
        return method(self.__copy__(), *args, **kwargs)

    return cast(Method, on_copy)
