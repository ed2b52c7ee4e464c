"""Check the built site: it loads nothing from elsewhere, its links lead somewhere, and every page fits its window.

    python docs/check_site.py build/docs

The last check opens every page in Chromium at two widths and leaves its screenshots in the folder `screenshots` beside
the site. Without Chromium it is left out, and a line says so.
"""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from chromium import chromium

from check_look import WIDTHS, pages_of, too_wide

LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object|use)\b[^>]*?\b(?:src|href|data)=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|icon|shortcut|preconnect|modulepreload))[^>]*?\bhref=["']?((?:https?:)?//[^"'\s>]+)""",
    re.IGNORECASE,
)
STYLED = re.compile(r"""(?:@import\s+|url\()\s*["']?((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)
LINKED = re.compile(r"""\s(?:href|src)=["']([^"']+)["']""")


def loaded_from_elsewhere(site: Path) -> list[str]:
    """Return every "page: address" that a browser would fetch from another place."""
    found = []
    for path in sorted(site.rglob("*")):
        if path.suffix not in (".html", ".css", ".svg"):
            continue
        text = path.read_text(encoding="utf-8")
        addresses = [a or b for a, b in LOADED.findall(text)] + STYLED.findall(text)
        found += [f"{path.relative_to(site)}: {address}" for address in addresses]
    return found


def dead_links(site: Path) -> list[str]:
    """Return every "page: address" of the site's own that leads to no file or to no place in it."""
    found = []
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    places = {path: set(re.findall(r'\sid="([^"]+)"', text)) for path, text in texts.items()}
    for path in pages_of(site):
        for address in sorted(set(LINKED.findall(texts[path]))):
            parts = urlsplit(unescape(address))
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            # Pages in the folder live have places that their own program makes.
            if not target.is_file() or (place and target in pages_of(site) and place not in places[target]):
                found.append(f"{path.relative_to(site)}: {address}")
    return found


def main(site: Path) -> None:
    """Stop with what is wrong."""
    wrong = {
        "The site is not complete in itself": loaded_from_elsewhere(site),
        "Links that lead nowhere": dead_links(site),
    }
    browser = chromium()
    if browser is None:
        print(
            "The pages were not looked at: Chromium is not installed (apt-get install chromium-headless-shell)."
        )
    else:
        folder = site.parent / "screenshots"
        wrong["Wider than the window"] = too_wide(site, browser, folder)
        print(f"Every page was looked at {' and '.join(map(str, WIDTHS))} pixels wide: {folder}")
    if any(wrong.values()):
        sys.exit("\n".join(f"{title}:\n  " + "\n  ".join(lines) for title, lines in wrong.items() if lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
