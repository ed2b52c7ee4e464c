"""Print the bytes that one fit needs at its peak above what was there before: fit_memory.py ROWS COLUMNS (Linux)"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from datasets import logistic

import branchwork as bw


def status(name: str) -> int:
    """Bytes of the process now (VmRSS) or at its largest (VmHWM)."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def main() -> None:
    """Fit once on a little (so that libraries are loaded), forget the peak so far, then fit on all of it."""
    rows, columns = map(int, sys.argv[1:])
    X, y, _ = logistic(rows, columns)
    tree = bw.TreeClassifier(criterion="entropy")
    tree.fit(X[:1000], y[:1000])
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    tree.fit(X, y)
    print(status("VmHWM") - before)


if __name__ == "__main__":
    main()
