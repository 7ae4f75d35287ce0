"""The readers of `format("moldau")` over a cluster in memory, called as Spark calls them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
from pyspark.sql.types import StructType

from pyspark_moldau import DefaultSource, cluster, fetch
from pyspark_moldau.options import OptionError
from pyspark_moldau.schema import arrow_schema
from tests.pipelines.cluster_twin import MOMENT_MS, ClusterTwin


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> ClusterTwin:
    twin = ClusterTwin({"orders": [[b"%d-%d" % (partition, n) for n in range(100)] for partition in range(3)]})
    for room in (cluster, fetch):
        monkeypatch.setattr(room, "connect", lambda bootstrap: twin)
    return twin


def source(**options: str) -> DefaultSource:
    return DefaultSource({"bootstrap": "here:1", "subscribe": "orders", **options})


def rows(reader: DataSourceReader | DataSourceStreamReader, partitions: Any) -> list[dict[str, Any]]:
    batches: list[Any] = [batch for task in partitions for batch in reader.read(task)]
    return [row for batch in batches for row in batch.to_pylist()]


def batch_rows(**options: str) -> list[dict[str, Any]]:
    reader = source(**options).reader(StructType())
    return rows(reader, reader.partitions())


@pytest.mark.parametrize("headers", ["true", "false"])
def test_the_arrow_schema_is_what_spark_expects(headers: str) -> None:
    spark = to_arrow_schema(source(includeHeaders=headers).schema(), timezone="UTC")
    assert arrow_schema(headers == "true").equals(spark)


@pytest.mark.usefixtures("kafka")
def test_a_batch_reads_everything_once() -> None:
    found = batch_rows(includeHeaders="true")
    assert sorted((row["partition"], row["offset"], row["value"]) for row in found) == [
        (partition, n, b"%d-%d" % (partition, n)) for partition in range(3) for n in range(100)
    ]
    first = found[0]
    assert (first["topic"], first["key"], first["timestampType"], first["headers"]) == ("orders", None, 0, [])
    assert first["timestamp"].timestamp() * 1000 == MOMENT_MS


@pytest.mark.usefixtures("kafka")
def test_a_batch_between_offsets() -> None:
    found = batch_rows(
        startingOffsets='{"orders": {"0": 90, "1": -2, "2": -1}}',
        endingOffsets='{"orders": {"0": 95, "1": 2, "2": -1}}',
    )
    assert sorted(row["value"] for row in found) == [b"0-90", b"0-91", b"0-92", b"0-93", b"0-94", b"1-0", b"1-1"]
    assert batch_rows(endingOffsets='{"orders": {"0": 0, "1": 0, "2": 0}}') == []


@pytest.mark.usefixtures("kafka")
def test_assigned_partitions_and_more_tasks() -> None:
    reader = DefaultSource({"bootstrap": "b:1", "assign": '{"orders": [1]}', "minPartitions": "7"}).reader(StructType())
    partitions = reader.partitions()
    assert len(partitions) == 7
    assert [row["offset"] for row in rows(reader, partitions)] == list(range(100))


@pytest.mark.usefixtures("kafka")
def test_offsets_have_to_name_the_partitions() -> None:
    with pytest.raises(OptionError, match=r"orders-1, orders-2"):
        batch_rows(startingOffsets='{"orders": {"0": 90}}')
    reader = DefaultSource({"bootstrap": "b:1", "assign": '{"orders": [9]}'}).reader(StructType())
    with pytest.raises(OptionError, match="orders-9"):
        reader.partitions()


@pytest.mark.usefixtures("kafka")
def test_a_stream_goes_on_in_bounded_steps() -> None:
    reader = source(startingOffsets="earliest", maxOffsetsPerTrigger="120").streamReader(StructType())
    limit = reader.getDefaultReadLimit()
    assert limit == ReadMaxRows(120)
    start, found = reader.initialOffset(), []
    for _ in range(3):
        end = reader.latestOffset(start, limit)
        found += rows(reader, reader.partitions(start, end))
        start = end
    assert start == reader.reportLatestOffset() == {"orders": {"0": 100, "1": 100, "2": 100}}
    assert len({row["value"] for row in found}) == len(found) == 300
    assert reader.partitions(start, start) == []


def test_a_stream_starts_at_the_end_unless_told(kafka: ClusterTwin) -> None:
    reader = source().streamReader(StructType())
    start = reader.initialOffset()
    kafka.topics["orders"][1].append(b"new")
    end = reader.latestOffset(start, ReadAllAvailable())
    assert [row["value"] for row in rows(reader, reader.partitions(start, end))] == [b"new"]


def test_available_now_ends_where_it_was_when_it_began(kafka: ClusterTwin) -> None:
    reader = source(startingOffsets="earliest").streamReader(StructType())
    start = reader.initialOffset()
    reader.prepareForTriggerAvailableNow()
    kafka.topics["orders"][0].append(b"too late")
    end = reader.latestOffset(start, ReadAllAvailable())
    assert end == {"orders": {"0": 100, "1": 100, "2": 100}}
    assert reader.latestOffset(end, ReadAllAvailable()) == end


def test_a_new_partition_is_read_from_its_beginning(kafka: ClusterTwin) -> None:
    reader = source().streamReader(StructType())
    start = reader.initialOffset()
    kafka.topics["orders"].append([b"a", b"b"])
    end = reader.latestOffset(start, ReadAllAvailable())
    assert [row["value"] for row in rows(reader, reader.partitions(start, end))] == [b"a", b"b"]


def test_deleted_records_are_an_error_or_left_out(kafka: ClusterTwin) -> None:
    start, end = {"orders": {"0": 10, "1": 0, "2": 0}}, {"orders": {"0": 60, "1": 0, "2": 0}}
    kafka.first["orders", 0] = 50
    strict = source().streamReader(StructType())
    with pytest.raises(fetch.RecordsLostError, match=r"orders-0 from offset 10 on are lost: .* begins at offset 50"):
        rows(strict, strict.partitions(start, end))
    lenient = source(failOnDataLoss="false").streamReader(StructType())
    assert [row["offset"] for row in rows(lenient, lenient.partitions(start, end))] == list(range(50, 60))


def test_a_topic_made_anew_is_an_error_or_waited_for(kafka: ClusterTwin) -> None:
    start = {"orders": {"0": 100, "1": 100, "2": 100}}
    kafka.topics["orders"] = [[b"x"], [], []]
    with pytest.raises(fetch.RecordsLostError, match="read up to offset 100 and now ends at offset 1"):
        source().streamReader(StructType()).latestOffset(start, ReadAllAvailable())
    assert source(failOnDataLoss="false").streamReader(StructType()).latestOffset(start, ReadAllAvailable()) == start
    strict = source().streamReader(StructType())
    with pytest.raises(fetch.RecordsLostError, match="now ends at offset 1, before 100"):
        rows(strict, strict.partitions({"orders": {"0": 0}}, {"orders": {"0": 100}}))


def test_arrow_batches_are_of_the_declared_schema() -> None:
    with pytest.raises(OptionError, match="'bootstrap' is missing"):
        DefaultSource({"subscribe": "orders"})
    assert DefaultSource.name() == "moldau"
    assert arrow_schema(False).field("timestamp").type == pa.timestamp("us", tz="UTC")
