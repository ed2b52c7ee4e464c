"""Exported JavaScript answers as the model does. Many models are tried in one process."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from export.cases import Case, cases, in_batches, rule_lists, special

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

RUNNER = """
import { readFileSync, writeFileSync } from "node:fs";
const names = JSON.parse(readFileSync("cases.json", "utf8"));
for (const [k, { columns, rows, numeric, values }] of names.entries()) {
    const model = await import(`./m${k}.mjs`);
    const file = readFileSync(`m${k}.bin`);
    const numbers = new Float64Array(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
    const found = [], chances = [];
    for (let at = 0; at < rows; ++at) {
        const row = {};
        columns.forEach((name, j) => {
            let value = numeric[j] < 0 ? values[j][at] : numbers[numeric[j] * rows + at];
            if (value === null || Number.isNaN(value)) {  // all that is missing
                if (at % 4 === 0) return;
                value = [undefined, null, value][at % 3];
            }
            Object.defineProperty(row, name, { value, enumerable: true });
        });
        found.push(model.predict(row));
        if (model.predictProba !== undefined) chances.push(...model.predictProba(row));
    }
    const classes = model.CLASSES ?? null;
    if (classes === null) writeFileSync(`m${k}.out`, new Float64Array(found));
    else writeFileSync(`m${k}.out`, new Float64Array(chances));
    writeFileSync(`m${k}.json`, JSON.stringify({ classes, found: classes === null ? [] : found }));
}
"""


@pytest.mark.parametrize("made", [cases, special, rule_lists])
def test_javascript_answers_as_the_model_does(made, tmp_path):
    for some in in_batches(made):
        run(some, tmp_path)
        for k, case in enumerate(some):
            told = json.loads((tmp_path / f"m{k}.json").read_text(encoding="utf-8"))
            numbers = np.fromfile(tmp_path / f"m{k}.out")
            if case.model.labels is None:
                assert told["classes"] is None
                case.check(numbers.tolist(), None)
            else:
                assert told["classes"] == case.model.classes.tolist()
                case.check(told["found"], numbers.reshape(len(case.rows), -1))


def run(some: list[Case], folder: Path) -> None:
    described = []
    for k, case in enumerate(some):
        text = case.model.export("javascript")
        assert text.isascii()
        (folder / f"m{k}.mjs").write_text(text, encoding="ascii")
        described.append(_described(case, folder / f"m{k}.bin"))
    (folder / "cases.json").write_text(json.dumps(described), encoding="utf-8")
    (folder / "run.mjs").write_text(RUNNER, encoding="utf-8")
    subprocess.run([NODE, "run.mjs"], cwd=folder, check=True)


def _described(case: Case, numbers: Path) -> dict[str, Any]:
    """Names and categories as JSON; numbers, whose last bit counts, in a file of their own."""
    numeric, values, arrays = [], [], []
    for column in case.model.schema:
        cells = [row[column.name] for row in case.rows]
        numeric.append(-1 if column.is_nominal else len(arrays))
        values.append(cells if column.is_nominal else [])
        if not column.is_nominal:
            arrays.append(np.array([np.nan if cell is None else cell for cell in cells], float))
    (np.concatenate(arrays) if arrays else np.empty(0)).tofile(numbers)
    return {
        "columns": list(case.model.schema.names),
        "rows": len(case.rows),
        "numeric": numeric,
        "values": values,
    }
