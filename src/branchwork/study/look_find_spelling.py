"""Find categories that may be one value in several spellings: "New York", "new york", "New-York" and "New Yrok".

Categories that differ only in case, white space and Unicode form are one value. Words that differ in punctuation or
accents, or by a typing error, may be different values: those are proposed, and a person decides. Where digits, signs
or a "+" or "-" at either end make the difference (A+ and A-, 5C and -5C, J45.1 and J4.51), nothing is proposed.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator

import numpy as np

from branchwork.study.look_find_column import identifier, mixed
from branchwork.study.look_finding import Finding, Fix
from branchwork.study.look_profile import Profile
from branchwork.view.digits import shortened

SHORTEST_TYPO, LONGEST_TYPO = 5, 60
"""Shorter words that differ by one letter are often different words: male and pale, low and slow. Longer texts are not
words, and the search takes time that grows with the square of their length."""
MOST_OF_TYPOS = 0.05
"""A typing error occurs at most this often, as a share of the word that was meant."""
VOWELS = frozenset("aeiouyäöüàáâéèêëíîïóôúûåøæ")
SIGNS = frozenset("%#*&@/\\|")
"""Characters that mean something between letters, besides those that Unicode calls symbols: + < = > $ ° ..."""
MOST_CATEGORIES = 5_000
"""Columns with more categories are not searched for typing errors."""
MOST_SHOWN, LONGEST_SHOWN = 3, 40
"""The largest number of groups of spellings that a message lists, and of characters of each category."""


def spelling_key(value: Hashable) -> Hashable:
    """Return a category with one case, white space and Unicode form; values that are not text stay as they are.

    >>> spelling_key(" New  York"), spelling_key("SÃO PAULO"), spelling_key("C++")
    ('new york', 'são paulo', 'c++')
    """
    return unicodedata.normalize("NFC", " ".join(value.split()).lower()) if isinstance(value, str) else value


def word_key(value: Hashable) -> Hashable:
    """Return a category without accents and punctuation, too, if it consists of words.

    >>> word_key("New-York"), word_key("São Paulo"), word_key("A-"), word_key("J45.1")
    ('newyork', 'saopaulo', 'a-', 'j45.1')
    """
    if not isinstance(value, str) or not _is_words(value):
        return spelling_key(value)
    kept = "".join(sign for sign in unicodedata.normalize("NFKD", value).casefold() if sign.isalnum())
    return kept or spelling_key(value)


def _is_words(text: str) -> bool:
    """Return whether nothing in a text but its letters can make it another value."""
    text = text.strip()
    if any(sign in SIGNS or sign.isnumeric() or unicodedata.category(sign)[0] == "S" for sign in text):
        return False
    return not text or not any(unicodedata.category(end) == "Pd" for end in (text[0], text[-1]))


def spelling(profile: Profile) -> Finding | None:
    """Find categories that differ only in case, white space and Unicode form."""
    if not _is_searched(profile):
        return None
    count = _counts(profile)
    main = _main(profile, list(count), count, spelling_key)
    meant = {code: goal for code, goal in main.items() if code != goal}
    if not meant:
        return None
    return _finding("spelling", profile, meant, count, "spells {} in several ways")


def similar_spelling(profile: Profile) -> Finding | None:
    """Find categories that differ only in punctuation and accents, or by a typing error, to be merged on request."""
    if not _is_searched(profile):
        return None
    count = _counts(profile)
    one_form = _main(profile, list(count), count, spelling_key)
    together: dict[int, int] = defaultdict(int)
    for code, goal in one_form.items():
        together[goal] += count[code]
    words = _main(profile, list(together), together, word_key)
    typos = dict(_typos(profile, sorted(set(words.values())), together))
    meant = {}
    for code, form in one_form.items():
        goal = words[form]
        goal = typos.get(goal, goal)
        if goal != form:
            meant[code] = goal
    if not meant:
        return None
    found = _finding("similar_spelling", profile, meant, count, "has {} that may be spelled in several ways")
    return found.on_request("they may be different values")


def _is_searched(profile: Profile) -> bool:
    if not profile.column.is_nominal or profile.distinct < 2:
        return False
    return identifier(profile) is None and mixed(profile) is None


def _counts(profile: Profile) -> dict[int, int]:
    return dict(zip(profile.values.tolist(), profile.counts.tolist(), strict=True))


def _main(
    profile: Profile, codes: list[int], count: dict[int, int], key: Callable[[Hashable], Hashable]
) -> dict[int, int]:
    """Return, for each code, the most frequent one of the same key."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for code in codes:
        groups[key(profile.category(code))].append(code)
    best = {key: max(members, key=lambda code: (count[code], -code)) for key, members in groups.items()}
    return {code: best[key] for key, members in groups.items() for code in members}


def _typos(profile: Profile, codes: list[int], count: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of a rare category and the frequent one that was meant."""
    if len(codes) > MOST_CATEGORIES:
        return
    words = {
        code: text.strip().casefold()
        for code in codes
        if isinstance(text := profile.category(code), str) and len(text) <= LONGEST_TYPO and _is_words(text)
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


def _finding(kind: str, profile: Profile, meant: dict[int, int], count: dict[int, int], what: str) -> Finding:
    name = profile.column.name
    spellings = {profile.category(code): profile.category(goal) for code, goal in meant.items()}
    shown: dict[int, list[int]] = defaultdict(list)
    for code, goal in meant.items():
        shown[goal].append(code)

    def quoted(code: int) -> str:
        return shortened(repr(profile.category(code)), LONGEST_SHOWN)

    def counted(code: int) -> str:
        return f"{quoted(code)} ({count[code]} cell{'s' * (count[code] != 1)})"

    listed = "; ".join(
        f"{', '.join(map(counted, codes))} for {quoted(goal)} ({count[goal]})"
        for goal, codes in list(shown.items())[:MOST_SHOWN]
    )
    more = f"; and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    what = what.format("a category" if len(shown) == 1 else f"{len(shown)} categories")
    message = f"Column {name!r} {what}: {listed}{more}."
    rows = np.flatnonzero(np.isin(profile.cells, list(meant)))[:5]
    fix = Fix("merge_spellings", name, {"spellings": spellings})
    return Finding(kind, name, message, fix, sum(count[code] for code in meant), tuple(rows.tolist()))
