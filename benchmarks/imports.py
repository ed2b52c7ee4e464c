"""How long an import takes, in a fresh interpreter each time (the interpreter's own start is not counted).

Compiled bytecode is kept in a folder of its own, filled by a first import that is not counted: whether a
package was compiled when it was installed must not decide.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from timing import Figure, Settings, at_most, best_of_turns

PEER = "import sklearn.tree"
OURS = {"import branchwork": True, "from branchwork import ID3Classifier": False}  # whether it has a target


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare with the import of scikit-learn's trees."""
    with TemporaryDirectory() as bytecode:
        jobs = {statement: lambda s=statement: _seconds(s, bytecode) for statement in (PEER, *OURS)}
        for job in jobs.values():
            job()
        best = best_of_turns(jobs, max(7, settings.rounds), clock=lambda job: job())
    for statement, wanted in OURS.items():
        yield Figure(statement, PEER, best[PEER], best[statement], at_most(1.2), wanted)


def _seconds(statement: str, bytecode: str) -> float:
    code = f"from time import perf_counter as now; start = now(); {statement}; print(now() - start)"
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", code]
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
