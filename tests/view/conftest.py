"""A real browser for the tests of pages."""

import shutil

import pytest

import branchwork as bw

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture
def tennis():
    """The lecture's table."""
    return bw.datasets.load("play_tennis")


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window, for the whole run."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """Open a page from its text: no errors, and not a single request, may come of it."""
    pages, troubles = [], []

    def opened(text, **settings):
        context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **settings}
        )
        page = context.new_page()
        pages.append(page)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: troubles.append(request.url))
        page.set_content(text)
        return page

    yield opened
    for page in pages:
        page.context.close()
    assert troubles == []
