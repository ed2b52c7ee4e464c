"""Run the benchmarks: python benchmarks/run.py [--data FOLDER] [--only NAME ...] [--save]"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import c45_weka
import chaid
import classes
import export_c
import forest
import forest_real
import growth
import id3_weka
import imports
import optimal
import own_score
import predict
import real
import roads
import stump
import views
import waits
from timing import Figure, LeftOutError, Settings

import neighbours
import store
import study
import tree
from branchwork.files import save_text

FAMILIES: dict[str, Callable[[Settings], Iterator[Figure]]] = {
    "import": imports.figures,
    "id3_weka": id3_weka.figures,
    "c45_weka": c45_weka.figures,
    "stump": stump.figures,
    "classes": classes.figures,
    "chaid": chaid.figures,
    "growth": growth.figures,
    "tree": tree.figures,
    "own_score": own_score.figures,
    "forest": forest.figures,
    "forest_real": forest_real.figures,
    "predict": predict.figures,
    "real": real.figures,
    "flights": real.flights,
    "optimal": optimal.figures,
    "neighbours": neighbours.figures,
    "study": study.figures,
    "views": views.figures,
    "waits": waits.figures,
    "store": store.figures,
    "export_c": export_c.figures,
    "roads": roads.figures,
}
BASELINE = Path(__file__).with_name("baseline.json")
LINE = "{:<45} {:<36} {:>11} {:>11} {:>8} {:>8}  {}"


def main() -> None:
    """Measure every family that was asked for and print one table."""
    options = _options()
    settings = Settings(options.data, options.weka_jar, options.rounds)
    print(LINE.format("work", "peer", "peer needs", "we need", "ratio", "target", "met"))
    measured: dict[str, list[Figure]] = {}
    for name in options.only or FAMILIES:
        try:
            for figure in FAMILIES[name](settings):
                measured.setdefault(name, []).append(figure)
                print(_line(figure), flush=True)
        except LeftOutError as reason:
            print(f"{name} is left out: {reason}.")
    if options.save:
        saved = _baseline(measured)
        if options.only and BASELINE.exists():  # the families that were not measured keep their figures
            before = json.loads(BASELINE.read_text(encoding="utf-8"))["figures"]
            saved["figures"] = before | saved["figures"]
        save_text(BASELINE, json.dumps(saved, indent=1, ensure_ascii=False) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Branchwork beside its peers, in one run.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="folder of <name>.parquet tables")
    parser.add_argument(
        "--only", nargs="+", choices=FAMILIES, metavar="NAME", help=f"of {', '.join(FAMILIES)}"
    )
    parser.add_argument("--weka-jar", type=Path, default=Path("/usr/share/java/weka.jar"), metavar="FILE")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each job; the best one counts")
    parser.add_argument("--save", action="store_true", help=f"write the figures to {BASELINE.name}")
    return parser.parse_args()


def _line(figure: Figure) -> str:
    met = {True: "yes", False: "NO", None: "·"}[figure.met]
    target = str(figure.target) if figure.wanted else "·"
    needs = [_amount(amount, figure.unit) for amount in (figure.peer_needs, figure.we_need)]
    return LINE.format(figure.work, figure.peer, *needs, f"{figure.ratio:.2f}×", target, met)


def _amount(amount: float, unit: str) -> str:
    if unit == "MB":
        return f"{amount:.1f} MB"
    return f"{amount:.3f} s" if amount >= 1 else f"{amount * 1e3:.2f} ms"


def _baseline(measured: dict[str, list[Figure]]) -> dict[str, Any]:
    names = ("branchwork", "numpy", "scikit-learn")
    return {
        "machine": f"{os.cpu_count()}-core {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in names},
        "figures": {
            name: [
                {
                    "work": figure.work,
                    "peer": figure.peer,
                    f"peer_{figure.unit}": round(figure.peer_needs, 6),
                    f"our_{figure.unit}": round(figure.we_need, 6),
                    "ratio": round(figure.ratio, 3),
                    "target": str(figure.target) if figure.wanted else None,
                    "met": figure.met,
                }
                for figure in figures
            ]
            for name, figures in measured.items()
        },
    }


if __name__ == "__main__":
    main()
