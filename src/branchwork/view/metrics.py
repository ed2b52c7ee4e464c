"""How wide text is, without a browser: so that boxes can be made to fit it.

The widths are the larger of Helvetica's (Arial's, Liberation Sans's) and DejaVu Sans's, which is among the widest of
the usual fonts. Letters with accents are as wide as without. Other characters are estimated by their kind, generously:
nobody knows the font that a reader has for them. Text is drawn as wide as that font makes it, never stretched.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import accumulate

_ASCII = "".join(map(chr, range(32, 127)))

# Thousandths of the font size, from the space to the tilde.
_REGULAR = """
318 401 460 838 637 951 780 275 391 391 500 838 318 361 318 337 637 637 637 637 637 637 637 637 637 637 337 337 838
838 838 557 1016 685 687 723 771 667 611 778 752 295 500 667 558 863 749 788 667 788 723 667 611 732 685 989 686 667
686 391 337 391 838 557 500 613 635 550 635 616 353 635 634 278 278 580 278 975 634 612 635 635 412 521 393 634 592
818 592 592 525 637 337 637 838
"""
_BOLD = """
349 457 521 838 696 1002 873 307 458 458 523 838 380 416 380 366 696 696 696 696 696 696 696 696 696 696 400 400 838
838 838 611 1000 774 763 734 831 684 684 821 837 373 557 775 638 996 837 851 733 851 771 721 683 813 774 1104 771 725
726 458 366 458 838 557 500 675 716 593 716 679 436 716 712 343 343 666 343 1042 712 688 716 716 494 596 479 712 652
924 646 652 583 712 366 712 838
"""
_SIGNS = dict(
    zip(
        "…–·±≤→−×°€ßæøÆØ",
        (1000, 557, 380, 838, 838, 1000, 838, 838, 500, 696, 719, 1048, 688, 1094, 851),
        strict=True,
    )
)

_WIDTHS = {
    bold: {
        **dict(zip(_ASCII, map(int, widths.split()), strict=True)),
        **_SIGNS,
    }
    for bold, widths in ((False, _REGULAR), (True, _BOLD))
}

_UPPER, _LOWER, _WIDE, _EMOJI, _JOINED, _OTHER = 780, 650, 1000, 1280, 600, 900
"""Estimates: capitals and small letters of other alphabets, East Asian characters, emoji, the joined letters of Arabic
and its relatives, everything else."""
ZERO_WIDTH_JOINER = "\u200d"
_NOTHING = 1
"""Marks that stand on the letter before them, joiners, and what chooses the form of an emoji."""


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text at a font size, or a little more.

    >>> text_width("Outlook", 10), text_width("Outlook", 10, bold=True)
    (38.97, 44.27)
    """
    return sum(map(_WIDTH_OF[bold].__getitem__, text)) * size / 1000


def fitted(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """The text, shortened with an ellipsis if it is wider than there is room for.

    >>> fitted("Outlook", 30, 10), fitted("Outlook", 50, 10)
    ('Out…', 'Outlook')
    """
    room = room * 1000 / size + 1e-6  # a text fits into its own width
    width_of = _WIDTH_OF[bold].__getitem__
    ends = list(accumulate(map(width_of, text[: int(room) + 1])))  # nothing is narrower than 1
    if len(ends) == len(text) and (not ends or ends[-1] <= room):
        return text
    room -= _SIGNS["…"]
    kept = sum(end <= room for end in ends)
    while 0 < kept < len(text) and (width_of(text[kept]) == _NOTHING or text[kept - 1] == ZERO_WIDTH_JOINER):
        kept -= 1  # a letter keeps its marks, and a joined emoji is one sign
    return text[:kept].rstrip() + "…"


class _WidthOf(dict[str, int]):
    """The width of each character, found when it is first asked for."""

    def __init__(self, bold: bool) -> None:
        self.bold = bold

    def __missing__(self, char: str) -> int:
        self[char] = width = _width(char, self.bold)
        return width


_WIDTH_OF = {bold: _WidthOf(bold) for bold in (False, True)}


def _width(char: str, bold: bool) -> int:
    known = _WIDTHS[bold].get(_base(char))
    if known is not None:
        return known
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or "\U0001f3fb" <= char <= "\U0001f3ff":
        return _NOTHING
    if char >= "\U0001f000" and unicodedata.category(char) == "So":
        return _EMOJI
    if unicodedata.east_asian_width(char) in "WF":
        return _WIDE
    if unicodedata.bidirectional(char) == "AL":
        return _JOINED
    return _UPPER if char.isupper() else _LOWER if char.islower() else _OTHER


@cache
def _base(char: str) -> str:
    """The letter without its accents."""
    return unicodedata.normalize("NFD", char)[0]
