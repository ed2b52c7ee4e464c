"""Exported Java compiles without a warning and answers as the model does. Many models are compiled at once."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.export import java
from branchwork.export.program import Field, program
from branchwork.model.combine import Combine
from branchwork.model.model import Model
from branchwork.table.schema import Column, Schema
from branchwork.table.table import Table
from export.cases import DEEP, Case, cases, coded, in_batches, rule_lists, special

from program_cases import hard_rows

JAVAC, JAVA = shutil.which("javac"), shutil.which("java")
ONCE = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]
"""A program that runs once is not worth optimizing."""
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


def test_many_classes_and_a_long_label_come_out(tmp_path):
    """Tables of 9 000 values are no method's, and a label of 14 000 letters may have 84 000 bytes."""
    labels = ["\U0001f332" * 14_000, *(f"class {k}" for k in range(8_999))]
    x = np.arange(9_000.0)
    model = bw.TreeClassifier(missing="share", max_depth=1).fit({"x": x}, labels).model_
    some = [Case("classes", model, hard_rows(model, 20))]
    for case, found, texts in run(some, tmp_path):
        case.check(labels_of(case, found, texts), found[:, 1:])


def scattered(n_categories: int, missing: str) -> Model:
    """Categories in ten branches, no two neighbours in the same one."""
    codes = np.arange(40, dtype=np.int32) % 10
    ten = Column("x", "nominal", tuple("abcdefghij"), declared=True)
    estimator = bw.TreeClassifier(nominal="multiway", missing=missing)
    model = estimator.fit(Table(Schema((ten,)), (codes,)), codes.tolist()).model_
    many = replace(ten, categories=tuple(f"c{k}" for k in range(n_categories)))
    pool = np.append(model.tree.pool[:1], np.arange(n_categories, dtype=np.int32) % 10)
    return replace(model, schema=Schema((many,)), trees=(model.tree.replace(pool=pool),))


MOST_CATEGORIES = {
    "larger": java.LONGEST_METHOD // java.A_PIECE - 2,
    "share": (java.LONGEST_METHOD - 10 * java.A_SHARE) // java.A_SHARED_PIECE - 2,
}


@pytest.mark.skipif(not DEEP, reason="two methods of 64 KB; make deep")
def test_a_step_as_long_as_a_method_comes_out(tmp_path):
    models = [scattered(count, missing) for missing, count in MOST_CATEGORIES.items()]
    for case, found, texts in run([Case("long", model, hard_rows(model, 50)) for model in models], tmp_path):
        case.check(labels_of(case, found, texts), found[:, 1:])


@pytest.mark.parametrize("missing", MOST_CATEGORIES)
def test_a_step_longer_than_a_method_is_refused(missing):
    assert scattered(MOST_CATEGORIES[missing], missing).export("java")
    with pytest.raises(ParameterError, match="so many categories, in 10 branches, that it is too long"):
        scattered(MOST_CATEGORIES[missing] + 10, missing).export("java")


def asking(n_columns: int) -> Model:
    """A sum of trees, one a column."""
    column = Column("x", "nominal", ("a", "b"), declared=True)
    table = Table(Schema((column,)), (np.array([0, 1], np.int32),))
    model = bw.TreeRegressor(missing="larger").fit(table, [0.0, 1.0]).model_
    of = [np.where(model.tree.feature == 0, k, -1).astype(np.int32) for k in range(n_columns)]
    trees = tuple(model.tree.replace(feature=feature) for feature in of)
    schema = Schema(tuple(replace(column, name=f"x{k}") for k in range(n_columns)))
    return replace(model, schema=schema, trees=trees, combine=Combine("sum", base=(0.0,)))


@pytest.mark.skipif(not DEEP, reason="thousands of classes; make deep")
def test_as_many_columns_as_a_method_reads_come_out(tmp_path):
    (tmp_path / "Tree.java").write_text(asking(java.MOST_COLUMNS).export("java"))
    compile_all(tmp_path)


def test_more_columns_than_a_method_reads_are_refused():
    with pytest.raises(ParameterError, match="uses 4001 columns; a Java method can read 4000"):
        asking(java.MOST_COLUMNS + 1).export("java")


def test_java_tells_truth_numbers_and_text_apart(tmp_path):
    categories = (True, 1, "1", "true", 2.5)
    codes = np.arange(40, dtype=np.int32) % 5
    table = Table(Schema((Column("x", "nominal", categories, declared=True),)), (codes,))
    labels = ["is 0", 1, 2.0, 2**70, "is 4"]
    model = bw.TreeClassifier(nominal="multiway").fit(table, [labels[k] for k in codes.tolist()]).model_
    (tmp_path / "Tree2.java").write_text(model.export("java", name="Tree2"))
    (tmp_path / "Run.java").write_text("""
final class Run {
    public static void main(String[] arguments) {
        final Tree2.Row row = new Tree2.Row();
        for (Object cell : new Object[] {true, 1, 1.0, 1L, "1", "true", 2.5, 2.5f}) {
            row.x = cell;
            System.out.print(Tree2.predict(row) + ",");
        }
    }
}""")
    compile_all(tmp_path)
    done = subprocess.run([JAVA, *ONCE, "Run"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == f"is 0,1,1,1,2.0,{2**70},is 4,is 4,"


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
    subprocess.run([JAVA, *ONCE, "Run"], cwd=folder, check=True)
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
    quick = [f"-J{option}" for option in ONCE]
    strict = ["--release", "11", "-Xlint:all,-options", "-Werror"]
    subprocess.run([JAVAC, *quick, *strict, *sources], cwd=folder, check=True)


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
