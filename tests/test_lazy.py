"""An attribute that is computed once, without a lock."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import branchwork as bw
from branchwork.lazy import cached_property

A_HANG = 60


class Slow:
    def __init__(self, entered=None, go_on=None):
        self.entered, self.go_on, self.times = entered, go_on, 0

    @cached_property
    def value(self):
        """A new object for each call."""
        self.times += 1
        if self.entered is not None:
            self.entered.release()
            assert self.go_on.wait(A_HANG)
        return object()


def test_a_value_is_computed_once_and_has_its_docstring():
    slow = Slow()
    assert slow.value is slow.value
    assert slow.times == 1
    assert Slow.value.__doc__ == "A new object for each call."


def test_nobody_waits_for_another_thread_and_all_get_the_same_value():
    entered, go_on = threading.Semaphore(0), threading.Event()
    first, other = Slow(entered, go_on), Slow()
    found = []
    threads = [threading.Thread(target=lambda: found.append(first.value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert entered.acquire(timeout=A_HANG)  # both are computing
    assert other.value is other.value  # another instance does not wait for them
    go_on.set()
    for thread in threads:
        thread.join(A_HANG)
    assert first.times == 2
    assert found == [first.value, first.value]


def test_no_module_uses_the_property_that_locks():
    for path in Path(bw.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"functools.*cached_property", text), path
