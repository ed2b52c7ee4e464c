"""Programs that are not ours do not start, or hang, with the sanitizer that is preloaded for Python."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nothing_preloaded() -> Iterator[None]:
    """Start programs without it; Python itself has it loaded already."""
    preloaded = os.environ.pop("LD_PRELOAD", None)
    try:
        yield
    finally:
        if preloaded is not None:
            os.environ["LD_PRELOAD"] = preloaded
