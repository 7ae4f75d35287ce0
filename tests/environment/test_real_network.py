"""The real network door: bytes and slices both ways, ordinary ends, no spinning without descriptors."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from moldau.environment.doors import Connection, File, FileSlice
from moldau.environment.real.network import SMALL_SLICE_BYTES, RealNetwork


class Collector:
    """An owner that keeps what it is told."""

    def __init__(self, connection: Connection, answer: Callable[[bytes], list[Any]] | None = None) -> None:
        self.connection = connection
        self.bytes = bytearray()
        self.ends: list[str | None] = []
        self.drains = 0
        self._answer = answer
        self._buffer = memoryview(bytearray(65536))
        self.done = asyncio.get_running_loop().create_future()

    def buffer(self) -> memoryview:
        return self._buffer

    def received(self, count: int) -> None:
        data = bytes(self._buffer[:count])
        self.bytes += data
        if self._answer is not None:
            self.connection.send(self._answer(data))

    def drained(self) -> None:
        self.drains += 1

    def closed(self, reason: str | None) -> None:
        self.ends.append(reason)
        self.done.set_result(reason)


class CountedFile:
    """A file on disk that counts its users."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.users = 1
        self._descriptor = os.open(path, os.O_RDONLY)

    def read(self, position: int, length: int) -> bytes:
        return os.pread(self.fileno(), length, position)

    def fileno(self) -> int:
        return self._descriptor

    def retain(self) -> None:
        self.users += 1

    def release(self) -> None:
        self.users -= 1


def serve(answer: Callable[[bytes], list[Any]] | None = None) -> tuple[RealNetwork, Any, list[Collector]]:
    network = RealNetwork(asyncio.get_running_loop(), report=lambda line: None)
    owners: list[Collector] = []

    def accept(connection: Connection) -> Collector:
        owners.append(Collector(connection, answer))
        return owners[-1]

    return network, network.listen("127.0.0.1", 0, accept), owners


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - what is awaited lies beyond the loop
            await asyncio.sleep(0.001)


def test_bytes_go_both_ways_and_an_orderly_end_is_told_once() -> None:
    async def story() -> None:
        network, listener, owners = serve(lambda data: [b"<", data, b">"])
        client = Collector(cast(Connection, None))
        connection = await network.connect("127.0.0.1", listener.port, lambda made: client)
        connection.send([b"hello"])
        await until(lambda: bytes(client.bytes) == b"<hello>")
        connection.close()
        assert client.ends == []  # never inside the call that asked for it
        assert await client.done is None
        assert await owners[0].done is None
        assert (client.ends, owners[0].ends) == ([None], [None])
        listener.close()

    asyncio.run(story())


def test_slices_leave_between_buffers_and_are_released_once(tmp_path: Path) -> None:
    content = os.urandom(3_000_000)
    (tmp_path / "log").write_bytes(content)
    file = CountedFile(tmp_path / "log")

    def answer(data: bytes) -> list[Any]:
        door = cast(File, file)
        return [b"head", FileSlice(door, 10, 2_000_000), b"middle", FileSlice(door, 0, 5), b"tail"]

    async def story() -> None:
        network, listener, owners = serve(answer)
        client = Collector(cast(Connection, None))
        connection = await network.connect("127.0.0.1", listener.port, lambda made: client)
        expected = b"head" + content[10:2_000_010] + b"middle" + content[:5] + b"tail"
        connection.send([b"go"])
        await until(lambda: len(client.bytes) == len(expected))
        assert bytes(client.bytes) == expected
        assert file.users == 1
        assert owners[0].drains == 1
        connection.abort()
        await client.done
        listener.close()

    asyncio.run(story())


def test_a_peer_that_stops_reading_queues_and_abort_releases_the_slices(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(bytes(20_000_000))
    file = CountedFile(tmp_path / "log")

    async def story() -> None:
        _, listener, owners = serve(lambda data: [FileSlice(cast(File, file), 0, 20_000_000)])
        with socket.create_connection(("127.0.0.1", listener.port)) as peer:
            peer.sendall(b"x")
            await until(lambda: bool(owners) and owners[0].connection.queued_bytes > 0)
            assert file.users == 2
            assert owners[0].drains == 0
            owners[0].connection.abort()
            assert file.users == 1
            assert owners[0].connection.queued_bytes == 0
            await owners[0].done
        listener.close()

    asyncio.run(story())


@pytest.mark.parametrize("length", [100, SMALL_SLICE_BYTES + 1])
def test_a_file_that_ends_early_closes_the_connection_with_a_reason(tmp_path: Path, length: int) -> None:
    (tmp_path / "log").write_bytes(b"short")
    file = CountedFile(tmp_path / "log")

    async def story() -> None:
        _, listener, owners = serve(lambda data: [FileSlice(cast(File, file), 0, length)])
        with socket.create_connection(("127.0.0.1", listener.port)) as peer:
            peer.sendall(b"x")
            await until(lambda: bool(owners) and owners[0].ends != [])
        assert owners[0].ends == [f"{tmp_path}/log ends before byte {length}"]
        assert file.users == 1
        listener.close()

    asyncio.run(story())


def test_a_reset_is_an_ordinary_end() -> None:
    async def story() -> None:
        _, listener, owners = serve()
        peer = socket.create_connection(("127.0.0.1", listener.port))
        await until(lambda: bool(owners))
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        peer.close()
        assert await owners[0].done is None
        owners[0].connection.send([b"too late"])
        assert owners[0].ends == [None]
        listener.close()

    asyncio.run(story())


def test_a_half_closed_peer_still_gets_what_is_queued() -> None:
    async def story() -> None:
        answer = bytes(10_000_000)
        _, listener, owners = serve(lambda data: [answer])
        loop = asyncio.get_running_loop()
        with socket.create_connection(("127.0.0.1", listener.port)) as peer:
            peer.sendall(b"x")
            peer.shutdown(socket.SHUT_WR)
            peer.setblocking(False)
            got = 0
            while data := await loop.sock_recv(peer, 1 << 20):
                got += len(data)
        assert got == len(answer)
        assert await owners[0].done is None
        listener.close()

    asyncio.run(story())


def test_a_paused_connection_receives_nothing_until_it_resumes() -> None:
    async def story() -> None:
        _, listener, owners = serve()
        with socket.create_connection(("127.0.0.1", listener.port)) as peer:
            await until(lambda: bool(owners))
            owners[0].connection.pause()
            peer.sendall(b"later")
            await asyncio.sleep(0.02)
            assert owners[0].bytes == b""
            owners[0].connection.resume()
            await until(lambda: bytes(owners[0].bytes) == b"later")
        listener.close()

    asyncio.run(story())


def test_nobody_there_and_an_address_taken_are_oserrors() -> None:
    async def story() -> None:
        network, listener, _ = serve()
        with pytest.raises(OSError, match="in use"):
            network.listen("127.0.0.1", listener.port, lambda connection: None)
        listener.close()
        with pytest.raises(ConnectionRefusedError):
            await network.connect("127.0.0.1", listener.port, lambda made: Collector(made))

    asyncio.run(story())


def test_out_of_descriptors_refuses_connections_without_spinning() -> None:
    script = textwrap.dedent("""
        import asyncio, os, resource, socket
        from moldau.environment.real.network import RealNetwork
        async def story():
            reports = []
            listener = RealNetwork(asyncio.get_running_loop(), reports.append).listen("127.0.0.1", 0, lambda c: None)
            peer = socket.socket()
            peer.settimeout(2)
            held = []
            while True:
                try:
                    held.append(os.open(os.devnull, os.O_RDONLY))
                except OSError:
                    break
            peer.connect(("127.0.0.1", listener.port))
            await asyncio.sleep(0.1)
            assert peer.recv(1) == b""
            assert len(reports) == 1 and "ulimit -n" in reports[0], reports
        asyncio.run(story())
    """)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == 0, done.stderr
