"""The list of bounds to break on purpose (tests/deep/bounds.py) fits the sources; `make deep` breaks them."""

from pathlib import Path

import pytest

from deep.bounds import ALL

CORE = Path(__file__).parents[2] / "cpp" / "core"


@pytest.mark.parametrize("bound", ALL, ids=lambda bound: bound.file)
def test_the_place_to_break_is_there_once(bound):
    assert (CORE / bound.file).read_text(encoding="utf-8").count(bound.old) == 1
    assert bound.new != bound.old
