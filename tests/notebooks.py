"""Notebooks that run: the code cells of a Jupyter notebook, in order, with what they print and show.

A cell that ends in an expression shows its value: as a picture, as HTML or as text, the first of these that the value
has. What a notebook shows is stored in it, and compared in the tests.
`python tests/notebooks.py docs/notebooks/name.ipynb …` writes into notebooks what they show today. Nothing but the
standard library is needed.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def ran(path: Path) -> dict[str, Any]:
    """Return a notebook with what its cells show now."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = _outputs("".join(cell["source"]), f"{path.name}, cell {count}", names, count)
    return notebook


def text_of(notebook: dict[str, Any]) -> str:
    """Return all text that a notebook prints and shows, without its pictures."""
    parts = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            parts += output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]
            parts.append("\n")
    return "".join(parts)


def written(notebook: dict[str, Any]) -> str:
    """Return the text of a notebook's file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(source: str, name: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value, printed = None, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        picture, page = getattr(value, "_repr_svg_", None), getattr(value, "_repr_html_", None)
        if picture is not None:
            data = {"image/svg+xml": _lines(picture()), "text/plain": ["<a picture>"]}
        elif page is not None:
            data = {"text/html": _lines(page()), **data}
        outputs.append(
            {"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(written(ran(page)), encoding="utf-8")
