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
    _, found, rest = run.stdout.partition("\n------------------\n")
    assert found, run.stdout + run.stderr
    return rest.partition("\nNumber of Leaves")[0].strip("\n") + "\n"


def main(jar: str, *wanted: str) -> None:
    """Ask with these sets of options, or with all; what was stored of the others stays."""
    outputs: dict[str, list[str]] = {option: [] for option in wanted or OPTIONS}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.arff"
        for name in names():
            text = arff(read(name))
            file.write_text(text, encoding="utf-8")
            for option in outputs:
                outputs[option].append(f"=== {name} {checksum(text)}\n{ask(jar, file, OPTIONS[option])}")
    texts = {f"{option}.txt": "".join(trees) for option, trees in outputs.items()}
    with zipfile.ZipFile(ARCHIVE) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()} | texts
    with zipfile.ZipFile(ARCHIVE, "w") as archive:
        for name, text in texts.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main(*sys.argv[1:])
