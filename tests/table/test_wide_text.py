"""Text is measured in the cells of a terminal, not in characters."""

import sys

import pytest

from branchwork.table import wide_text
from branchwork.table.wide_text import NARROW, _widths, cells, cut, left, right
from together import together

WIDE = [
    "Outlook",
    "日本語",
    "한국어",
    "naïve",
    "e\u0301tude",
    "👍🏽",
    "👩\u200d🔬",
    "❤\ufe0f",
    "a👍b",
    "العربية",
    "",
]


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("日本", 4),
        ("e\u0301", 1),
        ("👍", 2),
        ("👍🏽", 2),
        ("👩\u200d🔬", 2),
        ("❤\ufe0f", 2),
        ("ﾊﾝｶｸ", 4),
        ("ＡＢ", 4),
        ("\u1112\u1161\u11ab", 2),
        ("🇩🇪", 2),
        ("", 0),
    ],
)
def test_cells(text, width):
    assert cells(text) == width


@pytest.mark.parametrize("text", WIDE)
def test_padding_fills_the_cells(text):
    assert cells(left(text, 12)) == cells(right(text, 12)) == 12
    assert left(text, 12).startswith(text) and right(text, 12).endswith(text)
    assert left(text, 0) == right(text, 0) == text


@together("most", range(12))
@pytest.mark.parametrize("text", WIDE)
def test_what_is_cut_fits_and_says_so(text, most):
    found = cut(text, most)
    assert cells(found) <= most
    assert found == text if cells(text) <= most else found.endswith("…") or most == 0


def test_signs_that_are_narrow_at_a_glance_take_one_cell():
    narrow = [sign for sign in map(chr, range(sys.maxunicode + 1)) if NARROW.fullmatch(sign)]
    assert len(narrow) > 1000 and {next(_widths(sign)) for sign in narrow} == {1}
    assert not NARROW.fullmatch("soft\u00adhyphen") and cells("soft\u00adhyphen") == 10


def test_only_what_is_kept_of_a_long_text_is_measured(monkeypatch):
    measured = []
    monkeypatch.setattr(wide_text, "_width", lambda sign: measured.append(sign) or 2)
    assert cut("語" * 1_000_000, 9) == "語語語語…" and len(measured) == 5
