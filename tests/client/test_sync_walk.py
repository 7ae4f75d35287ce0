"""The synchronous client and a real broker: the same verbs, threads, and processes."""

from __future__ import annotations

import os
import threading

import pytest

from moldau.client import Client, ClientClosed, RecordTooLarge, TopicExists


def test_what_is_sent_comes_back(bootstrap: str, topic: str) -> None:
    with Client(bootstrap) as kafka:
        kafka.admin.create_topic(topic, partitions=2)
        with kafka.producer() as out:
            delivery = out.send(topic, b"v", key=b"k", headers=[("h", b"1")], partition=1)
            place = delivery.result()
            assert (place.topic, place.partition, place.offset, delivery.done) == (topic, 1, 0, True)
            assert [
                place.offset for place in out.send_many(topic, [b"%d" % i for i in range(50)], partition=0).result()
            ]
        with kafka.consumer(topic, stop="latest") as records:
            values = {record.value for record in records}
        assert values == {b"v", *(b"%d" % index for index in range(50))}
        with kafka.consumer(topic, partitions=[0], stop="latest") as records:
            assert [batch.to_arrow().num_rows for batch in records.batches(20)] == [20, 20, 10]
            assert records.finished
        assert kafka.list_offsets(topic) == {0: 50, 1: 1}
        with pytest.raises(TopicExists):
            kafka.admin.create_topic(topic)


def test_several_threads_share_a_producer(bootstrap: str, topic: str) -> None:
    with Client(bootstrap) as kafka:
        kafka.admin.create_topic(topic, partitions=1)
        with kafka.producer(batch_bytes=2_000, buffer_bytes=50_000) as out:

            def send(name: int) -> None:
                for index in range(2_000):
                    out.send(topic, b"%d:%d" % (name, index))

            threads = [threading.Thread(target=send, args=(name,)) for name in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        with kafka.consumer(topic, stop="latest") as records:
            seen: dict[bytes, list[int]] = {}
            for record in records:
                name, _, index = (record.value or b"").partition(b":")
                seen.setdefault(name, []).append(int(index))
        assert len(seen) == 4
        assert all(indexes == list(range(2_000)) for indexes in seen.values()), "each thread's order is kept"


def test_what_was_not_delivered_is_never_silent(bootstrap: str, topic: str) -> None:
    with Client(bootstrap) as kafka:
        kafka.admin.create_topic(topic, partitions=1, configs={"max.message.bytes": 300})
        with pytest.raises(ExceptionGroup) as told, kafka.producer() as out:
            out.send(topic, b"x" * 1_000)
        assert [type(error) for error in told.value.exceptions] == [RecordTooLarge]


def test_nothing_works_outside_the_block_and_no_thread_stays(bootstrap: str) -> None:
    before = threading.active_count()
    kafka = Client(bootstrap)
    with pytest.raises(ClientClosed):
        kafka.admin.list_topics()
    with kafka:
        assert threading.active_count() == before + 1
        kafka.admin.list_topics()
    assert threading.active_count() == before
    with pytest.raises(ClientClosed):
        kafka.admin.list_topics()


def test_a_forked_process_refuses_instead_of_hanging_and_can_open_its_own(bootstrap: str, topic: str) -> None:
    with Client(bootstrap) as kafka:
        kafka.admin.create_topic(topic, partitions=1)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                try:
                    kafka.admin.list_topics()
                except ClientClosed as refused:
                    code = 2 if "belongs to the process that opened it" in str(refused) else 3
                if code == 2:
                    with Client(bootstrap) as own, own.producer() as out:
                        out.send(topic, b"from the child").result()
                    code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with kafka.consumer(topic, stop="latest") as records:
            assert [record.value for record in records] == [b"from the child"]
