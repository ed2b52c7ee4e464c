"""Attributes that are computed when they are first asked for, without a lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T", covariant=True)


class cached_property(Generic[T]):  # noqa: N801  # it is used as the one of functools is
    """Compute an attribute once and keep it like the property of functools, but never hold a lock.

    Python 3.11 holds one lock for all instances of a class while it computes. Fits of different tables would wait for
    each other, and a process that is forked meanwhile would wait for ever, because the thread that holds the lock does
    not exist there. Without a lock, two threads may compute the same value at once; one of the results is kept.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function, self.name = function, ""
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Note the name under which instances keep the value."""
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | T:
        """Return the value; Python asks only as long as the instance does not have it."""
        if instance is None:
            return self
        # `setdefault` keeps the first of two results, so that everybody sees the same one.
        value: T = instance.__dict__.setdefault(self.name, self.function(instance))
        return value
