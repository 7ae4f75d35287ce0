"""The writers of `format("moldau")` over a cluster in memory."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from pyspark.sql.types import ArrayType, DataType, StringType, StructType

from pyspark_moldau import DefaultSource, writers
from pyspark_moldau.options import OptionError
from pyspark_moldau.schema import SPARK_HEADERS
from tests.pipelines.cluster_twin import ClusterTwin

MOMENT = datetime(2026, 3, 2, 8, 0, 0, 123_000, tzinfo=UTC)


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> ClusterTwin:
    twin = ClusterTwin({"orders": [[]]})
    monkeypatch.setattr(writers, "connect", lambda bootstrap: twin)
    return twin


def columns(**kinds: str | DataType) -> StructType:
    schema = StructType()
    for name, kind in kinds.items():
        schema.add(name, kind)
    return schema


def write(schema: StructType, batch: pa.RecordBatch, **options: str) -> writers.Written:
    writer = DefaultSource({"bootstrap": "here:1", **options}).streamWriter(schema, True)
    written = writer.write(iter([batch]))
    assert isinstance(written, writers.Written)
    return written


def test_values_alone_go_the_short_way(kafka: ClusterTwin) -> None:
    written = write(columns(value="string"), pa.record_batch({"value": ["a", None, "ü"]}), topic="orders")
    assert written.records == 3
    assert [record["value"] for record in kafka.written] == [b"a", None, "ü".encode()]
    assert kafka.flushed == 1  # I1


def test_every_column_of_a_record(kafka: ClusterTwin) -> None:
    headers = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    batch = pa.record_batch(
        {
            "key": pa.array([b"k", None], pa.binary()),
            "value": pa.array([b"v", b"w"], pa.binary()),
            "topic": ["orders", "other"],
            "partition": pa.array([3, None], pa.int32()),
            "timestamp": pa.array([MOMENT, None], pa.timestamp("us", tz="UTC")),
            "headers": pa.array([[("a", b"1"), ("b", None)], None], headers),
        }
    )
    write(
        columns(
            key="binary",
            value="binary",
            topic="string",
            partition="integer",
            timestamp="timestamp",
            headers=SPARK_HEADERS,
        ),
        batch,
    )
    assert kafka.written == [
        {
            "topic": "orders",
            "value": b"v",
            "key": b"k",
            "headers": (("a", b"1"), ("b", None)),
            "partition": 3,
            "timestamp_ms": int(MOMENT.timestamp() * 1000),
        },
        {"topic": "other", "value": b"w", "key": None, "headers": (), "partition": None, "timestamp_ms": None},
    ]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (columns(key="binary"), "column 'value' .* is missing"),
        (columns(value="integer"), "column 'value' is int; it has to be binary or string"),
        (columns(value="binary", sum="long"), "no record has a column 'sum'"),
        (columns(value="binary", headers=ArrayType(StringType())), "column 'headers' is array<string>"),
    ],
)
def test_what_no_record_can_be_made_of(schema: StructType, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        DefaultSource({"bootstrap": "b:1", "topic": "t"}).writer(schema, False)


def test_where_to_write_has_to_be_known(kafka: ClusterTwin) -> None:
    with pytest.raises(OptionError, match="nowhere to write"):
        DefaultSource({"bootstrap": "b:1"}).writer(columns(value="binary"), False)
    with pytest.raises(OptionError, match="cannot be overwritten"):
        DefaultSource({"bootstrap": "b:1", "topic": "t"}).writer(columns(value="binary"), True)
    with pytest.raises(OptionError, match="NULL in column 'topic'"):
        write(
            columns(value="string", topic="string"),
            pa.record_batch({"value": ["a"], "topic": pa.array([None], pa.string())}),
        )


def test_a_failure_fails_the_task(kafka: ClusterTwin) -> None:
    kafka.failing = ConnectionError("gone")
    with pytest.raises(ConnectionError):
        write(columns(value="string"), pa.record_batch({"value": ["a"]}), topic="orders")
    assert kafka.flushed == 0
