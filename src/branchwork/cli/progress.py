"""A bar on standard error for long work, and only there: work of a second or a file of messages has none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

LONG = 1.0
"""Seconds after which work is long."""

Done = Callable[[int], None]


@contextmanager
def progress(title: str, total: int | None = None, *, unit: str = "") -> Iterator[Done | None]:
    """Tell how much is done; None if nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        yield _Bar(stack, title, total, unit)


class _Bar:
    """Appears when the work has taken long enough, and goes when it is done."""

    def __init__(self, stack: ExitStack, title: str, total: int | None, unit: str) -> None:
        self._stack, self._title, self._total, self._unit = stack, title, total, unit
        self._start = time.monotonic()
        self._update: Done | None = None

    def __call__(self, done: int) -> None:
        if self._update is None and time.monotonic() - self._start >= LONG:
            self._update = self._shown()
        if self._update is not None:
            self._update(done)

    def _shown(self) -> Done:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        known = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        counted = (TextColumn(f"{{task.completed:,}} {self._unit}"),)
        columns = (TextColumn("{task.description}"), *(counted if self._total is None else known))
        bar = self._stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
        task = bar.add_task(self._title, total=self._total)
        return lambda done: bar.update(task, completed=done)
