"""Studies of data and models: `regions`, where on the plane of two columns each leaf of a tree answers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchwork.study.region import Regions as Regions
    from branchwork.study.region import regions as regions

_HOMES = {"Regions": "region", "regions": "region"}

__all__ = ["Regions", "regions"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'branchwork.study' has no attribute {name!r}")
    value = getattr(import_module(f"branchwork.study.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
