"""A bar on standard error for long work, and only there: work of a second or a file of messages has none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

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
        self._shown: tuple[Progress, TaskID] | None = None

    def __call__(self, done: int) -> None:
        if self._shown is None and time.monotonic() - self._start >= LONG:
            self._shown = self._show()
        if self._shown is not None:
            self._shown[0].update(self._shown[1], completed=done)

    def tell(self, text: str) -> None:
        """Show a text beside the bar: how the search for an optimal tree stands."""
        if self._shown is not None:
            self._shown[0].update(self._shown[1], description=f"{self._title}: {text}")

    def _show(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        known = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        counted = (TextColumn(f"{{task.completed:,}} {self._unit}"),)
        columns = (TextColumn("{task.description}"), *(counted if self._total is None else known))
        bar = self._stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
        return bar, bar.add_task(self._title, total=self._total)
