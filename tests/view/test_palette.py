"""Text can be read on every card, and colours told apart."""

from itertools import combinations

import numpy as np
import pytest

from branchwork.view.class_key import MOST_ENTRIES, ClassKey
from branchwork.view.palette import DARK, LIGHT, class_look, contrast, mixed


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_has_contrast_on_every_card(theme):
    surfaces = [theme.background, theme.card, *map(theme.tinted, theme.fills().values())]
    for surface in surfaces:
        assert contrast(theme.ink, surface) >= 7 and contrast(theme.muted, surface) >= 4.5, surface


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_there_is_a_colour_for_every_entry_and_they_differ(theme):
    fills = theme.fills()
    entries = [name for name in fills if name[1:].isdigit()]
    assert [f"f{k}" for k in range(MOST_ENTRIES)] == entries
    looks = [(colour, class_look(int(name[1:])).pattern) for name, colour in fills.items() if name in entries]
    looks += [(colour, "") for name, colour in fills.items() if name not in entries]
    for one, other in combinations(looks, 2):
        assert one != other


def test_a_look_is_a_colour_for_day_and_night_and_a_pattern():
    looks = [class_look(entry) for entry in range(MOST_ENTRIES)]
    assert [look.light for look in looks] == [LIGHT.fills()[f"f{k}"] for k in range(MOST_ENTRIES)]
    assert [look.dark for look in looks] == [DARK.fills()[f"f{k}"] for k in range(MOST_ENTRIES)]
    assert not any(look.pattern for look in looks[:8]) and all(look.pattern for look in looks[8:])


def test_marks_of_one_colour_differ():
    key = ClassKey(tuple(map(str, range(MOST_ENTRIES))), False, np.arange(MOST_ENTRIES))
    marks = [(class_look(entry).light, key.mark(entry)) for entry in range(MOST_ENTRIES)]
    assert len(set(marks)) == MOST_ENTRIES and [key.mark(entry) for entry in range(8)] == list(range(8))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_colour_is_seen_on_the_ground(theme):
    for name, colour in theme.fills().items():
        assert contrast(colour, theme.background) >= 1.5, name


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
