"""Add a score on class counts to a copy of the sources, as docs/where-things-go.md says, and run tests with it.

    python tests/deep/add_a_score.py             some minutes: the copy of the core is built anew

The score is Tsallis entropy with q = 3, (1 - sum of p^3) / 2. It may change four source files and the oracle; the page
must name them. Then the copy is built, the tests of the table of criteria and of the oracle run with the new name among
the others, and trees by it are compared with those of the same score as a user would write it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from built_core import ROOT, build_folder, settings

COPY = ROOT / "build" / "added"
FOLDER = COPY / "build"
MOST_SOURCES = 4


@dataclass(frozen=True)
class Change:
    """Some lines that are put before or after a text which a file has once."""

    file: str
    at: str
    lines: str
    after: bool = True


CHANGES = [
    Change(
        "cpp/core/score.hpp",
        "/// node = n - max n_c   (rows that the majority gets wrong).",
        """/// node = (n - sum n_c^3 / n^2) / 2
template <class C>
class Tsallis {
  public:
    using Count = C;
    using Term = C;  // int64 holds n^3 for any table of fewer than two million rows
    using Cost = double;
    explicit Tsallis(std::size_t) {}
    Term term(Count n) const { return n * n * n; }
    static double real(Cost cost) { return cost; }
    static Cost units(double cost) { return cost; }
    double combine(Count n, Term terms) const {
        const auto x = static_cast<double>(n);
        return n > 0 ? (x - static_cast<double>(terms) / (x * x)) / 2 : 0;
    }
    double magnitude(Count n) const { return static_cast<double>(n); }
};

""",
        after=False,
    ),
    Change("cpp/core/options.hpp", "enum class Criterion : std::uint8_t {", " tsallis,"),
    Change("cpp/core/options.hpp", '{"gini", Criterion::gini},', ' {"tsallis", Criterion::tsallis},'),
    Change(
        "cpp/core/search/class_scorer.hpp",
        "            return of(Gini<Count>(largest));\n",
        "        case Criterion::tsallis:\n            return of(Tsallis<Count>(largest));\n",
    ),
    Change(
        "src/branchwork/measure/criteria.py",
        'ClassCriterion = Literal["gini", "entropy", "accuracy", "gain_ratio"',
        ', "tsallis"',
    ),
    Change(
        "src/branchwork/measure/criteria.py",
        'LectureClassCriterion = Literal["entropy", "gini", "accuracy"',
        ', "tsallis"',
    ),
    Change(
        "src/branchwork/measure/criteria.py",
        "CRITERIA: dict[str, Criterion] = {\n",
        """def _tsallis(counts: Floats) -> float:
    return max(0.0, 1 - float(((counts / float(counts.sum())) ** 3).sum())) / 2


def _tsallis_steps(chalk: Chalk[Any], group: Group) -> list[Any]:
    return [chalk.ratio(chalk.minus(chalk.value(1), chalk.value(1 - 2 * group.impurity)), chalk.value(2))]


""",
        after=False,
    ),
    Change(
        "src/branchwork/measure/criteria.py",
        "    for row in (\n",
        '        Criterion("tsallis", "Tsallis entropy", "Tsallis", "classes", _tsallis, _tsallis_steps),\n',
    ),
    Change("tests/oracle_splits.py", 'ClassCriterion = Literal["accuracy", "entropy", "gini"', ', "tsallis"'),
    Change(
        "tests/oracle_splits.py",
        '    if criterion == "gini":\n',
        '    if criterion == "tsallis":\n        return (1 - sum(share**3 for share in shares)) / 2\n',
        after=False,
    ),
    # The tests name the criteria that they draw.
    Change(
        "tests/grow/test_against_oracle.py", 'LECTURE_CRITERIA = {True: ("accuracy", "entropy"', ', "tsallis"'
    ),
    Change("tests/own_scores.py", 'OWN = {"entropy": ENTROPY', ', "tsallis": _TSALLIS'),
    Change(
        "tests/own_scores.py",
        "OWN = {",
        """_TSALLIS = bw.Score(
    name="my Tsallis", term=lambda c: c**3, offset=lambda n: n / 2, scale=lambda n: -0.5 / n**2
)
""",
        after=False,
    ),
]
TESTS = [
    "tests/measure/test_criteria.py",
    "tests/grow/test_against_oracle.py",
    "tests/grow/test_own_score.py",
    "tests/contract/test_own_scores.py",
    "tests/view/test_lecture.py",
]
PYTEST = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]  # an editable install
sys.path.insert(0, sys.argv[1])
import branchwork._core, pytest
assert branchwork._core.__file__.startswith(sys.argv[1]), branchwork._core.__file__
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


def copy_sources() -> None:
    """The newest sources, without any change; the objects of an earlier run serve again where nothing differs."""
    for name in ("cpp", "src", "tests"):
        for path in (ROOT / name).rglob("*"):
            to = COPY / path.relative_to(ROOT)
            if path.is_dir() or "__pycache__" in path.parts or path.suffix == ".so":
                continue
            text = changed(path)
            if not to.exists() or to.read_bytes() != text:
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(text)
    for name in ("CMakeLists.txt", "pyproject.toml"):
        shutil.copyfile(ROOT / name, COPY / name)


def changed(path: Path) -> bytes:
    """The content of a file with its changes."""
    content = path.read_bytes()
    for change in CHANGES:
        if path != ROOT / change.file:
            continue
        old = change.at.encode()
        if content.count(old) != 1:
            sys.exit(
                f"{change.file} does not have this text exactly once; mend add_a_score.py:\n    {change.at}"
            )
        new = change.lines.encode()
        content = content.replace(old, old + new if change.after else new + old)
    return content


def check_page() -> None:
    """The page names every file that has to change, and these are no more than it promises."""
    files = {change.file for change in CHANGES}
    sources = sorted(name for name in files if not name.startswith("tests/"))
    assert len(sources) <= MOST_SOURCES, sources
    page = (ROOT / "docs" / "where-things-go.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| an impurity on class counts |")]
    for name in sources:
        short = name.removeprefix("cpp/core/").removeprefix("src/branchwork/")
        assert short in row, (
            f"docs/where-things-go.md does not name {short} where it tells how to add an impurity"
        )
    assert "oracle" in row


def run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-6000:]}")


def main() -> int:
    check_page()
    copy_sources()
    core = build_folder()
    if core is None:
        sys.exit("the core was not built in this checkout: make test builds it")
    made_with = settings(core)
    same = (
        "CMAKE_MAKE_PROGRAM",
        "CMAKE_CXX_COMPILER",
        "CMAKE_CXX_COMPILER_LAUNCHER",
        "Python_EXECUTABLE",
        "nanobind_DIR",
    )
    options = [f"-D{name}={made_with[name]}" for name in same if name in made_with]
    cmake = made_with["CMAKE_COMMAND"]
    run(cmake, "-S", COPY, "-B", FOLDER, "-G", "Ninja", *options, "-DBRANCHWORK_OPTIMIZATION=-O1")
    run(cmake, "--build", FOLDER, "--parallel", "2", "--target", "_core")
    for library in FOLDER.glob("_core*.so"):
        shutil.copyfile(library, COPY / "src" / "branchwork" / library.name)
    command = [sys.executable, "-c", PYTEST, str(COPY / "src"), *TESTS]
    return subprocess.run(command, cwd=COPY).returncode


if __name__ == "__main__":
    sys.exit(main())
