"""Get SciPy's functions for p-values as C functions, which the core can call without Python.

SciPy exports its special functions to Cython (`scipy.special.cython_special`), each with its signature. The core checks
the signatures, so it refuses a version of SciPy whose functions have changed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from branchwork import _core

FUNCTIONS = ("chdtrc", "fdtrc", "gammaln", "betaln")


@cache
def special_functions() -> _core.SpecialFunctions:
    """Return the functions. SciPy is imported on the first call."""
    from scipy.special import cython_special

    exported = cython_special.__pyx_capi__
    return _core.SpecialFunctions(*(_for_doubles(exported, name) for name in FUNCTIONS))


def _for_doubles(exported: dict[str, Any], name: str) -> Any:
    """Return a function by its name. If there is a form for single precision, too, the first one is for doubles."""
    return exported[name if name in exported else f"__pyx_fuse_0{name}"]
