"""Pages that run: the code blocks of a Markdown page, in order, as a reader would type them.

    ```python    runs
    ```pycon     runs, and prints what the page shows
    ```console   commands after "$ "; those of `branchwork` and `python` run, and print what the page shows: all of
                 their data, and after it all of their messages or none

All Python of a page shares its names. A page runs in a folder of its own, with the project's docs/ and src/ in it;
other files it has to make itself, as its reader has.
`python tests/pages.py docs/page.md …` writes into pages what they print today.
"""

import contextlib
import doctest
import io
import re
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands import typed

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(python|pycon|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One block of code, and where its text stands on the page."""

    language: str
    text: str
    start: int


def blocks(text: str) -> list[Block]:
    return [Block(found[1], found[2], found.start(2)) for found in FENCE.finditer(text)]


def answers(path: Path) -> list[tuple[Block, str]]:
    """Every block of a page with the text it should have."""
    names: dict[str, Any] = {"__name__": "__main__"}
    found = blocks(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name in ("docs", "src"):
            Path(name).symlink_to(ROOT / name)
        return [(block, _run(block, path, names)) for block in found]


def _run(block: Block, path: Path, names: dict[str, Any]) -> str:
    if block.language == "console":
        return _console(block.text)
    if block.language == "pycon":
        return _pycon(block.text, path, names)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(block.text, str(path), "exec"), names)
    return block.text


def _pycon(text: str, path: Path, names: dict[str, Any]) -> str:
    """The session with what it prints now."""
    written = []
    for example in doctest.DocTestParser().get_examples(text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(example.source, str(path), "single"), names)
            except Exception as error:
                if example.exc_msg is None:
                    raise
                last = traceback.format_exception_only(error)[-1]
                print(f"Traceback (most recent call last):\n    ...\n{last}", end="")
        first, *rest = example.source.rstrip("\n").split("\n")
        written += [f">>> {first}", *(f"... {line}".rstrip() for line in rest)]
        written += printed.getvalue().rstrip("\n").split("\n") if printed.getvalue() else []
    return "".join(line.rstrip() + "\n" for line in written)


def _console(text: str) -> str:
    """The commands with what they print now; others as they stand."""
    commands = re.split(r"^(?=\$ )", text, flags=re.MULTILINE)
    return "".join(_command(command) for command in commands if command)


def _command(text: str) -> str:
    line, shown = text.split("\n", 1)
    command = re.sub(r"^\$ ", "", line)
    program = command.split()[0]
    if program not in ("branchwork", "python"):
        return text
    code, printed, told = typed(command) if program == "branchwork" else _python(command)
    if code not in (0, 2) or (code == 2 and not shown.strip()):
        raise AssertionError(f"{command} ended with {code}:\n{told}")
    if not shown.strip():  # only that it runs
        return text
    if code == 0 and shown.rstrip() == printed.rstrip():  # the data without the messages
        return text
    space = "\n" * (len(shown) - len(shown.rstrip("\n")))
    return f"{line}\n{(printed + told).rstrip()}{space}"


def _python(command: str) -> tuple[int, str, str]:
    run = command.replace("python", sys.executable, 1)
    found = subprocess.run(run, shell=True, capture_output=True, encoding="utf-8")
    return found.returncode, found.stdout, found.stderr


def refreshed(path: Path) -> str:
    """The page with what its blocks print now."""
    text = path.read_text(encoding="utf-8")
    for block, answer in reversed(answers(path)):
        text = text[: block.start] + answer + text[block.start + len(block.text) :]
    return text


if __name__ == "__main__":
    for page in (Path(name).resolve() for name in sys.argv[1:]):
        page.write_text(refreshed(page), encoding="utf-8")
