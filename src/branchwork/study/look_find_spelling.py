"""Find categories that are one value in several spellings: "New York", "new york", "New-York " and "New Yrok".

Categories that differ only in case, blanks, punctuation or accents are one value. So are a rare and a frequent category
of letters that are one typing error apart.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterator

import numpy as np

from branchwork.study.look_find_column import identifier, mixed
from branchwork.study.look_finding import Finding, Fix
from branchwork.study.look_profile import Profile

SHORTEST_TYPO = 5
"""Shorter words that differ by one letter are often different words: male and pale, low and slow."""
MOST_OF_TYPOS = 0.05
"""A typing error occurs at most this often, as a share of the word that was meant."""
VOWELS = frozenset("aeiouyäöüàáâéèêëíîïóôúûåøæ")
MOST_CATEGORIES = 5_000
"""Columns with more categories are not searched for typing errors."""
MOST_SHOWN = 3
"""The largest number of groups of spellings that a message lists."""


def spelling_key(value: Hashable) -> Hashable:
    """Return a category without case, blanks, punctuation and accents; values that are not text stay as they are.

    >>> spelling_key(" New-York"), spelling_key("São Paulo"), spelling_key("c++")
    ('newyork', 'saopaulo', 'c++')
    """
    if not isinstance(value, str):
        return value
    plain = unicodedata.normalize("NFKD", value).casefold()
    kept = "".join(sign for sign in plain if sign.isalnum() or sign in "+<>=%#$*")
    return kept or value.strip()


def spelling(profile: Profile) -> Finding | None:
    """Find categories that are one value in several spellings."""
    if not profile.column.is_nominal or profile.distinct < 2:
        return None
    if identifier(profile) is not None or mixed(profile) is not None:
        return None
    count = dict(zip(profile.values.tolist(), profile.counts.tolist(), strict=True))
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for code in profile.values.tolist():
        groups[spelling_key(profile.category(code))].append(code)
    main = {key: max(codes, key=lambda code: (count[code], -code)) for key, codes in groups.items()}
    meant = {code: main[key] for key, codes in groups.items() for code in codes if code != main[key]}
    meant |= dict(_typos(profile, list(main.values()), count))
    if not meant:
        return None
    return _finding(profile, {code: meant.get(goal, goal) for code, goal in meant.items()}, count)


def _typos(profile: Profile, codes: list[int], count: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of a rare category and the frequent one that was meant."""
    if len(codes) > MOST_CATEGORIES:
        return
    words = {
        code: text.strip().casefold()
        for code in codes
        if isinstance(text := profile.category(code), str) and not any(sign.isdigit() for sign in text)
    }
    by_part: dict[str, list[int]] = defaultdict(list)
    for code, word in words.items():
        if len(word) >= SHORTEST_TYPO:
            for part in _parts(word):
                by_part[part].append(code)
    for code, word in words.items():
        near = {other for part in _parts(word) for other in by_part.get(part, ()) if other != code}
        goals = [o for o in near if count[code] <= MOST_OF_TYPOS * count[o] and one_slip(word, words[o])]
        if goals and len(word) >= SHORTEST_TYPO - 1:
            yield code, max(goals, key=lambda other: (count[other], -other))


def _parts(word: str) -> set[str]:
    """Return the word, and the word without each of its letters: words one typing error apart share one of these."""
    return {word, *(word[:k] + word[k + 1 :] for k in range(len(word)))}


def one_slip(one: str, other: str) -> bool:
    """Return whether two words differ by one extra or missing letter, two swapped neighbours, or one vowel.

    Words that differ in a consonant are too often different words.

    >>> one_slip("female", "femle"), one_slip("female", "feamle"), one_slip("inland", "island")
    (True, True, False)
    """
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next(
        (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    a, b = one[start:], other[start:]
    if len(a) == len(b):
        vowel = a[0] in VOWELS and b[0] in VOWELS and a[1:] == b[1:]
        return vowel or (a[:2] == b[1::-1] and a[2:] == b[2:])
    return a[1:] == b if len(a) > len(b) else b[1:] == a


def _finding(profile: Profile, meant: dict[int, int], count: dict[int, int]) -> Finding:
    name = profile.column.name
    spellings = {profile.category(code): profile.category(goal) for code, goal in meant.items()}
    shown: dict[int, list[int]] = defaultdict(list)
    for code, goal in meant.items():
        shown[goal].append(code)
    listed = "; ".join(
        f"{', '.join(repr(profile.category(code)) for code in codes)} for {profile.category(goal)!r}"
        for goal, codes in list(shown.items())[:MOST_SHOWN]
    )
    more = f"; and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    cells = sum(count[code] for code in meant)
    message = (
        f"Column {name!r} spells {'a category' if len(shown) == 1 else f'{len(shown)} categories'} in several ways: "
        f"{listed}{more} ({cells} cell{'s' * (cells > 1)})."
    )
    rows = np.flatnonzero(np.isin(profile.cells, list(meant)))[:5]
    fix = Fix("merge_spellings", name, {"spellings": spellings})
    return Finding("spelling", name, message, fix, cells, tuple(rows.tolist()))
