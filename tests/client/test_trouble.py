"""The client when connections break, answers are lost, brokers stay silent."""

from __future__ import annotations

import asyncio
import random

import pytest

from moldau.client import AsyncClient, BrokerUnavailable, BufferFull, ClientClosed, DeliveryTimedOut
from tests.client.scenes import run, tapped


@pytest.mark.parametrize("seed", range(4))
def test_records_are_written_once_and_in_order_while_connections_break(bootstrap: str, topic: str, seed: int) -> None:
    """Each break comes after the request has left: what was written is sent again and must be recognised."""

    async def scene() -> None:
        draw = random.Random(seed)
        environment, tap = tapped()
        async with AsyncClient(bootstrap, environment=environment, retry_backoff=0.005) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer(batch_bytes=500, linger=0) as out:
                deliveries = []
                for index in range(1_500):
                    deliveries.append(await out.send(topic, b"%d" % index))
                    if index % 150 == 0:
                        tap.broken_after = draw.randrange(6)
                    if draw.random() < 0.05:
                        await asyncio.sleep(0.001)
                await out.flush()
                offsets = [(await delivery).offset for delivery in deliveries]
            async with kafka.consumer(topic, stop="latest") as records:
                written = [(record.offset, record.value) async for record in records]
        assert written == [(index, b"%d" % index) for index in range(1_500)]
        assert offsets == list(range(1_500))

    run(scene)


def test_a_reader_goes_on_after_its_connections_broke(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        environment, tap = tapped()
        async with AsyncClient(bootstrap, environment=environment, retry_backoff=0.005) as kafka:
            await kafka.admin.create_topic(topic, partitions=2)
            async with kafka.producer() as out:
                for index in range(2_000):
                    await out.send(topic, b"%d" % index, partition=index % 2)
            options = {"partition_bytes": 2_000, "prefetch_bytes": 4_000, "max_wait": 0.05}
            async with kafka.consumer(topic, stop="latest", **options) as records:  # type: ignore[arg-type]
                seen: list[list[int]] = [[], []]
                async for record in records:
                    seen[record.partition].append(int(record.value or b""))
                    if record.offset % 300 == 299:
                        tap.break_all()
            assert seen == [list(range(0, 2_000, 2)), list(range(1, 2_000, 2))]

    run(scene)


def test_a_full_buffer_holds_the_sender_back_until_there_is_room(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        environment, tap = tapped()
        async with AsyncClient(bootstrap, environment=environment) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer(buffer_bytes=20_000, batch_bytes=2_000, linger=0) as out:
                await (await out.send(topic, b"first"))
                tap.hold()
                sent = 0

                async def send() -> None:
                    nonlocal sent
                    for _ in range(300):
                        await out.send(topic, b"v" * 200)
                        sent += 1

                sending = asyncio.ensure_future(send())
                await asyncio.sleep(0.05)
                held_at = sent
                assert 50 < held_at < 110
                await asyncio.sleep(0.05)
                assert sent == held_at
                tap.release()
                await sending
            assert await kafka.list_offsets(topic) == {0: 301}

    run(scene)


def test_a_buffer_that_stays_full_is_an_error(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        environment, tap = tapped()
        async with AsyncClient(bootstrap, environment=environment) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer(buffer_bytes=5_000, batch_bytes=1_000, max_block=0.05) as out:
                await (await out.send(topic, b"first"))
                tap.hold()

                async def fill() -> None:
                    for _ in range(100):
                        await out.send(topic, b"v" * 200)

                with pytest.raises(BufferFull, match=r"buffer \(5000 bytes\) stayed full for 0\.05 s"):
                    await fill()
                with pytest.raises(BufferFull):
                    await out.send_many(topic, [b"v" * 200] * 100)
                tap.release()

    run(scene)


def test_a_record_that_nobody_acknowledges_in_time_is_lost_and_says_so(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        environment, tap = tapped()
        async with AsyncClient(bootstrap, environment=environment) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer(delivery_timeout=0.1, linger=0) as out:
                await (await out.send(topic, b"first"))
                tap.hold()
                delivery = await out.send(topic, b"v")
                with pytest.raises(DeliveryTimedOut, match="sent 1 times without an acknowledgement"):
                    await delivery
                tap.release()
                assert (await (await out.send(topic, b"w"))).offset == 2, "the first had been written"

    run(scene)


def test_a_broker_that_stays_silent_is_left_and_asked_again(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        environment, tap = tapped()
        async with AsyncClient(bootstrap, environment=environment, request_timeout=0.1, retry_backoff=0.01) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.producer(linger=0) as out:
                await (await out.send(topic, b"first"))
                tap.hold()
                delivery = await out.send(topic, b"v")
                assert (await delivery).offset == 1
            async with kafka.consumer(topic, stop="latest") as records:
                assert [record.value async for record in records] == [b"first", b"v"]

    run(scene)


def test_a_reader_without_a_broker_says_so_after_a_while(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        environment, tap = tapped()
        async with AsyncClient(bootstrap, environment=environment, operation_timeout=1, retry_backoff=0.02) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            async with kafka.consumer(topic, max_wait=0.05) as records:
                assert await records.poll(max_wait=0.1) == []
                tap.refused = True
                tap.break_all()
                with pytest.raises(BrokerUnavailable, match=r"nothing could be fetched from .* for 1 s"):
                    await records.poll(max_wait=10)
                tap.refused = False
                async with kafka.producer() as out:
                    await out.send(topic, b"v")
                assert len(await records.poll(max_wait=10)) == 1

    run(scene)


def test_leaving_the_block_by_cancellation_loses_nothing_silently(bootstrap: str, topic: str) -> None:
    async def scene() -> None:
        environment, tap = tapped()
        async with AsyncClient(bootstrap, environment=environment) as kafka:
            await kafka.admin.create_topic(topic, partitions=1)
            deliveries = []
            sent = asyncio.Event()

            async def send() -> None:
                async with kafka.producer() as out:
                    await (await out.send(topic, b"first"))
                    tap.hold()
                    deliveries.append(await out.send(topic, b"v"))
                    sent.set()
                    await asyncio.sleep(30)

            sending = asyncio.ensure_future(send())
            await sent.wait()
            sending.cancel()
            await asyncio.wait([sending])
            assert sending.cancelled()
            tap.release()
            with pytest.raises(ClientClosed, match="closed before these records were acknowledged"):
                await deliveries[0]

    run(scene)
