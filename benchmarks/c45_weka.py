"""C4.5 with pruning against Weka's J48: the time of one build on a table that is already in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from datasets import real, write_arff
from timing import Figure, Settings, at_least, best_of_turns
from weka import Builds, build, check_weka

import branchwork as bw

J48 = "weka.classifiers.trees.J48"
SMALL = (
    *("weather_nominal", "iris", "labor", "vote", "soybean", "audiology", "glass"),
    *("hypothyroid", "mushroom", "spambase", "titanic"),
)
LARGE = (
    "letter",
    "magic",
    "adult",
    "bank_full",
    "poker_train",
    "fars",
    "skin_segmentation",
    "census_income_kdd",
)
BUILDS = {**dict.fromkeys(SMALL, 30), **dict.fromkeys(LARGE, 2)}  # of Weka in one turn


def figures(settings: Settings) -> Iterator[Figure]:
    """Compare fits from a Table with builds from an Instances, cold and warm."""
    check_weka(settings)
    with TemporaryDirectory() as folder:
        for name in BUILDS:
            yield from _one_table(name, settings, Path(folder) / f"{name}.arff")


def _one_table(name: str, settings: Settings, arff: Path) -> Iterator[Figure]:
    frame, y = real(settings.data, name)
    write_arff(arff, frame, y)
    table, labels = bw.to_table(frame), np.asarray(y)
    runs: list[Builds] = []
    fit = bw.C45Classifier(variant="j48").fit
    turns = {
        "Weka": lambda: runs.append(build(settings.weka_jar, J48, arff, BUILDS[name])),
        "ours": lambda: fit(table, labels),
    }
    best = best_of_turns(turns, settings.rounds)
    ours = bw.C45Classifier(variant="j48").fit(table, labels).get_n_leaves()
    if ours != runs[0].leaves:
        print(f"  note: on {name} our tree has {ours} leaves, Weka's {runs[0].leaves}")
    work = f"C4.5 {name}, pruned, Table"
    first, warm = min(run.first for run in runs), min(run.warm for run in runs)
    yield Figure(work, "Weka J48, as it reports", first, best["ours"], at_least(1))
    yield Figure(work, "Weka J48, warm", warm, best["ours"], at_least(1), wanted=False)
