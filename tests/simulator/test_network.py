"""The simulated network: order, back-pressure, cuts, resets, silence, and what a death leaves behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from moldau.environment.doors import Connection, Environment, Receiver
from moldau.simulator.loop import NS_PER_SECOND
from moldau.simulator.network import Weather
from moldau.simulator.node import Node
from moldau.simulator.world import World


class Ear:
    """A receiver that keeps what it hears."""

    def __init__(self, connection: Connection, size: int = 100) -> None:
        self.connection = connection
        self.heard = bytearray()
        self.ends: list[str | None] = []
        self.drains = 0
        self._place = bytearray(size)

    def buffer(self) -> memoryview:
        return memoryview(self._place)

    def received(self, count: int) -> None:
        assert not self.ends
        self.heard += self._place[:count]

    def drained(self) -> None:
        assert not self.ends
        self.drains += 1

    def closed(self, reason: str | None) -> None:
        self.ends.append(reason)


class Pair:
    """Two machines, and a server that keeps what connects to it."""

    def __init__(self, seed: int = 1, weather: Weather | None = None) -> None:
        self.world = World(seed, weather=weather, keep_trace=True)
        self.server_node, self.server = self.world.boot("server")
        self.client_node, self.client = self.world.boot("client")
        self.accepted: list[Ear] = []

    def accept(self, connection: Connection) -> Receiver:
        self.accepted.append(Ear(connection))
        return self.accepted[-1]

    def as_server(self, call: Callable[[], Any]) -> Any:
        return self.server_node.context.copy().run(call)

    async def connect(self) -> tuple[Ear, Ear]:
        async def dial() -> Ear:
            ears: list[Ear] = []

            def attach(connection: Connection) -> Receiver:
                ears.append(Ear(connection))
                return ears[-1]

            await self.client.network.connect("server", 9092, attach)
            return ears[0]

        ear = await self.world.start(self.client_node, dial())
        await asyncio.sleep(1)
        return ear, self.accepted[-1]

    def run(self, scene: Callable[[], Awaitable[None]], *, listen: bool = True) -> None:
        if listen:
            self.server.network.listen("0.0.0.0", 9092, self.accept)

        async def main() -> None:
            await scene()

        try:
            self.world.loop.run(main(), limit_ns=1000 * NS_PER_SECOND, max_steps=100_000)
        finally:
            self.world.close()


@pytest.mark.parametrize("seed", range(5))
def test_bytes_arrive_in_order_whatever_the_latency(seed: int) -> None:
    pair = Pair(seed, Weather(spike_chance=0.3, short_read_chance=0.5, window=500))

    async def scene() -> None:
        near, far = await pair.connect()
        sent = b""
        for number in range(100):
            piece = bytes([number]) * (number * 3)
            near.connection.send([piece, piece])
            sent += piece + piece
        assert near.connection.queued_bytes > 0
        await asyncio.sleep(100)
        assert far.heard == sent
        assert near.drains == 1
        assert near.connection.queued_bytes == 0

    pair.run(scene)


def test_a_paused_reader_holds_the_sender_back() -> None:
    pair = Pair(weather=Weather(window=1000))

    async def scene() -> None:
        near, far = await pair.connect()
        far.connection.pause()
        near.connection.send([bytes(5000)])
        await asyncio.sleep(10)
        assert len(far.heard) == 0
        assert near.connection.queued_bytes == 4000
        far.connection.resume()
        await asyncio.sleep(10)
        assert len(far.heard) == 5000
        assert near.drains == 1

    pair.run(scene)


def test_close_ends_both_sides_after_all_bytes() -> None:
    pair = Pair(weather=Weather(window=100))

    async def scene() -> None:
        near, far = await pair.connect()
        near.connection.send([bytes(1000)])
        near.connection.close()
        near.connection.send([b"too late"])
        await asyncio.sleep(10)
        assert len(far.heard) == 1000
        assert near.ends == [None]
        assert far.ends == [None]

    pair.run(scene)


def test_abort_drops_what_is_queued() -> None:
    pair = Pair(weather=Weather(window=100))

    async def scene() -> None:
        near, far = await pair.connect()
        near.connection.send([bytes(1000)])
        near.connection.abort()
        await asyncio.sleep(10)
        assert len(far.heard) <= 100
        assert near.ends == [None]
        assert far.ends == [None]

    pair.run(scene)


def test_nobody_listens_is_refused_and_a_dark_machine_times_out() -> None:
    pair = Pair()

    async def scene() -> None:
        with pytest.raises(ConnectionRefusedError):
            await pair.connect()
        pair.world.cut_power("server")
        before = pair.world.loop.time()
        with pytest.raises(TimeoutError):
            await pair.connect()
        assert pair.world.loop.time() - before > 10

    pair.run(scene, listen=False)


def test_an_address_is_taken_until_its_node_dies() -> None:
    pair = Pair()

    async def scene() -> None:
        with pytest.raises(OSError, match="in use"):
            pair.server.network.listen("server", 9092, pair.accept)
        with pytest.raises(OSError, match="assign"):
            pair.client.network.listen("server", 9093, pair.accept)
        pair.world.kill("server")
        pair.server_node, pair.server = pair.world.boot("server")
        pair.server.network.listen("server", 9092, pair.accept)
        near, _ = await pair.connect()
        assert not near.ends

    pair.run(scene)


def test_a_cut_is_silent_and_what_was_sent_arrives_after_healing() -> None:
    pair = Pair()

    async def scene() -> None:
        near, far = await pair.connect()
        pair.world.fabric.cut("client", "server")
        near.connection.send([b"one"])
        near.connection.send([b"two"])
        far.connection.send([b"back"])
        await asyncio.sleep(60)
        assert (bytes(far.heard), bytes(near.heard)) == (b"", b"back")
        pair.world.fabric.heal()
        await asyncio.sleep(1)
        assert bytes(far.heard) == b"onetwo"

    pair.run(scene)


def test_reset_is_told_to_both_and_loss_to_nobody() -> None:
    pair = Pair()

    async def scene() -> None:
        lost, far_lost = await pair.connect()
        reset, far_reset = await pair.connect()
        fabric = pair.world.fabric
        assert len(fabric.live_connections()) == 2
        fabric.lose(fabric.live_connections()[0])
        fabric.reset(fabric.live_connections()[1])
        lost.connection.send([b"gone"])
        await asyncio.sleep(60)
        assert reset.ends == far_reset.ends == [None]
        assert lost.ends == far_lost.ends == []
        assert not far_lost.heard

    pair.run(scene)


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_process_ends_its_connections_and_a_dark_machine_does_not(seed: int) -> None:
    pair = Pair(seed)

    async def scene() -> None:
        near, far = await pair.connect()
        pair.as_server(lambda: far.connection.send([b"last words"]))
        pair.world.kill("server")
        await asyncio.sleep(10)
        assert bytes(near.heard) == b"last words"
        assert near.ends == [None]
        assert far.ends == []  # the dead hear nothing

        pair.server_node, pair.server = pair.world.boot("server")
        pair.server.network.listen("server", 9092, pair.accept)
        near, _ = await pair.connect()
        pair.world.cut_power("server")
        await asyncio.sleep(100)
        near.connection.send([b"anybody?"])
        await asyncio.sleep(100)
        assert near.ends == []
        pair.server_node, pair.server = pair.world.boot("server")
        near.connection.send([b"still there?"])
        await asyncio.sleep(1)
        assert near.ends == [None]

    pair.run(scene)


def test_a_slice_is_read_when_it_leaves_and_released_once() -> None:
    pair = Pair(weather=Weather(window=100))

    async def scene() -> None:
        from moldau.environment.doors import FileSlice

        near, far = await pair.connect()
        file = pair.client.disk.open("/data", create=True)
        file.append([b"x" * 1000])
        near.connection.send([b"head", FileSlice(file, 100, 800), b"tail"])
        file.release()
        await asyncio.sleep(10)
        assert bytes(far.heard) == b"head" + b"x" * 800 + b"tail"
        with pytest.raises(AssertionError):
            file.release()

    pair.run(scene)


def test_a_buffer_changed_while_queued_is_found() -> None:
    pair = Pair(weather=Weather(window=100))

    async def scene() -> None:
        near, far = await pair.connect()
        mine = bytearray(1000)
        near.connection.send([mine])
        mine[500] = 1
        await asyncio.sleep(10)
        assert far.ends == []

    with pytest.raises(Exception, match="changed before drained"):
        pair.run(scene)


def test_a_cancelled_connect_leaves_no_connection() -> None:
    pair = Pair()

    async def scene() -> None:
        async def impatient(environment: Environment, _: Node) -> None:
            async with asyncio.timeout(0.0003):
                await environment.network.connect("server", 9092, Ear)

        with pytest.raises(TimeoutError):
            await pair.world.start(pair.client_node, impatient(pair.client, pair.client_node))
        await asyncio.sleep(1)
        assert pair.world.fabric.live_connections() == []
        assert all(ear.ends for ear in pair.accepted)

    pair.run(scene)
