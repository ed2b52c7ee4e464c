"""Work in a process of its own, so that a crash, a hang and a wrong answer can be told apart."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping

FAILED = 99
HANGS = "hangs"


def ended(work: Callable[[], int], ends: Mapping[int, str], patience: float) -> str:
    """Work in a fork of this process, and return how it ended.

    Parameters
    ----------
    work : returns the exit code; an exception is printed, and is an end of its own.
    ends : what the exit codes mean.
    patience : the seconds after which the work will never end.
    """
    child = os.fork()
    if child == 0:
        code = FAILED
        try:
            code = work()
        except BaseException as error:
            print(f"    {type(error).__name__}: {str(error)[:200]}", flush=True)
        finally:
            os._exit(code)
    until = time.monotonic() + patience
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            names = {FAILED: "another exception", **ends}
            return signal.Signals(-code).name if code < 0 else names.get(code, f"exit code {code}")
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return HANGS
