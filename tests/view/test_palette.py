"""Text can be read on every card, and colours told apart."""

from itertools import combinations

import pytest

from branchwork.view.class_key import MOST_ENTRIES
from branchwork.view.palette import DARK, LIGHT, contrast, mixed


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_has_contrast_on_every_card(theme):
    surfaces = [theme.background, theme.card, *map(theme.tinted, theme.fills().values())]
    for surface in surfaces:
        assert contrast(theme.ink, surface) >= 7 and contrast(theme.muted, surface) >= 4.5, surface


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_there_is_a_colour_for_every_entry_and_they_differ(theme):
    fills = theme.fills()
    assert [f"f{k}" for k in range(MOST_ENTRIES)] == [name for name in fills if name[1:].isdigit()]
    for one, other in combinations(fills.values(), 2):
        assert one != other


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_ramp_goes_one_way(theme):
    ramp = [colour for name, colour in theme.fills().items() if name.startswith("fr")]
    steps = [contrast(colour, theme.background) for colour in ramp]
    assert steps == sorted(steps)


def test_contrast_as_published():
    # Pairs and ratios from WCAG's own understanding documents and from hand calculation.
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#ffffff", "#ffffff") == 1
    assert mixed("#ff0000", "#0000ff", 0.25) == "#4000bf"
