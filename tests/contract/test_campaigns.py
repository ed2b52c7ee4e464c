"""A slice of the campaigns in tests/deep that work in processes of their own."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys

import pytest

from contract.checks import SANITIZED, TESTS

needs_own_memory = pytest.mark.skipif(SANITIZED, reason="sanitizers allocate by themselves")
A_HANG = 600


def passed(script: str, *options: str) -> str:
    """Return what a campaign prints; it must end well."""
    ran = subprocess.run(
        [sys.executable, TESTS / "deep" / script, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=A_HANG,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


@needs_own_memory
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the functions behind malloc are glibc's")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="the library that refuses is compiled by gcc")
def test_refused_allocations():
    assert "0 of them ended badly" in passed("refusals.py", "--points", "2")


@needs_own_memory
def test_little_address_space():
    assert ", 0 calls ended badly" in passed("little_memory.py", "--steps", "6")


def test_arrays_that_change():
    assert ", 0 of the processes ended badly" in passed("changing.py", "--times", "1")
