"""The broker of the demonstration: `moldau start` as a process of its own, as a user would start it.

Called by `run`. The process is told to end when the demonstration ends, whatever way it ends (I1).

I1  It is stopped by SIGTERM, killed when that takes too long, and on Linux killed by the kernel when we are killed.
"""

from __future__ import annotations

import ctypes
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

READY_S = 20.0
STOP_S = 10.0
USUAL_PORT = 9092
PARENT_DEATH_SIGNAL = 1
"""Linux's PR_SET_PDEATHSIG."""

START = "import sys; from moldau.cli import main; sys.exit(main())"
READY = re.compile(rb"^moldau ready bootstrap=(\S+) ")


class BrokerFailedError(RuntimeError):
    """The broker did not start or ended early; the message holds what it said."""


class Server:
    """One broker process, from `with` to the end of the block."""

    def __init__(self, data: Path, log: Path) -> None:
        self._data = data
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self.bootstrap = ""

    def __enter__(self) -> Self:
        self._data.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-c", START, "start", "--data", str(self._data), "--listen", _address()]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us; we end the broker after Spark has ended.
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        try:
            self.bootstrap = self._await_ready(self._process)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def check(self) -> None:
        """Raise when the broker has ended."""
        if self._process is not None and self._process.poll() is not None:
            raise BrokerFailedError(f"the broker ended with code {self._process.returncode}: {self._said()}")

    def stop(self) -> None:
        """End it; harmless when it has ended."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def _await_ready(self, process: subprocess.Popen[bytes]) -> str:
        assert process.stdout is not None
        deadline = time.monotonic() + READY_S
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                if not selector.select(left):
                    break
                line = process.stdout.readline()
                ready = READY.match(line)
                if ready is not None:
                    return ready[1].decode()
                if not line:
                    raise BrokerFailedError(f"the broker did not start: {self._said()}")
        raise BrokerFailedError(f"the broker was not ready after {READY_S:.0f} s: {self._said()}")

    def _said(self) -> str:
        lines = [line for line in self._log.read_text(errors="replace").splitlines() if line.strip()]
        return " / ".join(lines[-3:]) or f"nothing (see {self._log})"


def _address() -> str:
    """Kafka's usual port, where every client looks first; when somebody has it, a free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", USUAL_PORT))
        except OSError:
            return "127.0.0.1:0"
    return f"127.0.0.1:{USUAL_PORT}"


_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def _die_with_parent() -> None:
    if _libc is not None:
        _libc.prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() == 1:
        os._exit(1)
