"""`format("moldau")` in a real Spark on a real broker."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from moldau.client import Client
from moldau.pipelines.demo.server import Server

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RECORDS = 300_000
MORE = 1_000
PARTITIONS = 4
PER_TRIGGER = 110_000


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("broker")
    with Server(directory / "data", directory / "broker.log") as server:
        yield server.bootstrap


@pytest.fixture(scope="module")
def kafka(bootstrap: str) -> Iterator[Client]:
    with Client(bootstrap) as client:
        yield client


@pytest.fixture(scope="module")
def values(kafka: Client) -> list[bytes]:
    """What topic `source` holds."""
    kafka.admin.create_topic("source", partitions=PARTITIONS)
    produced = [b"%d" % number for number in range(RECORDS)]
    with kafka.producer() as out:
        for partition in range(PARTITIONS):
            out.send_many("source", produced[partition::PARTITIONS], partition=partition)
    return produced


def digest(found: Iterable[bytes | None]) -> str:
    """The same for the same values, whatever their order."""
    return hashlib.sha256(b"\n".join(sorted(value or b"" for value in found))).hexdigest()


def held(kafka: Client, topic: str) -> list[bytes | None]:
    with kafka.consumer(topic, start="earliest", stop="latest") as records:
        return [value for batch in records.batches() for value in batch.values()]


def read(spark: SparkSession, bootstrap: str, **options: str) -> DataFrame:
    return spark.read.format("moldau").options(bootstrap=bootstrap, **options).load()


def test_a_batch_reads_what_was_produced(spark: SparkSession, bootstrap: str, values: list[bytes]) -> None:
    table = read(spark, bootstrap, subscribe="source").select("partition", "offset", "value").toArrow()
    assert table.num_rows == RECORDS
    assert digest(table.column("value").to_pylist()) == digest(values)
    places = set(zip(table.column("partition").to_pylist(), table.column("offset").to_pylist(), strict=True))
    assert places == {(number % PARTITIONS, number // PARTITIONS) for number in range(RECORDS)}


def copy_available(spark: SparkSession, bootstrap: str, checkpoint: Path) -> int:
    """Stream what is in `source` to `copy`; the number of micro-batches with records."""
    stream = (
        spark.readStream.format("moldau")
        .options(bootstrap=bootstrap, subscribe="source", startingOffsets="earliest")
        .options(maxOffsetsPerTrigger=str(PER_TRIGGER), includeHeaders="true")
        .load()
    )
    query = (
        stream.select("key", "value", "partition", "timestamp", "headers")
        .writeStream.format("moldau")
        .options(bootstrap=bootstrap, topic="copy", compression="lz4", checkpointLocation=str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(100)
    return sum(1 for progress in query.recentProgress if progress["numInputRows"])


def test_a_stream_copies_and_goes_on_from_its_checkpoint(
    spark: SparkSession, bootstrap: str, kafka: Client, values: list[bytes], tmp_path: Path
) -> None:
    kafka.admin.create_topic("copy", partitions=PARTITIONS)
    assert copy_available(spark, bootstrap, tmp_path / "checkpoint") == -(-RECORDS // PER_TRIGGER)
    assert digest(held(kafka, "copy")) == digest(values)

    more = [b"more %d" % number for number in range(MORE)]
    with kafka.producer() as out:
        for value in more[1:]:
            out.send("source", value, partition=0)
        out.send("source", more[0], key=b"k", headers=(("a", b"1"), ("b", None)), partition=3, timestamp_ms=1_234_567)
    assert copy_available(spark, bootstrap, tmp_path / "checkpoint") == 1
    copied = held(kafka, "copy")
    assert len(copied) == RECORDS + MORE
    assert digest(copied[-MORE:]) == digest(more) or digest(copied) == digest([*values, *more])
    with kafka.consumer("copy", partitions=[3], start={3: RECORDS // PARTITIONS}, stop="latest") as records:
        (last,) = list(records)
    assert (last.key, last.headers, last.timestamp_ms) == (b"k", (("a", b"1"), ("b", None)), 1_234_567)


def test_a_batch_is_written(spark: SparkSession, bootstrap: str, kafka: Client) -> None:
    kafka.admin.create_topic("written", partitions=2)
    frame = spark.range(1_000).selectExpr("cast(id as string) AS value")
    frame.write.format("moldau").options(bootstrap=bootstrap, topic="written").mode("append").save()
    assert digest(held(kafka, "written")) == digest(b"%d" % number for number in range(1_000))


def test_a_mistaken_option_is_told_where_the_query_is_written(spark: SparkSession, bootstrap: str) -> None:
    with pytest.raises(Exception, match="did you mean 'subscribe'"):
        read(spark, bootstrap, subscibe="source")
