"""Exported programs and what is odd: names, categories, labels, refusals; and trees that are very deep."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import types
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import branchwork as bw
import export.test_c as in_c
import export.test_java as in_java
import export.test_javascript as in_javascript
from branchwork.errors import DataError, ParameterError
from branchwork.export import python
from branchwork.export.branches import is_wide, pieces
from branchwork.export.lines import Writer, remark
from branchwork.export.parts import Limits, most_waiting, plan
from branchwork.export.program import Ask, program, run
from branchwork.model.model import Model
from branchwork.table.schema import Column, Schema
from branchwork.table.table import MISSING, UNSEEN, Table
from export.cases import DEEP, Case, special

from program_cases import HOSTILE, hard_rows, model_of

LANGUAGES = ("python", "c", "javascript", "java")
ODD_NAMES = (
    *[
        "x",
        "@",
        "NAME",
        "linux",
        "NULL",
        "INFINITY",
        "errno",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "Tree",
        "Row",
        "java",
        "String",
        "cell",
        "row",
        "share",
        "waiting",
        "way0",
        "share0",
        "codes",
        "code",
        "number",
        "place",
        "EOF",
        "M_PI",
        "unix",
        "predict",
        "CLASSES",
        "self",
        "None",
        "arguments",
        "out",
        "p",
        "part0",
        "Cells",
        "read",
        "own",
        "x_keys",
    ],
    "x codes",
    *HOSTILE,
)


def in_python(model: Model) -> types.SimpleNamespace:
    names: dict = {}
    exec(compile(model.export("python"), "written.py", "exec"), names)
    return types.SimpleNamespace(**{k: v for k, v in names.items() if not k.startswith("__")})


def check_everywhere(case: Case, folder: Path) -> None:
    """Try a case in every language that is here."""
    written = in_python(case.model)
    chances = None if case.model.labels is None else [written.predict_proba(row) for row in case.rows]
    case.check([written.predict(row) for row in case.rows], chances)
    for language, there in (("c", in_c.GCC), ("javascript", in_javascript.NODE), ("java", in_java.JAVAC)):
        if there is not None:
            (folder / language).mkdir()
            _check_in(language, case, folder / language)


def _check_in(language: str, case: Case, folder: Path) -> None:
    if language == "c":
        ((labels, found),) = in_c.run([case], folder)
        case.check([labels[int(place)] for place in found[:, 0]], found[:, 1:])
    elif language == "java":
        ((_, found, texts),) = in_java.run([case], folder)
        case.check(in_java.labels_of(case, found, texts), found[:, 1:])
    else:
        in_javascript.run([case], folder)
        told = json.loads((folder / "m0.json").read_text(encoding="utf-8"))
        case.check(told["found"], np.fromfile(folder / "m0.out").reshape(len(case.rows), -1))


def test_two_hundred_odd_names_come_through(tmp_path):
    names = [*ODD_NAMES, *(f"{name} {k}" for k in range(4) for name in ODD_NAMES)][:200]
    assert len(set(names)) == 200
    rng = np.random.default_rng(1)
    columns, arrays = [], []
    for k, name in enumerate(names):
        if k % 2:
            categories = tuple(ODD_NAMES[k % 40 : k % 40 + 4])
            columns.append(Column(name, "nominal", categories, declared=True))
            arrays.append(rng.integers(-1, 4, 400).astype(np.int32))
        else:
            columns.append(Column(name, "numeric"))
            arrays.append(rng.normal(size=400))
    labels = [HOSTILE[k % 7] for k in rng.integers(0, 7, 400).tolist()]
    model = (
        bw.TreeClassifier(nominal="multiway").fit(Table(Schema(tuple(columns)), tuple(arrays)), labels).model_
    )
    assert len(program(model).asked) > 40
    check_everywhere(Case("odd names", model, hard_rows(model, 100)), tmp_path)


@pytest.mark.parametrize("missing", ["larger", "share"])
def test_a_very_deep_tree_comes_out_and_runs(missing, tmp_path):
    depth = 20_000 if DEEP else 300
    x = np.arange(depth + 1.0)
    model = bw.TreeClassifier(missing=missing).fit(x.reshape(-1, 1), np.arange(depth + 1) % 2).model_
    assert model.tree.depth == depth
    rows = [{"x0": float(value)} for value in np.linspace(-1, depth + 1, 60)] + [{"x0": None}]
    check_everywhere(Case("chain", model, rows), tmp_path)


def test_python_runs_a_chain_of_20_000():
    x = np.arange(20_001.0)
    model = bw.TreeClassifier().fit(x.reshape(-1, 1), np.arange(20_001) % 2).model_
    written = in_python(model)
    assert [written.predict({"x0": value}) for value in (0.0, 9_999.0, 20_000.0)] == [0, 1, 0]


def test_parts_keep_their_limits():
    for case in special():
        made = plan(program(case.model), Limits(3, 12))
        for part in made.parts:
            lines = Writer(made, python._Python()).body(part)
            depth = max((len(line) - len(line.lstrip())) // 4 for line in lines)
            wide = is_wide(made.steps(part)[part.root])
            assert wide or (depth <= 4 and len(lines) < 200)
        if case.name not in ("one leaf", "of one category", "many intervals"):
            assert len(made.parts) > 1


@pytest.mark.parametrize("limits", [Limits(1, 1), Limits(2, 6), Limits(3, 40)])
def test_small_parts_answer_as_large_ones_do(limits, monkeypatch):
    monkeypatch.setattr(python, "LIMITS", limits)
    for case in special():
        written = in_python(case.model)
        chances = None if case.model.labels is None else [written.predict_proba(row) for row in case.rows]
        case.check([written.predict(row) for row in case.rows], chances)


def test_the_stack_is_as_large_as_it_must_be():
    """The most that ever wait is what was said; where every cell is missing, all of it is needed."""
    model = model_of(4, kind="tree share subset", rows=300)
    for limits in (Limits(1, 1), Limits(2, 8), Limits(20, 400)):
        made = plan(program(model), limits)
        writer = Writer(made, python._Python())
        parts = []
        for part in made.parts:
            names: dict = {}
            exec(
                "\n".join(
                    ["def part(cell, share, waiting):", *(f"    {line}" for line in writer.body(part))]
                ),
                names,
            )
            parts.append(names["part"])
        fields = made.program.fields
        nothing = {f.identifier: -1 if f.is_nominal else float("nan") for f in fields}
        cell = types.SimpleNamespace(**nothing)
        waiting, most = [(made.starts[0], 1.0)], 1
        while waiting:
            place, share = waiting.pop()
            if place < 0:
                parts[~place](cell, share, waiting)
            most = max(most, len(waiting))
        assert most == most_waiting(made)


def test_halving_finds_every_piece():
    model = next(case.model for case in special() if case.name == "wide with the majority")
    form = program(model)
    ask = next(step for step in form.trees[0] if isinstance(step, Ask) and is_wide(step))
    found = pieces(ask, form.fields)
    assert found[-1].limit is None and [p.limit for p in found[:-1]] == sorted(p.limit for p in found[:-1])
    expected = {UNSEEN: ask.unseen, MISSING: ask.missing} | dict(enumerate(ask.child_of))
    for code, child in expected.items():
        assert next(p.child for p in found if p.limit is None or code <= p.limit) == child


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_model_is_the_same_text(language):
    assert model_of(7, hostile=True).export(language) == model_of(7, hostile=True).export(language)


def refusing() -> Model:
    table = bw.to_table(
        {"wind": ["weak", "strong", "weak", "strong"], "sky": ["blue", "grey", "grey", "blue"]}
    )
    return bw.ID3Classifier(handle_unknown="error").fit(table, ["play", "stay", "play", "stay"]).model_


def test_python_refuses_a_category_as_the_model_does():
    model = refusing()
    written = in_python(model)
    assert written.predict({"wind": "weak", "sky": None}) == "play"
    for row in ({"wind": "none", "sky": "blue"}, {"wind": "weak", "sky": "red"}):  # sky is never asked for
        with pytest.raises(ValueError, match="was not in the training table"):
            written.predict(row)
        with pytest.raises(DataError):
            model.predict([row])


@pytest.mark.skipif(in_c.GCC is None, reason="gcc is not installed")
def test_c_refuses_a_category_with_a_number(tmp_path):
    main = """
int main(void) {
    const struct tree_row good = {"weak", 0}, strange = {"none", "blue"}, red = {"weak", "red"};
    double p[2];
    if (tree_predict(&good) != 0 || tree_predict_proba(&good, p) != 0 || p[0] != 1) return 1;
    if (tree_predict(&strange) != -1 || tree_predict_proba(&strange, p) != -1) return 2;
    return tree_predict(&red) == -1 ? 0 : 3;
}"""
    (tmp_path / "tree.c").write_text(str(refusing().export("c")) + main)
    subprocess.run([in_c.GCC, *in_c.STRICT, "tree.c", "-o", "tree"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "tree"], check=True)


@pytest.mark.skipif(in_javascript.NODE is None, reason="node is not installed")
def test_javascript_refuses_a_category_and_what_is_no_own_property(tmp_path):
    (tmp_path / "tree.mjs").write_text(str(refusing().export("javascript")))
    (tmp_path / "run.mjs").write_text("""
import { predict } from "./tree.mjs";
const thrown = (row) => { try { predict(row); return "nothing"; } catch (error) { return error.name; } };
Object.prototype.wind = "strong";  // somebody's pollution
console.log(predict({ wind: "weak" }), thrown({ wind: "none" }), thrown({ wind: "weak", sky: "red" }), thrown({}));
""")
    done = subprocess.run(
        [in_javascript.NODE, "run.mjs"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout == "play RangeError RangeError nothing\n"


@pytest.mark.skipif(in_java.JAVAC is None, reason="a JDK is not installed")
def test_java_refuses_a_category_with_an_exception(tmp_path):
    (tmp_path / "Tree.java").write_text(str(refusing().export("java")))
    (tmp_path / "Run.java").write_text("""
final class Run {
    public static void main(String[] arguments) {
        final Tree.Row row = new Tree.Row();
        row.wind = "weak";
        System.out.println(Tree.predict(row));
        row.sky = "red";
        try {
            Tree.predict(row);
        } catch (IllegalArgumentException error) {
            System.out.println(error.getMessage());
        }
    }
}""")
    in_java.compile_all(tmp_path)
    done = subprocess.run(
        [in_java.JAVA, *in_java.ONCE, "Run"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout == "play\ncategory red was not in the training table\n"


def of_categories(*categories: object) -> Model:
    codes = np.arange(40, dtype=np.int32) % len(categories)
    table = Table(Schema((Column("x", "nominal", categories, declared=True),)), (codes,))
    return bw.TreeClassifier(nominal="multiway").fit(table, [f"is {k}" for k in codes.tolist()]).model_


def test_truth_numbers_and_text_are_told_apart():
    written = in_python(of_categories(True, 1, "1", "true", 2.5))
    cells = [True, 1, 1.0, "1", "true", 2.5, np.True_, np.float64(2.5), np.str_("1"), None]
    expected = ["is 0", "is 1", "is 1", "is 2", "is 3", "is 4", "is 0", "is 4", "is 2"]
    assert [written.predict({"x": cell}) for cell in cells[:-1]] == expected
    assert in_python(of_categories(True, False)).predict({"x": "true"}) == "is 0"
    assert in_python(of_categories("true", "no")).predict({"x": True}) == "is 0"


@pytest.mark.skipif(in_javascript.NODE is None, reason="node is not installed")
def test_javascript_tells_truth_numbers_and_text_apart(tmp_path):
    (tmp_path / "tree.mjs").write_text(str(of_categories(True, 1, "1", "true", 2.5).export("javascript")))
    (tmp_path / "run.mjs").write_text("""
import { predict } from "./tree.mjs";
console.log([true, 1, 1n, "1", "true", 2.5].map((x) => predict({ x })).join());
""")
    done = subprocess.run(
        [in_javascript.NODE, "run.mjs"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout == "is 0,is 1,is 1,is 2,is 3,is 4\n"


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_what_a_language_has_not_is_refused():
    with pytest.raises(ParameterError, match="'1' as text"):
        of_categories(1, "1").export("c")
    with pytest.raises(ParameterError, match="NUL character"):
        of_categories("a\0b", "c").export("c")
    for language in ("c", "javascript", "java", "onnx", "pmml"):
        for category in (2**60 + 1, 10**400):
            with pytest.raises(
                ParameterError, match=r"A category of column 'x', 1.*, does not fit in a double"
            ):
                of_categories(category, 3).export(language)
    assert in_python(of_categories(2**60 + 1, 3)).predict({"x": 2**60 + 1}) == "is 0"
    for language in LANGUAGES:
        with pytest.raises(ParameterError, match="is of type date"):
            of_categories(date(2026, 1, 1), "b").export(language)
    with pytest.raises(ParameterError, match="1501 branches; a Java method has room for 1500"):
        codes = np.tile(np.arange(1501, dtype=np.int32), 2)
        table = Table(Schema((Column("x", "nominal", tuple(map(str, range(1501)))),)), (codes,))
        bw.ID3Classifier().fit(table, (codes % 3).tolist()).model_.export("java")


@pytest.mark.parametrize(
    ("language", "name"),
    [("c", "a b"), ("c", "int"), ("c", ""), ("java", "Row"), ("java", "class"), ("java", "Parts0")],
)
def test_a_name_that_is_none_is_refused(language, name):
    with pytest.raises(ParameterError, match="name="):
        model_of(0).export(language, name=name)


def of_labels(*labels: object) -> Model:
    return bw.TreeClassifier().fit([[float(k)] for k in range(len(labels))], list(labels)).model_


def test_labels_keep_their_type_where_the_language_has_it():
    for labels, in_c_file, in_java_class in (
        ((1, 2), "const long long tree_labels[] = {\n    1LL, 2LL,", "public static int predict("),
        ((1, 2**40), "1LL, 1099511627776LL", "public static long predict("),
        ((1.0, 2.0), "const double tree_labels[] = {\n    1.0, 2.0,", "public static double predict("),
        ((False, True), "const int tree_labels[] = {\n    0, 1,", "public static boolean predict("),
        (("a", "b"), 'const char *const tree_labels[] = {\n    "a", "b",', "public static String predict("),
    ):
        model = of_labels(*labels)
        assert in_c_file in model.export("c")
        assert in_java_class in model.export("java")
        written = in_python(model)
        found = [written.predict({"x0": float(k)}) for k in range(2)]
        assert found == list(labels) and list(map(type, found)) == list(map(type, labels))


def test_an_option_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="has no option 'prefix'"):
        model_of(0).export("c", prefix="x")


def test_python_wants_numbers_where_numbers_are():
    written = in_python(bw.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).model_)
    assert written.predict({"x0": 1}) == "a"
    with pytest.raises(TypeError, match="expected a number, found '1'"):
        written.predict({"x0": "1"})
    with pytest.raises(KeyError):
        written.predict({})


def test_remarks_are_harmless():
    for name in HOSTILE:
        told = remark(name)
        assert told.isascii() and told.isprintable() and not set(told) & set("*/\\<>?&'\"`${}#!@")


def test_old_pythons_run_it(tmp_path):
    old = next(
        (found for name in ("python3.8", "python3.9") if (found := shutil.which(name))), sys.executable
    )
    if subprocess.run([old, "-c", ""], capture_output=True, check=False).returncode:
        pytest.skip("no old Python runs here")
    case = next(case for case in special() if case.name == "wide and shared")
    (tmp_path / "tree.py").write_text(str(case.model.export("python")))
    (tmp_path / "rows.json").write_text(json.dumps(case.rows))
    code = "import json, tree; print(json.dumps([tree.predict(row) for row in json.load(open('rows.json'))]))"
    done = subprocess.run([old, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == case.predicted


def test_every_language_writes_the_leaf_that_the_program_finds():
    """A slow and obvious twin: the number that a part returns stands for the leaf that `run` finds."""
    case = next(case for case in special() if case.name == "wide")
    form = program(case.model)
    made = plan(form, python.LIMITS)
    names: dict = {}
    exec(compile(case.model.export("python"), "written.py", "exec"), names)
    for row, cells in zip(case.rows, case.cells, strict=True):
        (((leaf, share),),) = run(form, cells)
        assert share == 1
        assert names["_answer"](names["_START"], names["_read"](row)) == made.place[0][leaf]
