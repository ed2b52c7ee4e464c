"""The house: who may import whom, what is public, and nothing heavy before it is used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import branchwork as bw

SOURCE = Path(bw.__file__).parent

# Each room may import itself, `lazy`, and these. The picture is in docs/how-it-works.md.
MAY_IMPORT = {
    "errors": set(),
    "lazy": set(),
    "files": {"errors"},
    "webpage": set(),
    "information": set(),
    "table": {"errors", "_core"},
    "tree": {"errors", "_core", "table"},
    "measure": {"errors", "_core", "table"},
    "grow": {"errors", "_core", "table", "measure", "tree"},
    "prune": {"errors", "_core", "table", "measure", "tree"},
    "model": {"errors", "files", "_core", "table", "measure", "tree"},
    "rules": {"errors", "_core", "table", "measure", "tree", "model"},
    "hand": {"errors", "table", "measure", "tree", "model"},
    "neighbours": {"errors", "_core", "table", "tree", "model"},
    "learn": {"errors", "table", "measure", "tree", "grow", "prune", "model"},
    "view": {"errors", "webpage", "table", "measure", "tree", "model"},
    "study": {
        "errors",
        "files",
        "table",
        "measure",
        "tree",
        "grow",
        "prune",
        "model",
        "rules",
        "learn",
        "view",
    },
    "store": {"errors", "files", "_core", "table", "measure", "tree", "model", "rules", "neighbours"},
    "export": {"errors", "webpage", "table", "measure", "tree", "model", "rules", "store"},
    "data": {"errors", "table"},
    "estimators": {
        "errors",
        "files",
        "table",
        "measure",
        "tree",
        "grow",
        "prune",
        "model",
        "rules",
        "neighbours",
        "learn",
        "view",
        "study",
        "store",
        "export",
    },
    "__main__": {"cli"},
    "cli": {
        "",
        "errors",
        "files",
        "table",
        "measure",
        "tree",
        "grow",
        "prune",
        "model",
        "rules",
        "neighbours",
        "learn",
        "view",
        "study",
        "store",
        "export",
        "estimators",
        "data",
    },
}

# A model has the looking methods of an estimator, and fetches the view when one is called, and what makes a working
# again from rows; when it is pickled, it fetches the model file (docs/decisions/0012 and 0014). The recipe in a file is
# checked by the recipe itself (0018). A display of a study makes the study when it is asked to draw an estimator.
LATE = {
    "model/looks.py": {"view", "rules", "export", "learn"},
    "model/pickles.py": {"store"},
    "model/committee.py": {"store", "export"},
    "model/prunes.py": {"learn", "prune"},
    "store/recipe.py": {"grow"},
    "rules/rule_list.py": {"export", "store"},
    "neighbours/model.py": {"store"},
    "view/curve_display.py": {"study"},
    "view/bias_display.py": {"study"},
}


def room_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "branchwork":
            parts = node.module.split(".")
            rooms.update({parts[1]} if len(parts) > 1 else {alias.name for alias in node.names})
        elif isinstance(node, ast.Import):
            rooms.update(
                alias.name.split(".")[1] if "." in alias.name else ""
                for alias in node.names
                if alias.name.split(".")[0] == "branchwork"
            )
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}: relative import"
    return rooms


def test_every_room_has_its_import_arrows():
    rooms = {room_of(path) for path in SOURCE.rglob("*.py")} - {"__init__"}
    assert rooms == set(MAY_IMPORT)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_it_may(room):
    for path in SOURCE.rglob("*.py"):
        if room_of(path) == room:
            late = LATE.get(path.relative_to(SOURCE).as_posix(), set())
            assert imports_of(path) <= MAY_IMPORT[room] | {room, "lazy"} | late, path


def test_public_names_exist_and_are_listed():
    assert sorted(bw.__all__) == bw.__all__
    for name in bw.__all__:
        assert getattr(bw, name) is not None
        assert name in dir(bw)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        bw.Nothing  # noqa: B018


def test_type_checkers_see_the_same_names():
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {alias.asname for node in block.body for alias in node.names}
    assert typed == set(bw.__all__)


def test_importing_the_package_imports_nothing_heavy():
    heavy = [
        "sklearn",
        "scipy",
        "pandas",
        "polars",
        "pyarrow",
        "duckdb",
        "matplotlib",
        "rich",
        "typer",
        "narwhals",
    ]
    code = f"import sys, branchwork; print([m for m in {heavy} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


def test_the_command_starts_without_scikit_learn():
    heavy = ["sklearn", "scipy", "pandas", "duckdb"]
    code = f"import sys, branchwork.cli; print([m for m in {heavy} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


def test_the_core_knows_no_python():
    core = Path(__file__).parent.parent / "cpp" / "core"
    files = [*core.rglob("*.hpp"), *core.rglob("*.cpp")]
    assert len(files) > 40
    for path in files:
        text = path.read_text()
        assert "Python.h" not in text and "nanobind" not in text, path


def test_optional_libraries_are_imported_where_they_are_used():
    optional = {"pandas", "polars", "pyarrow", "duckdb", "scipy", "matplotlib", "rich", "onnx"}
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            assert not {name.split(".")[0] for name in names} & optional, path


def test_every_file_is_written_by_files_py():
    own = {
        "files.py",
        "cli/streams.py",  # standard input and pipes, in a temporary folder
        "cli/app.py",  # a closed output, to nowhere
        "view/picture_file.py",  # a picture, in memory
    }
    for path in SOURCE.rglob("*.py"):
        calls = [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Call)]
        names = {getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls}
        opened = [
            call for call in calls if getattr(call.func, "attr", getattr(call.func, "id", "")) == "open"
        ]
        modes = {node.value for call in opened for node in ast.walk(call) if isinstance(node, ast.Constant)}
        writes = names & {"write_text", "write_bytes", "savefig", "fdopen"} or modes & {
            "w",
            "wb",
            "a",
            "ab",
            "x",
        }
        assert not writes or path.relative_to(SOURCE).as_posix() in own, path


def test_files_are_one_idea_long():
    for path in [*SOURCE.rglob("*.py"), *(SOURCE.parents[1] / "cpp").rglob("*.?pp")]:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 500, path


def test_the_stub_of_the_core_is_the_generated_one(tmp_path):
    command = [
        sys.executable,
        "-m",
        "nanobind.stubgen",
        "--quiet",
        "--module",
        "branchwork._core",
        "--output-file",
        tmp_path / "_core.pyi",
    ]
    subprocess.run(command, check=True)
    assert (tmp_path / "_core.pyi").read_text() == (SOURCE / "_core.pyi").read_text(), "run `make stub`"
