"""The suffix says how a file is read; what is no table is refused by file name."""

from __future__ import annotations

from pathlib import Path

import pytest

from branchwork.errors import ParameterError
from branchwork.table.read import read
from table.files import refused, write


def test_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    refused(write(tmp_path, "a.xlsx", ""), "'.xlsx'", ".csv, .txt, .tsv, .parquet, .pq, .arff, .data, .names")
    refused(write(tmp_path, "plain", ""), "no suffix")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "parquet", "pq", "arff", "data", "names"])
def test_absent_file_is_named(tmp_path: Path, suffix: str) -> None:
    refused(tmp_path / f"gone.{suffix}", "does not exist")
    (tmp_path / f"folder.{suffix}").mkdir()
    refused(tmp_path / f"folder.{suffix}", "is a folder; expected a file")


def test_path_may_be_text_and_suffix_upper_case(tmp_path: Path) -> None:
    assert read(str(write(tmp_path, "a.CSV", "x,y\n1,u\n"))).shape == (1, 2)


def test_missing_is_for_delimited_files_only(tmp_path: Path) -> None:
    path = write(tmp_path, "a.arff", "@relation r\n@attribute x numeric\n@data\n1\n")
    refused(path, "missing='?'", ".csv, .txt, .tsv", error=ParameterError, missing="?")
    refused_marker = write(tmp_path, "a.csv", "x,y\n1,2\n")
    with pytest.raises(ParameterError, match="found 99"):
        read(refused_marker, missing=(99,))  # type: ignore[arg-type]


def test_categorical_features_makes_numbers_nominal(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "x,y\n3,u\n1,v\n,v\n")
    table = read(path, categorical_features=["x"])
    assert table.schema[0].categories == (1.0, 3.0)
    assert table.column("x") == [3.0, 1.0, None]
