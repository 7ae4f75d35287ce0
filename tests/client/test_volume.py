"""Three hundred thousand records, sent one by one, in batches and from Arrow; each read one by one, in batches, as
Arrow."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from moldau.client import AsyncClient, Client
from tests.client.scenes import run

COUNT = 300_000
PARTITIONS = 3


def value(index: int) -> bytes:
    return b"%08d" % index + b"." * (index % 90)


@pytest.fixture(scope="module")
def values() -> list[bytes]:
    return [value(index) for index in range(COUNT)]


def digest(ordered: Iterable[bytes | None]) -> str:
    hashed = hashlib.sha256()
    for each in ordered:
        assert each is not None
        hashed.update(each)
    return hashed.hexdigest()


def test_sent_and_read_in_every_way(bootstrap: str, values: list[bytes]) -> None:
    arrow = pa.array(values, pa.binary())
    topic = "volume"

    async def produce() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=PARTITIONS)
            async with kafka.producer(compression="lz4") as out:
                for each in values:
                    await out.send(topic, each, partition=0)
                await out.send_many(topic, values, partition=1)
                for start in range(0, COUNT, 10_000):
                    await out.send_many(topic, arrow.slice(start, 10_000).to_pylist(), partition=2)
            assert await kafka.list_offsets(topic) == dict.fromkeys(range(PARTITIONS), COUNT)

    async def consume() -> None:
        expected = dict.fromkeys(range(PARTITIONS), digest(values))
        async with AsyncClient(bootstrap) as kafka:
            seen: dict[int, list[bytes | None]] = {index: [] for index in range(PARTITIONS)}
            async with kafka.consumer(topic, stop="latest") as records:
                async for record in records:
                    assert record.offset == len(seen[record.partition])
                    seen[record.partition].append(record.value)
            assert {index: digest(part) for index, part in seen.items()} == expected

            seen = {index: [] for index in range(PARTITIONS)}
            async with kafka.consumer(topic, stop="latest") as records:
                async for batch in records.batches(max_records=7_000):
                    seen[batch.partition] += batch.values()
            assert {index: digest(part) for index, part in seen.items()} == expected

            tables: dict[int, list[object]] = {index: [] for index in range(PARTITIONS)}
            async with kafka.consumer(topic, stop="latest") as records:
                async for batch in records.batches():
                    tables[batch.partition].append(batch.to_arrow())
            for index, part in tables.items():
                table = pa.Table.from_batches(part)
                assert table.column("offset").to_pylist() == list(range(COUNT))
                assert digest(table.column("value").to_pylist()) == expected[index]

    run(produce, 60)
    run(consume, 60)


def test_the_synchronous_client_reads_the_same(bootstrap: str, values: list[bytes]) -> None:
    with Client(bootstrap) as kafka, kafka.consumer("volume", partitions=[0], stop="latest") as records:
        assert [record.value for record in records] == values
