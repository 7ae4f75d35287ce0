"""The order in which records go, one step of the disk after another, and what happens when a step fails."""

from __future__ import annotations

import pytest

from moldau import records
from moldau.broker.hosting import HostedTopic, Hosting
from moldau.broker.journal import Journal
from moldau.broker.load import load_settings
from moldau.broker.retention import Retention
from moldau.broker.topic_settings import TopicSettings
from moldau.environment.memory.clock import HandTurnedClock
from moldau.environment.memory.disk import MemoryDisk
from moldau.environment.memory.offload import MemoryOffload
from moldau.model import ApiError, ErrorCode, TopicPartition
from moldau.replication import Partition, PartitionSettings
from moldau.storage import Committer, Identity, LogDirectory, LogSettings

ORDERS = TopicPartition("orders", 0)
LOOK_MS, DELAY_MS = 1_000, 10_000
STARTS = "/data/log-start-offset-checkpoint"


class Scene:
    """One partition of twelve records in segments of three, and the retention that looks after it."""

    def __init__(self, **topic: object) -> None:
        self.clock = HandTurnedClock()
        self.disk = MemoryDisk()
        self.offload = MemoryOffload(stepped=True)
        self.lines: list[str] = []
        self.told: list[ErrorCode] = []
        self.directory = LogDirectory.open(self.disk, "/data", Identity(1), new_id=lambda: bytes(range(16)))
        self.log = self.directory.open_log(ORDERS, LogSettings(segment_bytes=300))
        committer = Committer(self.offload)
        self.topic = HostedTopic("orders", bytes(16), TopicSettings(file_delete_delay_ms=DELAY_MS, **topic))  # type: ignore[arg-type]
        self.partition = Partition(ORDERS, bytes(16), 1, self.log, committer, self.clock, PartitionSettings())
        self.topic.partitions[0] = self.partition
        hosting = Hosting()
        hosting.add(self.topic)
        given = {"log.retention.check.interval.ms": str(LOOK_MS), "log.initial.task.delay.ms": "0"}
        settings = load_settings(overrides=given, data_dir="/data")
        journal = Journal(self.clock, self.lines.append)
        self.retention = Retention(settings, self.directory, hosting, committer, self.clock, self.offload, journal)
        for offset in range(12):
            data = bytearray(records.build([(1_000 + offset, None, b"x" * 20, ())], base_offset=offset))
            self.log.append(memoryview(data), records.read_headers(data))
        self.partition.lead(0, (1,))
        self.settle()
        assert self.partition.high_watermark == 12

    def settle(self) -> None:
        while self.offload.step():
            pass

    def delete(self, offset: int) -> None:
        self.retention.delete_before(self.topic, self.partition, offset, self.told.append)

    def files(self, ending: str) -> list[int]:
        return [int(name[:20]) for name in self.disk.list("/data/orders-0") if name.endswith(ending)]

    def kept_start(self) -> bytes | None:
        return self.disk.read_file(STARTS).splitlines()[-1] if self.disk.exists(STARTS) else None


def test_first_the_start_is_on_disk_then_names_go_then_files() -> None:
    scene = Scene(retention_ms=-1)
    before = scene.files(".log")
    scene.retention.start()
    scene.delete(7)
    assert (scene.log.start_offset, scene.kept_start(), scene.told) == (7, None, [])
    assert scene.offload.step(), "the sync"
    assert (scene.kept_start(), scene.told, scene.files(".log")) == (None, [], before)
    assert not scene.retention.idle
    assert scene.offload.step(), "the start"
    assert (scene.kept_start(), scene.told) == (b"orders 0 7", [ErrorCode.NONE])
    assert scene.retention.idle
    gone = [base for base in before if base < scene.files(".log")[0]]
    assert gone
    assert scene.files(".log.deleted") == gone
    scene.clock.advance(DELAY_MS - 1)
    scene.settle()
    assert scene.files(".log.deleted") == gone
    scene.clock.advance(1)
    scene.settle()
    assert scene.files(".deleted") == []


def test_many_wishes_share_one_write() -> None:
    scene = Scene()
    for offset in (2, 5, -1):
        scene.delete(offset)
    scene.offload.step()
    scene.settle()
    assert scene.told == [ErrorCode.NONE] * 3
    assert (scene.log.start_offset, scene.kept_start()) == (12, b"orders 0 12")


def test_a_start_that_cannot_be_written_down_takes_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene()
    before = scene.files(".log")

    def broken(path: str, data: bytes) -> None:
        raise OSError(5, "broken", path)

    monkeypatch.setattr(scene.disk, "replace_file", broken)
    scene.delete(7)
    scene.settle()
    assert (scene.told, scene.files(".log")) == ([ErrorCode.KAFKA_STORAGE_ERROR], before)
    assert scene.retention.idle
    assert "could not be written down" in scene.lines[-1]
    scene.delete(8)
    scene.settle()
    assert scene.told[1:] == [ErrorCode.KAFKA_STORAGE_ERROR]


def test_looks_come_again_and_again_and_end_with_the_stop() -> None:
    scene = Scene(retention_ms=-1, retention_bytes=300)
    scene.retention.start()
    scene.clock.advance(0)
    start = scene.log.start_offset
    assert start > 0
    assert "begins at" in scene.lines[-1]
    assert "retention.bytes" in scene.lines[-1]
    scene.clock.advance(LOOK_MS * 5)
    assert scene.offload.waiting == 1, "what a look has begun is not begun again"
    scene.settle()
    assert scene.files(".log")[0] == start
    scene.retention.stop()
    scene.clock.advance(DELAY_MS * 5)
    assert scene.offload.waiting == 0, "what was renamed is removed by the next start"


def test_a_topic_that_goes_meanwhile_takes_its_files_along() -> None:
    scene = Scene(retention_ms=-1)
    scene.retention.start()
    scene.delete(7)
    scene.offload.step()
    scene.partition.close()
    scene.directory.delete_log(ORDERS, bytes(16))
    scene.directory.open_log(ORDERS, LogSettings())
    scene.settle()
    assert scene.told == [ErrorCode.NONE]
    assert scene.files(".log") == [0], "the successor's file is left alone"
    assert scene.disk.read_file(STARTS) == b"0\n0\n"


def test_a_topic_that_keeps_its_records_says_so() -> None:
    scene = Scene(cleanup_policy=("compact",))
    with pytest.raises(ApiError, match="add delete to it") as refused:
        scene.delete(3)
    assert refused.value.code is ErrorCode.POLICY_VIOLATION
    scene.retention.start()
    scene.clock.advance(LOOK_MS * 3)
    assert (scene.log.start_offset, scene.offload.waiting) == (0, 0)
