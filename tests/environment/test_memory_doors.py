"""The faultless doors: they keep the promises of `doors.py`, by hand or on any loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from moldau.environment.doors import Connection, Receiver
from moldau.environment.memory.chance import SeededChance
from moldau.environment.memory.clock import HandTurnedClock
from moldau.environment.memory.network import MemoryNetwork
from moldau.environment.memory.offload import MemoryOffload


def in_loop(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 10))


async def turns(count: int = 200) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def test_chance_repeats_by_word_and_purpose() -> None:
    one, same, other = SeededChance("1"), SeededChance("1"), SeededChance("2")
    assert one.stream("a").random() == same.stream("a").random() != other.stream("a").random()
    assert one.stream("a") is one.stream("a")
    assert one.stream("a").random() != one.stream("b").random()
    ids = [one.uuid() for _ in range(500)]
    assert len(set(ids)) == 500
    assert all(len(value) == 16 and value[6] >> 4 == 4 and value[0] >> 2 != 62 for value in ids)


def test_the_clock_moves_only_by_hand_and_fires_in_order() -> None:
    clock = HandTurnedClock()
    start_ms = clock.monotonic_ms()
    seen: list[str] = []
    clock.call_at(start_ms + 20, lambda: seen.append("late"))
    clock.call_at(start_ms + 10, lambda: seen.append("early"))

    def nested() -> None:
        clock.call_at(start_ms + 15, lambda: seen.append("nested"))

    clock.call_at(start_ms + 10, nested)
    clock.call_at(start_ms + 12, lambda: seen.append("never")).cancel()
    assert seen == []
    clock.advance(20)
    assert seen == ["early", "nested", "late"]
    wall_ms = clock.wall_ms()
    clock.step_wall(-5_000)
    assert clock.wall_ms() == wall_ms - 5_000
    assert clock.monotonic_ns() == (start_ms + 20) * 1_000_000


def test_sleep_ends_when_the_clock_is_turned() -> None:
    async def main() -> None:
        clock = HandTurnedClock()
        sleeping = asyncio.create_task(clock.sleep(50))
        await turns(3)
        clock.advance(49)
        await turns(3)
        assert not sleeping.done()
        clock.advance(1)
        await sleeping

    in_loop(main())


def test_offload_never_answers_inside_submit() -> None:
    async def main() -> None:
        offload = MemoryOffload()
        seen: list[object] = []
        offload.submit(lambda: 7, lambda value, error: seen.append(value))
        offload.submit(lambda: 1 // 0, lambda value, error: seen.append(type(error).__name__))
        assert seen == []
        assert await offload.run(lambda: 8) == 8
        assert seen == [7, "ZeroDivisionError"]
        with pytest.raises(ZeroDivisionError):
            await offload.run(lambda: 1 // 0)

    in_loop(main())


def test_stepped_offload_needs_no_loop() -> None:
    offload = MemoryOffload(stepped=True)
    seen: list[int | None] = []
    offload.submit(lambda: 7, lambda value, error: seen.append(value))
    assert offload.waiting == 1
    assert offload.step()
    assert not offload.step()
    assert seen == [7]


class Ear:
    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.heard = bytearray()
        self.ends: list[str | None] = []
        self.drains = 0
        self._place = bytearray(64)

    def buffer(self) -> memoryview:
        return memoryview(self._place)

    def received(self, count: int) -> None:
        self.heard += self._place[:count]

    def drained(self) -> None:
        self.drains += 1

    def closed(self, reason: str | None) -> None:
        self.ends.append(reason)


async def meet(network: MemoryNetwork) -> tuple[Ear, Ear]:
    ears: list[Ear] = []

    def take(connection: Connection) -> Receiver:
        ears.append(Ear(connection))
        return ears[-1]

    listener = network.listen("here", 0, take)
    await network.connect("here", listener.port, take)
    listener.close()
    return ears[1], ears[0]


def test_bytes_cross_in_order_with_back_pressure() -> None:
    async def main() -> None:
        near, far = await meet(MemoryNetwork(window=100))
        far.connection.pause()
        near.connection.send([b"a" * 150, b"b" * 150])
        await turns()
        assert (len(far.heard), near.connection.queued_bytes, near.drains) == (0, 200, 0)
        far.connection.resume()
        await turns()
        assert bytes(far.heard) == b"a" * 150 + b"b" * 150
        assert (near.connection.queued_bytes, near.drains) == (0, 1)

    in_loop(main())


def test_close_comes_after_the_bytes_and_abort_before() -> None:
    async def main() -> None:
        near, far = await meet(MemoryNetwork(window=100))
        near.connection.send([bytes(300)])
        near.connection.close()
        await turns()
        assert (len(far.heard), near.ends, far.ends) == (300, [None], [None])
        near, far = await meet(MemoryNetwork(window=100))
        near.connection.send([bytes(300)])
        near.connection.abort()
        await turns()
        assert len(near.ends) == len(far.ends) == 1
        assert len(far.heard) < 300

    in_loop(main())


def test_refusals_are_os_errors() -> None:
    async def main() -> None:
        network = MemoryNetwork()
        with pytest.raises(ConnectionRefusedError):
            await network.connect("here", 1, Ear)
        network.listen("here", 1, lambda _: None)
        with pytest.raises(OSError, match="in use"):
            network.listen("here", 1, lambda _: None)
        with pytest.raises(ConnectionResetError):
            await network.connect("here", 1, Ear)

    in_loop(main())
