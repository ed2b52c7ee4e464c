"""How long an import takes, in a fresh interpreter each time (the interpreter's own start is not counted)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from timing import Figure, Settings, at_most, best_of_turns

PEER = "import sklearn.tree"
OURS = {"import branchwork": True, "from branchwork import ID3Classifier": False}  # whether it has a target


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare with the import of scikit-learn's trees."""
    jobs = {statement: lambda s=statement: _seconds(s) for statement in (PEER, *OURS)}
    best = best_of_turns(jobs, max(7, settings.rounds), clock=lambda job: job())
    for statement, wanted in OURS.items():
        yield Figure(statement, PEER, best[PEER], best[statement], at_most(1.2), wanted)


def _seconds(statement: str) -> float:
    code = f"from time import perf_counter as now; start = now(); {statement}; print(now() - start)"
    return float(
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    )
