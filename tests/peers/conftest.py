from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.peers import kafka_tools
from tests.peers.kafka_tools import KafkaTools


class BrokerProcess:
    """A `moldau start` of its own process, as a user starts it."""

    def __init__(self, data: Path, *settings: str, listen: str = "127.0.0.1:0") -> None:
        self.data = data
        self._listen = listen
        self._settings = settings
        self._process: subprocess.Popen[str] | None = None
        self.bootstrap = ""
        self.start()

    def start(self) -> None:
        """Start on the data directory; port 0 is a new one each time."""
        command = [sys.executable, "-m", "moldau", "start", "--data", str(self.data), "--listen", self._listen]
        for setting in self._settings:
            command += ["--set", setting]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith("moldau ready "), line
        self.bootstrap = line.split("bootstrap=")[1].split()[0]

    def stop(self) -> int:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=10)

    def kill(self) -> None:
        """As the kernel would: no handler runs."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(timeout=10)


@pytest.fixture(scope="session")
def tools() -> KafkaTools:
    return kafka_tools.find()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    process = BrokerProcess(tmp_path / "data", "log.index.interval.bytes=512")
    yield process
    assert process.stop() == 0
