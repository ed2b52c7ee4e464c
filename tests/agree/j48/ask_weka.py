"""Runs Weka's J48 on all tables and stores what it prints: `PYTHONPATH=tests python -m agree.j48.ask_weka weka.jar`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from agree.j48.outputs import ARCHIVE, OPTIONS, checksum
from agree.j48.tables import arff, names, read


def ask(jar: str, file: Path, options: str) -> str:
    """Return the tree that J48 prints."""
    command = ["java", "-cp", jar, "weka.classifiers.trees.J48", *options.split(), "-t", str(file)]
    run = subprocess.run([*command, "-no-cv", "-v"], capture_output=True, text=True, check=True)
    _, found, rest = run.stdout.partition("J48 unpruned tree\n------------------\n")
    assert found, run.stdout + run.stderr
    return rest.partition("\nNumber of Leaves")[0].strip("\n") + "\n"


def main(jar: str) -> None:
    outputs: dict[str, list[str]] = {option: [] for option in OPTIONS}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.arff"
        for name in names():
            text = arff(read(name))
            file.write_text(text, encoding="utf-8")
            for option, words in OPTIONS.items():
                outputs[option].append(f"=== {name} {checksum(text)}\n{ask(jar, file, words)}")
    with zipfile.ZipFile(ARCHIVE, "w") as archive:
        for option, trees in outputs.items():
            archive.writestr(zipfile.ZipInfo(f"{option}.txt"), "".join(trees), zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main(*sys.argv[1:])
