"""Draw random numbers that depend only on a key: the same function as `cpp/core/random.hpp`, on arrays.

A key is made from the seed, the number of the tree and what is drawn. So the draws of a tree do not depend on
threads, on the trees before it, or on the computer.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]

WORD: Final = 2**64 - 1
ROWS: Final = 3 << 56
"""The purpose of draws of rows, as in random.hpp."""
PERMUTATION: Final = 5 << 56
"""The purpose of permutations of cells."""
HALVES: Final = 6 << 56
"""The purpose of draws that split rows into the two halves of an honest tree."""


def mixed(x: int) -> int:
    """Return splitmix64's mixing function of a number.

    >>> hex(mixed(0))
    '0xe220a8397b1dcdaf'
    """
    x = (x + 0x9E3779B97F4A7C15) & WORD
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & WORD
    return x ^ (x >> 31)


def key_of(key: int, which: int) -> int:
    """Return a key made from another key and a number: its purpose, or its position among several."""
    return mixed(mixed(key) ^ which)


def tree_key(seed: int, tree: int) -> int:
    """Return the key of a tree, as the core has it."""
    return key_of(mixed(seed), tree)


def mix(x: Keys) -> Keys:
    """Mix every number of an array, in place."""
    shifted = np.empty_like(x)
    x += np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        np.right_shift(x, np.uint64(shift), out=shifted)
        x ^= shifted
        x *= np.uint64(factor)
    np.right_shift(x, np.uint64(31), out=shifted)
    x ^= shifted
    return x


def places(count: int) -> Keys:
    """Return 0, 1, 2, … for `keys`, made once for all trees."""
    return np.arange(count, dtype=np.uint64)


def keys(key: int, which: Keys) -> Keys:
    """Return `key_of(key, i)` for every i of an array."""
    return mix(which ^ np.uint64(mixed(key)))


def below(drawn: Keys, count: int) -> npt.NDArray[np.intp]:
    """Turn random numbers into positions below `count` (at most 2^32): the high half of a product, without modulo."""
    high, low = drawn >> np.uint64(32), drawn & np.uint64(2**32 - 1)
    number = np.uint64(count)
    high *= number
    low *= number
    low >>= np.uint64(32)
    high += low
    high >>= np.uint64(32)
    return high.astype(np.intp)


def shares(drawn: Keys) -> npt.NDArray[np.float64]:
    """Turn random numbers into numbers from 0 up to, but not including, 1."""
    return (drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53
