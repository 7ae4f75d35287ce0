"""kill -9 at random instants under an idempotent producer: nothing acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import random
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path

import confluent_kafka
import pytest
from tools.bench.brokers import free_port

import moldau.client
from moldau.client import Delivery
from tests.peers.conftest import BrokerProcess
from tests.peers.test_clients import read_confluent

KILLS = 30
SEED = 2026
MOST_UNACKNOWLEDGED = 2000
MOVES_WITHIN_S = 20.0
LONGEST_LIFE_S = 0.15


class SteadyProducer(ABC):
    """Sends numbered records from a thread of its own until it is told to stop."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.sent = 0
        self.acknowledged: dict[int, int] = {}
        """The number of a record and the offset that the broker told."""
        self.failures: list[str] = []

    def start(self) -> None:
        self._thread.start()

    def finish(self) -> None:
        """Stop sending and wait until every record has its answer."""
        self._stopping.set()
        self._thread.join()

    @abstractmethod
    def _run(self) -> None: ...


class ConfluentProducer(SteadyProducer):
    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__()
        self._topic = topic
        self._producer = confluent_kafka.Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "linger.ms": 1,
                "reconnect.backoff.ms": 10,
                "reconnect.backoff.max.ms": 20,
                "retry.backoff.ms": 10,
                "log_level": 2,
            }
        )

    def _run(self) -> None:
        while not self._stopping.is_set():
            if self.sent - len(self.acknowledged) < MOST_UNACKNOWLEDGED:
                number = self.sent
                self._producer.produce(self._topic, b"%d" % number, on_delivery=partial(self._told, number))
                self.sent += 1
                self._producer.poll(0)
            else:
                self._producer.poll(0.01)
        assert self._producer.flush(60) == 0

    def _told(self, number: int, error: object, message: confluent_kafka.Message) -> None:
        if error is not None:
            self.failures.append(str(error))
        else:
            offset = message.offset()
            assert offset is not None
            self.acknowledged[number] = offset


class OwnProducer(SteadyProducer):
    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__()
        self._bootstrap = bootstrap
        self._topic = topic

    def _run(self) -> None:
        pending: deque[tuple[int, Delivery]] = deque()
        with (
            moldau.client.Client(self._bootstrap, retry_backoff=0.01, retry_backoff_max=0.02) as client,
            client.producer(linger=0.001) as producer,
        ):
            while not self._stopping.is_set() or pending:
                if len(pending) < MOST_UNACKNOWLEDGED and not self._stopping.is_set():
                    pending.append((self.sent, producer.send(self._topic, b"%d" % self.sent)))
                    self.sent += 1
                    if not pending[0][1].done:
                        continue
                number, delivery = pending.popleft()
                try:
                    self.acknowledged[number] = delivery.result().offset
                except moldau.client.MoldauError as failed:
                    self.failures.append(str(failed))


@pytest.mark.parametrize("kind", [ConfluentProducer, OwnProducer])
def test_kill_9_at_thirty_instants(kind: Callable[[str, str], SteadyProducer], tmp_path: Path) -> None:
    chance = random.Random(SEED)
    broker = BrokerProcess(tmp_path / "data", listen=f"127.0.0.1:{free_port()}")
    with moldau.client.Client(broker.bootstrap) as client:
        client.admin.create_topic("counted", partitions=1)
    producer = kind(broker.bootstrap, "counted")
    producer.start()
    try:
        for _ in range(KILLS):
            _wait_until_it_moves(producer)
            time.sleep(chance.uniform(0, LONGEST_LIFE_S))
            broker.kill()
            broker.start()
    finally:
        producer.finish()
    assert producer.failures == []
    assert len(producer.acknowledged) == producer.sent

    with moldau.client.Client(broker.bootstrap) as client:
        end = client.list_offsets("counted", "latest")[0]
    seen = read_confluent(broker.bootstrap, "counted", end)
    assert broker.stop() == 0
    assert [record.offset for record in seen] == list(range(end))
    numbers = [int(record.value or b"") for record in seen]
    assert numbers == list(range(producer.sent)), "a record is lost, there twice, or out of order"
    assert all(numbers[offset] == number for number, offset in producer.acknowledged.items())


def _wait_until_it_moves(producer: SteadyProducer) -> None:
    """A kill counts only when it hits a stream of acknowledgements."""
    before = len(producer.acknowledged)
    deadline = time.monotonic() + MOVES_WITHIN_S
    while len(producer.acknowledged) == before:
        assert time.monotonic() < deadline, f"nothing was acknowledged for {MOVES_WITHIN_S} s: {producer.failures}"
        time.sleep(0.002)
