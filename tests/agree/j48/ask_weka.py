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
from agree.j48.outputs import ARCHIVE, OPTIONS, OTHERS, PROBABILITIES, checksum
from agree.j48.tables import arff, asked, names, read

J48 = "weka.classifiers.trees.J48"


def run(jar: str, program: str, file: Path, options: str) -> str:
    command = ["java", "-cp", jar, program, "-t", str(file), *options.split()]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def ask(jar: str, file: Path, option: str) -> str:
    """Return the tree that J48, or another program, prints, or the probabilities of the rows in `asked.arff`."""
    if option in PROBABILITIES:
        wanted = f"{PROBABILITIES[option]} -T {file.with_name('asked.arff')} -p 0 -distribution"
        return numbers_of(run(jar, J48, file, wanted))
    if option in OTHERS:
        printed = run(jar, OTHERS[option], file, "-no-cv -v")
        return printed.partition("\nTime taken")[0].strip("\n") + "\n"
    _, found, rest = run(jar, J48, file, f"{OPTIONS[option]} -no-cv -v").partition(f"\n{'-' * 18}\n")
    assert found, rest
    return rest.partition("\nNumber of Leaves")[0].strip("\n") + "\n"


def numbers_of(printed: str) -> str:
    """The probabilities of one row a line; Weka puts a star before the largest."""
    lines = [line for line in printed.splitlines() if line.strip()]
    start = next(i for i, line in enumerate(lines) if "distribution" in line)
    return "".join(line.split()[-1].replace("*", "") + "\n" for line in lines[start + 1 :])


def can_answer(table: Table, option: str) -> bool:
    if option != "id3":
        return True
    complete = not any(cell is None for row in table.cells for cell in row)
    return complete and all(column.values is not None for column in table.columns)


def main(jar: str, *wanted: str) -> None:
    """Ask for these files, or for all; what was stored of the others stays."""
    outputs: dict[str, list[str]] = {option: [] for option in wanted or [*OPTIONS, *PROBABILITIES, *OTHERS]}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.arff"
        for name in names():
            table = read(name)
            text = arff(table)
            file.write_text(text, encoding="utf-8")
            file.with_name("asked.arff").write_text(arff(asked(table)), encoding="utf-8")
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
