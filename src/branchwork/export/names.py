"""Names for programs: any text becomes an identifier that every language takes."""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_LETTERS = 40
"""Longer names are cut off."""

_WORDS = """
    abstract alignas alignof and arguments as asm assert async auto await bool boolean break byte case catch
    char char16_t char32_t class compl concept const constexpr continue debugger decltype def default del
    delete do double elif else end enum eval except explicit export extends extern false final finally float
    for friend from function global goto if implements import in infinity inline instanceof int interface is
    isnan lambda let long main match mutable namespace nan native new noexcept none nonlocal not null nullptr
    object operator or package pass private protected public raise register requires restrict return row
    select short signed sizeof static std strictfp string struct super switch synchronized template this
    thread_local throw throws transient true try type typedef typeid typename typeof undefined union unsigned
    using var virtual void volatile wchar_t where while with xor yield
"""
_MACROS = """
    bufsiz domain eof errno exit_failure exit_success filename_max fopen_max fp_infinite fp_nan fp_normal fp_subnormal
    fp_zero huge huge_val i386 linux m_1_pi m_2_pi m_e m_ln10 m_ln2 m_log10e m_log2e m_pi m_pi_2 m_pi_4 m_sqrt2
    maxfloat offsetof overflow ploss rand_max sing stderr stdin stdout tloss underflow unix
"""
RESERVED = frozenset((_WORDS + _MACROS).split())
"""Words that are reserved in one of the languages, or defined in a common C header, in upper or lower case."""


def identifiers(names: Iterable[str]) -> tuple[str, ...]:
    """Return identifiers for names: ASCII letters, digits and single underscores, all different in any case.

    >>> identifiers(["Age", "age", "1st choice", "größe", "class", "", "'; DROP TABLE t; --"])
    ('Age', 'age_2', 'x1st_choice', 'gr_e', 'class_', 'x', 'DROP_TABLE_t')
    """
    taken, counts = set(RESERVED), dict[str, int]()
    found = []
    for name in names:
        own = identifier(name)
        stem = own.rstrip("_")
        count = counts.get(stem.lower(), 2)
        while own.lower() in taken:
            own, count = f"{stem}_{count}", count + 1
        counts[stem.lower()] = count
        taken.add(own.lower())
        found.append(own)
    return tuple(found)


def identifier(name: str) -> str:
    """Return one identifier. Two names may get the same."""
    plain = re.sub(r"[^0-9A-Za-z]+", "_", name)[:MOST_LETTERS].strip("_")
    if not plain or plain[0].isdigit():
        plain = f"x{plain}"
    return f"{plain}_" if plain.lower() in RESERVED else plain


def never_empty(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names unchanged, except that an empty name becomes x, for forms that take any other name.

    >>> never_empty(["age", "", "x"])
    ('age', 'x_', 'x')
    """
    given = tuple(names)
    return tuple(name or free_name("x", given) for name in given)


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """Return the wanted name, with underscores added until it is not taken."""
    known = set(taken)
    while wanted in known:
        wanted += "_"
    return wanted
