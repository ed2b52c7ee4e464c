"""Press Ctrl-C in the middle of work, and measure what was computed before it was heard.

Tests compare processor time, which other programs on a busy machine do not change. The campaign in tests/deep, on an
idle machine, looks at the clock.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

ALLOWED = 1.0
"""Processor seconds of all threads that may pass until Ctrl-C is heard: ten times what it takes. The work itself takes
longer than that, so an interrupt that is heard only at its end is noticed."""


class Heard(NamedTuple):
    """What passed from Ctrl-C to KeyboardInterrupt."""

    seconds: float
    processor_seconds: float


def interrupted(work: Callable[[], object], after: float = 0.2, *, again: bool = True) -> Heard | None:
    """Press Ctrl-C some seconds after work has begun. Work that ends earlier begins again, or gives None."""
    sent: list[float] = []

    def press() -> None:
        time.sleep(after)
        sent.extend((time.perf_counter(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    presser, over = threading.Thread(target=press), False
    try:
        presser.start()
        work()
        while again:
            work()
        over = True
        presser.join()
        signal.pause()
    except KeyboardInterrupt:
        heard = time.perf_counter(), time.process_time()
    presser.join()
    return None if over else Heard(heard[0] - sent[0], heard[1] - sent[1])
