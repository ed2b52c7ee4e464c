"""ID3 on nominal tables against Weka's Id3: the time of one build on a table that is already in memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from datasets import stored, write_arff
from timing import Figure, Settings, at_least, best_of_turns, repeated
from weka import build, check_weka

import branchwork as bw

TABLES = ("kr_vs_kp", "nursery", "mushroom")
BUILDS = 100  # of Weka in one turn, most of them warm
CALLS = 10  # of ours in one turn
ID3 = "weka.classifiers.trees.Id3"


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare builds from a Table, as Weka's is from an Instances; other inputs for information."""
    check_weka(settings)
    with TemporaryDirectory() as folder:
        for name in TABLES:
            yield from _one_table(name, settings, Path(folder) / f"{name}.arff")


def _one_table(name: str, settings: Settings, arff: Path) -> Iterator[Figure]:
    frame, y = stored(settings.data, name)
    write_arff(arff, frame, y)
    table, array, coded = bw.to_table(frame), np.array(y), pd.Categorical(y)
    ours = {
        f"ID3 {name}, Table, y array of str": lambda: bw.ID3Classifier().fit(table, array),
        f"ID3 {name}, Table, y list of str": lambda: bw.ID3Classifier().fit(table, y),
        f"ID3 {name}, Table, y Categorical": lambda: bw.ID3Classifier().fit(table, coded),
        f"ID3 {name}, pandas frame, y array of str": lambda: bw.ID3Classifier().fit(frame, array),
    }
    clock = repeated(CALLS)
    turns = {
        "Weka, first": lambda: build(settings.weka_jar, ID3, arff, 1).first,
        "ours, first": lambda: _first_fit(settings.data, name),
        "Weka, warm": lambda: build(settings.weka_jar, ID3, arff, BUILDS).warm,
    }
    turns |= {work: lambda job=job: clock(job) for work, job in ours.items()}
    best = best_of_turns(turns, settings.rounds, clock=lambda job: job())
    _check_same_tree(name, table, y, build(settings.weka_jar, ID3, arff, 1).leaves)
    first = f"ID3 {name}, Table, first fit of a process"
    yield Figure(first, "Weka Id3, first build", best["Weka, first"], best["ours, first"], at_least(20))
    for position, work in enumerate(ours):
        yield Figure(
            work, "Weka Id3, warm", best["Weka, warm"], best[work], at_least(20), wanted=position == 0
        )


def _first_fit(folder: Path | None, name: str) -> float:
    """Seconds of the first fit in a fresh interpreter; as with Java, its start and the reading do not count."""
    command = [sys.executable, str(Path(__file__).with_name("first_fit.py")), str(folder), name]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _check_same_tree(name: str, table: bw.Table, y: list[str], leaves: int) -> None:
    """A comparison of times means something only if both grow the same tree."""
    ours = bw.ID3Classifier().fit(table, y).get_n_leaves()
    if ours != leaves:
        print(f"  note: on {name} our tree has {ours} leaves, Weka's {leaves}")
