"""Work that is shared among threads of Python."""

from __future__ import annotations

import multiprocessing
import threading
import warnings

import pytest

from branchwork.learn.threads import in_threads, thread_count


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


def test_a_process_that_may_not_start_processes_has_threads_of_its_own(monkeypatch):
    """Such as one of a multiprocessing pool; joblib would warn, and count one thread."""
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (thread_count(2), thread_count(None)) == (2, 1)
