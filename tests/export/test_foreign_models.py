"""Trees of other libraries travel on: to a file and back, and into programs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from export.cases import Case
from export.databases import asked, in_sqlite

from program_cases import hard_rows, table_of

STORED = Path(__file__).parent.parent / "agree" / "foreign"
FILES = sorted(
    [*STORED.glob("lightgbm_*.txt"), *(p for p in STORED.glob("xgboost_*.json") if "rows" not in p.name)]
)


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def case(request):
    read = bw.from_lightgbm if request.param.suffix == ".txt" else bw.from_xgboost
    model = read(request.param)
    rows = hard_rows(model, 200)
    if model.handle_unknown == "error":
        rows = [row for row in rows if all(known(model, row))]
    return Case(request.param.stem, model, rows)


def known(model, row):
    for column in model.schema:
        value = row[column.name]
        yield not column.is_nominal or value is None or value in column.categories


def test_they_come_back_from_a_file(case, tmp_path):
    table = table_of(case.model, case.rows)
    for suffix in (".bw", ".json"):
        loaded = bw.load(bw.save(case.model, tmp_path / f"model{suffix}"))
        again = table_of(loaded, case.rows)
        assert loaded.outputs(again).tolist() == case.model.outputs(table).tolist()
        assert loaded.apply(again).tolist() == case.model.apply(table).tolist()


def test_they_become_python(case):
    names: dict = {}
    exec(case.model.export("python"), names)
    proba = None if case.model.labels is None else [names["predict_proba"](row) for row in case.rows]
    case.check([names["predict"](row) for row in case.rows], proba)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_they_become_javascript(case, tmp_path):
    (tmp_path / "model.mjs").write_text(case.model.export("javascript"))
    cells = [{k: None if v != v else v for k, v in row.items()} for row in case.rows]
    finite = [row for row in cells if not any(v in (np.inf, -np.inf) for v in row.values())]
    (tmp_path / "rows.json").write_text(json.dumps(finite))
    (tmp_path / "run.mjs").write_text(
        'import { predict } from "./model.mjs"; import { readFileSync } from "fs";'
        'const rows = JSON.parse(readFileSync("rows.json", "utf8"));'
        "console.log(JSON.stringify(rows.map(predict)));"
    )
    answer = subprocess.run(
        ["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=600
    )
    expected = case.model.predict(table_of(case.model, finite)).tolist()
    if case.model.labels is None:
        np.testing.assert_allclose(json.loads(answer.stdout), expected, rtol=1e-12)
    else:
        assert json.loads(answer.stdout) == expected


def test_they_become_sql(case):
    query = asked(case.model.export("sql", dialect="sqlite", form="leaves"))
    found = [row[0] for row in in_sqlite(case.model, case.rows, query)]
    case.check(found, None if case.model.labels is None else case.probabilities)


def test_they_become_onnx(case):
    onnxruntime = pytest.importorskip("onnxruntime")
    try:
        data = case.model.export("onnx")
    except ParameterError as refused:
        assert "training never saw" in str(refused)
        return
    assert onnxruntime.InferenceSession(data).get_inputs()
