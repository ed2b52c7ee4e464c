"""Small pictures of a feature against the target: bars of categories, histograms, and boxes of a numeric target.

They stand side by side on the page of `bw.study.look`, so the style sheet is not part of them: the page has it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from branchwork.view.axis import round_numbers
from branchwork.view.chart import number
from branchwork.view.class_key import ClassKey
from branchwork.view.digits import brief, percent, shortened
from branchwork.view.hatching import patterns
from branchwork.view.metrics import text_width
from branchwork.view.palette import ThemeName, check_theme
from branchwork.view.pieces import Svg, escaped, path, rect, short, words
from branchwork.view.style import BODY, style_sheet

WIDTH, TALL, MARGIN = 320.0, 168.0, 6.0
LINE = 17.0
WIDEST_NAME = 112.0

Counts = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Histogram:
    """Columns of equal width.

    Parameters
    ----------
    low, high : the range that the columns cover.
    counts : rows in each column, by entry of the key.
    missing : rows with a missing cell, by entry of the key; None if there are none.
    cut : whether the first column has all cells below the range, and the last one all above it.
    """

    low: float
    high: float
    counts: Counts
    missing: tuple[int, ...] | None = None
    cut: tuple[bool, bool] = (False, False)


@dataclass(frozen=True)
class Bars:
    """A bar for each category, the most frequent first; the last may be all others, or missing cells.

    `fill` is the colour of bars that are not parted by class.
    """

    names: tuple[str, ...]
    counts: Counts
    missing: bool = False
    fill: str = "f0"


@dataclass(frozen=True)
class Boxes:
    """Quartiles of a numeric target: rows, first quartile, median, third quartile; None: no row.

    `ends` are the bounds of groups of numbers; None: categories, which have names. The last box may be missing cells.
    """

    names: tuple[str, ...]
    boxes: tuple[tuple[int, float, float, float] | None, ...]
    ends: tuple[float, ...] | None = None
    missing: bool = False


def feature_chart(
    picture: Histogram | Bars | Boxes,
    key: ClassKey | None,
    *,
    title: str,
    theme: ThemeName = "auto",
    styled: bool = True,
) -> Svg:
    """Draw a picture; `styled`: with its style sheet, so that it can stand alone."""
    check_theme(theme)
    if isinstance(picture, Histogram):
        pieces, height = _histogram(picture, key), TALL
    elif isinstance(picture, Bars):
        pieces, height = _bars(picture, key)
    else:
        pieces, height = (_boxes(picture), TALL) if picture.ends is not None else _box_lines(picture)
    size = f'width="{short(WIDTH)}" height="{short(height)}" viewBox="0 0 {short(WIDTH)} {short(height)}"'
    return Svg(
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="branchwork-{theme}" role="img" {size} '
                f'style="max-width:100%;height:auto" aria-label="{escaped(title)}">',
                f"<title>{escaped(title)}</title>",
                *(
                    [f"<style>{style_sheet(theme, () if key is None else key.plain)}</style>"]
                    if styled
                    else []
                ),
                "" if key is None else patterns(key.plain, f"branchwork-{theme}"),
                rect(0, 0, WIDTH, height, "background"),
                *pieces,
                "</svg>",
            ]
        )
    )


def _fill(key: ClassKey | None, entry: int) -> str:
    return "f0" if key is None else key.fill(entry)


def _stack(
    counts: Sequence[int], key: ClassKey | None, x: float, y: float, width: float, height: float
) -> list[str]:
    """Draw a strip from left to right, parted by class."""
    total = sum(counts)
    pieces = []
    for entry, count in enumerate(counts):
        if count:
            part = width * count / total
            pieces.append(rect(x, y, part, height, _fill(key, entry)))
            x += part
    return pieces


# ---- numbers -----------------------------------------------------------------------------------------------


def _histogram(picture: Histogram, key: ClassKey | None) -> list[str]:
    """Draw columns of counts, and below each of two classes or more the share of every class."""
    if not picture.counts:
        return [words("no known cell", WIDTH / 2, TALL / 2, "muted", BODY, room=WIDTH, anchor="middle")]
    shares = key is not None and len(key.names) > 1
    left, bottom = MARGIN, TALL - 22.0
    right = WIDTH - MARGIN - (34.0 if picture.missing else 0.0)
    strip = 30.0 if shares else 0.0
    base = bottom - strip - (6.0 if shares else 0.0)
    step = (right - left) / len(picture.counts)
    most = max(sum(line) for line in picture.counts) or 1
    pieces = [path(f"M{short(left)} {short(base)}H{short(right)}", "branch", width=1)]
    for k, line in enumerate(picture.counts):
        pieces += _column(line, key, left + k * step, base, step - 1, (base - MARGIN - 4) / most)
        if shares and any(line):
            pieces += _share_column(line, key, left + k * step, bottom - strip, step - 1, strip)
    if picture.missing:
        x = WIDTH - MARGIN - 22
        height = (base - MARGIN - 4) / max(most, sum(picture.missing))
        pieces += _column(picture.missing, key, x, base, 16, height)
        if shares:
            pieces += _share_column(picture.missing, key, x, bottom - strip, 16, strip)
        pieces.append(words("missing", WIDTH - MARGIN, TALL - 7, "muted", BODY, room=52, anchor="end"))
    low, high = brief(picture.low), brief(picture.high)
    low, high = ("≤ " if picture.cut[0] else "") + low, ("≥ " if picture.cut[1] else "") + high
    half = (right - left) / 2
    pieces.append(words(low, left, TALL - 7, "muted", BODY, room=half))
    end = right - (26 if picture.missing else 0)
    pieces.append(words(high, end, TALL - 7, "muted", BODY, room=half - 26, anchor="end"))
    return pieces


def _column(
    line: Sequence[int], key: ClassKey | None, x: float, base: float, width: float, unit: float
) -> list[str]:
    """Draw an upright column from the base, parted by class; what has a row is seen."""
    pieces, y = [], base
    for entry, count in enumerate(line):
        if count:
            height = max(count * unit, 0.6)
            y -= height
            pieces.append(rect(x, y, max(width, 0.8), height, _fill(key, entry)))
    return pieces


def _share_column(
    line: Sequence[int], key: ClassKey | None, x: float, y: float, width: float, height: float
) -> list[str]:
    total, pieces = sum(line), []
    for entry, count in reversed(list(enumerate(line))):
        if count:
            part = height * count / total
            pieces.append(rect(x, y, max(width, 0.8), part, _fill(key, entry)))
            y += part
    return pieces


def _boxes(picture: Boxes) -> list[str]:
    """Draw the middle half of the target in each group of the feature, and its median."""
    if not picture.boxes:
        return [words("no known cell", WIDTH / 2, TALL / 2, "muted", BODY, room=WIDTH, anchor="middle")]
    assert picture.ends is not None
    drawn = [box for box in picture.boxes if box is not None]
    low, high = min(box[1] for box in drawn), max(box[3] for box in drawn)
    span = (high - low) or 1.0
    ticks = round_numbers(low, high, 4) if high > low else [(low, brief(low))]
    left = MARGIN + max(text_width(text, BODY) for _, text in ticks) + 6
    right, top, bottom = WIDTH - MARGIN, MARGIN + 8, TALL - 24.0

    def at(value: float) -> float:
        return bottom - (value - low) / span * (bottom - top)

    pieces = []
    for value, text in ticks:
        pieces.append(path(f"M{short(left)} {short(at(value))}H{short(right)}", "branch", width=1))
        pieces.append(words(text, left - 4, at(value) + 3, "muted", BODY, room=left, anchor="end"))
    n = len(picture.boxes) + 1.5 * picture.missing
    step = (right - left) / n
    for k, box in enumerate(picture.boxes):
        if box is None:
            continue
        is_missing = picture.missing and k == len(picture.boxes) - 1
        x = left + (k + 1.5 * is_missing) * step + step * 0.16
        y = at(box[3])
        pieces.append(rect(x, y, step * 0.68, max(at(box[1]) - y, 1), "fo" if is_missing else "f0", corner=2))
        pieces.append(rect(x - 1, at(box[2]) - 1, step * 0.68 + 2, 2, "mark"))
    shown = len(picture.boxes) - picture.missing
    first, middle, last = picture.ends[0], picture.ends[len(picture.ends) // 2], picture.ends[-1]
    y = TALL - 8
    pieces.append(words(brief(first), left, y, "muted", BODY, room=80))
    if len(picture.ends) > 3:
        x = left + (len(picture.ends) // 2) * step
        pieces.append(words(brief(middle), x, y, "muted", BODY, room=70, anchor="middle"))
    pieces.append(words(brief(last), left + shown * step, y, "muted", BODY, room=80, anchor="end"))
    if picture.missing:
        pieces.append(words("missing", right, y, "muted", BODY, room=step * 2.6, anchor="end"))
    return pieces


# ---- categories --------------------------------------------------------------------------------------------


def _named(names: Sequence[str]) -> float:
    return min(WIDEST_NAME, max((text_width(name, BODY) for name in names), default=0.0))


def _bars(picture: Bars, key: ClassKey | None) -> tuple[list[str], float]:
    """Draw for each category how many rows there are, and, of two classes or more, the share of each class."""
    if not picture.names:
        return [words("no known cell", WIDTH / 2, 40, "muted", BODY, room=WIDTH, anchor="middle")], 80.0
    widest, total = _named(picture.names), sum(sum(line) for line in picture.counts)
    shares = key is not None and len(key.names) > 1
    left = MARGIN + widest + 6
    room = WIDTH - MARGIN - 46 - left
    counted = room * 0.34 if shares else room
    most = max(sum(line) for line in picture.counts) or 1
    pieces = []
    for k, (name, line) in enumerate(zip(picture.names, picture.counts, strict=True)):
        y, rows = MARGIN + k * LINE, sum(line)
        style = "muted" if picture.missing and k == len(picture.names) - 1 else "ink"
        pieces.append(words(name, left - 6, y + 10, style, BODY, room=widest, anchor="end"))
        start = left + (room * 0.66 if shares else 0)
        if shares and rows > 0:
            pieces += _stack(line, key, left, y, room * 0.6, LINE - 5)
        pieces.append(
            rect(start, y, max(counted * rows / most, 0.8), LINE - 5, "fo" if shares else picture.fill)
        )
        pieces.append(
            words(percent(rows / total), WIDTH - MARGIN, y + 10, "muted", BODY, room=44, anchor="end")
        )
    return pieces, 2 * MARGIN + len(picture.names) * LINE


def _box_lines(picture: Boxes) -> tuple[list[str], float]:
    """Draw the middle half of the target for each category, and its median."""
    drawn = [box for box in picture.boxes if box is not None]
    if not drawn:
        return [words("no known cell", WIDTH / 2, 40, "muted", BODY, room=WIDTH, anchor="middle")], 80.0
    low, high = min(box[1] for box in drawn), max(box[3] for box in drawn)
    span = (high - low) or 1.0
    widest, total = _named(picture.names), sum(box[0] for box in drawn)
    left, right = MARGIN + widest + 6, WIDTH - MARGIN - 46
    pieces, bottom = [], MARGIN + len(picture.boxes) * LINE
    for value, text in round_numbers(low, high, 4) if high > low else [(low, brief(low))]:
        x = left + (value - low) / span * (right - left)
        pieces.append(path(f"M{short(x)} {short(MARGIN)}V{short(bottom)}", "branch", width=1))
        pieces.append(words(text, x, bottom + 11, "muted", BODY, room=60, anchor="middle"))
    for k, (name, box) in enumerate(zip(picture.names, picture.boxes, strict=True)):
        y = MARGIN + k * LINE
        is_missing = picture.missing and k == len(picture.names) - 1
        pieces.append(
            words(name, left - 6, y + 10, "muted" if is_missing else "ink", BODY, room=widest, anchor="end")
        )
        if box is None:
            continue
        x, end = (left + (value - low) / span * (right - left) for value in (box[1], box[3]))
        middle = left + (box[2] - low) / span * (right - left)
        pieces.append(rect(x, y, max(end - x, 1), LINE - 5, "fo" if is_missing else "f0", corner=2))
        pieces.append(rect(middle - 1, y - 1, 2, LINE - 2, "mark"))
        pieces.append(
            words(percent(box[0] / total), WIDTH - MARGIN, y + 10, "muted", BODY, room=44, anchor="end")
        )
    return pieces, bottom + 18


def described(picture: Histogram | Bars | Boxes, name: str) -> str:
    """Say what a picture shows, for readers who do not see it.

    >>> described(Bars(("red", "blue"), ((3,), (1,))), "colour")
    'colour: red 75%, blue 25%'
    """
    if isinstance(picture, Bars):
        total = sum(map(sum, picture.counts)) or 1
        some = [
            f"{shortened(n, 24)} {percent(sum(c) / total)}"
            for n, c in zip(picture.names, picture.counts, strict=True)
        ]
        return f"{name}: {', '.join(some[:4])}"
    if isinstance(picture, Histogram):
        return f"{name}: a histogram from {number(picture.low)} to {number(picture.high)}"
    medians = [box[2] for box in picture.boxes if box is not None]
    if not medians:
        return f"{name}: no known cell"
    return f"{name}: medians of the target from {number(min(medians))} to {number(max(medians))}"
