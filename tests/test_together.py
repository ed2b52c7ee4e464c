"""A test of many cases runs all of them and names those that fail."""

import inspect

import pytest

from together import together


def test_every_case_runs_and_other_arguments_stay_fixtures():
    ran = []

    @together("number, word", [(1, "one"), (2, "two")])
    def law(number, shift, word):
        ran.append((number + shift, word))

    assert list(inspect.signature(law).parameters) == ["shift"]
    law(shift=3)
    assert ran == [(4, "one"), (5, "two")]


def test_failures_are_listed_with_their_cases():
    ran = []

    @together("number", range(50))
    def law(number):
        ran.append(number)
        assert number % 2 == 0, f"{number} is odd"

    with pytest.raises(AssertionError) as caught:
        law()
    lines = str(caught.value).splitlines()
    assert ran == list(range(50)) and lines[0] == "25 of 50 cases fail:"
    assert lines[1].startswith("- 1: AssertionError: 1 is odd") and lines[-1] == "- and 5 more"
    assert isinstance(caught.value.__cause__, AssertionError)


def test_a_missing_exception_is_a_failure_too():
    @together("number", [1])
    def law(number):
        with pytest.raises(ValueError):
            int(number)

    with pytest.raises(AssertionError, match="DID NOT RAISE"):
        law()
