"""A table fits any width without a broken line: columns that tell least go first, then words are cut."""

import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork.table.text_table import terminal_width, text_table
from branchwork.table.wide_text import cells

HEADER = ("feature", "test", "before", "gain", "verdict")
ROWS = [
    ("Outlook", "Outlook = Overcast | Rain | Sunny", "0.9403", "0.2467", "chosen"),
    ("天気", "天気 = 晴れ | 雨", "0.9403", "0.0292", "another column gains more"),
]


def laid_out(room, spare=("before",)):
    return text_table(HEADER, ROWS, words=(0, 1, 4), spare=spare, room=room)


@pytest.mark.parametrize("room", [10, 20, 30, 40, 60, 80, 100, 200])
def test_lines_fit_and_are_as_many_as_rows(room):
    table = laid_out(room)
    assert len(table.lines) == 3 and max(map(cells, table.lines)) <= room
    assert set(table.left_out) == set(HEADER) - {one for one in HEADER if one in table.lines[0]} or room < 30


def test_everything_is_shown_where_there_is_room():
    table = laid_out(None)
    assert table.left_out == () and table.note == ""
    assert table.lines == laid_out(200).lines
    assert all(cell in line for row, line in zip(ROWS, table.lines[1:], strict=True) for cell in row)


def test_columns_align_by_cells():
    header, first, second = laid_out(None).lines
    place = cells(header[: header.index("gain")]) + 4
    assert [
        cells(line[: line.index(gain)]) + 6 for line, gain in ((first, "0.2467"), (second, "0.0292"))
    ] == [
        place,
        place,
    ]


def test_spare_columns_go_first_and_are_told():
    table = laid_out(70)
    assert table.left_out == ("before",) and "gain" in table.lines[0]
    assert table.note == "No room for: before. A wider terminal shows more."
    assert laid_out(70, spare=("gain",)).left_out == ("gain",)


@given(
    st.lists(st.lists(st.text(max_size=30), min_size=4, max_size=4), min_size=1, max_size=4),
    st.integers(8, 90),
)
def test_any_text_fits(rows, room):
    plain = [["".join(sign for sign in cell if sign.isprintable()) for cell in row] for row in rows]
    table = text_table(("a", "b", "c", "d"), plain, words=(0, 2), room=room)
    assert max(map(cells, table.lines)) <= room and len(table.lines) == len(rows) + 1


def test_only_a_terminal_has_a_width(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", "97")
    assert terminal_width(io.StringIO()) is None and terminal_width(Terminal()) == 97
    monkeypatch.setattr(os, "environ", {**os.environ, "COLUMNS": "5"})
    assert terminal_width(Terminal()) == 40
