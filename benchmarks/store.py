"""Model files: loading a large one beside reading its bytes, and saving it beside writing them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from timing import Figure, Settings, at_most, best_of_turns

import branchwork as bw
from branchwork.files import save_bytes
from branchwork.model.combine import Combine
from branchwork.model.model import Model

ROWS = 650_000
"""Of different numbers: a tree of twice as many nodes, 77 bytes each."""


TREES = 800
"""In a file of many: as many nodes in all."""


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare with the bytes alone."""
    rounds = max(5, settings.rounds)
    with TemporaryDirectory() as folder:
        path, other = Path(folder) / "large.bw", Path(folder) / "bytes"
        model = grown(ROWS, 0)
        data, size = bw.save(model, path).read_bytes(), f"{path.stat().st_size / 1e6:.0f} MB"
        jobs = {
            "read": path.read_bytes,
            "load": lambda: bw.load(path),
            "write": lambda: save_bytes(other, data),
            "save": lambda: bw.save(model, path),
        }
        best = best_of_turns(jobs, rounds)
        many = bw.save(of_many(TREES), Path(folder) / "many.bw")
        of_trees = f"{many.stat().st_size / 1e6:.0f} MB of {TREES} trees"
        best_many = best_of_turns({"read": many.read_bytes, "load": lambda: bw.load(many)}, rounds)
    yield Figure(f"bw.load, {size}", "reading its bytes", best["read"], best["load"], at_most(5))
    yield Figure(
        f"bw.load, {of_trees}", "reading its bytes", best_many["read"], best_many["load"], at_most(5)
    )
    yield Figure(
        f"bw.save, {size}", "writing its bytes", best["write"], best["save"], at_most(5), wanted=False
    )


def grown(rows: int, seed: int) -> Model:
    """A tree of twice as many nodes."""
    rng = np.random.default_rng(seed)
    return bw.TreeRegressor(n_jobs=-1).fit(rng.normal(size=(rows, 3)), rng.normal(size=rows)).model_


def of_many(count: int) -> Model:
    """A model of many trees, as a forest is; the working, which forests do not keep, is left out."""
    members = [grown(ROWS // count, seed) for seed in range(count)]
    trees = tuple(member.tree.replace(ledger=None) for member in members)
    return replace(members[0], trees=trees, combine=Combine("mean"))
