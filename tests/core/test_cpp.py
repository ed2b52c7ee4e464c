"""Unit tests of the core in C++ (tests/cpp), built in the folder of the installed core: its objects serve again."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SANITIZERS = {"": "none", "1": "BRANCHWORK_SANITIZE", "threads": "BRANCHWORK_SANITIZE_THREADS"}
CLEAN = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
"""The compiler and the tests themselves do not want the sanitizer that was preloaded for Python."""


def cache(folder: Path) -> dict[str, str]:
    """The settings that a build folder was made with."""
    lines = (folder / "CMakeCache.txt").read_text().splitlines()
    pairs = [line.split("=", 1) for line in lines if "=" in line and line[0].isalpha()]
    return {name.split(":")[0]: value for name, value in pairs}


def folder_of_the_core() -> Path:
    """The newest build folder of this checkout with the sanitizers of this run."""
    wanted = SANITIZERS[os.environ.get("BRANCHWORK_SANITIZED", "")]
    found = []
    for path in ROOT.glob("build/*/CMakeCache.txt"):
        settings = cache(path.parent)
        in_use = [name for name in SANITIZERS.values() if settings.get(name) == "ON"]
        if settings["CMAKE_HOME_DIRECTORY"] == str(ROOT) and (in_use or ["none"]) == [wanted]:
            found.append(path)
    if not found:
        pytest.skip("the core was not built in this checkout: make test builds it")
    return max(found, key=lambda path: path.stat().st_mtime).parent


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=CLEAN)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-6000:]}"
    return done.stdout


def test_the_unit_tests_in_cpp_pass():
    folder = folder_of_the_core()
    cmake = cache(folder)["CMAKE_COMMAND"]
    told = run(cmake, folder, "-DBRANCHWORK_CPP_TESTS=ON")
    if "doctest is not installed" in told:
        pytest.skip("doctest is not installed: apt-get install doctest-dev")
    run(cmake, "--build", folder, "--target", "cpp_tests", "--parallel", "2")
    counted = run(folder / "cpp_tests").splitlines()[-3]
    passed = int(counted.split("|")[1].split()[0])
    assert passed >= 100, counted
