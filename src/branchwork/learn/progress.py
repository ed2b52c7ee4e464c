"""Show a progress bar on standard error for long work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@contextmanager
def progress_bar(verbose: int, total: int, title: str) -> Iterator[Callable[[int], None] | None]:
    """Show a progress bar if verbose. Yield a function that takes how much is done, or None if there is no bar."""
    if not verbose:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        shown = _Bar(bar, bar.add_task(title, total=total), title)
        yield shown
        shown(total)


class _Bar:
    """A bar that also shows a line of text."""

    def __init__(self, bar: Progress, task: TaskID, title: str) -> None:
        self._bar, self._task, self._title = bar, task, title

    def __call__(self, done: int) -> None:
        self._bar.update(self._task, completed=done)

    def tell(self, text: str) -> None:
        """Show the progress of the search for an optimal tree."""
        self._bar.update(self._task, description=f"{self._title}: {text}")
