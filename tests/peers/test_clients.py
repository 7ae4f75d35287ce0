"""What one client wrote the others read: keys, values, headers and timestamps equal, all codecs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import confluent_kafka
import kafka  # type: ignore[import-untyped]
import pytest
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

import moldau.client
from tests.peers import kafka_tools
from tests.peers.conftest import BrokerProcess
from tests.peers.kafka_tools import KafkaTools

CODECS: tuple[Literal["none", "gzip", "snappy", "lz4", "zstd"], ...] = ("none", "gzip", "snappy", "lz4", "zstd")
PER_CODEC = 40
FIRST_TIMESTAMP_MS = 1_700_000_000_000
NULL = "(none)"
"""What stands for nothing where Java's console tools read and print."""


class Seen(NamedTuple):
    """A record as a reader saw it."""

    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


class Sent(NamedTuple):
    """A record as a writer sent it; a writer that stamps the time itself leaves it open."""

    timestamp_ms: int | None
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


def records(codec: str) -> list[Sent]:
    made = []
    for index in range(PER_CODEC):
        key = None if index % 5 == 4 else f"{codec}-{index % 7}".encode()
        value = None if index % 11 == 10 else f"{codec} {index} ".encode() * (index + 1)
        headers = tuple((f"h{at}", f"{codec}{index}".encode()) for at in range(index % 3))
        made.append(Sent(FIRST_TIMESTAMP_MS + index * 1000, key, value, headers))
    return made


def write_kafka_python(bootstrap: str, topic: str, _tools: KafkaTools) -> list[Sent]:
    sent = []
    for codec in CODECS:
        compression = None if codec == "none" else codec
        producer = kafka.KafkaProducer(bootstrap_servers=bootstrap, compression_type=compression, linger_ms=20)
        for record in records(codec):
            producer.send(
                topic,
                value=record.value,
                key=record.key,
                headers=list(record.headers),
                partition=0,
                timestamp_ms=record.timestamp_ms,
            )
            sent.append(record)
        producer.flush(30)
        producer.close()
    return sent


def write_confluent(bootstrap: str, topic: str, _tools: KafkaTools) -> list[Sent]:
    sent = []
    for codec in CODECS:
        producer = confluent_kafka.Producer(
            {"bootstrap.servers": bootstrap, "compression.codec": codec, "linger.ms": 20, "enable.idempotence": True}
        )
        for record in records(codec):
            producer.produce(
                topic,
                value=record.value,
                key=record.key,
                headers=list(record.headers),
                partition=0,
                timestamp=record.timestamp_ms or 0,
            )
            sent.append(record)
        assert producer.flush(30) == 0
    return sent


def write_java_console(bootstrap: str, topic: str, tools: KafkaTools) -> list[Sent]:
    sent = []
    for codec in CODECS:
        lines = []
        for record in records(codec):
            headers = ",".join(f"{name}:{(value or b'').decode()}" for name, value in record.headers)
            fields = (NULL if field is None else field.decode() for field in (record.key, record.value))
            lines.append("\t".join((headers or NULL, *fields)))
            sent.append(record._replace(timestamp_ms=None))
        tools.run(
            kafka_tools.CONSOLE_PRODUCER,
            *("--bootstrap-server", bootstrap, "--topic", topic, "--compression-codec", codec),
            *("--reader-property", "parse.key=true", "--reader-property", "parse.headers=true"),
            *("--reader-property", f"null.marker={NULL}"),
            given="\n".join(lines).encode(),
        )
    return sent


def write_moldau(bootstrap: str, topic: str, _tools: KafkaTools) -> list[Sent]:
    sent = []
    with moldau.client.Client(bootstrap) as client:
        for codec in CODECS:
            with client.producer(compression=codec, linger=0.02) as producer:
                for record in records(codec):
                    producer.send(
                        topic,
                        record.value,
                        key=record.key,
                        headers=record.headers,
                        partition=0,
                        timestamp_ms=record.timestamp_ms,
                    )
                    sent.append(record)
    return sent


def read_kafka_python(bootstrap: str, topic: str, count: int, _tools: KafkaTools) -> list[Seen]:
    consumer = kafka.KafkaConsumer(bootstrap_servers=bootstrap, group_id=None, consumer_timeout_ms=10_000)
    partition = kafka.TopicPartition(topic, 0)
    consumer.assign([partition])
    consumer.seek_to_beginning(partition)
    seen = []
    for record in consumer:
        headers = tuple((name, value) for name, value in record.headers)
        seen.append(Seen(record.offset, record.timestamp, record.key, record.value, headers))
        if len(seen) == count:
            break
    consumer.close()
    return seen


def read_confluent(bootstrap: str, topic: str, count: int, _tools: KafkaTools | None = None) -> list[Seen]:
    consumer = confluent_kafka.Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "unused", "enable.auto.commit": False}
    )
    consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
    seen: list[Seen] = []
    while len(seen) < count:
        messages = consumer.consume(min(count - len(seen), 100_000), timeout=10)
        assert messages, f"only {len(seen)} of {count} records came"
        for message in messages:
            assert message.error() is None, message.error()
            seen.append(_seen_by_confluent(message))
    consumer.close()
    return seen


def _seen_by_confluent(message: Any) -> Seen:
    headers = tuple((name, value) for name, value in message.headers() or ())
    return Seen(message.offset(), message.timestamp()[1], message.key(), message.value(), headers)


def read_java_console(bootstrap: str, topic: str, count: int, tools: KafkaTools) -> list[Seen]:
    printed = ("timestamp", "offset", "headers", "key", "value")
    properties = [f"print.{name}=true" for name in printed] + [f"null.literal={NULL}"]
    output = tools.run(
        kafka_tools.CONSOLE_CONSUMER,
        *("--bootstrap-server", bootstrap, "--topic", topic, "--partition", "0", "--offset", "earliest"),
        *("--max-messages", str(count), "--timeout-ms", "20000"),
        *(word for name in properties for word in ("--formatter-property", name)),
    )
    return [_parse_console(line) for line in output.splitlines() if line.startswith("CreateTime:")]


def _parse_console(line: str) -> Seen:
    time, offset, headers, key, value = line.split("\t")
    pairs = [] if headers == "NO_HEADERS" else [pair.partition(":") for pair in headers.split(",")]
    return Seen(
        int(offset.partition(":")[2]),
        int(time.partition(":")[2]),
        None if key == NULL else key.encode(),
        None if value == NULL else value.encode(),
        tuple((name, text.encode()) for name, _, text in pairs),
    )


def read_moldau(bootstrap: str, topic: str, count: int, _tools: KafkaTools) -> list[Seen]:
    seen = []
    with (
        moldau.client.Client(bootstrap) as client,
        client.consumer(topic, partitions=[0], start="earliest") as consumer,
    ):
        for record in consumer:
            headers = tuple(record.headers)
            seen.append(Seen(record.offset, record.timestamp_ms, record.key, record.value, headers))
            if len(seen) == count:
                break
    return seen


WRITERS: dict[str, Callable[[str, str, KafkaTools], list[Sent]]] = {
    "kafka-python": write_kafka_python,
    "confluent": write_confluent,
    "java-console": write_java_console,
    "moldau": write_moldau,
}
READERS: dict[str, Callable[[str, str, int, KafkaTools], list[Seen]]] = {
    "kafka-python": read_kafka_python,
    "confluent": read_confluent,
    "java-console": read_java_console,
    "moldau": read_moldau,
}


@pytest.mark.parametrize("writer", WRITERS)
def test_what_one_client_wrote_the_others_read(writer: str, broker: BrokerProcess, tools: KafkaTools) -> None:
    topic = f"by-{writer}"
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result()
    sent = WRITERS[writer](broker.bootstrap, topic, tools)
    read = {name: reader(broker.bootstrap, topic, len(sent), tools) for name, reader in READERS.items()}
    for name, seen in read.items():
        assert [record.offset for record in seen] == list(range(len(sent))), name
        assert [record[2:] for record in seen] == [record[1:] for record in sent], name
        for had, got in zip(sent, seen, strict=True):
            assert had.timestamp_ms in (None, got.timestamp_ms), name
    first, *others = read.values()
    assert all(other == first for other in others), "the readers disagree on a timestamp"
