"""Studies of data and models.

- `look`: a first look at a table: what its columns hold, what is odd about them, what they tell about the target.
- `clean`: apply fixes by name, record them, and apply the same to new data.
- `regions`: where on the plane of two columns each leaf of a tree answers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchwork.study.clean_apply import Cleaned as Cleaned
    from branchwork.study.clean_apply import Cleaning as Cleaning
    from branchwork.study.clean_apply import clean as clean
    from branchwork.study.clean_apply import fix as fix
    from branchwork.study.look_at import look as look
    from branchwork.study.look_finding import Finding as Finding
    from branchwork.study.look_finding import Fix as Fix
    from branchwork.study.look_result import Look as Look
    from branchwork.study.region import Regions as Regions
    from branchwork.study.region import regions as regions

_HOMES = {
    "Cleaned": "clean_apply",
    "Cleaning": "clean_apply",
    "Finding": "look_finding",
    "Fix": "look_finding",
    "Look": "look_result",
    "Regions": "region",
    "clean": "clean_apply",
    "fix": "clean_apply",
    "look": "look_at",
    "regions": "region",
}

__all__ = ["Cleaned", "Cleaning", "Finding", "Fix", "Look", "Regions", "clean", "fix", "look", "regions"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'branchwork.study' has no attribute {name!r}")
    value = getattr(import_module(f"branchwork.study.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
