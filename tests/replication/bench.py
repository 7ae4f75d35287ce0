"""One partition on a disk in memory, with a clock and a sync that move when the test says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moldau.environment.doors import Timer
from moldau.environment.memory.disk import MemoryDisk
from moldau.model import ErrorCode, TopicPartition
from moldau.records import BatchHeader, build_values, read_headers
from moldau.replication import Appended, Durability, Partition, PartitionSettings
from moldau.storage import Committer, Log, LogSettings

TOPIC_ID = bytes(range(16))


class ManualTimer:
    """A call that comes when the clock is moved past it."""

    def __init__(self, deadline_ms: int, callback: Callable[[], None]) -> None:
        self.deadline_ms = deadline_ms
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class ManualClock:
    """Time stands until `move`."""

    def __init__(self) -> None:
        self.now_ms = 1_000
        self.timers: list[ManualTimer] = []

    def monotonic_ms(self) -> int:
        return self.now_ms

    def monotonic_ns(self) -> int:
        return self.now_ms * 1_000_000

    def wall_ms(self) -> int:
        return 1_700_000_000_000 + self.now_ms

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> Timer:
        timer = ManualTimer(deadline_ms, callback)
        self.timers.append(timer)
        return timer

    async def sleep(self, duration_ms: int) -> None:
        raise NotImplementedError("nothing here sleeps")

    def move(self, duration_ms: int) -> None:
        self.now_ms += duration_ms
        for timer in [one for one in self.timers if one.deadline_ms <= self.now_ms]:
            self.timers.remove(timer)
            if timer.callback is not None:
                timer.callback()


class ManualOffload:
    """Work waits until `work`."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Callable[[], Any], Callable[[Any, BaseException | None], None]]] = []
        self.error: OSError | None = None

    def submit(self, work: Callable[[], Any], done: Callable[[Any, BaseException | None], None]) -> None:
        self.jobs.append((work, done))

    async def run(self, work: Callable[[], Any]) -> Any:
        return work()

    def work(self) -> None:
        jobs, self.jobs = self.jobs, []
        for work, done in jobs:
            if self.error is not None:
                done(None, self.error)
            else:
                done(work(), None)


class Bench:
    """A partition that leads in epoch 3, and what its waiters were told."""

    def __init__(self, settings: PartitionSettings | None = None, isr: tuple[int, ...] = (1,)) -> None:
        self.clock = ManualClock()
        self.offload = ManualOffload()
        self.disk = MemoryDisk()
        self.log = Log.open(self.disk, "/data/orders-0", LogSettings(), topic_id=TOPIC_ID)
        self.partition = Partition(
            TopicPartition("orders", 0),
            TOPIC_ID,
            1,
            self.log,
            Committer(self.offload),
            self.clock,
            settings or PartitionSettings(),
        )
        self.partition.lead(3, isr)
        self.told: list[tuple[str, ErrorCode | None]] = []

    def append(self, *values: bytes, acks: int = -1, **options: Any) -> Appended:
        data, headers = batch(*values, **options)
        return self.partition.append(data, headers, acks)

    def park(self, name: str, last_offset: int, timeout_ms: int = 30_000) -> object:
        deadline_ms = self.clock.now_ms + timeout_ms
        return self.partition.await_committed(last_offset, deadline_ms, lambda code: self.told.append((name, code)))

    def park_fetch(self, name: str) -> Any:
        return self.partition.park_fetch(lambda: self.told.append((name, None)))

    def content(self, offset: int = 0, max_bytes: int = 1 << 20) -> bytes:
        read = self.partition.read(offset, max_bytes)
        assert read.error is ErrorCode.NONE
        data = b"".join(part.read() for part in read.slices)
        for part in read.slices:
            part.release()
        assert len(data) == read.bytes
        return data


def batch(*values: bytes, **options: Any) -> tuple[memoryview, list[BatchHeader]]:
    data = bytearray(build_values(values, 1_600_000_000_000, **options))
    return memoryview(data), read_headers(data)


PAGE_CACHE = PartitionSettings(durability=Durability.PAGE_CACHE)
