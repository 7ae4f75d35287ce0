"""The asynchronous client and a real broker."""

from __future__ import annotations

import asyncio
import time

import pytest

from moldau.client import (
    AsyncClient,
    BrokerUnavailable,
    ClientClosed,
    OffsetOutOfRange,
    RecordMetadata,
    RecordTooLarge,
    TopicExists,
    UnknownTopic,
)
from moldau.client.options import COMPRESSIONS
from tests.client.scenes import run


def test_what_is_sent_comes_back(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=3)
            async with kafka.producer() as out:
                delivery = await out.send(
                    topic, b"v", key=b"k", headers=[("h", b"1"), ("n", None)], timestamp_ms=77_000
                )
                place = await delivery
                assert place == RecordMetadata(topic, place.partition, 0, 77_000)
                await out.send(topic, None, key=b"k")
                await out.send(topic, b"elsewhere", partition=(place.partition + 1) % 3)
            async with kafka.consumer(topic, partitions=[place.partition], stop="latest") as records:
                first, second = [record async for record in records]
            assert (first.topic, first.partition, first.offset) == (topic, place.partition, 0)
            assert (first.key, first.value, first.headers) == (b"k", b"v", (("h", b"1"), ("n", None)))
            assert (first.timestamp_ms, first.datetime.isoformat()) == (77_000, "1970-01-01T00:01:17+00:00")
            assert (second.offset, second.value) == (1, None)
            ends = await kafka.list_offsets(topic)
            assert sorted(ends.values()) == [0, 1, 2]
            assert await kafka.list_offsets(topic, "earliest") == {0: 0, 1: 0, 2: 0}

    run(scene)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_every_compression(bootstrap: str, topic: str, compression: str) -> None:
    values = [b"%d:" % index + b"abc" * 20 for index in range(500)]

    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer(compression=compression) as out:  # type: ignore[arg-type]
                for value in values[:100]:
                    await out.send(topic, value)
                await out.send_many(topic, values[100:])
            async with kafka.consumer(topic, stop="latest") as records:
                assert [record.value async for record in records] == values

    run(scene)


@pytest.mark.parametrize("acks", ["all", 1, 0])
def test_every_acknowledgement(bootstrap: str, topic: str, acks: int) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer(acks=acks) as out:  # type: ignore[arg-type]
                places = [await (await out.send(topic, b"%d" % index)) for index in range(3)]
            assert [place.offset for place in places] == ([-1] * 3 if acks == 0 else [0, 1, 2])
            async with kafka.consumer(topic, stop={0: 3}) as records:
                assert [record.value async for record in records] == [b"0", b"1", b"2"]

    run(scene)


def test_a_delivery_that_is_awaited_does_not_linger(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer(linger=30) as out:
                began = time.monotonic()
                deliveries = [await out.send(topic, b"v") for _ in range(10)]
                assert [(await delivery).offset for delivery in deliveries] == list(range(10))
                assert time.monotonic() - began < 5

    run(scene)


def test_a_batch_leaves_by_itself_when_it_has_lingered(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer(linger=0.02) as out:
                delivery = await out.send(topic, b"v")
                await asyncio.sleep(0.5)
                assert delivery.done
                assert (await delivery).offset == 0

    run(scene)


def test_many_values_tell_where_each_went(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=2)
            async with kafka.producer(batch_bytes=10_000) as out:
                deliveries = await out.send_many(topic, (b"%d" % index for index in range(5_000)), partition=1)
                assert len(deliveries) == 5_000
                places = await deliveries
                assert [(place.partition, place.offset) for place in places] == [(1, index) for index in range(5_000)]
                assert deliveries.done
                few = await out.send_many(topic, [b"x", b"y"], partition=0)
                assert [place.offset for place in await few] == [0, 1]
                assert await (await out.send_many(topic, [])) == []

    run(scene)


def test_starts_seeks_and_stops(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer() as out:
                for index in range(10):
                    await (await out.send(topic, b"%d" % index, timestamp_ms=1_000 * index + 1))

            async def offsets(**options: object) -> list[int]:
                async with kafka.consumer(topic, stop="latest", **options) as records:  # type: ignore[arg-type]
                    return [record.offset async for record in records]

            assert await offsets() == list(range(10))
            assert await offsets(start="latest") == []
            assert await offsets(start={0: 7}) == [7, 8, 9]
            assert await offsets(start=4_500) == [5, 6, 7, 8, 9]
            assert await offsets(start=99_000) == []
            async with kafka.consumer(topic, start={0: 8}, stop={0: 9}) as records:
                assert await records.position(0) == 8
                assert [record.offset for record in await records.poll()] == [8]
                assert records.finished
                await records.seek(0, 2)
                assert not records.finished
                async for record in records:
                    if record.offset == 3:
                        break
                assert await records.position(0) == 4
                assert [record.offset for record in await records.poll(2)] == [4, 5]
                await records.seek_to_time(0, 8_001)
                assert await records.position(0) == 8
                await records.seek(0, "earliest")
                assert (await records.poll(1))[0].offset == 0
                assert records.partitions == [0]

    run(scene)


def test_new_records_wake_a_reader_that_waits(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=2)
            async with kafka.consumer(topic, start="latest", max_wait=5) as records, kafka.producer(linger=0) as out:
                assert await records.poll(max_wait=0.05) == []
                for index in range(4):
                    began = time.monotonic()
                    await out.send(topic, b"%d" % index, partition=index % 2)
                    (record,) = await records.poll(max_wait=5)
                    assert record.value == b"%d" % index
                    assert time.monotonic() - began < 2

    run(scene)


def test_batches_gather_and_split(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer() as out:
                for _ in range(20):
                    await (await out.send_many(topic, [b"v"] * 50))
            async with kafka.consumer(topic, stop="latest") as records:
                counts = [len(batch.records()) async for batch in records.batches(max_records=120)]
            assert sum(counts) == 1_000
            assert max(counts) <= 120
            async with kafka.consumer(topic, stop={0: 1_100}) as records, kafka.producer(linger=0) as out:
                batches = records.batches(max_records=5_000, max_wait=5)
                reading = asyncio.ensure_future(anext(batches))
                await asyncio.sleep(0.05)
                await out.send_many(topic, [b"w"] * 100)
                assert len((await reading).rows()) == 1_100, "what came within max_wait joined"

    run(scene)


def test_paused_partitions_wait(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=2)
            async with kafka.producer() as out:
                for index in range(10):
                    await out.send(topic, b"v", partition=index % 2)
            async with kafka.consumer(topic, max_wait=0.05) as records:
                await records.pause(0)
                seen = await records.poll(max_wait=1) + await records.poll(max_wait=0.1)
                assert {record.partition for record in seen} == {1}
                await records.resume(0)
                assert {record.partition for record in await records.poll(max_wait=1)} == {0}
                assert await records.lag() == {0: 0, 1: 0}

    run(scene)


def test_an_offset_that_is_not_there(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap, retry_backoff=0.02) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer() as out:
                await out.send(topic, b"v")
            async with kafka.consumer(topic, start={0: 50}) as records:
                with pytest.raises(OffsetOutOfRange, match=r"offset 50 of .* seek to an offset"):
                    await records.poll(max_wait=5)
                await records.seek(0, 0)
                assert len(await records.poll(max_wait=5)) == 1
            async with kafka.consumer(topic, start={0: 50}, out_of_range="earliest") as records:
                assert [record.offset for record in await records.poll(max_wait=5)] == [0]

    run(scene)


def test_admin(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            made = await kafka.admin.create_topic(topic, partitions=2, configs={"retention.ms": 1234})
            assert (made.name, len(made.partitions), made.leaders[0] >= 0) == (topic, 2, True)
            assert topic in [listing.name for listing in await kafka.admin.list_topics()]
            assert (await kafka.admin.describe_topic(topic)).id == made.id
            entry = (await kafka.admin.describe_topic_configs(topic))["retention.ms"]
            assert (entry.value, entry.source, entry.is_default) == ("1234", "topic", False)
            with pytest.raises(TopicExists, match="TOPIC_ALREADY_EXISTS"):
                await kafka.admin.create_topic(topic)
            cluster = await kafka.admin.describe_cluster()
            assert cluster.brokers[0].host == "127.0.0.1"
            assert "log.segment.bytes" in await kafka.admin.describe_broker_configs(cluster.brokers[0].id)
            await kafka.admin.delete_topic(topic)
            assert topic not in [listing.name for listing in await kafka.admin.list_topics()]
            with pytest.raises(UnknownTopic):
                await kafka.admin.delete_topic(topic)

    run(scene)


def test_a_topic_that_is_not_there(bootstrap: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap, retry_backoff=0.01) as kafka, kafka.producer() as out:
            with pytest.raises(UnknownTopic, match=r"'no-such-topic' is not to be had .* automatic creation is off"):
                await out.send("no-such-topic", b"v")
            with pytest.raises(UnknownTopic):
                async with kafka.consumer("no-such-topic"):
                    pass
            with pytest.raises(UnknownTopic):
                await kafka.list_offsets("no-such-topic")

    run(scene)


def test_what_was_not_delivered_is_never_silent(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic, partitions=1, configs={"max.message.bytes": 300})
            large = b"x" * 1_000
            async with kafka.producer() as out:
                delivery = await out.send(topic, large)
                with pytest.raises(
                    RecordTooLarge, match=r"lower batch_bytes, or raise the topic's max\.message\.bytes"
                ):
                    await delivery
                await out.flush()
                await out.send(topic, large)
                with pytest.raises(ExceptionGroup) as told:
                    await out.flush()
                assert [type(error) for error in told.value.exceptions] == [RecordTooLarge]
                assert (await (await out.send(topic, b"small"))).offset == 0, "the producer goes on"
            with pytest.raises(ExceptionGroup, match="1 batches of records were not delivered"):
                async with kafka.producer() as out:
                    await out.send(topic, large)
            with pytest.raises(RuntimeError) as other:
                await failing(kafka, topic, large)
            assert "were not delivered" in other.value.__notes__[0]

    async def failing(kafka: AsyncClient, topic: str, large: bytes) -> None:
        async with kafka.producer() as out:
            await out.send(topic, large)
            raise RuntimeError("the user's own")

    run(scene)


def test_nothing_works_outside_its_block(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        kafka = AsyncClient(bootstrap)
        with pytest.raises(ClientClosed, match="use it inside its `with` block"):
            await kafka.admin.list_topics()
        producer = kafka.producer()
        with pytest.raises(ClientClosed):
            await producer.send(topic, b"v")
        async with kafka:
            await kafka.admin.create_topic(topic)
            async with kafka.producer() as out, kafka.consumer(topic) as records:
                pass
            with pytest.raises(ClientClosed, match="producer is not open"):
                await out.send(topic, b"v")
            with pytest.raises(ClientClosed):
                await out.send_many(topic, [b"v"])
            with pytest.raises(ClientClosed, match="consumer is not open"):
                await records.poll()
        with pytest.raises(TypeError, match="AsyncClient has no option 'client_ids'; did you mean 'client_id'"):
            AsyncClient(bootstrap, client_ids="x")  # type: ignore[call-arg]

    run(scene)


def test_a_cluster_that_is_not_there_leaves_nothing_open() -> None:
    async def scene() -> None:
        with pytest.raises(BrokerUnavailable, match=r"could not learn of the cluster in 0\.3 s .*127\.0\.0\.1:1"):
            async with AsyncClient("127.0.0.1:1", operation_timeout=0.3, retry_backoff=0.02):
                pass
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []

    run(scene)


def test_closing_the_client_ends_what_it_made(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic)
            out = await kafka.producer(linger=30).__aenter__()
            records = await kafka.consumer(topic).__aenter__()
            delivery = await out.send(topic, b"v")
        with pytest.raises(ClientClosed, match="closed before these records were acknowledged"):
            await delivery
        with pytest.raises(ClientClosed):
            await records.poll()
        await out.close()
        await records.close()

    run(scene)


def test_no_task_outlives_the_client(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        async with AsyncClient(bootstrap) as kafka:
            await kafka.admin.create_topic(topic)
            async with kafka.producer() as out, kafka.consumer(topic) as records:
                await out.send(topic, b"v")
                reading = asyncio.ensure_future(anext(aiter(records)))
                assert (await reading).value == b"v"
                waiting = asyncio.ensure_future(records.poll(max_wait=30))
                await asyncio.sleep(0)
                waiting.cancel()
                await asyncio.wait([waiting])
        await asyncio.sleep(0)
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []

    run(scene)
