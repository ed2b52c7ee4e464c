"""SciPy's functions for p-values, as the core calls them: plain C, without Python.

SciPy exports its special functions to Cython (`scipy.special.cython_special`), each with its signature. The core checks
the signatures, so a SciPy whose functions had changed would be refused, not misunderstood.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from branchwork import _core

FUNCTIONS = ("chdtrc", "fdtrc", "gammaln", "betaln")


@cache
def special_functions() -> _core.SpecialFunctions:
    """Return the functions; SciPy is imported when they are first needed."""
    from scipy.special import cython_special

    exported = cython_special.__pyx_capi__
    return _core.SpecialFunctions(*(_for_doubles(exported, name) for name in FUNCTIONS))


def _for_doubles(exported: dict[str, Any], name: str) -> Any:
    """Return a function by its name. One that also takes single precision is exported twice, the double form first."""
    return exported[name if name in exported else f"__pyx_fuse_0{name}"]
