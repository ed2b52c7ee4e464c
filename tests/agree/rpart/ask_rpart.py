"""Runs rpart on all tables and stores its answers: `PYTHONPATH=tests python -m agree.rpart.ask_rpart`. Needs R."""

from __future__ import annotations

import json
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from agree.rpart.outputs import ARCHIVE, checksum
from agree.rpart.settings import cases_of
from agree.rpart.tables import csv, names, read

SCRIPT = Path(__file__).parent / "run.R"


def ask(folder: Path, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rpart's answers."""
    (folder / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    subprocess.run(["Rscript", "--vanilla", str(SCRIPT), str(folder)], check=True)
    answers: list[dict[str, Any]] = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    return answers


def case(table: Any, setting: str, settings: dict[str, Any], file: str) -> dict[str, Any]:
    levels = [0 if column.values is None else len(column.values) for column in table.columns]
    classes = 0 if table.classes is None else len(table.classes)
    name = f"{table.name} {setting}"
    return {"name": name, "file": file, "levels": levels, "classes": classes, "settings": settings}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, cases, checksums = Path(name), [], {}
        for table in map(read, names()):
            file, text = f"{table.name}.csv", csv(table)
            (folder / file).write_text(text, encoding="utf-8")
            checksums[table.name] = checksum(text)
            cases += [case(table, setting, how, file) for setting, how in cases_of(table).items()]
        answers = ask(folder, cases)
    failed = [answer for answer in answers if "error" in answer]
    assert not failed, failed[:3]
    stored = json.dumps({"checksums": checksums, "answers": answers}, separators=(",", ":"))
    with zipfile.ZipFile(ARCHIVE, "w") as archive:
        archive.writestr(zipfile.ZipInfo("answers.json"), stored, zipfile.ZIP_LZMA)
    print(len(cases), "trees,", ARCHIVE.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
