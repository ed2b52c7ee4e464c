"""What `make demo` installs reads every format: no library is needed but those of the extra `io`."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from branchwork.table.read import _READERS

ROOT = Path(__file__).parents[2]
NOT_INSTALLED = ["pandas", "polars", "pyarrow", "onnx", "matplotlib", "sqlglot", "anywidget"]
PROGRAM = f"""
import sys
for name in {NOT_INSTALLED}:
    sys.modules[name] = None
import branchwork as bw
for path in sys.argv[1:]:
    table = bw.read(path)
    print(path.rsplit(".")[-1], table.n_rows, list(table.schema.names), table.column("size"))
"""


def write_all(folder: Path) -> list[Path]:
    import duckdb

    rows = [("red", 1.5), ("blue", 2.0)]
    for suffix, between in ((".csv", ","), (".txt", ";"), (".tsv", "\t")):
        lines = ["colour" + between + "size", *(f"{colour}{between}{size}" for colour, size in rows)]
        (folder / f"t{suffix}").write_text("\n".join(lines) + "\n")
    cells = "".join(f"{colour},{size}\n" for colour, size in rows)
    declared = "@relation t\n@attribute colour {red,blue}\n@attribute size numeric\n@data\n"
    (folder / "t.arff").write_text(declared + cells)
    (folder / "t.names").write_text("no, yes.\ncolour: red, blue.\nsize: continuous.\n")
    (folder / "t.data").write_text("".join(f"{colour},{size},yes.\n" for colour, size in rows))
    for suffix in (".parquet", ".pq"):
        values = ", ".join(f"('{colour}', {size}::DOUBLE)" for colour, size in rows)
        table = f"(SELECT * FROM (VALUES {values}) AS t(colour, size))"
        duckdb.sql(f"COPY {table} TO '{folder / ('t' + suffix)}' (FORMAT parquet)")
    return sorted(folder.iterdir())


def test_every_format_is_read_with_the_libraries_of_the_demo(tmp_path: Path) -> None:
    paths = write_all(tmp_path)
    assert {path.suffix for path in paths} == set(_READERS)
    command = [sys.executable, "-c", PROGRAM, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == len(paths)
    for line in told:
        assert " 2 ['colour', 'size'" in line and line.endswith("[1.5, 2.0]"), line


def test_the_demo_installs_that_extra() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    installed = re.search(r'--editable "\.\[(\w+)\]"', makefile)
    assert installed and installed[1] == "io"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line.split(">")[0] for line in extras["optional-dependencies"]["io"]] == ["duckdb"]
