"""Columns of strings are coded by the core from Arrow's memory; a dictionary in Python says what is right."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwork import _core
from branchwork.table.adapt import to_table

# Widths at which texts are stored differently, alphabets in which many texts begin or end alike, and NUL.
PIECES = st.sampled_from(["", "a", "b", "ab", "é", "🌲", "\0", "x" * 7, "x" * 8, "y" * 16, "z" * 24])
TEXTS = st.one_of(st.none(), st.lists(PIECES, max_size=4).map("".join), st.text(max_size=30))


def slow_codes(texts):
    categories = sorted({text for text in texts if text is not None})
    return tuple(categories), [-1 if text is None else categories.index(text) for text in texts]


def coded(frame):
    table = to_table(frame)
    return table.schema[0].categories, table.arrays[0].tolist()


@given(st.lists(TEXTS, min_size=1, max_size=40), st.integers(0, 9))
def test_strings_of_every_container(texts, skipped):
    wanted = slow_codes(texts)
    assert coded(pd.DataFrame({"x": pd.Series(texts, dtype="str")})) == wanted
    assert coded(pd.DataFrame({"x": pd.Series(texts, dtype=pd.StringDtype("python"))})) == wanted
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        array = pa.array(texts, kind)
        assert coded(pa.table({"x": array})) == wanted
        behind = pa.array(["before"] * skipped + texts + ["z"], kind).slice(skipped, len(texts))
        assert coded(pa.table({"x": behind})) == wanted  # its ends and bits do not begin with its buffers
        in_two = pa.chunked_array([array[:3], array[3:]])
        assert coded(pa.table({"x": in_two})) == wanted


@pytest.mark.parametrize("width", [3, 8, 15, 30])
def test_many_distinct_strings(width):
    """More than the recent ones, and more than the first hash table has room for."""
    rng = np.random.default_rng(0)
    texts = [str(k).rjust(width, "0") for k in rng.integers(0, 20_000, 60_000)]
    categories, codes = coded(pd.DataFrame({"x": pd.Series(texts, dtype="str")}))
    assert list(categories) == sorted(set(texts))
    assert [categories[code] for code in codes] == texts


def test_a_column_without_a_single_letter():
    assert coded(pa.table({"x": ["", "", None]})) == (("",), [0, 0, -1])


@pytest.mark.parametrize("ends", [[0, 9], [0, 3, 2], [-1, 2], [5, 5, 7]])
def test_texts_outside_their_bytes_are_refused(ends):
    letters = np.frombuffer(b"hello", np.uint8)
    with pytest.raises(IndexError, match="does not lie within the bytes"):
        _core.distinct_texts(np.array(ends), letters, None, 0)


def test_bits_and_ends_must_be_there():
    letters = np.frombuffer(b"hello", np.uint8)
    for ends, bits, first_bit in (([], None, 0), ([0] * 10, [255], 0), ([0, 1], [255], 8)):
        valid = None if bits is None else np.array(bits, np.uint8)
        with pytest.raises(ValueError, match="end too few, or a bit"):
            _core.distinct_texts(np.array(ends, np.int64), letters, valid, first_bit)
