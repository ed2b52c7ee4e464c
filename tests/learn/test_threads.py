"""Work that is shared among threads of Python."""

from __future__ import annotations

import threading

import pytest

from branchwork.learn.threads import in_threads


@pytest.mark.parametrize("startable", [0, 1])
def test_where_no_more_threads_can_be_started_the_calling_thread_works(startable, monkeypatch):
    start, started = threading.Thread.start, []

    def some(thread):
        if len(started) >= startable:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", some)
    assert list(in_threads(max, iter([1, 5, 3]), [4, 2, 0], n_jobs=3)) == [4, 5, 3]
    assert len(started) == startable
