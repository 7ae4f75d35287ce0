"""`moldau demo` as a user runs it, without a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from moldau.client import Client
from moldau.pipelines.demo.run import TABLE, check
from moldau.pipelines.demo.server import START, Server

RECORDS = 20_000
RUN_S = 300
"""A hundred times what it takes when the machine has nothing else to do."""


def command(*options: str) -> list[str]:
    return [sys.executable, "-c", START, "demo", "--master", "local[2]", *options]


def processes(mark: Path) -> list[str]:
    """The command lines of all processes that name this directory."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(mark) in line and "pytest" not in line:
            found.append(line)
    return found


@pytest.mark.timeout(RUN_S + 60)
def test_a_run_agrees_with_its_recount_and_a_planted_difference_does_not(tmp_path: Path) -> None:
    from deltalake import DeltaTable

    picture = tmp_path / "demo.svg"
    options = ["--records", str(RECORDS), "--data", str(tmp_path / "shop"), "--seed", "7", "--picture", str(picture)]
    ended = subprocess.run(command(*options), capture_output=True, text=True, timeout=RUN_S, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stderr == ""
    assert f"{RECORDS:,} records in (seed 7)" in ended.stdout
    assert "equal: " in ended.stdout
    assert "What to try next" in ended.stdout
    assert processes(tmp_path) == []

    directory = tmp_path / "shop"
    with Server(directory / "broker", directory / "broker.log") as server, Client(server.bootstrap) as kafka:
        assert check(kafka, directory).differences == ()
        table = DeltaTable(str(directory / TABLE))
        table.update(updates={"revenue_cents": "revenue_cents + 1"}, predicate="region = 'east'")
        with kafka.producer() as out:
            out.send("orders", b'{"region": "west", "amount_cents": 5, "ordered_at": "2026-03-02T23:59:00.000Z"}')
            out.send("orders", b"{")
        found = check(kafka, directory)
    told = "\n".join(found.differences)
    assert "Delta table, 2026-03-02T08:00 east" in told
    assert "topic revenue-per-minute, 2026-03-02T23:59 west: 0 cents of 0 orders; recounted 5 cents" in told
    assert "rejected because of not JSON" in told


@pytest.mark.timeout(120)
def test_a_signal_leaves_nothing_behind(tmp_path: Path) -> None:
    running = subprocess.Popen(
        command(),
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert running.stdout is not None
    while "Java process is up" not in (line := running.stdout.readline()):
        assert line
    running.send_signal(signal.SIGTERM)
    rest, _ = running.communicate(timeout=100)
    assert running.returncode == 128 + signal.SIGTERM, rest
    deadline = time.monotonic() + 10
    while (left := processes(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []
    assert not list(tmp_path.glob("moldau-demo-*"))
