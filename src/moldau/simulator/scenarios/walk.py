"""One broker, ordinary clients, and every kind of harm: the real assembly and the real client, unchanged.

Two phases. While harm is done, nothing that was promised may break; when it has ended, everything must come to an end:
every record answered, every consumer at the end, a clean stop that leaves nothing behind, and the same log after
another recovery.
"""

from __future__ import annotations

import asyncio
import random

from moldau.broker.assembly import Broker, assemble
from moldau.broker.errors import CannotStart
from moldau.broker.settings import FSYNC, BrokerSettings, Endpoint
from moldau.client import AsyncClient
from moldau.environment.doors import Environment
from moldau.model import TopicPartition
from moldau.simulator.errors import Broken
from moldau.simulator.files import check_batches, log_files
from moldau.simulator.harm import Harm
from moldau.simulator.ledger import Ledger
from moldau.simulator.network import Weather
from moldau.simulator.workload import PAUSED, Load, Workload
from moldau.simulator.world import World

_ROLLING: tuple[dict[str, str], ...] = (
    {},
    {"segment.ms": "300"},
    {"segment.index.bytes": "48", "index.interval.bytes": "0"},
    {"segment.index.bytes": "120", "index.interval.bytes": "0"},
)
"""Segments of a megabyte would never be full: these are closed sooner, by age or by their index."""
_MUST_NOT_BE_TOLD = (" failed: ", "failed to decide", "the controller stops", "cannot be served")
HOST, PORT, DATA, TOPIC = "broker", 9092, "/data", "orders"


class Walk:
    """The first walk through the whole house, under fire."""

    name = "walk"
    sometimes = (
        "process killed",
        "power cut",
        "power cut inside a disk call",
        "power cut with unsynced writes",
        "power cut armed before recovery",
        "write torn",
        "connection reset",
        "connection lost silently",
        "network cut",
        "disk slow",
        "wall clock stepped",
        "started again",
        "broker gave up after a disk error",
        "broker: repeated_batches",
        "process stopped for a while",
        "producer died",
        "consumer died",
        "record acknowledged",
        "tail cut by recovery",
        "segment rolled",
    )
    limit_s = 900

    def __init__(self, durability: str = FSYNC) -> None:
        self._durability = durability

    def weather(self, draw: random.Random) -> Weather:
        return Weather(
            latency_ns=(20_000, draw.choice((100_000, 2_000_000))),
            spike_chance=draw.choice((0.0, 0.0, 0.01)),
            short_read_chance=draw.choice((0.0, 0.1, 0.5)),
            window=draw.choice((2_000, 64 * 1024)),
        )

    async def play(self, world: World) -> None:
        await _Walk(world, self._durability).play()


_MOST_READS = 5


class _Walk:
    def __init__(self, world: World, durability: str) -> None:
        self._world = world
        self._draw = world.draw("walk")
        self._ledger = Ledger()
        self._broker: Broker | None = None
        self._life: asyncio.Task[None]
        self._settings = BrokerSettings(
            data_dir=DATA, endpoints=(Endpoint("PLAINTEXT", HOST, PORT),), durability=durability
        )

    async def play(self) -> None:
        world = self._world
        world.machine(HOST).image.lay_out(DATA)
        harm_s = self._draw.uniform(0.5, 6)
        load = draw_load(self._draw, harm_s)
        workload = Workload(world, load, self._ledger)
        self._start()
        await self._create_topic(load)
        workload.begin()
        harm = Harm(world, HOST, lambda: workload.names, self._start, workload.kill_somebody)
        supervising = asyncio.create_task(harm.supervise())
        await harm.do(harm_s)
        harm.heal()
        await workload.finish_producing()
        log = await self._quiet_log(workload)
        for partition, records in log.items():
            self._ledger.settle(TopicPartition(TOPIC, partition), records)
        await workload.finish_consuming({partition: len(records) for partition, records in log.items()})
        supervising.cancel()
        self._count(load)
        await self._stop_cleanly(workload)
        check_batches(world.machine(HOST).image, DATA)
        await self._recover_twice()

    async def _quiet_log(self, workload: Workload) -> dict[int, list[tuple[int, bytes]]]:
        """What the partitions hold in the end. The last request of a producer that died, sent to a broker that was
        stopped, may be appended while the log is read: then it is read again."""
        for _ in range(_MOST_READS):
            log = await workload.read_all()
            if not any(self._ledger.knows_beyond(TopicPartition(TOPIC, number), len(log[number])) for number in log):
                break
            await asyncio.sleep(1)
        return log

    def _start(self) -> None:
        """A new life of the broker, as its own process."""
        node, environment = self._world.boot(HOST)

        async def life() -> None:
            broker = assemble(self._settings, environment, self._told)
            self._world.remember(node, broker)
            self._world.when_ended(node, lambda: self._count_metrics(broker))
            self._broker = broker
            try:
                await broker.start()
                why = await broker.failed()
            except CannotStart as refused:
                why = str(refused)
            self._given_up(why)

        self._life = self._world.start(node, life(), "broker")

    def _given_up(self, why: str) -> None:
        """A process that ends by itself: only a failing disk is a reason."""
        disk = self._world.machine(HOST).disk
        if disk is None or not disk.errors:
            self._world.loop.find(Broken(f"END: the broker gave up without need: {why}"))
        self._world.counters["broker gave up after a disk error"] += 1
        self._world.loop.call_in(self._world.loop.world, self._world.cut_power, HOST)

    def _told(self, line: str) -> None:
        """The broker's journal: what it tells its operator is part of the run."""
        text = line.partition(" ")[2].strip()
        self._world.trace.note(self._world.loop.now_ns, HOST, f"tells {text}")
        if "torn bytes were cut" in text:
            self._world.counters["tail cut by recovery"] += 1
        disk = self._world.machine(HOST).disk
        if any(word in text for word in _MUST_NOT_BE_TOLD) and not (disk and disk.errors):
            self._world.loop.find(Broken(f"the broker failed by its own words: {text}"))

    async def _create_topic(self, load: Load) -> None:
        node, environment = self._world.boot("admin")

        async def create(environment: Environment) -> None:
            async with AsyncClient(load.bootstrap, environment=environment, **load.client) as kafka:
                configs = self._draw.choice(_ROLLING)
                await kafka.admin.create_topic(TOPIC, partitions=load.partitions, configs=configs)

        await self._world.start(node, create(environment))

    def _count_metrics(self, broker: Broker) -> None:
        for (name, _), value in broker.metrics.values().items():
            if name in ("produced_batches", "repeated_batches", "connections_accepted"):
                self._world.counters[f"broker: {name}"] += value
            if name == "request_errors" and value:
                self._world.loop.find(Broken("a handler of the broker failed"))

    def _count(self, load: Load) -> None:
        files = log_files(self._world.machine(HOST).image, DATA)
        self._world.counters["segment rolled"] += len(files) - load.partitions

    async def _stop_cleanly(self, workload: Workload) -> None:
        machine = self._world.machine(HOST)
        node, disk, broker = machine.node, machine.disk, self._broker
        assert node is not None
        assert disk is not None
        assert broker is not None
        self._life.cancel()
        await self._world.start(node, broker.stop())
        await asyncio.sleep(1)
        left = self._world.loop.pending_tasks(node) + workload.leftovers()
        if left or disk.open_files:
            raise Broken(f"END: after a clean stop {disk.open_files} files are open and these tasks run: {left}")
        self._world.kill(HOST)

    async def _recover_twice(self) -> None:
        """D3: after a death at rest, starting twice more changes no byte of any log."""
        before = log_files(self._world.machine(HOST).image, DATA)
        for kind in ("clean", "again"):
            self._start()
            await asyncio.sleep(5)
            self._world.cut_power(HOST)
            after = log_files(self._world.machine(HOST).image, DATA)
            if after != before:
                changed = [path for path in before if after.get(path) != before[path]]
                raise Broken(f"D3: starting {kind} after a stop changed {changed}")


def draw_load(draw: random.Random, duration_s: float) -> Load:
    """What the clients of one run do, for about so long if nothing holds them up."""
    request_timeout = draw.choice((1.0, 5.0))
    records = draw.choice((20, 80, 200))
    return Load(
        bootstrap=f"{HOST}:{PORT}",
        topic=TOPIC,
        partitions=draw.randint(1, 3),
        producers=draw.randint(1, 2),
        consumers=draw.randint(1, 2),
        records=records,
        largest=draw.choice((10, 100, 1_500)),
        pause_s=draw.uniform(0.5, 1.5) * duration_s / (records * PAUSED),
        client={"request_timeout": request_timeout, "connect_timeout": 2.0, "client_id": "simulated"},
        producer={
            "linger": draw.choice((0.0, 0.005, 0.1)),
            "batch_bytes": draw.choice((200, 4_000, 65_536)),
            "in_flight": draw.choice((1, 5, 5)),
            "compression": draw.choice(("none", "none", "gzip", "zstd")),
        },
        consumer={
            "start": "earliest",
            "max_wait": draw.choice((0.1, 0.5)),
            "partition_bytes": draw.choice((300, 65_536)),
        },
    )
