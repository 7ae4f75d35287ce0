"""Clients of other makes against a real broker: what they produce is what they consume, before and after a restart."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka import TopicPartition as ConfluentPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic  # type: ignore[attr-defined]
from kafka import KafkaConsumer, KafkaProducer, TopicPartition  # type: ignore[import-untyped]
from kafka.admin import KafkaAdminClient  # type: ignore[import-untyped]
from kafka.admin import NewTopic as PythonNewTopic

from tests.broker.running import Running, running

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
Sent = tuple[bytes | None, bytes | None, list[tuple[str, bytes]], int]


def sent_records(count: int) -> list[Sent]:
    return [
        (
            None if number % 3 == 0 else b"key-%d" % number,
            None if number % 6 == 1 else b"value-%d " % number * 5,
            [("first", b"1"), ("empty", b"")] if number % 2 else [],
            1_700_000_000_000 + number,
        )
        for number in range(count)
    ]


def consume_with_kafka_python(bootstrap: str, topic: str, partitions: int, count: int) -> dict[int, list[Sent]]:
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, consumer_timeout_ms=8000)
    assigned = [TopicPartition(topic, partition) for partition in range(partitions)]
    consumer.assign(assigned)
    consumer.seek_to_beginning()
    found: dict[int, list[Sent]] = {partition: [] for partition in range(partitions)}
    try:
        for record in consumer:
            assert record.offset == len(found[record.partition])
            found[record.partition].append((record.key, record.value, list(record.headers), record.timestamp))
            count -= 1
            if not count:
                return found
    finally:
        consumer.close()
    raise AssertionError(f"{count} records are missing")


def consume_with_confluent(bootstrap: str, topic: str, partitions: int, count: int) -> dict[int, list[Sent]]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "none", "enable.auto.commit": False})
    consumer.assign([ConfluentPartition(topic, partition, 0) for partition in range(partitions)])
    found: dict[int, list[Sent]] = {partition: [] for partition in range(partitions)}
    deadline = time.monotonic() + 8
    try:
        while count and time.monotonic() < deadline:
            for message in consumer.consume(1000, 0.2):
                assert message.error() is None, message.error()
                headers: Any = message.headers() or []
                partition: Any = message.partition()
                record: Any = (message.key(), message.value(), list(headers), message.timestamp()[1])
                found[partition].append(record)
                count -= 1
    finally:
        consumer.close()
    assert not count, f"{count} records are missing"
    return found


@pytest.mark.parametrize("codec", CODECS)
def test_kafka_python_produces_and_both_consume(broker: Running, codec: str) -> None:
    topic = f"python-{codec}"
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    admin.create_topics([PythonNewTopic(topic, 2, 1)])
    admin.close()
    producer = KafkaProducer(
        bootstrap_servers=broker.bootstrap, compression_type=None if codec == "none" else codec, linger_ms=5
    )
    records = sent_records(200)
    for number, (key, value, headers, timestamp) in enumerate(records):
        producer.send(topic, value, key, headers=headers, partition=number % 2, timestamp_ms=timestamp)
    producer.close(timeout=8)
    expected = {0: records[0::2], 1: records[1::2]}
    assert consume_with_kafka_python(broker.bootstrap, topic, 2, 200) == expected
    assert consume_with_confluent(broker.bootstrap, topic, 2, 200) == expected


@pytest.mark.parametrize("codec", CODECS)
def test_confluent_produces_idempotently_and_both_consume(broker: Running, codec: str) -> None:
    topic = f"confluent-{codec}"
    create(broker, topic, 2)
    producer = Producer(
        {"bootstrap.servers": broker.bootstrap, "compression.type": codec, "enable.idempotence": True, "linger.ms": 5}
    )
    records = sent_records(500)
    errors: list[object] = []
    for number, (key, value, headers, timestamp) in enumerate(records):
        producer.produce(
            topic,
            value,
            key,
            partition=number % 2,
            headers=list(headers),
            timestamp=timestamp,
            on_delivery=lambda error, message: errors.append(error) if error else None,
        )
    assert producer.flush(8) == 0
    assert errors == []
    expected = {0: records[0::2], 1: records[1::2]}
    assert consume_with_confluent(broker.bootstrap, topic, 2, 500) == expected
    assert consume_with_kafka_python(broker.bootstrap, topic, 2, 500) == expected


def test_a_restart_keeps_topics_and_records_and_so_does_a_kill(tmp_path: Path) -> None:
    records = sent_records(100)
    for end in (Running.stop, Running.kill):
        with running(tmp_path / "data") as started:
            if end is Running.stop:
                create(started, "kept", 1)
            producer = KafkaProducer(bootstrap_servers=started.bootstrap, acks="all")
            for key, value, headers, timestamp in records:
                producer.send("kept", value, key, headers=headers, timestamp_ms=timestamp)
            producer.close(timeout=8)
            assert end(started) in (0, None)
    with running(tmp_path / "data") as started:
        found = consume_with_kafka_python(started.bootstrap, "kept", 1, 200)
        assert found == {0: records * 2}
        assert started.stop() == 0


def test_asking_for_a_missing_topic_creates_it_unless_that_is_off(broker: Running, tmp_path: Path) -> None:
    producer = KafkaProducer(bootstrap_servers=broker.bootstrap)
    assert producer.send("made-by-asking", b"v").get(8).offset == 0
    producer.close()
    with running(tmp_path / "data", "--set", "auto.create.topics.enable=false") as strict:
        admin = AdminClient({"bootstrap.servers": strict.bootstrap})
        found = admin.list_topics("missing", timeout=5).topics["missing"]
        assert found.error is not None
        assert found.error.name() == "UNKNOWN_TOPIC_OR_PART"


def test_topics_are_created_described_and_deleted(broker: Running) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    topic = NewTopic("configured", 3, 1, config={"retention.ms": "1234", "cleanup.policy": "compact"})
    admin.create_topics([topic])["configured"].result(8)
    with pytest.raises(KafkaException, match="there is a topic"):
        admin.create_topics([NewTopic("configured", 1, 1)])["configured"].result(8)
    with pytest.raises(KafkaException, match="did you mean retention"):
        admin.create_topics([NewTopic("wrong", 1, 1, config={"retention.m": "1"})])["wrong"].result(8)
    with pytest.raises(KafkaException, match="use only letters"):
        admin.create_topics([NewTopic("no spaces", 1, 1)])["no spaces"].result(8)
    resource = ConfigResource("topic", "configured")
    configs = admin.describe_configs([resource])[resource].result(8)
    assert configs["retention.ms"].value == "1234"
    assert not configs["retention.ms"].is_default
    assert configs["segment.bytes"].is_default
    assert len(admin.list_topics(timeout=8).topics["configured"].partitions) == 3
    admin.delete_topics(["configured"])["configured"].result(8)
    assert "configured" not in admin.list_topics(timeout=8).topics
    admin.create_topics([NewTopic("configured", 1, 1)])["configured"].result(8)
    assert consume_with_confluent(broker.bootstrap, "configured", 1, 0) == {0: []}


def test_the_broker_describes_itself(broker: Running) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    cluster = admin.describe_cluster().result(8)
    assert [f"{node.host}:{node.port}" for node in cluster.nodes] == [broker.bootstrap]
    resource = ConfigResource("broker", "1")
    configs = admin.describe_configs([resource])[resource].result(8)
    assert configs["advertised.listeners"].is_read_only
    assert configs["num.partitions"].value == "1"
    assert configs["durability"].value == "fsync"
    assert configs["ssl.key.password"].value is None


def test_a_group_is_refused_clearly(broker: Running) -> None:
    create(broker, "no-groups", 1)
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "g", "socket.timeout.ms": 2000})
    with pytest.raises(KafkaException, match=r"COORDINATOR|coordinator|TIMED_OUT|Timed out"):
        consumer.committed([ConfluentPartition("no-groups", 0)], timeout=1)
    consumer.close()


def create(broker: Running, topic: str, partitions: int) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(8)
