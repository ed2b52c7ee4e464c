"""Model files: loading a large one beside reading its bytes, and saving it beside writing them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from timing import Figure, Settings, at_most, best_of_turns

import branchwork as bw
from branchwork.files import save_bytes

ROWS = 650_000
"""Of different numbers: a tree of twice as many nodes, 77 bytes each."""


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare with the bytes alone."""
    rng = np.random.default_rng(0)
    model = bw.TreeRegressor(n_jobs=-1).fit(rng.normal(size=(ROWS, 3)), rng.normal(size=ROWS)).model_
    with TemporaryDirectory() as folder:
        path, other = bw.save(model, Path(folder) / "large.bw"), Path(folder) / "bytes"
        data, size = path.read_bytes(), f"{path.stat().st_size / 1e6:.0f} MB"
        jobs = {
            "read": path.read_bytes,
            "load": lambda: bw.load(path),
            "write": lambda: save_bytes(other, data),
            "save": lambda: bw.save(model, path),
        }
        best = best_of_turns(jobs, max(5, settings.rounds))
    yield Figure(f"bw.load, {size}", "reading its bytes", best["read"], best["load"], at_most(5))
    yield Figure(
        f"bw.save, {size}", "writing its bytes", best["write"], best["save"], at_most(5), wanted=False
    )
