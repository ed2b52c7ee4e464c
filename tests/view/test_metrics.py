"""Widths of text: generous enough for what browsers draw, and not much more."""

import pytest

import branchwork as bw
from branchwork.view.metrics import fitted, text_width

WORDS = [
    "Outlook",
    "petal length (cm)",
    "14 rows · 64% Yes",
    "192 rows (weight 175.9) · 74% refused",
    "≤ -0.1797",
    "± 12.3 → …",
    "WWWWMMMM",
    "illicit filling",
    "Größe, naïve, Ærø, Łódź",
    "".join(map(chr, range(32, 127))),
]


@pytest.mark.parametrize("font", ["DejaVu Sans", "Liberation Sans", "Arial", "Helvetica"])
@pytest.mark.parametrize("bold", [False, True])
def test_text_is_no_wider_in_a_browser(page, font, bold):
    script = """([words, font]) => {
        const context = document.createElement('canvas').getContext('2d');
        context.font = font;
        return words.map(word => context.measureText(word).width);
    }"""
    drawn = page.evaluate(script, [WORDS, f"{'bold ' if bold else ''}100px '{font}'"])
    for word, width in zip(WORDS, drawn, strict=True):
        measured = text_width(word, 100, bold=bold)
        assert width <= measured * 1.001 <= width * 1.45, word


def test_text_that_fits_is_left_alone():
    for word in WORDS:
        assert fitted(word, text_width(word, 11), 11) == word


@pytest.mark.parametrize("room", [0.0, 5.0, 30.0, 80.0])
def test_text_that_does_not_fit_ends_in_an_ellipsis(room):
    for word in [*WORDS, "x" * 10_000, "年" * 50]:
        short = fitted(word, room, 11)
        if short != word:
            assert short.endswith("…") and word.startswith(short[:-1])
            assert short == "…" or text_width(short, 11) <= room + 1e-9


def test_other_scripts_are_estimated_by_their_kind(page):
    assert text_width("年年", 10) == 20
    for marked in ("e\u0301", "\u0915\u094d", "a\ufe0f", "a\u200d"):
        assert text_width(marked, 10) == pytest.approx(text_width(marked[0], 10), abs=0.1)
    assert (
        text_width("👍🏽", 10) == pytest.approx(text_width("👍", 10), abs=0.1) and text_width("🌳", 10) > 12
    )
    script = """([words, font]) => {
        const context = document.createElement('canvas').getContext('2d');
        context.font = font;
        return words.map(word => context.measureText(word).width);
    }"""
    words = ["Москва и область", "Ελληνική Δημοκρατία", "مرحبا بالعالم", "القيمة المتوسطة للدخل"]
    drawn = page.evaluate(script, [words, "100px 'DejaVu Sans'"])
    for word, width in zip(words, drawn, strict=True):
        assert width <= text_width(word, 100) <= 1.6 * width, word


def test_a_cut_leaves_letters_and_joined_emoji_whole():
    family = "👨\u200d👩\u200d👧"
    for text in (f"{family}{family}{family}", "e\u0301" * 20):
        for room in range(5, 120, 3):
            short = fitted(text, room, 11)
            kept = short.removesuffix("…")
            assert kept == "" or kept.endswith(("👧", "\u0301")), (room, short)


def test_no_text_is_stretched():
    """A width that is set by force would stretch Arabic, Chinese and emoji to what was only estimated."""
    table = {"年齢": ["دافئ", "بارد"] * 4, "🌳 forest": ["a", "b", "b", "a"] * 2}
    picture = bw.ID3Classifier().fit(table, ["نعم", "لا"] * 4).to_svg()
    assert "دافئ" in picture and "textLength" not in picture and "lengthAdjust" not in picture
