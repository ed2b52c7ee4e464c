"""Pictures in tests are drawn without a screen and closed after each test; examples are the same every time.

Pages are opened in a real browser, one for the whole run.
"""

import os
import signal
import sys
from contextlib import ExitStack

import pytest
from chromium import chromium

from preload import nothing_preloaded

import tables  # noqa: F401  # its profile for Hypothesis holds in all tests

os.environ.setdefault("MPLBACKEND", "Agg")

# A shell lets its background jobs ignore Ctrl-C, and what they start inherits that. Some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)

A_HANG = 300_000
"""Milliseconds after which a browser that does not answer will never do so, on however busy a machine."""
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",  # widths of text as on a screen, not rounded to whole pixels
]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window, for the whole run."""
    path = chromium()
    if path is None:
        pytest.skip("Chromium is not installed: apt-get install chromium-headless-shell")
    from playwright.sync_api import sync_playwright

    with ExitStack() as stack:
        with nothing_preloaded():
            playwright = stack.enter_context(sync_playwright())
            browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def usual_page(browser):
    """A page that tests without special wishes share."""
    return new_page(browser)


def new_page(browser, **settings):
    usual = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
    page = browser.new_context(**{**usual, **settings}).new_page()
    page.set_default_timeout(A_HANG)
    return page


@pytest.fixture
def open_page(browser, usual_page):
    """Open a page from its text: no errors, and not a single request, may come of it."""
    opened, troubles = [], []
    watched = {
        "pageerror": lambda error: troubles.append(str(error)),
        "console": lambda message: troubles.append(message.text) if message.type == "error" else None,
        "request": lambda request: troubles.append(request.url),
    }

    def open_text(text, **settings):
        page = new_page(browser, **settings) if settings else usual_page
        page.goto("about:blank")
        opened.append(page)
        for event, listener in watched.items():
            page.on(event, listener)
        page.set_content(text)
        return page

    yield open_text
    for page in opened:
        for event, listener in watched.items():
            page.remove_listener(event, listener)
        if page is not usual_page:
            page.context.close()
    assert troubles == []


@pytest.fixture
def page(browser):
    """An empty page."""
    opened = browser.new_page()
    opened.set_default_timeout(A_HANG)
    yield opened
    opened.close()
