"""The style sheet of a picture: every colour of its theme, by class.

A style sheet inside a page counts for the whole page, so each rule begins with the theme's own name: pictures of
different themes can stand on one page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from branchwork.view.palette import DARK, LIGHT, Theme, ThemeName

TITLE, BODY, SMALL = 13.0, 11.0, 9.0
"""Font sizes."""

FONTS = "Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif"


def style_sheet(theme: ThemeName) -> str:
    """The rules of a theme; of `auto`, both, and the reader's system chooses."""
    rules = [
        f"text{{font-family:{FONTS};font-size:{BODY:g}px}}",
        f".title{{font-size:{TITLE:g}px;font-weight:bold}}",
        f".id{{font-size:{SMALL:g}px}}",
        ".alone{font-style:italic}",
        ".strongly{font-weight:bold}",
        "path{fill:none}",
        ".missing{stroke-dasharray:3 3;stroke-width:1.5}",
        ".empty{stroke-dasharray:4 3}",
        ".pale{opacity:.4}",
        ".cut{stroke-width:1.5}",
    ]
    shapes = _prefixed(rules, theme)
    if theme != "auto":
        return shapes + _prefixed(_colours(LIGHT if theme == "light" else DARK), theme)
    night = _prefixed(_colours(DARK), theme)
    return f"{shapes}{_prefixed(_colours(LIGHT), theme)}@media (prefers-color-scheme:dark){{{night}}}"


def line_colours(theme: ThemeName) -> str:
    """The rules for lines in the colours of classes, named s0, s1, …; only pictures with such lines have them."""

    def rules(colours: Theme) -> str:
        return _prefixed([f".s{k}{{stroke:{c}}}" for k, c in enumerate(colours.classes)], theme)

    if theme != "auto":
        return rules(LIGHT if theme == "light" else DARK)
    return f"{rules(LIGHT)}@media (prefers-color-scheme:dark){{{rules(DARK)}}}"


def _prefixed(rules: Sequence[str], theme: ThemeName) -> str:
    return "".join(f".branchwork-{theme} {rule}" for rule in rules)


def _colours(theme: Theme) -> list[str]:
    return [
        f".background{{fill:{theme.background}}}",
        f".card{{fill:{theme.card};stroke:{theme.edge}}}",
        f".ink{{fill:{theme.ink}}}",
        f".muted{{fill:{theme.muted}}}",
        f".track{{fill:{theme.track}}}",
        *_fills(theme),
        f".branch{{stroke:{theme.branch}}}",
        f".strong{{stroke:{theme.strong}}}",
        f".card.pointed{{stroke:{theme.strong};stroke-width:2}}",
        f".missing{{stroke:{theme.muted}}}",
        f".mark{{fill:{theme.ink}}}",
        f".cut{{stroke:{theme.ink}}}",
    ]


def _fills(theme: Theme) -> Iterator[str]:
    """What stands for a class or a number: its colour, and the card of such a leaf."""
    for name, colour in theme.fills().items():
        yield f".{name}{{fill:{colour}}}"
        yield f".leaf.{name}{{fill:{theme.tinted(colour)};stroke:{colour};stroke-width:1.5}}"
