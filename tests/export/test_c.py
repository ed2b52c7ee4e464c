"""Exported C compiles without a warning and answers as the model does. Many models are one program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from branchwork.export.program import Field, program
from export.cases import Case, cases, coded, in_batches, rule_lists, special

GCC = shutil.which("gcc")
pytestmark = pytest.mark.skipif(GCC is None, reason="gcc is not installed")
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]


@pytest.mark.parametrize("made", [cases, special, rule_lists])
def test_c_answers_as_the_model_does(made, tmp_path):
    for some in in_batches(made):
        for case, (labels, found) in zip(some, run(some, tmp_path), strict=True):
            if case.model.labels is None:
                case.check(found[:, 0].tolist(), None)
            else:
                case.check([labels[int(place)] for place in found[:, 0]], found[:, 1:])


def run(some: list[Case], folder: Path) -> list[tuple[list[Any], np.ndarray]]:
    """Labels, answers and probabilities of every case."""
    cells, texts = coded(some)
    pieces = []
    for k, case in enumerate(some):
        written = case.model.export("c", name=f"m{k}")
        assert written.isascii()
        pieces += [written, _runner(k, case, program(case.model).fields)]
    literals = [_literal(text) for text in texts]
    declared = ["#include <stdio.h>"]
    if any(field.type == "text" for case in some for field in program(case.model).fields):
        declared.append(f"static const char *const texts[] = {{{', '.join(literals)}}};")
    main = ["int main(void) {", *(f"    run_m{k}();" for k in range(len(some))), "    return 0;", "}"]
    return _compiled(
        "\n".join([*declared, *pieces, *main]), np.concatenate([c.ravel() for c in cells]), some, folder
    )


def _literal(text: str) -> str:
    letters = "".join(f"\\{byte:03o}" for byte in text.encode())
    return f'"{letters}"'


def _runner(k: int, case: Case, fields: tuple[Field, ...]) -> str:
    lines = [
        f"static void run_m{k}(void) {{",
        f"    struct m{k}_row row;",
        f"    double cells[{len(fields)}];",
    ]
    if case.model.labels is not None:
        kind = {str: '"%s%c", m0_labels[i], 0', float: '"%.17g%c", m0_labels[i], 0'}
        shown = kind.get(type(case.model.labels[0]), '"%lld%c", (long long)m0_labels[i], 0').replace(
            "m0", f"m{k}"
        )
        lines.append(
            f"    for (size_t i = 0; i < sizeof m{k}_labels / sizeof m{k}_labels[0]; ++i) fprintf(stderr, {shown});"
        )
        lines.append("    fputc(1, stderr);")
    lines.append(f"    for (int at = 0; at < {len(case.rows)}; ++at) {{")
    lines.append("        if (fread(cells, sizeof cells, 1, stdin) != 1) return;")
    for j, field in enumerate(fields):
        value = f"cells[{j}]"
        if field.type == "text":
            value = f"{value} < 0 ? NULL : texts[(int){value}]"
        elif field.type == "truth":
            value = f"(int){value}"
        lines.append(f"        row.{field.identifier} = {value};")
    lines.append(f"        double out[1 + {0 if case.model.labels is None else len(case.model.classes)}];")
    lines.append(f"        out[0] = m{k}_predict(&row);")
    if case.model.labels is not None:
        lines.append(f"        if (m{k}_predict_proba(&row, out + 1) != 0) return;")
    return "\n".join([*lines, "        fwrite(out, sizeof out, 1, stdout);", "    }", "}"])


def _compiled(
    text: str, given: np.ndarray, some: list[Case], folder: Path
) -> list[tuple[list[Any], np.ndarray]]:
    (folder / "program.c").write_text(text, encoding="ascii")
    subprocess.run([GCC, *STRICT, "program.c", "-o", "program", "-lm"], cwd=folder, check=True)
    done = subprocess.run([folder / "program"], input=given.tobytes(), capture_output=True, check=True)
    out, names = np.frombuffer(done.stdout), done.stderr.split(b"\1")
    found, begin = [], 0
    for case in some:
        width = 1 if case.model.labels is None else 1 + len(case.model.classes)
        size = width * len(case.rows)
        labels = [] if case.model.labels is None else _labels(names.pop(0), type(case.model.labels[0]))
        found.append((labels, out[begin : begin + size].reshape(-1, width)))
        begin += size
    assert begin == len(out)
    return found


def _labels(printed: bytes, kind: type) -> list[Any]:
    texts = printed.decode().split("\0")[:-1]
    return texts if kind is str else [kind(int(text)) for text in texts]
