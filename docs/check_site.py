"""The built site asks the network for nothing: every script, style, font and picture is its own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object|use)\b[^>]*?\b(?:src|href|data)=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|icon|shortcut|preconnect|modulepreload))[^>]*?\bhref=["']?((?:https?:)?//[^"'\s>]+)""",
    re.IGNORECASE,
)
STYLED = re.compile(r"""(?:@import\s+|url\()\s*["']?((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)


def loaded_from_elsewhere(site: Path) -> list[str]:
    """Every "page: address" that a browser would fetch from another place."""
    found = []
    for path in sorted(site.rglob("*")):
        if path.suffix not in (".html", ".css", ".svg"):
            continue
        text = path.read_text(encoding="utf-8")
        addresses = [a or b for a, b in LOADED.findall(text)] + STYLED.findall(text)
        found += [f"{path.relative_to(site)}: {address}" for address in addresses]
    return found


if __name__ == "__main__":
    elsewhere = loaded_from_elsewhere(Path(sys.argv[1]))
    if elsewhere:
        sys.exit("The site is not complete in itself:\n" + "\n".join(elsewhere))
