"""Optimal trees on rows they have not seen, beside CART and C4.5: python benchmarks/optimal_folds.py FOLDER [TABLE ...]

Prints the table of benchmarks/README.md: the errors of three folds, which are the same for all. A fit of the exact
search has two seconds; what is not proven by then is marked by a star. It is a study and no race, so
`run.py` leaves it out.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

import branchwork as bw

TABLES = [
    "iris",
    "wine",
    "breast_cancer_wdbc",
    "penguins",
    "zoo",
    "car",
    "vote",
    "kr_vs_kp",
    "tic_tac_toe",
    "monks1",
    "monks2",
    "monks3",
    "lymph",
    "balance_scale",
    "hayes_roth",
]
PAPER = [
    "avila",
    "bank",
    "bean_train",
    "bidding",
    "eeg",
    "fault",
    "htru",
    "magic",
    "occupancy",
    "page",
    "raisin",
    "rice",
    "room",
    "segment",
    "wilt",
]
FOLDS, SECONDS = 3, 2.0

LEARNERS: dict[str, Callable[[], Any]] = {
    "CART, depth 3": lambda: bw.CARTClassifier(max_depth=3),
    "optimal, depth 3": lambda: bw.OptimalTreeClassifier(max_depth=3, time_limit=SECONDS),
    "look-ahead, depth 3": lambda: bw.OptimalTreeClassifier(
        max_depth=3, effort="lookahead", time_limit=SECONDS
    ),
    "C4.5": bw.C45Classifier,
}


def main() -> None:
    """Print one line for each table."""
    folder, *names = sys.argv[1:]
    print("| table | " + " | ".join(LEARNERS) + " |")
    print("|---|" + "---|" * len(LEARNERS))
    for name in names or TABLES + PAPER:
        path = Path(folder) / ("contree" if name in PAPER else "") / f"{name}.parquet"
        frame = pd.read_parquet(path)
        print(_line(name, frame.iloc[:, :-1], frame.iloc[:, -1].astype(str).to_numpy()), flush=True)


def _line(name: str, X: pd.DataFrame, y: Any) -> str:
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    cells = []
    for learner in LEARNERS.values():
        wrong, proven = 0, True
        for train, test in folds:
            tree = learner().fit(X.iloc[train], y[train])
            wrong += int((tree.predict(X.iloc[test]) != y[test]).sum())
            ending = tree.search_.ending if hasattr(tree, "search_") else "not_searched"
            proven &= ending in ("proven", "not_searched")
        star = "" if proven else "\\*"
        cells.append(f"{100 * wrong / len(y):.1f}{star}")
    least = min(float(cell.rstrip("\\*")) for cell in cells[:3])
    shown = [
        f"**{cell}**" if k < 3 and float(cell.rstrip("\\*")) == least else cell
        for k, cell in enumerate(cells)
    ]
    return f"| {name}, {len(y):,} × {X.shape[1]} | " + " | ".join(shown) + " |"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    main()
