"""kill -9 at random instants under an idempotent producer: nothing acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import random
import threading
import time
from functools import partial
from pathlib import Path

import confluent_kafka
from tools.bench.brokers import free_port

import moldau.client
from tests.peers.conftest import BrokerProcess
from tests.peers.test_clients import read_confluent

KILLS = 30
SEED = 2026


class SteadyProducer:
    """librdkafka's idempotent producer, sending numbered records until it is told to stop."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self._topic = topic
        self._producer = confluent_kafka.Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "linger.ms": 1,
                "reconnect.backoff.ms": 10,
                "reconnect.backoff.max.ms": 100,
                "log_level": 2,
            }
        )
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.sent = 0
        self.acknowledged: dict[int, int] = {}
        """The number of a record and the offset that the broker told."""
        self.failures: list[str] = []
        self._thread.start()

    def finish(self) -> None:
        """Stop sending and wait until every record has its answer."""
        self._stopping.set()
        self._thread.join()
        assert self._producer.flush(60) == 0

    def _run(self) -> None:
        while not self._stopping.is_set():
            if self.sent - len(self.acknowledged) < 2000:
                number = self.sent
                value = b"%d" % number
                self._producer.produce(self._topic, value, on_delivery=partial(self._told, number))
                self.sent += 1
                self._producer.poll(0)
            else:
                self._producer.poll(0.01)

    def _told(self, number: int, error: object, message: confluent_kafka.Message) -> None:
        if error is not None:
            self.failures.append(str(error))
        else:
            offset = message.offset()
            assert offset is not None
            self.acknowledged[number] = offset


def test_kill_9_at_thirty_instants(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    broker = BrokerProcess(tmp_path / "data", listen=f"127.0.0.1:{free_port()}")
    with moldau.client.Client(broker.bootstrap) as client:
        client.admin.create_topic("counted", partitions=1)
    producer = SteadyProducer(broker.bootstrap, "counted")
    told_before_a_kill = []
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.02, 0.3))
        told_before_a_kill.append(len(producer.acknowledged))
        broker.kill()
        broker.start()
    producer.finish()
    assert producer.failures == []
    assert len(producer.acknowledged) == producer.sent
    assert len(set(told_before_a_kill)) > KILLS / 2, "the kills should have hit a stream that moves"

    with moldau.client.Client(broker.bootstrap) as client:
        end = client.list_offsets("counted", "latest")[0]
    seen = read_confluent(broker.bootstrap, "counted", end)
    assert broker.stop() == 0
    assert [record.offset for record in seen] == list(range(end))
    numbers = [int(record.value or b"") for record in seen]
    assert numbers == sorted(set(numbers)), "a record is there twice, or out of order"
    at = {number: offset for offset, number in enumerate(numbers)}
    lost = [number for number in producer.acknowledged if number not in at]
    assert lost == []
    assert all(at[number] == offset for number, offset in producer.acknowledged.items())
