"""Ordinary clients at work: producers that number what they send, consumers that compare what they read.

Each runs on a machine of its own, with nothing but the public client; everything it learns goes into the ledger.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from moldau.client import AsyncClient
from moldau.client.errors import MoldauError
from moldau.environment.doors import Environment
from moldau.model import TopicPartition
from moldau.simulator.errors import Broken
from moldau.simulator.ledger import Ledger, Place
from moldau.simulator.node import Node
from moldau.simulator.world import World

PAUSED = 0.3
"""How often a producer rests after a record, so that batches form."""


@dataclass(frozen=True, slots=True)
class Load:
    """What one run's clients do."""

    bootstrap: str
    topic: str
    partitions: int
    producers: int
    consumers: int
    records: int
    """Of each producer."""
    largest: int
    """Bytes of filler."""
    pause_s: float
    client: dict[str, Any]
    producer: dict[str, Any]
    consumer: dict[str, Any]


class Workload:
    """All clients of one run."""

    def __init__(self, world: World, load: Load, ledger: Ledger) -> None:
        self._world = world
        self._load = load
        self._ledger = ledger
        self._producing: dict[str, asyncio.Task[None]] = {}
        self._consuming: dict[str, asyncio.Task[None]] = {}
        self._unanswered: dict[str, dict[bytes, None]] = {}
        self._positions: dict[tuple[str, int], int] = {}
        self._nodes: list[Node] = []

    @property
    def names(self) -> list[str]:
        """The machines on which clients run."""
        return [*self._producing, *self._consuming]

    def begin(self) -> None:
        """Start every client."""
        load = self._load
        for number in range(load.producers):
            name = f"producer-{number}"
            self._unanswered[name] = {}
            self._producing[name] = self._start(name, self._produce)
        for number in range(load.consumers):
            name = f"consumer-{number}"
            self._consuming[name] = self._start(name, self._consume)
        self._consuming["watcher"] = self._start("watcher", self._watch)

    def kill_somebody(self, draw: random.Random) -> None:
        """One client's process ends. A producer leaves records behind that may or may not be written; a consumer
        begins again from the start."""
        name = draw.choice(self.names)
        self._world.kill(name)
        if name in self._producing:
            self._world.counters["producer died"] += 1
            del self._producing[name]
            self._ledger.abandoned.update(self._unanswered.pop(name))
        else:
            self._world.counters["consumer died"] += 1
            self._consuming[name] = self._start(name, self._watch if name == "watcher" else self._consume)

    async def finish_producing(self) -> None:
        """Every record has been answered."""
        await asyncio.gather(*self._producing.values())
        self._ledger.check_all_answered()

    async def finish_consuming(self, ends: dict[int, int]) -> None:
        """Every consumer has reached the ends; then all stop in order and leave nothing behind."""
        wanted = {
            (f"consumer-{number}", partition): end
            for number in range(self._load.consumers)
            for partition, end in ends.items()
            if end
        }
        while any(self._positions.get(key) != end for key, end in wanted.items()):  # noqa: ASYNC110 (virtual time)
            await asyncio.sleep(0.05)
        for task in self._consuming.values():
            task.cancel()
        await asyncio.gather(*self._consuming.values(), return_exceptions=True)

    async def read_all(self) -> dict[int, list[tuple[int, bytes]]]:
        """What each partition holds, by a client that comes fresh."""
        _, environment = self._world.boot("reader")
        found: dict[int, list[tuple[int, bytes]]] = {number: [] for number in range(self._load.partitions)}

        async def read() -> None:
            async with self._client(environment) as kafka:
                consumer = kafka.consumer(self._load.topic, stop="latest", **self._load.consumer)
                async with consumer as records:
                    async for record in records:
                        found[record.partition].append((record.offset, bytes(record.value or b"")))

        node = self._world.machine("reader").node
        assert node is not None
        await self._world.start(node, read())
        return found

    def leftovers(self) -> list[str]:
        """Tasks of clients that are over."""
        return [f"{node.label}: {name}" for node in self._nodes for name in self._world.loop.pending_tasks(node)]

    def _start(self, name: str, code: Any) -> asyncio.Task[None]:
        node, environment = self._world.boot(name)
        self._nodes.append(node)
        work: Coroutine[Any, Any, None] = code(name, environment, self._world.draw(name))
        return self._world.start(node, work, name)

    def _client(self, environment: Environment) -> AsyncClient:
        return AsyncClient(self._load.bootstrap, environment=environment, **self._load.client)

    async def _produce(self, name: str, environment: Environment, draw: random.Random) -> None:
        load = self._load
        async with (
            self._client(environment) as kafka,
            kafka.producer(**load.producer) as out,
            asyncio.TaskGroup() as answers,
        ):
            for number in range(load.records):
                partition = draw.randrange(load.partitions)
                filler = b"." * draw.randrange(load.largest)
                payload = b"%s %d %s" % (name.encode(), number, filler)
                self._ledger.sent(payload, TopicPartition(load.topic, partition))
                self._unanswered[name][payload] = None
                try:
                    delivery = await out.send(load.topic, payload, partition=partition)
                except MoldauError as error:
                    self._refused(name, payload, error)
                    continue
                answers.create_task(self._await_answer(name, payload, delivery))
                if draw.random() < PAUSED:
                    await asyncio.sleep(draw.expovariate(1 / load.pause_s))

    async def _await_answer(self, name: str, payload: bytes, delivery: Any) -> None:
        try:
            answer = await delivery
        except MoldauError as error:
            self._refused(name, payload, error)
            return
        del self._unanswered[name][payload]
        self._world.counters["record acknowledged"] += 1
        place = Place(TopicPartition(answer.topic, answer.partition), answer.offset)
        self._note(self._ledger.acknowledged, payload, place)

    def _refused(self, name: str, payload: bytes, error: MoldauError) -> None:
        del self._unanswered[name][payload]
        self._ledger.refused(payload, str(error))
        self._found(Broken(f"END: {name} was told {error.code.name} although harm is short: {error}"))

    async def _consume(self, name: str, environment: Environment, draw: random.Random) -> None:
        while True:
            try:
                await self._consume_from_the_start(name, environment)
            except MoldauError as error:
                self._world.counters[f"consumer ended by {error.code.name}"] += 1
                await asyncio.sleep(draw.random())

    async def _consume_from_the_start(self, name: str, environment: Environment) -> None:
        topic = self._load.topic
        async with self._client(environment) as kafka, kafka.consumer(topic, **self._load.consumer) as records:
            expected: dict[int, int] = {}
            async for record in records:
                place = Place(TopicPartition(topic, record.partition), record.offset)
                if record.offset != expected.get(record.partition, 0):
                    self._found(Broken(f"P7: {name} read {place} after {expected.get(record.partition, 0) - 1}"))
                expected[record.partition] = self._positions[name, record.partition] = record.offset + 1
                self._note(self._ledger.read, place, bytes(record.value or b""))

    async def _watch(self, _: str, environment: Environment, draw: random.Random) -> None:
        async with self._client(environment) as kafka:
            while True:
                await asyncio.sleep(draw.uniform(0.05, 0.5))
                try:
                    ends = await kafka.list_offsets(self._load.topic, "latest")
                except MoldauError as error:
                    self._world.counters[f"watcher met {error.code.name}"] += 1
                    continue
                for partition, end in sorted(ends.items()):
                    self._note(self._ledger.end_told, TopicPartition(self._load.topic, partition), end)

    def _note(self, entry: Callable[..., None], *what: object) -> None:
        """Write to the ledger; a broken promise ends the run, whatever the client makes of exceptions."""
        try:
            entry(*what)
        except Broken as broken:
            self._found(broken)

    def _found(self, broken: Broken) -> None:
        self._world.loop.find(broken)
