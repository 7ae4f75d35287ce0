"""Apache Kafka's own command-line tools, run from the jars that `make install-dev` fetched."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
DUMP_LOG = "org.apache.kafka.tools.DumpLogSegments"


class KafkaTools:
    """Runs a class of the jars and returns what it printed."""

    def __init__(self, java: str, jars: Path) -> None:
        self._java = java
        self._jars = jars

    def run(self, name: str, *arguments: str, given: bytes | None = None) -> str:
        """Run it to its end; a failure shows what the tool said."""
        command = [self._java, "-Xmx256M", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{self._jars}/*"]
        done = subprocess.run(
            [*command, name, *arguments], input=given, capture_output=True, timeout=TIMEOUT_S, check=False
        )
        output = done.stdout.decode()
        assert done.returncode == 0, f"{name} {arguments}:\n{output}\n{done.stderr.decode()}"
        return output


def find() -> KafkaTools:
    """The tools, or a skip that says what is missing; in CI nothing may be missing."""
    jars = Path(os.environ.get("MOLDAU_KAFKA_LIBS", ROOT / ".venv" / "peers"))
    java = shutil.which("java")
    missing = []
    if java is None:
        missing.append("a Java on PATH")
    if not any(jars.glob("kafka-tools*.jar")):
        missing.append(f"Apache Kafka's jars in {jars} (make install-dev fetches them with Maven)")
    if missing:
        reason = f"NOT TESTED against Apache Kafka's tools: there is no {' and no '.join(missing)}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    assert java is not None
    return KafkaTools(java, jars)
