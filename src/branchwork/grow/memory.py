"""Refuse trees of many classes that would need more memory than is free.

A tree has two numbers per node and class, the weight and the probability. With 20 000 classes that is 320 kB per node,
so a fully grown tree may need more memory than there is. The size of a tree is not known in advance, so nodes are
counted while it grows, and growth ends when there is no memory for more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import numpy as np

from branchwork.errors import TooLargeError
from branchwork.table.table import Table
from branchwork.table.target import Classes, Target

COPIES = 4
"""Tables of nodes × classes that exist at the same time: the two of a tree, and two more while arrays grow, nodes are
renumbered or subtrees are pruned."""
OTHER_NUMBERS = 20
"""What a node has besides its classes takes as much as ten numbers, and exists twice while arrays grow."""
SURELY_FREE = 2**28
"""For fewer bytes than this, the free memory is not checked."""
NUMBER = 8
"""Bytes of a float64."""


@dataclass(frozen=True)
class Room:
    """The free memory, and how much of it a node needs."""

    rows: int
    classes: int
    """0 for a numeric target."""
    free: int

    @property
    def node_bytes(self) -> int:
        """The number of bytes that a node needs."""
        return (max(1, self.classes) * COPIES + OTHER_NUMBERS) * NUMBER

    @property
    def most_nodes(self) -> int:
        """The number of nodes that fit."""
        return self.free // self.node_bytes

    @property
    def sample(self) -> str:
        """The rows in words."""
        return f"{grouped(self.rows)} rows" + (f" of {grouped(self.classes)} classes" if self.classes else "")

    def check(self, nodes: int) -> None:
        """Refuse a tree of this many nodes if it does not fit."""
        if nodes > self.most_nodes:
            self.refuse(nodes)

    def refuse(self, nodes: int) -> NoReturn:
        """Raise an error that says how large the tree has become, and what to do."""
        raise TooLargeError(
            f"The tree does not fit in memory. It was grown on {self.sample}, has {grouped(nodes)} nodes so far, and "
            f"needs about {gigabytes(nodes * self.node_bytes)} for them (nodes × {grouped(self.node_bytes)} bytes); "
            f"{gigabytes(self.free)} are free. Limit the tree with max_depth, or with max_leaf_nodes where the "
            f"estimator has it, or use {'fewer classes or ' if self.classes else ''}fewer categories."
        )


def room_for(table: Table, target: Target) -> Room | None:
    """Return the memory for a tree of these rows; None if any tree of them is small, or the free memory is unknown."""
    room = Room(table.n_rows, len(target.labels) if isinstance(target, Classes) else 0, SURELY_FREE)
    widest = table.schema.most_categories + 1
    if room.rows * max(2, widest) <= room.most_nodes:
        return None
    free = free_bytes()
    if free is None:
        return None
    room = replace(room, free=free)
    _check_categories(table, room, widest)
    return room


def _check_categories(table: Table, room: Room, widest: int) -> None:
    """Refuse a feature if the counts of its categories × classes, which the root needs, do not fit in memory."""
    needed = widest * max(1, room.classes) * NUMBER
    if needed <= room.free:
        return
    name = next(column.name for column in table.schema if len(column.categories) + 1 == widest)
    raise TooLargeError(
        f"Column {name!r} has {grouped(widest - 1)} categories. To count them in {room.sample} takes about "
        f"{gigabytes(needed)} (categories × classes × {NUMBER} bytes); {gigabytes(room.free)} are free. Group the "
        "categories, or use fewer classes."
    )


def check_tally(table: Table, target: Target, rows: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> None:
    """Refuse a tally whose counts, of each class for each distinct value of each feature, do not fit in memory."""
    if not isinstance(target, Classes):
        return
    classes = len(target.labels)

    def needed(values: Iterator[int]) -> int:
        return sum(values) * classes * NUMBER * 2  # a growing array has room for twice its entries

    def slots(distinct: bool) -> Iterator[int]:
        for column, cells in zip(table.schema, table.arrays, strict=True):
            if column.is_nominal:
                yield len(column.categories) + 1
            else:
                yield len(np.unique(cells[rows])) if distinct else len(rows)

    if needed(slots(distinct=False)) <= SURELY_FREE:
        return
    free = free_bytes()
    if free is None or (bytes_needed := needed(slots(distinct=True))) <= free:
        return
    raise TooLargeError(
        f"The candidates of this node cannot be counted again from the data: {grouped(len(rows))} rows of "
        f"{grouped(classes)} classes need about {gigabytes(bytes_needed)} (distinct values × classes × {2 * NUMBER} "
        f"bytes); {gigabytes(free)} are free. Ask for a node with fewer rows, or use fewer classes."
    )


# ---- free memory ------------------------------------------------------------------------------------------


def free_bytes(root: Path = Path("/")) -> int | None:
    """Return how many bytes this process may still use: the minimum by the machine, its limits and its control group.

    None if the system does not say. `root` is the folder with the files of the system.
    """
    return min((*_of_machine(root), *_of_limits(root), *_of_group(root)), default=None)


def _of_machine(root: Path) -> Iterator[int]:
    """Return the memory that is free or used only by caches. Swap does not count, because it is too slow."""
    for line in _text(root / "proc/meminfo").splitlines():
        name, _, amount = line.partition(":")
        if name == "MemAvailable":
            yield int(amount.split()[0]) * 1024


def _of_limits(root: Path) -> Iterator[int]:
    """Return how much `ulimit` leaves of the address space and of the data segment of this process."""
    used = _text(root / "proc/self/statm").split()
    if not used:
        return
    import resource  # not on every system, but on all that have /proc

    page = os.sysconf("SC_PAGE_SIZE")
    for limit, pages in ((resource.RLIMIT_AS, used[0]), (resource.RLIMIT_DATA, used[5])):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY:
            yield max(0, most - int(pages) * page)


def _of_group(root: Path) -> Iterator[int]:
    """Return how much the control group (version 2) of this process, or a parent of it, leaves; containers have one."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        if not line.startswith("0::/"):
            continue
        top = root / "sys/fs/cgroup"
        here = top / line.removeprefix("0::/")
        for group in (here, *(parent for parent in here.parents if parent.is_relative_to(top))):
            most, used = _text(group / "memory.max").strip(), _text(group / "memory.current").strip()
            if most.isdecimal() and used.isdecimal():
                yield max(0, int(most) - int(used) + _dropped_at_need(group))


def _dropped_at_need(group: Path) -> int:
    """Return the bytes of cached files in a control group: they count as used, but are released if necessary."""
    for line in _text(group / "memory.stat").splitlines():
        name, _, amount = line.partition(" ")
        if name == "inactive_file":
            return int(amount)
    return 0


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def grouped(count: int) -> str:
    """Write a whole number with its digits in groups of three.

    >>> grouped(20000)
    '20 000'
    """
    return f"{count:_}".replace("_", " ")


def gigabytes(count: int) -> str:
    """Write a number of bytes in gigabytes.

    >>> gigabytes(6_400_000_000)
    '6.40 GB'
    """
    return f"{count / 1e9:.2f} GB"
