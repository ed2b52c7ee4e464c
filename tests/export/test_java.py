"""Exported Java compiles without a warning and answers as the model does. Many models are compiled at once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from branchwork.export.program import Field, program
from export.cases import Case, cases, coded, in_batches, rule_lists, special

JAVAC, JAVA = shutil.which("javac"), shutil.which("java")
pytestmark = pytest.mark.skipif(JAVAC is None or JAVA is None, reason="a JDK is not installed")

RUN = """
import java.io.*;
import java.nio.file.*;
import java.util.*;

final class Run {
    static final List<String> texts = new ArrayList<>();
    static DataInputStream in;
    static DataOutputStream out;
    static int missing;

    static Double number(double cell) {
        return Double.isNaN(cell) && missing++ % 2 == 0 ? null : Double.valueOf(cell);
    }

    static Boolean truth(double cell) {
        return cell < 0 ? null : Boolean.valueOf(cell > 0);
    }

    static String text(double cell) {
        return cell < 0 ? null : texts.get((int) cell);
    }

    static double told(Object label) {
        if (label instanceof Boolean) return (Boolean) label ? 1 : 0;
        return label instanceof Number ? ((Number) label).doubleValue() : texts.indexOf(label);
    }

    public static void main(String[] arguments) throws IOException {
        for (String line : Files.readAllLines(Path.of("texts"))) {
            final StringBuilder text = new StringBuilder();
            for (String letter : line.split(" ")) if (!letter.isEmpty()) text.append((char) Integer.parseInt(letter));
            texts.add(text.toString());
        }
        in = new DataInputStream(new BufferedInputStream(new FileInputStream("cells"), 1 << 20));
        out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream("found"), 1 << 20));
        CALLS
        out.close();
    }
METHODS
}
"""


@pytest.mark.parametrize("made", [cases, special, rule_lists])
def test_java_answers_as_the_model_does(made, tmp_path):
    for some in in_batches(made):
        for case, found, texts in run(some, tmp_path):
            if case.model.labels is None:
                case.check(found[:, 0].tolist(), None)
            else:
                case.check(labels_of(case, found, texts), found[:, 1:])


def labels_of(case: Case, found: np.ndarray, texts: list[str]) -> list[Any]:
    kind = type(case.model.labels[0])
    return [texts[int(x)] if kind is str else kind(x) for x in found[:, 0].tolist()]


def run(some: list[Case], folder: Path) -> list[tuple[Case, np.ndarray, list[str]]]:
    cells, texts = coded(some)
    np.concatenate([array.ravel() for array in cells]).astype(">f8").tofile(folder / "cells")
    letters = [np.frombuffer(text.encode("utf-16-le"), "<u2").tolist() for text in texts]
    (folder / "texts").write_text("".join(" ".join(map(str, text)) + "\n" for text in letters))
    methods, calls = [], []
    for k, case in enumerate(some):
        written = case.model.export("java", name=f"M{k}x")
        assert written.isascii()
        (folder / f"M{k}x.java").write_text(written, encoding="ascii")
        methods.append(_method(k, case, program(case.model).fields))
        calls.append(f"run{k}();")
    text = RUN.replace("CALLS", "\n".join(calls)).replace("METHODS", "\n".join(methods))
    (folder / "Run.java").write_text(text, encoding="ascii")
    compile_all(folder)
    subprocess.run([JAVA, "-Xshare:auto", "Run"], cwd=folder, check=True)
    out, begin, found = np.fromfile(folder / "found", ">f8").astype(float), 0, []
    for case in some:
        width = 1 if case.model.labels is None else 1 + len(case.model.classes)
        size = width * len(case.rows)
        found.append((case, out[begin : begin + size].reshape(-1, width), texts))
        begin += size
    assert begin == len(out)
    return found


def compile_all(folder: Path) -> None:
    sources = sorted(path.name for path in folder.glob("*.java"))
    subprocess.run(
        [JAVAC, "--release", "11", "-Xlint:all,-options", "-Werror", *sources], cwd=folder, check=True
    )


def _method(k: int, case: Case, fields: tuple[Field, ...]) -> str:
    reads = {"number": "number", "text": "text", "truth": "truth"}
    lines: list[Any] = [
        f"static void run{k}() throws IOException {{",
        f"for (int at = 0; at < {len(case.rows)}; ++at) {{",
    ]
    lines.append(f"final M{k}x.Row row = new M{k}x.Row();")
    lines += [f"row.{field.identifier} = {reads[field.type]}(in.readDouble());" for field in fields]
    if case.model.labels is None:
        lines.append(f"out.writeDouble(M{k}x.predict(row));")
    else:
        lines.append(f"out.writeDouble(told(M{k}x.predict(row)));")
        lines.append(f"for (double chance : M{k}x.predictProba(row)) out.writeDouble(chance);")
    return "\n".join([*lines, "}", "}"])
