"""Break every bound of the core on purpose: each time a test must fail.

    python tests/deep/break_bounds.py            all of them; about 15 minutes on 2 cores
    python tests/deep/break_bounds.py --only pair_search

The core finds the best split without looking at everything: bounds rule out rows, runs of rows, buckets and columns. A
bound that rules out too much gives a tree that is nearly right, so tests have to be sharp. Each line of bounds.py
changes a copy of the sources a little, the copy is built, and the tests named there must fail;
before that they must pass.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from deep.bounds import ALL, Broken

from built_core import ROOT, build_folder, settings

COPY = ROOT / "build" / "broken"
FOLDER = COPY / "build"

PYTEST = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]  # an editable install
sys.path.insert(0, sys.argv[1])
import branchwork._core, pytest
assert branchwork._core.__file__.startswith(sys.argv[1]), branchwork._core.__file__
sys.exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""
FAILED = 1  # the exit code of pytest and of doctest when a test failed; others tell that something went wrong


def copy_sources() -> None:
    """The newest sources; the objects of an earlier run serve again."""
    for name in ("cpp", "src", "tests"):
        for path in (ROOT / name).rglob("*"):
            to = COPY / path.relative_to(ROOT)
            if path.is_dir() or "__pycache__" in path.parts or path.suffix == ".so":
                continue
            if not to.exists() or to.read_bytes() != path.read_bytes():
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, to)
    for name in ("CMakeLists.txt", "pyproject.toml"):
        shutil.copyfile(ROOT / name, COPY / name)


def configure() -> str:
    """Make the build folder of the copy as that of the core was made; returns the path of cmake."""
    core = build_folder()
    if core is None:
        sys.exit("the core was not built in this checkout: make test builds it")
    made_with = settings(core)
    same = ("CMAKE_MAKE_PROGRAM", "CMAKE_CXX_COMPILER", "Python_EXECUTABLE", "nanobind_DIR")
    options = [f"-D{name}={made_with[name]}" for name in same if name in made_with]
    told = run(
        made_with["CMAKE_COMMAND"], "-S", COPY, "-B", FOLDER, "-G", "Ninja", *options,
        "-DBRANCHWORK_CPP_TESTS=ON", "-DBRANCHWORK_OPTIMIZATION=-O0", "-DBRANCHWORK_UNITY=OFF",
    )  # fmt: skip
    if "doctest is not installed" in told:
        sys.exit("doctest is not installed: apt-get install doctest-dev")
    return made_with["CMAKE_COMMAND"]


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def build(cmake: str, *targets: str) -> None:
    run(cmake, "--build", FOLDER, "--parallel", "2", "--target", *targets)


def result_of(tests: str, cmake: str) -> tuple[int, str]:
    """Build what some tests need and run them; their exit code, and the end of what they print."""
    if tests.endswith(".cpp"):
        # Bounds are in headers, but for one table. The linker takes the first copy of a function that it finds, and
        # these objects come before the library: the library, which takes most of the time, is built only once.
        objects = [f"CMakeFiles/cpp_tests.dir/{name}.o" for name in (tests, "tests/cpp/main.cpp")]
        objects.append("CMakeFiles/branchwork_core.dir/cpp/core/score.cpp.o")
        build(cmake, *objects)
        command = [str(FOLDER / "broken_tests")]
        run(
            settings(FOLDER)["CMAKE_CXX_COMPILER"],
            *(FOLDER / o for o in objects),
            FOLDER / "libbranchwork_core.a",
            "-pthread",
            "-o",
            *command,
        )
    else:
        build(cmake, "_core")
        for library in FOLDER.glob("_core*.so"):
            shutil.copyfile(library, COPY / "src" / "branchwork" / library.name)
        command = [sys.executable, "-c", PYTEST, str(COPY / "src"), tests]
    done = subprocess.run(command, capture_output=True, text=True, cwd=COPY)
    return done.returncode, (done.stdout + done.stderr)[-2000:]


def texts_are_there(breaks: list[Broken]) -> bool:
    """Every change must find its place, or nothing is built: a bound that moved is not a bound that was broken."""
    lost = [b for b in breaks if (ROOT / "cpp" / "core" / b.file).read_text().count(b.old) != 1]
    for b in lost:
        print(
            f"cpp/core/{b.file} does not have this text exactly once; mend its line in bounds.py:\n    {b.old}"
        )
    return not lost


def is_caught(b: Broken, cmake: str) -> bool:
    path, start = COPY / "cpp" / "core" / b.file, time.perf_counter()
    sound = path.read_text()
    path.write_text(sound.replace(b.old, b.new))
    try:
        code, told = result_of(b.must_fail, cmake)
    finally:
        path.write_text(sound)
    took = f"{time.perf_counter() - start:.0f} s"
    if code == FAILED:
        print(f"caught      {b.file}: {b.new.strip()[:70]}  ({took})", flush=True)
        return True
    print(
        f"NOT CAUGHT  {b.file}, exit code {code} of {b.must_fail} ({took})\n    {b.old}\n    {b.new}",
        flush=True,
    )
    if code != 0:
        print(told)
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="a part of a file's name")
    options = parser.parse_args()
    if not texts_are_there(ALL):
        return 1
    breaks = [b for b in ALL if options.only in b.file]
    copy_sources()
    cmake = configure()
    build(cmake, "branchwork_core")
    for tests in sorted({b.must_fail for b in breaks}):
        code, told = result_of(tests, cmake)
        if code != 0:
            sys.exit(f"{tests} fails before anything is broken:\n{told}")
    caught = sum(is_caught(b, cmake) for b in breaks)
    print(f"{len(breaks)} bounds broken, {caught} caught")
    return int(caught < len(breaks))


if __name__ == "__main__":
    sys.exit(main())
