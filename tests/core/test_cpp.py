"""Unit tests of the core in C++ (tests/cpp), built in the folder of the installed core: its objects serve again."""

import subprocess
from pathlib import Path

import pytest

from preload import nothing_preloaded

from built_core import build_folder, settings


def run(*command: str | Path) -> str:
    with nothing_preloaded():
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-6000:]}"
    return done.stdout


def test_the_unit_tests_in_cpp_pass():
    folder = build_folder()
    if folder is None:
        pytest.skip("the core was not built in this checkout: make test builds it")
    cmake = settings(folder)["CMAKE_COMMAND"]
    told = run(cmake, folder, "-DBRANCHWORK_CPP_TESTS=ON")
    if "doctest is not installed" in told:
        pytest.skip("doctest is not installed: apt-get install doctest-dev")
    run(cmake, "--build", folder, "--target", "cpp_tests", "--parallel", "2")
    counted = run(folder / "cpp_tests").splitlines()[-3]
    passed = int(counted.split("|")[1].split()[0])
    assert passed >= 100, counted
