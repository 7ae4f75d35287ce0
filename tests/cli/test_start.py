"""`moldau start`: the line it prints, how it stops, and what it says when it cannot start."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from moldau.client import Client
from moldau.native import WITHOUT_CORE
from tests.broker.running import moldau, running


def outcome(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command that ends by itself."""
    process = moldau(*arguments)
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


def refusal(*arguments: str) -> tuple[int, str]:
    """The exit code and the one line with which a command is refused."""
    code, out, err = outcome(*arguments)
    assert out == ""
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    return code, err


def test_one_line_says_that_it_serves(tmp_path: Path) -> None:
    with running(tmp_path / "data") as started:
        words = started.ready.split()
        assert words[:2] == ["moldau", "ready"]
        fields = dict(word.partition("=")[::2] for word in words[2:])
        assert fields == {
            "bootstrap": started.bootstrap,
            "data": str(tmp_path / "data"),
            "pid": str(started.process.pid),
        }
        assert socket.create_connection(started.address, timeout=2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path / "data") as started:
        began = time.monotonic()
        started.process.send_signal(number)
        assert started.process.wait(timeout=10) == 0
        assert time.monotonic() - began < 5
        assert started.process.stdout is not None
        assert started.process.stdout.read() == ""
    assert (tmp_path / "data" / ".kafka_cleanshutdown").exists()


def test_without_the_core_its_twins_serve_and_the_start_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOLDAU_TWINS", "1")
    with running(tmp_path / "data") as started:
        with Client(started.bootstrap) as client:
            client.admin.create_topic("plain", partitions=1)
            with client.producer(compression="zstd") as producer:
                producer.send_many("plain", [b"%d" % number for number in range(1000)])
            with client.consumer("plain", stop="latest") as records:
                assert [record.value for record in records] == [b"%d" % number for number in range(1000)]
        assert started.stop() == 0
        assert started.process.stderr is not None
        assert WITHOUT_CORE in started.process.stderr.read()


def test_a_taken_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, line = refusal("start", "--data", str(tmp_path / "data"), "--listen", f"127.0.0.1:{port}")
    assert code == 1
    assert f"cannot listen at 127.0.0.1:{port}" in line
    assert "--listen" in line


def test_a_directory_in_use(tmp_path: Path) -> None:
    with running(tmp_path / "data"):
        code, line = refusal("start", "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0")
    assert code == 1
    assert "in use by another process" in line


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, line = refusal("start", "--data", str(tmp_path / "file" / "data"), "--listen", "127.0.0.1:0")
    assert code == 1
    assert "cannot use the data directory" in line
    assert "--data" in line


def test_a_directory_that_is_not_writable(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    directory.mkdir(mode=0o500)
    if os.geteuid() == 0:  # who may write everywhere, but not there
        directory = Path("/proc/self/task")
    code, line = refusal("start", "--data", str(directory), "--listen", "127.0.0.1:0")
    assert code == 1
    assert "make it writable" in line


def test_a_directory_of_another_node(tmp_path: Path) -> None:
    with running(tmp_path / "data") as started:
        assert started.stop() == 0
    code, line = refusal("start", "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0", "--set", "node.id=2")
    assert code == 1
    assert "belongs to node 1, not 2" in line


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--set", "num.partition=3"], "did you mean num.partitions?"),
        (["--set", "num.partitions"], "expected NAME=VALUE"),
        (["--set", "num.partitions=x"], "expected a whole number"),
        (["--listen", "9092"], "expected HOST:PORT"),
        (["--config", "/nowhere/server.properties"], "No such file"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, arguments: list[str], says: str) -> None:
    code, line = refusal("start", "--data", str(tmp_path / "data"), *arguments)
    assert code == 2
    assert says in line
    assert not (tmp_path / "data").exists()


def test_settings_without_effect_are_told(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--set", "num.io.threads=4") as started:
        assert started.stop() == 0
        assert started.process.stderr is not None
        assert "without effect in this version: num.io.threads" in started.process.stderr.read()
