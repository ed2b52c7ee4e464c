"""Measuring two things beside each other: take turns, several rounds, and keep the best of each."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, TypeVar

Job = Callable[[], Any]
Name = TypeVar("Name")


class LeftOutError(Exception):
    """Something that a family needs is not here; the others go on without it."""


@dataclass(frozen=True)
class Settings:
    """What the command line said."""

    data: Path | None
    weka_jar: Path
    rounds: int


@dataclass(frozen=True)
class Target:
    """A limit for the ratio: so many times faster than the peer, or so many times its time."""

    kind: Literal["at least", "at most"]
    limit: float

    def __str__(self) -> str:
        return f"{'≥' if self.kind == 'at least' else '≤'} {self.limit:g}×"


def at_least(limit: float) -> Target:
    """The peer takes at least so many times our time."""
    return Target("at least", limit)


def at_most(limit: float) -> Target:
    """We take at most so many times the peer's time."""
    return Target("at most", limit)


@dataclass(frozen=True)
class Figure:
    """One line of the table: what the peer needs and what we need. Without `wanted` it is for information only."""

    work: str
    peer: str
    peer_needs: float
    we_need: float
    target: Target
    wanted: bool = True
    unit: Literal["seconds", "MB"] = "seconds"

    @property
    def ratio(self) -> float:
        """The peer's over ours (a speed-up), or ours over the peer's, whichever the target limits."""
        ours_over_peer = self.we_need / self.peer_needs
        return 1 / ours_over_peer if self.target.kind == "at least" else ours_over_peer

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if there is none."""
        if not self.wanted:
            return None
        at_least_it = self.target.kind == "at least"
        return self.ratio >= self.target.limit if at_least_it else self.ratio <= self.target.limit


def seconds(job: Job) -> float:
    """Time of one call."""
    return _one_after_the_other(job, 1)[0]


def best_of_turns(
    jobs: dict[Name, Job], rounds: int, clock: Callable[[Job], float] = seconds
) -> dict[Name, float]:
    """The best time of each job. In every round each job has one turn, so a slow minute hits all of them.

    A job that measures itself (a program in another process) goes with `clock=lambda job: job()`.
    """
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            best[name] = min(best[name], clock(job))
    return best


def repeated(calls: int) -> Callable[[Job], float]:
    """A clock for short jobs: the best of a few calls in one turn, one after the other."""
    return lambda job: min(_one_after_the_other(job, calls))


def _one_after_the_other(job: Job, calls: int) -> list[float]:
    """The time of each call. The garbage collector rests meanwhile."""
    gc.collect()
    gc.disable()
    try:
        times = []
        for _ in range(calls):
            start = perf_counter()
            job()
            times.append(perf_counter() - start)
        return times
    finally:
        gc.enable()
