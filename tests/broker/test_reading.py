"""The requests that only read, each in every version, and with clients of other makes where these send them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as ConsumedPartition
from kafka import TopicPartition  # type: ignore[import-untyped]
from kafka.admin import KafkaAdminClient  # type: ignore[import-untyped]

from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
    DescribeLogDirsResult,
)
from moldau.protocol.messages.describe_producers import DescribeProducersRequest, ProducerState
from moldau.protocol.messages.describe_producers import TopicRequest as ProducersOfTopic
from moldau.protocol.messages.describe_quorum import DescribeQuorumRequest, PartitionData, TopicData
from moldau.protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    TopicRequest,
)
from moldau.protocol.messages.init_producer_id import InitProducerIdRequest
from moldau.protocol.messages.list_config_resources import ListConfigResourcesRequest
from moldau.protocol.messages.metadata import MetadataRequest
from moldau.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from moldau.protocol.tables import ZERO_UUID
from tests.broker.raw import Raw, batch, produce
from tests.broker.running import Running, running


@pytest.fixture
def raw(broker: Running) -> Iterator[Raw]:
    with Raw(broker.address) as connected:
        yield connected


@pytest.fixture
def admin(broker: Running) -> Iterator[KafkaAdminClient]:
    client = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    yield client
    client.close()


# ------------------------------------------------------------------------------ offset for leader epoch


def epoch_end(
    raw: Raw, version: int, topic: str, epoch: int, *, current: int = -1, partition: int = 0
) -> tuple[int, int, int]:
    """Error, epoch and end offset."""
    wanted = OffsetForLeaderPartition(partition=partition, current_leader_epoch=current, leader_epoch=epoch)
    request = OffsetForLeaderEpochRequest(topics=[OffsetForLeaderTopic(topic=topic, partitions=[wanted])])
    if version >= 3:
        request.replica_id = -1
    (answered,) = raw.ask(ApiKey.OFFSET_FOR_LEADER_EPOCH, version, request).topics
    (answer,) = answered.partitions
    assert (answered.topic, answer.partition) == (topic, partition)
    return answer.error_code, answer.leader_epoch, answer.end_offset


def leader_epoch(raw: Raw, topic: str) -> int:
    return int(raw.metadata(topic).topics[0].partitions[0].leader_epoch)


@pytest.mark.parametrize("version", range(2, 5))
def test_the_current_epoch_ends_where_the_log_ends(raw: Raw, version: int) -> None:
    name = f"epoch-end-v{version}"
    raw.topic(name)
    epoch = leader_epoch(raw, name)
    assert epoch_end(raw, version, name, epoch) == (0, epoch, 0)
    raw.ask(ApiKey.PRODUCE, 9, produce(name, batch(b"a", b"b")))
    assert epoch_end(raw, version, name, epoch, current=epoch) == (0, epoch, 2)
    assert epoch_end(raw, version, name, epoch + 1) == (0, -1, -1)
    assert epoch_end(raw, version, name, -1) == (0, -1, -1)
    assert epoch_end(raw, version, name, epoch, current=epoch + 1) == (ErrorCode.UNKNOWN_LEADER_EPOCH, -1, -1)
    unknown = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, -1)
    assert epoch_end(raw, version, name, epoch, partition=1) == unknown
    assert epoch_end(raw, version, "nowhere", epoch) == unknown


def test_an_epoch_ends_where_that_of_the_next_leader_begins(tmp_path: Path) -> None:
    epochs = []
    for number in range(2):
        with running(tmp_path / "data") as started, Raw(started.address) as raw:
            if number == 0:
                raw.topic("kept")
            epochs.append(leader_epoch(raw, "kept"))
            raw.ask(ApiKey.PRODUCE, 9, produce("kept", batch(b"a", b"b", b"c")))
            if number == 1:
                first, second = epochs
                assert second > first
                assert epoch_end(raw, 4, "kept", first) == (0, first, 3)
                assert epoch_end(raw, 4, "kept", second - 1) == (0, first, 3)
                assert epoch_end(raw, 4, "kept", second) == (0, second, 6)
                assert epoch_end(raw, 4, "kept", second, current=first)[0] == ErrorCode.FENCED_LEADER_EPOCH
                assert consumed(started, second, 5) == "c"
                assert consumed(started, first, 3) == "a"
                assert "truncation detected" in consumed(started, first, 5)  # that epoch ended at 3
            assert started.stop() == 0


def consumed(broker: Running, epoch: int, offset: int) -> str:
    """What a confluent consumer finds, or says, that believes to have read up to this offset in this epoch."""
    configs = {"group.id": "none", "enable.auto.commit": False, "auto.offset.reset": "error"}
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, **configs})
    consumer.assign([ConsumedPartition("kept", 0, offset, "", epoch)])
    message = consumer.poll(8)
    consumer.close()
    assert message is not None
    error = message.error()
    return (message.value() or b"").decode() if error is None else error.str()


# --------------------------------------------------------------------------- describe topic partitions


def page(raw: Raw, *names: str, limit: int = 2000, cursor: tuple[str, int] | None = None) -> Any:
    request = DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in names],
        response_partition_limit=limit,
        cursor=None if cursor is None else Cursor(topic_name=cursor[0], partition_index=cursor[1]),
    )
    return raw.ask(ApiKey.DESCRIBE_TOPIC_PARTITIONS, 0, request)


def indexes(response: DescribeTopicPartitionsResponse) -> list[tuple[str | None, list[int]]]:
    return [(topic.name, [one.partition_index for one in topic.partitions]) for topic in response.topics]


def next_page(response: DescribeTopicPartitionsResponse) -> tuple[str, int] | None:
    cursor = response.next_cursor
    return None if cursor is None else (cursor.topic_name, cursor.partition_index)


def test_topics_are_described_by_name_and_unknown_ones_with_their_code(raw: Raw) -> None:
    topic_id = raw.topic("described", 2)
    response = page(raw, "nowhere", "no spaces", "described", "described")
    assert [(one.name, one.error_code) for one in response.topics] == [
        ("described", ErrorCode.NONE),
        ("no spaces", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("nowhere", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    described = response.topics[0]
    assert (described.topic_id, described.is_internal) == (topic_id, False)
    epoch = leader_epoch(raw, "described")
    for index, one in enumerate(described.partitions):
        assert (one.error_code, one.partition_index, one.leader_id, one.leader_epoch) == (0, index, 1, epoch)
        assert (one.replica_nodes, one.isr_nodes, one.offline_replicas) == ([1], [1], [])
        assert (one.eligible_leader_replicas, one.last_known_elr) == ([], [])
    assert response.next_cursor is None


def test_pages_follow_one_another_until_there_is_no_cursor(raw: Raw) -> None:
    for name in ("page-b", "page-a", "page-c"):
        raw.topic(name, 3)
    asked = ("page-c", "page-b", "page-a")
    seen = []
    cursor: tuple[str, int] | None = None
    while True:
        response = page(raw, *asked, limit=4, cursor=cursor)
        seen.append(indexes(response))
        cursor = next_page(response)
        if cursor is None:
            break
    assert seen == [
        [("page-a", [0, 1, 2]), ("page-b", [0])],
        [("page-b", [1, 2]), ("page-c", [0, 1])],
        [("page-c", [2])],
    ]
    assert next_page(page(raw, *asked, limit=3)) == ("page-b", 0)
    assert indexes(page(raw, *asked, limit=-1)) == [("page-a", [0])]
    assert indexes(page(raw, *asked, cursor=("page-b", 7)))[0] == ("page-b", [])


def test_without_names_every_topic_is_described_from_the_cursor_on(raw: Raw) -> None:
    raw.topic("zz-first")
    raw.topic("zz-second")
    everything = [name for name, _ in indexes(page(raw))]
    assert everything == sorted(one.name for one in raw.ask(ApiKey.METADATA, 12, MetadataRequest(topics=None)).topics)
    assert indexes(page(raw, cursor=("zz-f", 0))) == [("zz-first", [0]), ("zz-second", [0])]


def test_a_cursor_that_points_nowhere_is_refused(raw: Raw) -> None:
    raw.topic("cursor")
    for response in (
        page(raw, "cursor", cursor=("cursor", -1)),
        page(raw, "cursor", cursor=("another", 0)),
        page(raw, cursor=("cursor", -1)),
    ):
        assert [(one.name, one.error_code) for one in response.topics] == [("cursor", ErrorCode.INVALID_REQUEST)]


def test_the_brokers_limit_bounds_a_page(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--set", "max.request.partition.size.limit=2") as small:
        with Raw(small.address) as raw:
            raw.topic("many", 5)
            response = page(raw, "many")
            assert (indexes(response), next_page(response)) == ([("many", [0, 1])], ("many", 2))
        assert small.stop() == 0


def test_kafka_python_describes_topic_partitions(raw: Raw, admin: KafkaAdminClient) -> None:
    raw.topic("by-kafka-python", 3)
    first = admin.describe_topic_partitions(["by-kafka-python"], response_partition_limit=2)
    second = admin.describe_topic_partitions(["by-kafka-python"], cursor=first["next_cursor"])
    found = [one for response in (first, second) for one in response["topics"][0]["partitions"]]
    assert [(one["partition_index"], one["leader_id"]) for one in found] == [(0, 1), (1, 1), (2, 1)]
    assert second["next_cursor"] is None


# ------------------------------------------------------------------------------ describe log directories


def log_directory(raw: Raw, version: int, *topics: tuple[str, list[int]], every: bool = False) -> DescribeLogDirsResult:
    asked = [DescribableLogDirTopic(topic=name, partitions=indexes) for name, indexes in topics]
    response = raw.ask(ApiKey.DESCRIBE_LOG_DIRS, version, DescribeLogDirsRequest(topics=None if every else asked))
    (result,) = response.results
    assert (response.error_code, result.error_code) == (0, 0)
    assert isinstance(result, DescribeLogDirsResult)
    return result


@pytest.mark.parametrize("version", range(1, 6))
def test_the_log_directory_is_described(raw: Raw, version: int) -> None:
    name = f"sized-v{version}"
    raw.topic(name, 2)
    records = batch(b"a", b"b")
    raw.ask(ApiKey.PRODUCE, 9, produce(name, records, partition=1))
    found = log_directory(raw, version, (name, [1, 7]), ("nowhere", [0]))
    (topic,) = found.topics
    (partition,) = topic.partitions
    assert (topic.name, partition.partition_index, partition.partition_size) == (name, 1, len(records))
    assert (partition.offset_lag, partition.is_future_key) == (0, False)
    assert log_directory(raw, version).topics == []
    everything = {one.name: len(one.partitions) for one in log_directory(raw, version, every=True).topics}
    assert everything[name] == 2
    if version >= 4:
        room = os.statvfs(found.log_dir)
        assert found.total_bytes == room.f_blocks * room.f_frsize
        assert 0 < found.usable_bytes <= found.total_bytes
    if version >= 5:
        assert found.is_cordoned is False


def test_kafka_python_describes_the_log_directory(raw: Raw, admin: KafkaAdminClient) -> None:
    raw.topic("sized-for-kafka-python")
    (answered,) = admin.describe_log_dirs({"sized-for-kafka-python": [0]})
    (found,) = answered["log_dirs"]
    assert (answered["broker"], found["error_code"]) == (1, 0)
    assert [topic["name"] for topic in found["topics"]] == ["sized-for-kafka-python"]
    assert 0 < found["usable_bytes"] <= found["total_bytes"]


def test_a_log_directory_that_is_gone_is_an_error_of_its_own(tmp_path: Path) -> None:
    with running(tmp_path / "data") as started, Raw(started.address) as raw:
        (tmp_path / "data").rename(tmp_path / "elsewhere")
        (result,) = raw.ask(ApiKey.DESCRIBE_LOG_DIRS, 4, DescribeLogDirsRequest(topics=None)).results
        assert (result.error_code, result.log_dir) == (ErrorCode.KAFKA_STORAGE_ERROR, str(tmp_path / "data"))
        assert (result.topics, result.total_bytes, result.usable_bytes) == ([], -1, -1)


# ------------------------------------------------------------------------------------ describe producers


def producers(raw: Raw, topic: str, *indexes: int) -> list[tuple[int, int, list[ProducerState]]]:
    """Partition, error and producers."""
    request = DescribeProducersRequest(topics=[ProducersOfTopic(name=topic, partition_indexes=list(indexes))])
    (answered,) = raw.ask(ApiKey.DESCRIBE_PRODUCERS, 0, request).topics
    assert answered.name == topic
    return [(one.partition_index, one.error_code, one.active_producers) for one in answered.partitions]


def test_the_producers_of_a_partition_are_described(raw: Raw) -> None:
    raw.topic("produced", 2)
    first, second = (
        raw.ask(ApiKey.INIT_PRODUCER_ID, 4, InitProducerIdRequest(transactional_id=None)).producer_id for _ in range(2)
    )
    for producer_id, epoch, sequence in ((second, 0, 0), (first, 3, 0), (second, 0, 2)):
        records = batch(b"a", b"b", producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence)
        answer = raw.ask(ApiKey.PRODUCE, 9, produce("produced", records)).responses[0].partition_responses[0]
        assert answer.error_code == 0
    raw.ask(ApiKey.PRODUCE, 9, produce("produced", batch(b"without an id")))
    (written, untouched, missing) = producers(raw, "produced", 0, 1, 2)

    def state(producer_id: int, epoch: int, sequence: int) -> ProducerState:
        return ProducerState(
            producer_id=producer_id,
            producer_epoch=epoch,
            last_sequence=sequence,
            last_timestamp=1_700_000_000_000,
            coordinator_epoch=-1,
            current_txn_start_offset=-1,
        )

    assert written == (0, ErrorCode.NONE, [state(first, 3, 1), state(second, 0, 3)])
    assert untouched == (1, ErrorCode.NONE, [])
    assert missing == (2, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, [])
    assert producers(raw, "nowhere", 0) == [(0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, [])]
    assert producers(raw, "no spaces", 0) == [(0, ErrorCode.INVALID_TOPIC_EXCEPTION, [])]


def test_kafka_python_describes_the_producer_that_confluent_was(
    broker: Running, raw: Raw, admin: KafkaAdminClient
) -> None:
    raw.topic("by-confluent")
    producer = Producer({"bootstrap.servers": broker.bootstrap, "enable.idempotence": True})
    for number in range(3):
        producer.produce("by-confluent", b"%d" % number, partition=0)
    assert producer.flush(8) == 0
    partition = TopicPartition("by-confluent", 0)
    (found,) = admin.describe_producers([partition])[partition].active_producers
    assert (found.producer_epoch, found.last_sequence, found.current_transaction_start_offset) == (0, 2, -1)


# --------------------------------------------------------------------------------- list config resources


def config_resources(raw: Raw, *types: int) -> list[tuple[int, str]]:
    request = ListConfigResourcesRequest(resource_types=list(types))
    response = raw.ask(ApiKey.LIST_CONFIG_RESOURCES, 1, request)
    assert response.error_code == 0
    return [(one.resource_type, one.resource_name) for one in response.config_resources]


def test_resources_with_configs_are_listed_by_type(raw: Raw) -> None:
    raw.topic("with-configs", retention_ms="7")
    everything = config_resources(raw)
    topics = config_resources(raw, 2)
    assert (2, "with-configs") in topics
    assert config_resources(raw, 4) == [(4, "1")]
    assert config_resources(raw, 4, 2, 2) == everything == [*topics, (4, "1")]
    assert config_resources(raw, 8, 16, 32) == []
    raw.topic("with-more-configs")
    assert (2, "with-more-configs") in config_resources(raw, 2)


def test_an_unknown_type_of_resource_is_refused_whole(raw: Raw) -> None:
    response = raw.ask(ApiKey.LIST_CONFIG_RESOURCES, 1, ListConfigResourcesRequest(resource_types=[2, 3]))
    assert (response.error_code, response.config_resources) == (ErrorCode.UNSUPPORTED_VERSION, [])


def test_version_0_lists_client_metrics_of_which_there_are_none(raw: Raw) -> None:
    response = raw.ask(ApiKey.LIST_CONFIG_RESOURCES, 0, ListConfigResourcesRequest())
    assert (response.error_code, response.config_resources) == (0, [])


def test_kafka_python_lists_config_resources(raw: Raw, admin: KafkaAdminClient) -> None:
    raw.topic("listed-by-kafka-python")
    found = admin.list_config_resources(["TOPIC", "BROKER"])
    assert found["broker"] == ["1"]
    assert "listed-by-kafka-python" in found["topic"]


# ---------------------------------------------------------------------------------------- describe quorum

METADATA = "__cluster_metadata"


def quorum(raw: Raw, version: int, *asked: tuple[str, list[int]]) -> Any:
    topics = [
        TopicData(topic_name=name, partitions=[PartitionData(partition_index=index) for index in indexes])
        for name, indexes in asked
    ]
    return raw.ask(ApiKey.DESCRIBE_QUORUM, version, DescribeQuorumRequest(topics=topics))


@pytest.mark.parametrize("version", range(3))
def test_the_quorum_of_one_is_led_by_this_broker(raw: Raw, version: int) -> None:
    def described() -> tuple[Any, Any]:
        response = quorum(raw, version, (METADATA, [0]))
        (topic,) = response.topics
        (partition,) = topic.partitions
        assert (response.error_code, topic.topic_name, partition.error_code) == (0, METADATA, 0)
        return response, partition

    response, before = described()
    raw.topic(f"in-the-metadata-v{version}")
    _, after = described()
    assert (after.partition_index, after.leader_id, after.leader_epoch) == (0, 1, before.leader_epoch)
    assert after.high_watermark > before.high_watermark > 0
    (voter,) = after.current_voters
    assert (voter.replica_id, voter.log_end_offset) == (1, after.high_watermark)
    assert after.observers == []
    if version >= 1:
        assert abs(voter.last_fetch_timestamp - time.time() * 1000) < 10_000
        assert voter.last_caught_up_timestamp == voter.last_fetch_timestamp
    if version >= 2:
        assert voter.replica_directory_id != ZERO_UUID
        assert [(node.node_id, node.listeners) for node in response.nodes] == [(1, [])]


@pytest.mark.parametrize("version", range(3))
def test_only_the_metadata_has_a_quorum(raw: Raw, version: int) -> None:
    raw.topic(f"no-quorum-v{version}")
    for asked in (f"no-quorum-v{version}", [0]), (METADATA, [1]), (METADATA, [0, 1]):
        response = quorum(raw, version, asked)
        codes = [one.error_code for one in response.topics[0].partitions]
        assert (response.error_code, codes) == (0, [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] * len(asked[1]))
    assert quorum(raw, version).error_code == ErrorCode.INVALID_REQUEST


def test_kafka_python_describes_the_quorum(admin: KafkaAdminClient) -> None:
    found = admin.describe_metadata_quorum()["topics"][0]["partitions"][0]
    assert (found["error"], found["leader_id"], found["observers"]) == (None, 1, [])
    assert [voter["replica_id"] for voter in found["current_voters"]] == [1]
    assert found["current_voters"][0]["log_end_offset"] == found["high_watermark"]
