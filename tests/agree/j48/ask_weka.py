"""Runs Weka's J48, DecisionStump and Id3 on all tables and stores what they print.

PYTHONPATH=tests python -m agree.j48.ask_weka weka.jar
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from agree.c45_outputs import Table
from agree.j48.outputs import ARCHIVE, OPTIONS, OTHERS, checksum
from agree.j48.tables import arff, names, read


def run(jar: str, program: str, file: Path, options: str) -> str:
    command = ["java", "-cp", jar, program, *options.split(), "-t", str(file), "-no-cv", "-v"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def ask(jar: str, file: Path, option: str) -> str:
    """Return the tree that J48, or another program, prints."""
    if option in OTHERS:
        return run(jar, OTHERS[option], file, "").partition("\nTime taken")[0].strip("\n") + "\n"
    _, found, rest = run(jar, "weka.classifiers.trees.J48", file, OPTIONS[option]).partition(
        f"\n{'-' * 18}\n"
    )
    assert found, rest
    return rest.partition("\nNumber of Leaves")[0].strip("\n") + "\n"


def can_answer(table: Table, option: str) -> bool:
    if option != "id3":
        return True
    complete = not any(cell is None for row in table.cells for cell in row)
    return complete and all(column.values is not None for column in table.columns)


def main(jar: str, *wanted: str) -> None:
    """Ask for these files, or for all; what was stored of the others stays."""
    outputs: dict[str, list[str]] = {option: [] for option in wanted or [*OPTIONS, *OTHERS]}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.arff"
        for name in names():
            table = read(name)
            text = arff(table)
            file.write_text(text, encoding="utf-8")
            for option in outputs:
                if can_answer(table, option):
                    outputs[option].append(f"=== {name} {checksum(text)}\n{ask(jar, file, option)}")
    texts = {f"{option}.txt": "".join(trees) for option, trees in outputs.items()}
    with zipfile.ZipFile(ARCHIVE) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()} | texts
    with zipfile.ZipFile(ARCHIVE, "w") as archive:
        for name, text in texts.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main(*sys.argv[1:])
