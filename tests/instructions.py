"""Run a script on both forms of the core's hot loops: plain C++ in a process of its own, and AVX2 here."""

from __future__ import annotations

import json
from typing import Any

from branchwork import _core
from contract.checks import child


def in_both_forms(script: str) -> tuple[Any, Any]:
    """Return what a script leaves in `result`: of the plain form, and of the form that is used by default."""
    names: dict[str, Any] = {}
    exec(script, names)
    form, plain = child(
        script
        + "\nimport json\nfrom branchwork import _core\nprint(json.dumps([_core.instructions(), result]))",
        BRANCHWORK_INSTRUCTIONS="plain",
    )
    assert form == "plain"
    assert _core.instructions() in ("plain", "avx2")
    return plain, json.loads(json.dumps(names["result"]))
