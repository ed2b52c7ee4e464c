"""Weka's builds, timed inside its own process."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from timing import LeftOutError, Settings

PROGRAM = Path(__file__).with_name("WekaBench.java")


@dataclass(frozen=True)
class Builds:
    """The same tree built again and again by one virtual machine."""

    leaves: int
    seconds: list[float]

    @property
    def first(self) -> float:
        """Seconds of the first build: what Weka reports."""
        return self.seconds[0]

    @property
    def warm(self) -> float:
        """Seconds of the fastest build."""
        return min(self.seconds)


def check_weka(settings: Settings) -> None:
    """Leave a family out where Weka cannot run."""
    if shutil.which("java") is None:
        raise LeftOutError("java is not installed")
    if not settings.weka_jar.exists():
        raise LeftOutError(f"{settings.weka_jar} does not exist; give --weka-jar FILE")


def build(jar: Path, classifier: str, arff: Path, builds: int) -> Builds:
    """Build a tree in a fresh Java, so many times."""
    command = ["java", "-cp", str(jar), str(PROGRAM), classifier, str(arff), str(builds)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return Builds(int(answer[0]), [int(nanoseconds) / 1e9 for nanoseconds in answer[1:]])
