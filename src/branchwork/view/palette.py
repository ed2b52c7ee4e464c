"""Colours and patterns of pictures, by daylight and at night.

The first eight classes have the colours of Okabe and Ito, which people with any colour vision can tell apart. Further
classes have the same colours again, hatched: `class_look` gives the look of each, and everything that draws asks it.
Numbers have a ramp from light to dark of one hue. Text is always ink or muted, never a class's colour, so that it can
be read on all of them: at least 4.5 to 1, which a test measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from branchwork.errors import ParameterError

if TYPE_CHECKING:
    from branchwork.view.cards import Card, Deck

ThemeName = Literal["light", "dark", "auto"]
"""`auto` is what the reader's system asks for."""

RAMP_STEPS = 9

Pattern = Literal["", "stripes", "dots", "grid"]
"""How the colour of a class is hatched; "" is a plain colour."""
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
N_COLOURS = 8
"""Colours that classes have before hatching begins."""
MOST_LOOKS = N_COLOURS * len(PATTERNS)
"""Classes that look different from each other."""


class Look(NamedTuple):
    """What stands for a class in every picture: its colour by daylight and at night, and its pattern."""

    light: str
    dark: str
    pattern: Pattern


@dataclass(frozen=True)
class Theme:
    """Colours of one theme.

    Parameters
    ----------
    background, card, edge : of the picture, of a card, around it.
    ink, muted : of what is said first, and of the rest.
    branch, strong : of branches, and of those on the way that is pointed out.
    track : behind bars.
    classes, others : of the first entries of the legend, and of all other classes together.
    ramp : the lowest and the highest number.
    tint : how much of its colour a leaf's card has.
    """

    background: str
    card: str
    edge: str
    ink: str
    muted: str
    branch: str
    strong: str
    track: str
    classes: tuple[str, ...]
    others: str
    ramp: tuple[str, str]
    tint: float

    def fills(self) -> dict[str, str]:
        """Return the colours of classes and numbers by the names that `fill` gives them; patterns are extra."""
        steps = [mixed(self.ramp[1], self.ramp[0], step / (RAMP_STEPS - 1)) for step in range(RAMP_STEPS)]
        return {
            **{f"f{k}": self.classes[k % N_COLOURS] for k in range(MOST_LOOKS)},
            "fo": self.others,
            **{f"fr{k}": colour for k, colour in enumerate(steps)},
        }

    def tinted(self, colour: str) -> str:
        """The card of a leaf of this colour."""
        return mixed(colour, self.card, self.tint)


LIGHT = Theme(
    background="#ffffff",
    card="#ffffff",
    edge="#cfd6de",
    ink="#1b2026",
    muted="#555f6a",
    branch="#c5ced8",
    strong="#1b2026",
    track="#e9edf1",
    classes=("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#c9bd00", "#7f5fc7"),
    others="#8c959f",
    ramp=("#a3c9ea", "#083f80"),
    tint=0.16,
)

DARK = Theme(
    background="#10151c",
    card="#1a212b",
    edge="#3e4855",
    ink="#e8edf3",
    muted="#aeb8c3",
    branch="#46515f",
    strong="#e8edf3",
    track="#2a333f",
    classes=("#3d9bdc", "#f0b030", "#22b98f", "#dd93bb", "#86cdf5", "#f07a32", "#e6dc3c", "#a78bea"),
    others="#8c959f",
    ramp=("#2a5588", "#a8d6ff"),
    tint=0.2,
)


def class_look(entry: int) -> Look:
    """Return the look of an entry of the legend, counted from 0: the palette first, then the palette with patterns.

    >>> class_look(1)
    Look(light='#e69f00', dark='#f0b030', pattern='')
    >>> class_look(9).pattern, class_look(9).light == class_look(1).light
    ('stripes', True)
    """
    colour, pattern = entry % N_COLOURS, PATTERNS[entry // N_COLOURS]
    return Look(LIGHT.classes[colour], DARK.classes[colour], pattern)


def check_theme(theme: str) -> None:
    """Refuse a theme that is none."""
    if theme not in get_args(ThemeName):
        raise ParameterError(f"theme={theme!r}; expected one of {', '.join(map(repr, get_args(ThemeName)))}.")


def fill(shown: Deck, card: Card) -> str:
    """The name of the colour that stands for a node's answer."""
    if card.spread is None:
        return entry_fill(shown, card.decision)
    return mean_fill(shown, card.spread.mean)


def entry_fill(shown: Deck, entry: int) -> str:
    """The name of the colour of an entry of the legend."""
    assert shown.key is not None
    return shown.key.fill(entry)


def mean_fill(shown: Deck, mean: float) -> str:
    """The name of the colour of a number: its step on the ramp from the lowest mean to the highest."""
    assert shown.means is not None
    low, high = shown.means
    step = round((mean - low) / (high - low) * (RAMP_STEPS - 1)) if high > low else RAMP_STEPS // 2
    return f"fr{step}"


def mixed(colour: str, other: str, share: float) -> str:
    """A share of one colour, the rest of another.

    >>> mixed("#ffffff", "#000000", 0.5)
    '#808080'
    """
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share) + 1e-9):02x}" for a, b in pairs)


def contrast(colour: str, other: str) -> float:
    """The contrast of two colours as WCAG has it, from 1 to 21.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    low, high = sorted((_luminance(colour), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _channels(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def _luminance(colour: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(colour))
    ]
    return sum(part * channel for part, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
