"""A little log server with one file, to exercise loop, doors and runner without the platform.

Frames are eight bytes: a number to store, answered with itself once it is on the disk. It repeats no number.
"""

from __future__ import annotations

import asyncio
import random

from moldau.environment.doors import Connection, Environment, Receiver
from moldau.simulator.errors import Broken
from moldau.simulator.network import Weather
from moldau.simulator.node import Node
from moldau.simulator.world import World

PATH = "/numbers"
PORT = 9000
NUMBERS = 60


class Server:
    """Stores numbers; `early` plants the bug: it answers before the sync."""

    def __init__(self, environment: Environment, *, early: bool) -> None:
        self._environment = environment
        self._early = early
        self._known: dict[bytes, None] = {}
        self._waiting: list[tuple[Connection, bytes]] = []
        self._syncing = False
        self.torn = False

    def start(self) -> None:
        disk = self._environment.disk
        self._file = disk.open(PATH, create=True)
        disk.sync_directory("/")
        size = self._file.size()
        whole = self._file.read(0, size)
        good = size - size % 8
        while good and whole[good - 8 : good] == bytes(8):  # a torn write may read as zeros
            good -= 8
        self.torn = good != size
        self._file.truncate(good)
        self._file.sync()
        self._known = {whole[start : start + 8]: None for start in range(0, good, 8)}
        self._environment.network.listen("0.0.0.0", PORT, lambda connection: Frames(connection, self._take))

    def _take(self, connection: Connection, number: bytes) -> None:
        if number not in self._known:
            self._known[number] = None
            self._file.append([number])
        if self._early:
            connection.send([number])
            return
        self._waiting.append((connection, number))
        self._sync()

    def _sync(self) -> None:
        if self._syncing or not self._waiting:
            return
        self._syncing = True
        answers, self._waiting = self._waiting, []

        def done(_: None, error: BaseException | None) -> None:
            self._syncing = False
            assert error is None
            for connection, number in answers:
                connection.send([number])
            self._sync()

        self._environment.offload.submit(self._file.sync, done)


class Frames:
    """Cuts a stream into numbers."""

    def __init__(self, connection: Connection, take: object) -> None:
        self._connection = connection
        self._take = take
        self._place = bytearray(20)
        self._rest = b""
        self.closed_with: list[str | None] = []

    def buffer(self) -> memoryview:
        return memoryview(self._place)

    def received(self, count: int) -> None:
        self._rest += self._place[:count]
        while len(self._rest) >= 8:
            number, self._rest = self._rest[:8], self._rest[8:]
            self._take(self._connection, number)  # type: ignore[operator]

    def drained(self) -> None:
        pass

    def closed(self, reason: str | None) -> None:
        self.closed_with.append(reason)


class Client:
    """Sends each number until it is answered."""

    def __init__(self, environment: Environment, world: World) -> None:
        self._environment = environment
        self._world = world
        self.answered: dict[bytes, None] = {}

    async def run(self) -> None:
        for value in range(1, NUMBERS + 1):
            number = value.to_bytes(8)
            while number not in self.answered:
                try:
                    await self._ask(number)
                except (OSError, TimeoutError):
                    self._world.counters["asked again"] += 1
                    await asyncio.sleep(0.2)

    async def _ask(self, number: bytes) -> None:
        heard = asyncio.get_running_loop().create_future()

        def take(_: Connection, answer: bytes) -> None:
            self.answered[answer] = None
            if not heard.done():
                heard.set_result(None)

        def attach(connection: Connection) -> Receiver:
            return Frames(connection, take)

        async with asyncio.timeout(1):
            connection = await self._environment.network.connect("server", PORT, attach)
            try:
                connection.send([number])
                await heard
            finally:
                connection.close()


class Toy:
    """Crashes of every kind, then peace; what was answered must be there, once."""

    name = "toy"
    sometimes = ("asked again", "torn tail recovered", "write torn")
    limit_s = 600

    def __init__(self, *, early: bool = False) -> None:
        self._early = early

    def weather(self, draw: random.Random) -> Weather:
        return Weather(spike_chance=draw.choice((0.0, 0.01)))

    async def play(self, world: World) -> None:
        draw = world.draw("chaos")
        self._boot(world)
        node, environment = world.boot("client")
        client = Client(environment, world)
        working = world.start(node, client.run())
        for _ in range(draw.randint(1, 6)):
            await asyncio.sleep(draw.uniform(0.001, 0.1))
            self._harm(world, draw)
            await asyncio.sleep(draw.uniform(0, 1))
            if not world.machine("server").alive:
                self._boot(world)
        world.machine("server").faults.cut_in = None
        await working
        stored = dict(world.machine("server").image.files())[PATH].data
        numbers = [bytes(stored[start : start + 8]) for start in range(0, len(stored), 8)]
        if lost := [number for number in client.answered if number not in numbers]:
            raise Broken(f"P10: {len(lost)} answered numbers are lost")
        if len(set(numbers)) != len(numbers):
            raise Broken("P11: a number is stored twice")

    def _harm(self, world: World, draw: random.Random) -> None:
        kind = draw.choice(("kill", "power", "cut", "reset"))
        if kind == "kill":
            world.kill("server")
        elif kind == "power":
            world.cut_power("server")
        elif kind == "cut":
            world.machine("server").faults.cut_in = draw.randint(0, 5)
        else:
            for end in world.fabric.live_connections():
                world.fabric.reset(end)

    def _boot(self, world: World) -> None:
        node: Node
        node, environment = world.boot("server")
        server = Server(environment, early=self._early)
        world.remember(node, server)

        async def life() -> None:
            server.start()
            if server.torn:
                world.counters["torn tail recovered"] += 1

        world.start(node, life())
