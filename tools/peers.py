"""Fetch the jars of Apache Kafka (its tools, its clients, its broker) that tests and benchmarks compare with.

They land in `.venv/peers`. Without Maven the tests that need them are skipped and say so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JARS = ROOT / ".venv" / "peers"


def main() -> int:
    """Fetch them all, or say what will not be tested."""
    maven = shutil.which("mvn")
    if maven is None:
        print("moldau: no Maven (mvn) here, so the tests against Apache Kafka's own tools will be SKIPPED")
        return 0
    print("moldau: fetching Apache Kafka's jars for the tests (about 130 MB)", flush=True)
    command = [
        maven,
        "-q",
        "-B",
        "-Dstyle.color=never",
        "-f",
        "tests/peers/pom.xml",
        "dependency:copy-dependencies",
        f"-DoutputDirectory={JARS}",
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
