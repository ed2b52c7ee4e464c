"""Print the bytes that one fit adds to the largest size this process has had: fit_memory.py ROWS COLUMNS"""

from __future__ import annotations

import resource
import sys

from datasets import logistic

import branchwork as bw


def largest() -> int:
    """Bytes of the process at its largest."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Fit once on a little (so that libraries are loaded), then on all of it."""
    rows, columns = map(int, sys.argv[1:])
    X, y, _ = logistic(rows, columns)
    tree = bw.TreeClassifier(criterion="entropy")
    tree.fit(X[:1000], y[:1000])
    before = largest()
    tree.fit(X, y)
    print(largest() - before)


if __name__ == "__main__":
    main()
