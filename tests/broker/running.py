"""A broker in a process of its own, on a free port and a directory of the test's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"


class Running:
    """The process, and what it said when it was ready."""

    def __init__(self, process: subprocess.Popen[str], ready: str) -> None:
        self.process = process
        self.ready = ready
        self.bootstrap = dict(word.partition("=")[::2] for word in ready.split())["bootstrap"]

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.bootstrap.rpartition(":")
        return host, int(port)

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=10)

    def kill(self) -> None:
        """End it without a chance to tidy up."""
        self.process.kill()
        self.process.wait(timeout=10)


def moldau(*arguments: str) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    process: subprocess.Popen[str] = subprocess.Popen(
        [sys.executable, "-m", "moldau", *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return process


def environment() -> dict[str, str]:
    """As an installed program finds it: bytecode is kept."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(SOURCE)}


@contextmanager
def running(data: Path, *arguments: str) -> Iterator[Running]:
    """A broker that is ready; ended when the block ends."""
    process = moldau("start", "--data", str(data), "--listen", "127.0.0.1:0", *arguments)
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        if not ready:
            assert process.stderr is not None
            raise AssertionError(f"the broker did not start: {process.stderr.read()}")
        yield Running(process, ready)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=10)
