"""Old records go: by age, by size, and because a client says so; and what is gone stays gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.delete_records import DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic
from moldau.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from moldau.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from tests.broker.raw import Raw, batch, produce
from tests.broker.running import Running, running

EAGER = (
    *("--set", "log.retention.check.interval.ms=50"),
    *("--set", "log.initial.task.delay.ms=0"),
    *("--set", "log.segment.delete.delay.ms=300"),
)
LONG_AGO = 1_700_000_000_000
EARLIEST, LATEST = -2, -1


def delete(topic: str, offset: int, partition: int = 0) -> DeleteRecordsRequest:
    wanted = DeleteRecordsPartition(partition_index=partition, offset=offset)
    return DeleteRecordsRequest(topics=[DeleteRecordsTopic(name=topic, partitions=[wanted])], timeout_ms=5000)


def deleted(raw: Raw, topic: str, offset: int, partition: int = 0, version: int = 2) -> tuple[ErrorCode, int]:
    """The error and the low watermark that DeleteRecords answers."""
    answer = raw.ask(ApiKey.DELETE_RECORDS, version, delete(topic, offset, partition)).topics[0]
    assert (answer.name, [each.partition_index for each in answer.partitions]) == (topic, [partition])
    return ErrorCode(answer.partitions[0].error_code), answer.partitions[0].low_watermark


def bound(raw: Raw, topic: str, which: int = EARLIEST) -> int:
    """The earliest or latest offset."""
    asked = ListOffsetsTopic(name=topic, partitions=[ListOffsetsPartition(partition_index=0, timestamp=which)])
    answer = raw.ask(ApiKey.LIST_OFFSETS, 7, ListOffsetsRequest(topics=[asked])).topics[0].partitions[0]
    assert answer.error_code == 0, answer
    return int(answer.offset)


def fetched(raw: Raw, topic: str, offset: int) -> Any:
    wanted = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    request = FetchRequest(topics=[FetchTopic(topic=topic, partitions=[wanted])], max_wait_ms=0, min_bytes=1)
    return raw.ask(ApiKey.FETCH, 12, request).responses[0].partitions[0]


def write(raw: Raw, topic: str, batches: int, **more: Any) -> None:
    for _ in range(batches):
        answer = raw.ask(ApiKey.PRODUCE, 9, produce(topic, batch(b"x" * 400_000, **more)))
        assert answer.responses[0].partition_responses[0].error_code == 0, answer


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline, "it did not come about in ten seconds"
        time.sleep(0.02)


def logs(data: Path, topic: str) -> list[str]:
    return sorted(file.name for file in (data / f"{topic}-0").iterdir() if ".log" in file.name)


# ------------------------------------------------------------------------------------------------- by itself


def test_old_records_go_and_the_earliest_offset_moves(tmp_path: Path) -> None:
    with running(tmp_path / "data", *EAGER) as broker, Raw(broker.address) as raw:
        raw.topic("old", segment_bytes="1048576", retention_ms="60000")
        raw.topic("kept", segment_bytes="1048576", retention_ms="-1")
        raw.topic("large", segment_bytes="1048576", retention_ms="-1", retention_bytes="1500000")
        raw.topic("compacted", segment_bytes="1048576", retention_ms="1", cleanup_policy="compact")
        for topic in ("old", "kept", "large"):
            write(raw, topic, 7, timestamp=LONG_AGO)
        write(raw, "compacted", 7, timestamp=LONG_AGO, key=b"k")
        until(lambda: bound(raw, "old") == 7)
        until(lambda: bound(raw, "large") == 2)
        assert (bound(raw, "kept"), bound(raw, "compacted")) == (0, 0)
        assert fetched(raw, "old", 3).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
        write(raw, "old", 1, timestamp=int(time.time() * 1000))
        assert (bound(raw, "old"), bound(raw, "old", LATEST)) == (7, 8)
        assert fetched(raw, "old", 7).error_code == 0
        until(lambda: logs(tmp_path / "data", "old") == ["00000000000000000007.log"])
        assert broker.stop() == 0
    with running(tmp_path / "data") as broker, Raw(broker.address) as raw:
        assert [bound(raw, topic) for topic in ("old", "kept", "large", "compacted")] == [7, 0, 2, 0]
        assert bound(raw, "old", LATEST) == 8


# ------------------------------------------------------------------------------------- because a client says so


@pytest.fixture
def raw(broker: Running) -> Any:
    with Raw(broker.address) as connected:
        yield connected


@pytest.mark.parametrize("version", range(3))
def test_delete_records_in_every_version(raw: Raw, version: int) -> None:
    topic = f"deleting-{version}"
    raw.topic(topic)
    raw.ask(ApiKey.PRODUCE, 9, produce(topic, batch(*[b"v"] * 10)))
    assert deleted(raw, topic, 4, version=version) == (ErrorCode.NONE, 4)
    assert bound(raw, topic) == 4
    assert fetched(raw, topic, 3).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert fetched(raw, topic, 4).log_start_offset == 4
    assert deleted(raw, topic, 2, version=version) == (ErrorCode.NONE, 4), "it never goes back"
    assert deleted(raw, topic, 11, version=version) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1)
    assert deleted(raw, topic, -2, version=version) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1)
    assert deleted(raw, topic, -1, version=version) == (ErrorCode.NONE, 10)
    assert (bound(raw, topic), bound(raw, topic, LATEST)) == (10, 10)


def test_delete_records_is_refused_where_nothing_is_deleted(raw: Raw) -> None:
    raw.topic("only-compacted", cleanup_policy="compact")
    raw.topic("both-policies", cleanup_policy="compact,delete")
    assert deleted(raw, "only-compacted", 0) == (ErrorCode.POLICY_VIOLATION, -1)
    assert deleted(raw, "both-policies", 0) == (ErrorCode.NONE, 0)
    assert deleted(raw, "nowhere-at-all", 0) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    assert deleted(raw, "both-policies", 0, partition=3) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)


def test_each_partition_fails_by_itself(raw: Raw) -> None:
    raw.topic("several", partitions=2)
    raw.ask(ApiKey.PRODUCE, 9, produce("several", batch(b"a", b"b"), partition=1))
    partitions = [DeleteRecordsPartition(partition_index=index, offset=1) for index in (0, 1, 2)]
    request = DeleteRecordsRequest(topics=[DeleteRecordsTopic(name="several", partitions=partitions)])
    answer = raw.ask(ApiKey.DELETE_RECORDS, 2, request).topics[0].partitions
    assert [(each.partition_index, each.error_code, each.low_watermark) for each in answer] == [
        (0, ErrorCode.OFFSET_OUT_OF_RANGE, -1),
        (1, ErrorCode.NONE, 1),
        (2, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1),
    ]
    assert raw.ask(ApiKey.DELETE_RECORDS, 2, DeleteRecordsRequest()).topics == []


@pytest.mark.parametrize("durability", ["fsync", "page-cache"])
def test_what_was_deleted_stays_deleted_after_a_kill(tmp_path: Path, durability: str) -> None:
    arguments = (*EAGER, "--set", f"durability={durability}")
    with running(tmp_path / "data", *arguments) as broker, Raw(broker.address) as raw:
        raw.topic("going", segment_bytes="1048576")
        write(raw, "going", 9, timestamp=int(time.time() * 1000))
        assert deleted(raw, "going", 5) == (ErrorCode.NONE, 5)
        broker.kill()
    with running(tmp_path / "data", *arguments) as broker, Raw(broker.address) as raw:
        assert (bound(raw, "going"), bound(raw, "going", LATEST)) == (5, 9)
        assert fetched(raw, "going", 5).error_code == 0
        until(lambda: [name for name in logs(tmp_path / "data", "going") if "deleted" in name] == [])
        assert logs(tmp_path / "data", "going")[0] == "00000000000000000004.log"


def test_a_topic_made_anew_begins_at_its_own_start(tmp_path: Path) -> None:
    with running(tmp_path / "data", *EAGER) as broker, Raw(broker.address) as raw:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        raw.topic("again", segment_bytes="1048576")
        write(raw, "again", 6, timestamp=int(time.time() * 1000))
        assert deleted(raw, "again", -1) == (ErrorCode.NONE, 6)
        admin.delete_topics(["again"])["again"].result(10)
        raw.topic("again", segment_bytes="1048576")
        write(raw, "again", 3, timestamp=int(time.time() * 1000))
        time.sleep(0.5)  # what was renamed of the first is removed meanwhile
        assert (bound(raw, "again"), bound(raw, "again", LATEST)) == (0, 3)
        broker.kill()
    with running(tmp_path / "data") as broker, Raw(broker.address) as raw:
        assert (bound(raw, "again"), bound(raw, "again", LATEST)) == (0, 3)


def test_a_client_library_deletes_records(broker: Running, raw: Raw) -> None:
    raw.topic("by-library")
    raw.topic("by-library-compacted", cleanup_policy="compact")
    raw.ask(ApiKey.PRODUCE, 9, produce("by-library", batch(*[b"v"] * 10)))
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    for offset, low in ((6, 6), (-1, 10)):
        wanted = TopicPartition("by-library", 0, offset)
        assert admin.delete_records([wanted])[wanted].result(10).low_watermark == low
    for wanted, code in (
        (TopicPartition("by-library", 0, 11), ErrorCode.OFFSET_OUT_OF_RANGE),
        (TopicPartition("by-library-compacted", 0, 0), ErrorCode.POLICY_VIOLATION),
    ):
        with pytest.raises(KafkaException) as refused:
            admin.delete_records([wanted])[wanted].result(10)
        assert refused.value.args[0].code() == code
