"""Find the browser in which tests and documents look at pages."""

from __future__ import annotations

import shutil

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is Chromium without its windows: it draws the same pages in half the time."""


def chromium() -> str | None:
    """Return the path of the browser, or None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)
