"""Widths of text: generous enough for what browsers draw, and not much more."""

import pytest

from branchwork.view.metrics import fitted, is_measured, text_width

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


def test_what_is_only_estimated_is_known():
    assert is_measured("Größe naïve ≤ 3") and is_measured("")
    assert not is_measured("Москва") and not is_measured("年")
    assert text_width("年年", 10) == 20
    assert text_width("e\u0301", 10) == pytest.approx(text_width("e", 10), abs=0.1)
