"""One version for everything, releases that are refused unless all fits together, and extras that are whole."""

import importlib.util
import re
import shutil
import tomllib
from pathlib import Path

import pytest

import branchwork as bw

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
READ_BY_A_RELEASE = ["CHANGELOG.md", "CITATION.cff", "pyproject.toml", "src/branchwork/__init__.py"]

spec = importlib.util.spec_from_file_location("check_release", ROOT / ".ci" / "check_release.py")
check_release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_release)


# ---- one version --------------------------------------------------------------------------------------------


def test_the_version_is_written_once_and_everything_else_follows():
    assert check_release.version() == bw.__version__
    assert "version" in PROJECT["project"]["dynamic"] and "version" not in PROJECT["project"]
    (read,) = [entry["input"] for entry in PROJECT["tool"]["dynamic-metadata"] if entry["field"] == "version"]
    assert read == "src/branchwork/__init__.py"
    assert check_release.cited_version() == bw.__version__
    assert check_release.newest_in_changelog()[0] == bw.__version__


def test_the_citation_says_what_the_project_says():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f'abstract: "{PROJECT["project"]["description"]}"' in citation
    assert f"license: {PROJECT['project']['license']}" in citation
    assert "  - name: The Branchwork developers" in citation
    assert "The Branchwork developers" in (ROOT / "LICENSE").read_text(encoding="utf-8")


# ---- releases -----------------------------------------------------------------------------------------------


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """A copy of what a release looks at, with a date and an address."""
    for name in READ_BY_A_RELEASE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    change(
        tmp_path / "CHANGELOG.md",
        rf"^## {re.escape(bw.__version__)} .*$",
        f"## {bw.__version__} — 2026-12-31",
    )
    change(tmp_path / "pyproject.toml", r"https://branchwork\.invalid", "https://example.org")
    return tmp_path


def change(path: Path, pattern: str, by: str) -> None:
    text, count = re.subn(pattern, by, path.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")
    assert count == 1 or path.name == "pyproject.toml"  # once the address is real, nothing is replaced there


def test_a_release_that_fits_together_is_allowed(ready):
    assert check_release.objections(f"v{bw.__version__}", ready) == []


@pytest.mark.parametrize(
    ("name", "pattern", "by", "told"),
    [
        ("CHANGELOG.md", r"2026-12-31", "unreleased", "write the day of the release"),
        ("CHANGELOG.md", r"^## \S+", "## 99.0", "newest version in CHANGELOG.md is 99.0"),
        ("CITATION.cff", r"^version: .+$", "version: 98.0", "CITATION.cff names version 98.0"),
        (
            "pyproject.toml",
            r"https://example\.org",
            "https://branchwork.invalid",
            "placeholder for Repository",
        ),
        ("src/branchwork/__init__.py", r"^__version__ = .+$", '__version__ = "97.0"', "asks for 'v97.0'"),
    ],
)
def test_a_release_is_refused(ready, name, pattern, by, told):
    change(ready / name, pattern, by)
    assert told in "\n".join(check_release.objections(f"v{bw.__version__}", ready))


def test_a_release_without_its_tag_is_refused(ready):
    (told,) = check_release.objections(bw.__version__, ready)
    assert f"asks for 'v{bw.__version__}'" in told


# ---- what is installed --------------------------------------------------------------------------------------


def test_the_extra_all_is_every_extra():
    extras = PROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert everything == f"branchwork[{','.join(sorted(extras.keys() - {'all'}))}]"
