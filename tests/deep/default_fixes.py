"""Apply every default fix of `look` to every table of a folder, and ask what it lost.

    python tests/deep/default_fixes.py FOLDER

The target is the last column of a table. A part of this, with planted and hostile tables, runs in `make test`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import branchwork as bw
from study.lost import losses


def main(folder: str) -> int:
    paths = sorted(Path(folder).rglob("*.parquet"))
    lost = 0
    for path in paths:
        table = bw.read(path)
        target = table.schema.names[-1]
        y = table.column(target)
        known = [row for row, value in enumerate(y) if value is not None]
        found = losses(table.take(known).drop(target), [y[row] for row in known])
        lost += len(found)
        print(f"{path.name}: {found or 'nothing lost'}", flush=True)
    print(f"{len(paths)} tables, {lost} losses")
    return 1 if lost or not paths else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
