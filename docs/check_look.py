"""Open every page of the built site in a browser: nothing may be wider than the window, on a desk or in a hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

WIDTHS = (1400, 390)
TALL = 6000
"""Screenshots end here; what is too wide is found below it, too."""

TOO_WIDE = """() => {
  const wide = [], width = document.documentElement.clientWidth;
  const about = (element, trouble) => {
    const text = element.textContent.trim().slice(0, 60);
    wide.push(`${element.tagName.toLowerCase()}.${element.className} ${trouble}: ${text}`);
  };
  const scrolls = (element) => {
    for (let above = element.parentElement; above && above.tagName !== "ARTICLE"; above = above.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(above).overflowX)) return true;
    return false;
  };
  for (const whole of document.querySelectorAll("html, .content"))
    if (whole.scrollWidth > whole.clientWidth + 1) about(whole, `is ${whole.scrollWidth} wide`);
  for (const element of document.querySelectorAll("article *")) {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    if (box.width === 0 || style.visibility === "hidden" || element.closest(".skip-to-content, svg")) continue;
    const out = box.right > width + 1 || box.left < -1;
    if (out && !scrolls(element)) about(element, `ends at ${Math.round(box.right)}`);
    const cut = ["hidden", "clip"].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1;
    if (cut && element.tagName !== "IFRAME" && element.clientWidth > 1) about(element, "hides a part");
  }
  return wide.slice(0, 5);
}"""
"""What reaches out of the window, or is cut off: boxes that scroll by themselves may hold more than they show."""


@cache
def pages_of(site: Path) -> list[Path]:
    """Return the pages that readers come to, without those of `live`, which other tests look at."""
    return [
        path
        for path in sorted(site.rglob("*.html"))
        if path.relative_to(site).parts[0] not in ("live", "_static")
    ]


def too_wide(site: Path, chromium: str, folder: Path | None = None) -> list[str]:
    """Return every "page (width): what is too wide", and leave a screenshot of each page in a folder."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for width in WIDTHS:
            page = browser.new_page(viewport={"width": width, "height": 900}, reduced_motion="reduce")
            found += [line for path in pages_of(site) for line in _looked_at(page, path, site, width, folder)]
            page.close()
        browser.close()
    return found


def _looked_at(page: Any, path: Path, site: Path, width: int, folder: Path | None) -> list[str]:
    page.goto(path.as_uri())
    name = path.relative_to(site).with_suffix("").as_posix()
    if folder is not None:
        shot = folder / str(width) / f"{name.replace('/', '-')}.jpg"
        shot.parent.mkdir(parents=True, exist_ok=True)
        tall = min(page.evaluate("document.documentElement.scrollHeight"), TALL)
        part = {"x": 0, "y": 0, "width": width, "height": tall}
        page.screenshot(path=shot, type="jpeg", quality=80, full_page=True, clip=part)
    return [f"{name} ({width}): {what}" for what in page.evaluate(TOO_WIDE)]
