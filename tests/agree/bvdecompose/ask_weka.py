"""Runs Weka's BVDecompose with J48 on all cases and stores what it prints.

PYTHONPATH=tests python -m agree.bvdecompose.ask_weka weka.jar
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from agree.bvdecompose.cases import CASES, PRINTED, Case
from agree.j48.tables import arff, read

LINE = re.compile(r"^(Error|Bias\^2|Variance)\s*: ([\d.]+)", re.MULTILINE)
NAMES = {"Error": "error", "Bias^2": "bias2", "Variance": "variance"}


def ask(jar: str, case: Case, file: Path) -> dict[str, float]:
    file.write_text(arff(read(case.table)), encoding="utf-8")
    options = (
        f"-c last -t {file} -T {case.pool} -x {case.repeats} -s {case.seed} -W weka.classifiers.trees.J48"
    )
    command = ["java", "-cp", jar, "weka.classifiers.BVDecompose", *options.split()]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {NAMES[name]: float(number) for name, number in LINE.findall(text)}


def main(jar: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = {case.name: ask(jar, case, Path(folder) / "table.arff") for case in CASES}
    PRINTED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
