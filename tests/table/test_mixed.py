"""A few texts in a column of numbers: the column is read as categories, and a warning says so and what to do."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

from branchwork.errors import BranchworkWarning, FileFormatError, MixedColumnWarning
from branchwork.table.read import read
from table.files import write


def mixed_file(
    folder: Path, *texts: str, numbers: int = 30, name: str = "a.csv", delimiter: str = ","
) -> Path:
    cells = [*map(str, range(numbers)), *texts]
    rows = "".join(f"{cell}{delimiter}{row % 2}\n" for row, cell in enumerate(cells))
    return write(folder, name, f"size{delimiter}y\n" + rows)


def warning_of(path: Path, **options: object) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(path, **options)  # type: ignore[arg-type]
    (warning,) = caught
    assert warning.category is MixedColumnWarning and warning.filename == __file__
    return str(warning.message)


@pytest.mark.parametrize("with_duckdb", [True, False])
@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t")])
def test_one_bad_cell_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_duckdb: bool, name: str, delimiter: str
) -> None:
    if not with_duckdb:
        monkeypatch.setitem(sys.modules, "duckdb", None)
    path = mixed_file(tmp_path, "x", numbers=3000, name=name, delimiter=delimiter)
    message = warning_of(path)
    assert message.startswith(
        f"{path}: column 'size' was read as categories because of 'x' in line 3002 (3000 other cells are numbers). "
    )
    assert (
        "missing=['NA', 'NaN', 'nan', 'x'] (--missing NA --missing NaN --missing nan --missing x)" in message
    )
    assert "categorical_features=['size'] (--categorical size)" in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not read(path, missing=["NA", "NaN", "nan", "x"]).schema[0].is_nominal
        assert read(path, categorical_features=["size"]).schema[0].is_nominal
        assert read(path, drop="size").schema.names == ("y",)


def test_the_line_is_that_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", '\nsize,note\n\n1,"two\nlines"\n' + "2,b\n" * 20 + 'oops,"c\n\nd"\n3,d\n')
    assert path.read_text().splitlines()[26 - 1].startswith("oops")
    assert "because of 'oops' in line 26 (22 other cells are numbers)" in warning_of(path)


def test_several_texts_and_columns(tmp_path: Path) -> None:
    path = mixed_file(tmp_path, "n/a", "x", "n/a", numbers=40)
    message = warning_of(path, missing="?")
    assert "because of 'n/a' in line 42 and 2 more such cells (40 other cells are numbers)" in message
    assert "If such a text means a missing cell" in message and "missing=['?', 'n/a', 'x']" in message
    names = [f"c{j}" for j in range(8)]
    rows = [[str(row)] * 8 for row in range(20)] + [["x"] * 8]
    path = write(tmp_path, "b.csv", "\n".join(",".join(row) for row in [names, *rows]))
    message = warning_of(path)
    assert message.count("was read as categories") == 5
    assert "(20 other cells are numbers), and 3 more. If 'x'" in message


@pytest.mark.parametrize(
    ("numbers", "texts", "told"),
    [
        (10, 1, True),
        (9, 1, False),
        (18, 2, True),
        (17, 2, False),
        (90, 10, True),
        (89, 10, False),
        (50, 0, False),
    ],
)
def test_when_exactly(tmp_path: Path, numbers: int, texts: int, told: bool) -> None:
    path = mixed_file(tmp_path, *(["x"] * texts), "", "NA", numbers=numbers)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(path)
    assert bool(caught) is told


def test_a_warning_of_ours() -> None:
    assert issubclass(MixedColumnWarning, BranchworkWarning)


def test_files_that_declare_their_columns_refuse_the_cell(tmp_path: Path) -> None:
    rows = "".join(f"{row},p\n" for row in range(30)) + "x,q\n"
    arff = write(
        tmp_path, "a.arff", "@relation r\n@attribute size numeric\n@attribute y {p,q}\n@data\n" + rows
    )
    write(tmp_path, "b.names", "p, q.\nsize: continuous.\n")
    for path in (arff, write(tmp_path, "b.data", rows)):
        with pytest.raises(FileFormatError, match=r"attribute 'size' is 'x'; expected a number or \?"):
            read(path)
