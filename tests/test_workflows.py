"""Workflows run the targets of the Makefile, with few permissions and pinned actions; `make actions` lints them."""

import re
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: pip install --group test")

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def steps(workflow: Path) -> list[dict]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


def make_targets() -> set[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.search(r"^\.PHONY: (.+)$", text, flags=re.MULTILINE)[1].split())


def test_workflows_run_targets_of_the_makefile():
    """What fails there can be repeated here: a job installs programs and calls make, nothing else."""
    called = set()
    for workflow in WORKFLOWS:
        for step in steps(workflow):
            command = step.get("run", "")
            if command.startswith("make "):
                target = command.split()[1].strip('"')
                called.add(target)
            else:
                installs = ("sudo apt-get", "brew install", "python -m pip install", "sudo sysctl")
                assert not command or command.startswith(installs), command
    matrix = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text())["jobs"]["sanitizers"][
        "strategy"
    ]
    called = called - {"$TARGET"} | set(matrix["matrix"]["target"])
    assert called <= make_targets()
    expected = {
        "lint",
        "demo",
        "test",
        "clang",
        "sanitize",
        "tsan",
        "docs",
        "package",
        "wheels",
        "release-check",
    }
    assert called == expected


def test_the_supported_pythons_are_tested_and_built():
    jobs = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text())["jobs"]
    tested = jobs["test"]["strategy"]["matrix"]["python"]
    assert PROJECT["project"]["requires-python"] == f">={tested[0]}"
    built = [f"cp{python.replace('.', '')}-*" for python in tested]
    assert PROJECT["tool"]["cibuildwheel"]["build"] == built
    named = {line.split(" :: ")[-1] for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line}
    assert named <= set(tested)


def test_only_the_job_that_publishes_may_ask_for_a_token():
    for workflow in WORKFLOWS:
        text = yaml.safe_load(workflow.read_text(encoding="utf-8"))
        assert text["permissions"] == {"contents": "read"}, workflow
        own = {name: job["permissions"] for name, job in text["jobs"].items() if "permissions" in job}
        assert own == ({"publish": {"id-token": "write"}} if workflow.name == "release.yml" else {})


def test_actions_are_pinned():
    used = [step["uses"] for workflow in WORKFLOWS for step in steps(workflow) if "uses" in step]
    assert len(used) > 10
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v1|[0-9a-f]{40})", action), action


def test_hooks_run_before_a_commit_use_the_tools_of_lint():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    programs = {Path(hook["entry"].split()[0]).name for hook in hooks} - {"make"}
    pinned = {line.split("==")[0] for line in PROJECT["dependency-groups"]["lint"] if "==" in line}
    assert programs == {"ruff", "clang-format", "mypy"} and programs <= pinned
    assert {hook["entry"].split()[1] for hook in hooks if hook["entry"].startswith("make")} <= make_targets()
