"""The two brokers that are measured: how each is started, found, looked at and stopped."""

from __future__ import annotations

import base64
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parents[2]
JARS = ROOT / ".venv" / "peers"
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
STARTS_WITHIN_S = 60


class Broker(Protocol):
    """One broker process with an empty data directory."""

    name: str
    address: str
    data: Path
    """Where its files are."""

    def start(self) -> None: ...

    def stop(self) -> None: ...

    @property
    def pid(self) -> int: ...


class _Process:
    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self.data = scratch / "data"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError("not started")
        return self._process.pid

    def _run(self, command: list[str]) -> None:
        with (self._scratch / "log").open("wb") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self._scratch
            )

    def stop(self) -> None:
        """Stop it as an operator would, and take its data away."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=60)
        shutil.rmtree(self.data, ignore_errors=True)


class Moldau(_Process):
    """`moldau start` of this tree."""

    name = "moldau"

    def __init__(self, scratch: Path, durable: bool) -> None:
        super().__init__(scratch)
        self._durability = "fsync" if durable else "page-cache"
        self.address = f"127.0.0.1:{free_port()}"

    def start(self) -> None:
        """Start it; `data` is made on the way."""
        moldau = [sys.executable, "-m", "moldau", "start"]
        self._run(
            [*moldau, "--data", str(self.data), "--listen", self.address, "--set", f"durability={self._durability}"]
        )


class Kafka(_Process):
    """Apache Kafka from its jars: one combined node, 1 GB heap, G1, else its defaults."""

    name = "kafka"

    def __init__(self, scratch: Path, durable: bool) -> None:
        super().__init__(scratch)
        port, controller = free_port(), free_port()
        self.address = f"127.0.0.1:{port}"
        self._properties = scratch / "server.properties"
        lines = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "listeners": f"PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{controller}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller}",
            "log.dirs": str(self.data),
            "offsets.topic.replication.factor": "1",
            "log.segment.delete.delay.ms": "1000",
        }
        if durable:
            lines["log.flush.interval.messages"] = "1"
        self._properties.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))

    def start(self) -> None:
        """Format and start; only the start counts for start-up."""
        self.format()
        self.boot()

    def format(self) -> None:
        """Prepare an empty data directory (a step of its own with this broker)."""
        cluster = base64.urlsafe_b64encode(secrets.token_bytes(16)).rstrip(b"=").decode().replace("-", "A")
        tool = ["kafka.tools.StorageTool", "format", "--standalone", "-t", cluster, "-c", str(self._properties)]
        subprocess.run(["java", "-cp", f"{JARS}/*", *tool], check=True, capture_output=True)

    def boot(self) -> None:
        """Start on a formatted directory."""
        heap = ["-Xms1G", "-Xmx1G", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35"]
        self._run(["java", *heap, "-cp", f"{JARS}/*", "kafka.Kafka", str(self._properties)])


def wait_until_serving(broker: Broker) -> None:
    """Return once it answers on its port."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    host, _, port = broker.address.partition(":")
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            time.sleep(0.005)
        else:
            return
    raise TimeoutError(f"{broker.name} does not serve at {broker.address}")


def cpu_seconds(pid: int) -> float:
    """User and system time that the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def resident_mb(pid: int) -> float:
    """The memory that is its own now."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ValueError("no VmRSS")


def free_port() -> int:
    """A port that nobody has at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
