"""Files compressed with gzip are read like plain ones; damaged ones are refused by name."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from branchwork.errors import FileFormatError
from branchwork.table.blocks import read_blocks, read_like
from branchwork.table.csv_duckdb import cells_by_duckdb
from branchwork.table.read import read
from table.files import facts, refused, write
from table.test_csv_file import both_roads

CSV = "size,colour\n" + "".join(f"{row},{'red' if row % 3 else 'blue'}\n" for row in range(500))
TEXTS = {
    ".csv": CSV,
    ".txt": CSV.replace(",", ";"),
    ".tsv": CSV.replace(",", "\t"),
    ".arff": "@relation r\n@attribute size numeric\n@attribute colour {red, blue}\n@data\n1,red\n2,blue\n",
}


@pytest.mark.parametrize("suffix", TEXTS)
@pytest.mark.parametrize("ending", [".gz", ".GZ", ""])
def test_packed_is_as_plain(tmp_path: Path, suffix: str, ending: str) -> None:
    plain = write(tmp_path, f"plain{suffix}", TEXTS[suffix])
    packed = write(tmp_path, f"packed{suffix}{ending}", gzip.compress(TEXTS[suffix].encode()))
    table = read(plain)
    assert facts(read(packed)) == facts(table)
    schema = table.schema
    expected = [array.tolist() for array in table.arrays]
    with packed.open("rb") as stream:
        for file in (packed, io.BytesIO(packed.read_bytes()), stream):
            found = read_like(read_blocks(file, schema, rows=64, suffix=suffix), schema)
            assert [array.tolist() for array in found.arrays] == expected


def test_both_roads_and_several_members(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv.gz", gzip.compress(CSV.encode()))
    assert cells_by_duckdb(path, CSV.encode(), ["size", "colour"], [0, 1], ",", [""]) is not None
    both_roads(path)
    first, second = CSV[:1000].encode(), CSV[1000:].encode()
    both_roads(write(tmp_path, "b.csv.gz", gzip.compress(first) + gzip.compress(second)))
    assert facts(read(tmp_path / "a.csv.gz")) == facts(read(tmp_path / "b.csv.gz"))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".arff"])
def test_damage_is_told_with_the_file(tmp_path: Path, suffix: str) -> None:
    whole = gzip.compress(TEXTS[suffix].encode())
    spoiled = bytearray(whole)
    spoiled[-6] ^= 0xFF  # the checksum
    schema = read(write(tmp_path, f"plain{suffix}", TEXTS[suffix])).schema
    for name, data in (("cut", whole[: len(whole) // 2]), ("spoiled", bytes(spoiled)), ("start", whole[:5])):
        path = write(tmp_path, f"{name}{suffix}.gz", data)
        refused(path, "is compressed with gzip, but damaged or cut short")
        with pytest.raises(FileFormatError, match="damaged or cut short") as caught:
            read_like(read_blocks(path, schema), schema)
        assert str(path) in str(caught.value)


def test_a_name_that_promises_gzip(tmp_path: Path) -> None:
    refused(write(tmp_path, "a.csv.gz", CSV), "is not compressed with gzip, although its name ends in .gz")
    for name in ("a.gz", "a.parquet.gz", "a.data.gz"):
        path = write(tmp_path, name, gzip.compress(b""))
        refused(path, "has the suffix", ".csv.gz, .txt.gz, .tsv.gz, .arff.gz")
    assert read(write(tmp_path, "plain.gz", gzip.compress(CSV.encode())), suffix=".csv.gz").n_rows == 500
