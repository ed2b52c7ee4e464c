"""Runs Weka's AdaBoostM1 with DecisionStump on some tables and stores what it prints.

PYTHONPATH=tests python -m agree.adaboost.ask_weka weka.jar
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from agree.j48.outputs import checksum
from agree.j48.tables import arff, names, read

STORED = Path(__file__).parent / "printed.json"
BOOST = ["weka.classifiers.meta.AdaBoostM1", "-I", "10", "-W", "weka.classifiers.trees.DecisionStump"]
RULE = re.compile(r"(?P<feature>.+?) (?P<sign><=|=) (?P<value>.+) : .+")


def run(jar: str, *options: str) -> str:
    command = ["java", "-cp", jar, BOOST[0], *options, *BOOST[1:]]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def rounds_of(printed: str) -> list[list[object]]:
    """The first branch of every stump, and its weight where there is more than one."""
    parts = printed.split("Decision Stump\n")[1:]
    found: list[list[object]] = []
    for part in parts:
        rule = next((m for line in part.splitlines() if (m := RULE.fullmatch(line))), None)
        weight = re.search(r"Weight: (\S+)", part)
        split = None if rule is None else [rule["feature"], rule["sign"], rule["value"]]
        found.append([split, None if weight is None else float(weight[1])])
    return found


def shares_of(printed: str) -> list[list[float]]:
    """The probabilities of every row, to three decimals."""
    rows = printed.partition("distribution")[2].splitlines()
    return [[float(x) for x in row.split()[-1].replace("*", "").split(",")] for row in rows if row.strip()]


def main(jar: str) -> None:
    stored = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.arff"
        for name in names()[::5]:
            text = arff(read(name))
            if len(text) > 40_000:
                continue
            file.write_text(text, encoding="utf-8")
            stored[name] = {
                "checksum": checksum(text),
                "rounds": rounds_of(run(jar, "-t", str(file), "-no-cv", "-v")),
                "shares": shares_of(run(jar, "-t", str(file), "-T", str(file), "-p", "0", "-distribution")),
            }
    lines = [f" {json.dumps(name)}: {json.dumps(found)}" for name, found in stored.items()]
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
