"""Parts of a web page that needs nothing else: colours, modules joined into one, and data that do no harm.

The page of a tree (`view/html.py`) and the page of questions (`export/questionnaire.py`) are both made of these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def asset(room: str, name: str) -> str:
    """The text of a file in the assets of a room."""
    return (files(f"branchwork.{room}") / "assets" / name).read_text(encoding="utf-8")


def script_of(room: str, modules: Iterable[str]) -> str:
    """Modules of a room, each after those it imports, as one; what every page has comes first."""
    shared = (asset("webpage", f"{name}.mjs") for name in ("common", "digits"))
    texts = [*shared, *(asset(room, f"{name}.mjs") for name in modules)]
    return "\n".join(re.sub(r'^import [^;]*? from "\.[^;]*;\n', "", text, flags=re.M) for text in texts)


def style_of(room: str, name: str) -> str:
    """The style sheet of a page; the colours that every page has come first."""
    return f"{asset('webpage', 'colours.css')}\n{asset(room, name)}"


def safe_json(data: Any) -> str:
    """JSON that may stand inside a script element: ASCII, and no "<" that could end it.

    >>> safe_json({"</script>": "é"})
    '{"\\\\u003c/script>":"\\\\u00e9"}'
    """
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
