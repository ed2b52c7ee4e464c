"""The style sheet of a picture: every colour of its theme, by class.

A style sheet inside a page counts for the whole page, so each rule begins with the theme's own name: pictures of
different themes can stand on one page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from branchwork.view.palette import DARK, LIGHT, N_COLOURS, Theme, ThemeName

TITLE, BODY, SMALL = 13.0, 11.0, 9.0
"""Font sizes."""

COLOUR = re.compile("#[0-9a-f]{6}")
FONTS = "Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif"


def style_sheet(theme: ThemeName, entries: Iterable[int] = ()) -> str:
    """Return the rules of a theme; of `auto`, both, and the reader's system chooses.

    `entries` are those of the legend: hatched ones need rules of their own (`view/hatching.py` has the patterns).
    """
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
    hatched = sorted(entry for entry in entries if entry >= N_COLOURS)
    rules += [f".f{entry}{{fill:url(#branchwork-{theme}-f{entry})}}" for entry in hatched]
    return _prefixed(rules, theme) + by_theme(
        lambda colours: _prefixed(_colours(colours, hatched), theme), theme, f".branchwork-{theme}"
    )


def by_theme(rules: Callable[[Theme], str], theme: ThemeName, root: str) -> str:
    """Return the rules of a theme. Those of `auto` have two colours each, and the colour scheme decides.

    That is the scheme of the reader's system, or of a notebook or page around the picture that says which it is (see
    `view/notebook.py`). A program that does not know light-dark() draws with the light colours.

    Parameters
    ----------
    rules : makes rules of the colours of a theme; rules of different themes differ in their colours alone.
    root : what selects the picture.
    """
    if theme != "auto":
        return rules(LIGHT if theme == "light" else DARK)
    light, night = rules(LIGHT), iter(COLOUR.findall(rules(DARK)))

    def pair(found: re.Match[str]) -> str:
        dark = next(night)
        return dark if dark == found[0] else f"light-dark({found[0]},{dark})"

    scheme = f"{root}{{color-scheme:light dark}}.branchwork {root}{{color-scheme:inherit}}"
    return f"{light}@supports (color:light-dark(red,red)){{{scheme}{COLOUR.sub(pair, light)}}}"


def line_colours(theme: ThemeName) -> str:
    """The rules for lines in the colours of classes, named s0, s1, …; only pictures with such lines have them."""

    def rules(colours: Theme) -> str:
        return _prefixed([f".s{k}{{stroke:{c}}}" for k, c in enumerate(colours.classes)], theme)

    return by_theme(rules, theme, f".branchwork-{theme}")


def _prefixed(rules: Sequence[str], theme: ThemeName) -> str:
    return "".join(f".branchwork-{theme} {rule}" for rule in rules)


def _colours(theme: Theme, hatched: Sequence[int]) -> list[str]:
    return [
        f".background{{fill:{theme.background}}}",
        f".card{{fill:{theme.card};stroke:{theme.edge}}}",
        f".ink{{fill:{theme.ink}}}",
        f".muted{{fill:{theme.muted}}}",
        f".track{{fill:{theme.track}}}",
        *_fills(theme, hatched),
        *(
            [f".gap{{stroke:{theme.card};stroke-width:1.5}}", f".hole{{fill:{theme.card}}}"]
            if hatched
            else []
        ),
        f".branch{{stroke:{theme.branch}}}",
        f".strong{{stroke:{theme.strong}}}",
        f".card.pointed{{stroke:{theme.strong};stroke-width:2}}",
        f".missing{{stroke:{theme.muted}}}",
        f".mark{{fill:{theme.ink}}}",
        f".cut{{stroke:{theme.ink}}}",
    ]


def _fills(theme: Theme, hatched: Sequence[int]) -> Iterator[str]:
    """What stands for a class or a number: its colour, and the card of such a leaf."""
    plain = [f"f{k}" for k in range(N_COLOURS)]
    for name, colour in theme.fills().items():
        if name in plain or not name[1:].isdigit():
            yield f".{name}{{fill:{colour}}}"
            yield f".leaf.{name}{{fill:{theme.tinted(colour)};stroke:{colour};stroke-width:1.5}}"
    for entry in hatched:
        colour = theme.classes[entry % N_COLOURS]
        yield f".leaf.f{entry}{{fill:{theme.tinted(colour)};stroke:{colour};stroke-width:1.5}}"
