"""As many digits as people read: where a number is rounded, and a text cut short.

`rounded` decides how every measured number is shown: four significant digits, `15.92 M` for millions. It is defined in
tree/split.py, because rules and neighbours print numbers, too, and do not know the views. Thresholds keep up to ten
digits (`number`): with fewer, a row could seem to be on the other side, and two neighbouring thresholds look the same.
"""

from __future__ import annotations

from branchwork.table.wide_text import cut
from branchwork.tree.split import number
from branchwork.tree.split import rounded as rounded

LARGE, LARGEST = 1e9, 1e15
"""From the first on a measured number has no places behind the point; from the second on it is a power of ten."""
NOTHING = 1e-12
"""As a share of the numbers that a difference was taken of."""
ROUNDING = 1e-9
"""Of a share: what is nearer to 0 or 1 has come from adding shares up."""


def measured(x: float) -> str:
    """Return an impurity, a gain or a statistic as tables show it: four places below ten, else four digits.

    >>> measured(0.25), measured(0.0), measured(0.000012345), measured(363.6187), measured(15915334.3626)
    ('0.2500', '0.0000', '1.234e-05', '363.6', '15.92 M')
    """
    return f"{x + 0.0:.4f}" if x == 0 or 0.001 <= abs(x) < 9.99995 else rounded(x)


def worked(x: float) -> str:
    """Return a number of an equation: four places, so that what is added up on a blackboard still adds up.

    >>> worked(0.25), worked(0.0), worked(0.000012345), worked(363.6187), worked(85659383154.7)
    ('0.2500', '0.0000', '1.234e-05', '363.6187', '85659383155')
    """
    if x == 0 or 0.001 <= abs(x) < LARGE:
        return f"{x + 0.0:.4f}"
    return f"{x:.0f}" if LARGE <= abs(x) < LARGEST else f"{x:.4g}"


def settled(x: float, size: float) -> float:
    """A number, or 0 where it is so small beside those that it was computed from that it is only rounding.

    >>> settled(1e-17, size=0.94), settled(1e-17, size=1e-16)
    (0.0, 1e-17)
    """
    return 0.0 if abs(x) <= NOTHING * size else x


def weighed(weight: float, places: int = 4) -> str:
    """Return the weight of some rows: whole, or to a few places and twice as many digits; below 1 to as many digits.

    >>> weighed(14.0), weighed(2.123456), weighed(0.000123456), weighed(0.99999999999)
    ('14', '2.1235', '0.0001235', '1')
    >>> weighed(26.364, 2), weighed(787.914, 2), weighed(48842.0, 2), weighed(48842.6, 2)
    ('26.36', '787.9', '48842', '48843')
    """
    if abs(weight) < 1:
        return number(float(f"{weight:.{places}g}"))
    short = round(weight, places)
    if short != round(short):
        short = float(f"{short:.{2 * places}g}") if abs(short) < 10 ** (2 * places) else round(short)
    return number(short)


def brief(x: float) -> str:
    """Return a threshold, or an end of a scale: to six digits, and a large number with all that it has.

    >>> brief(0.123456789), brief(102000.0), brief(12345678.5)
    ('0.123457', '102000', '12345678.5')
    """
    return number(x) if abs(x) >= 1e6 else rounded(x, 6)


def chance(p: float) -> str:
    """A p-value to three digits. One below 0.0001 is only said to be less: its digits would claim too much.

    >>> chance(0.0943), chance(0.0001), chance(7.7e-06), chance(0.0)
    ('0.0943', '0.0001', '< 0.0001', '< 0.0001')
    """
    return "< 0.0001" if p < 0.0001 else f"{p:.3g}"


def deciding_chance(p: float) -> str:
    """A p-value that decides between columns, with its digits; 0 is one that no double can hold.

    >>> deciding_chance(0.0943), deciding_chance(7.46e-65), deciding_chance(0.0)
    ('0.0943', '7.46e-65', '< 1e-300')
    """
    return f"{p:.3g}" if p > 0 else "< 1e-300"


def shortened(text: str, most: int) -> str:
    """Text of no more than so many signs, the last of which says that there were more.

    >>> shortened("Outlook", 4), shortened("Wind", 4)
    ('Out…', 'Wind')
    """
    return cut(text, most)


def percent(share: float) -> str:
    """A share without pretending: 99.97 % is not 100 %.

    >>> percent(0.5), percent(0.9997), percent(1.0), percent(0.999999), percent(0.000001)
    ('50%', '99.97%', '100%', '>99.99%', '<0.01%')
    """
    text = f"{share:.0%}"
    if text not in ("0%", "100%") or min(abs(share), abs(1 - share)) <= ROUNDING:
        return text
    return {"0.00%": "<0.01%", "100.00%": ">99.99%"}.get(f"{share:.2%}", f"{share:.2%}")
