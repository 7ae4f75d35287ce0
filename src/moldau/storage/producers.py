"""What one partition remembers of the producers that wrote to it, so that no batch is stored twice or out of order.

Who calls: replication asks `check` before it appends as leader; the log calls `record` for every batch it stores or
finds again on opening, leader or not. What it never does: touch a disk, or read the clock.

The rules are those of Kafka 4:
P1 A batch with the epoch and the exact sequence range of one of the producer's last five is a duplicate.
P2 An older epoch is refused: INVALID_PRODUCER_EPOCH.
P3 A newer epoch starts at sequence 0, else OUT_OF_ORDER_SEQUENCE_NUMBER.
P4 The same epoch goes on where it stopped, 2^31-1 being followed by 0, else OUT_OF_ORDER_SEQUENCE_NUMBER.
P5 An unknown producer may start at any sequence: what it wrote before may have been deleted or have expired.
P6 Without a sequence (a coordinator's own writes) only the epoch counts.
P7 While a transaction is open its producer writes nothing outside of it: INVALID_TXN_STATE.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from moldau.model import NO_EPOCH, NO_SEQUENCE, ApiError, ErrorCode
from moldau.records import BatchHeader
from moldau.records.headers import CONTROL_BIT, TRANSACTIONAL_BIT

BATCHES_REMEMBERED = 5
"""As many as a producer may have in flight."""

NO_OFFSET = -1
_SEQUENCES = 2**31
_tuple = tuple.__new__
"""Makes a named tuple in a third of the time."""


class Batch(NamedTuple):
    """One stored batch of a producer."""

    first_sequence: int
    last_sequence: int
    base_offset: int
    last_offset: int
    timestamp: int


class Duplicate(NamedTuple):
    """Where the batch is stored already."""

    base_offset: int
    last_offset: int
    timestamp: int


class Producer:
    """One producer's last batches (oldest first) and its open transaction."""

    __slots__ = ("batches", "coordinator_epoch", "epoch", "timestamp", "transaction_start")

    def __init__(self, epoch: int, timestamp: int) -> None:
        self.epoch = epoch
        self.timestamp = timestamp
        self.batches: deque[Batch] = deque(maxlen=BATCHES_REMEMBERED)
        self.coordinator_epoch: int = NO_EPOCH
        self.transaction_start = NO_OFFSET


class ProducerTable:
    """All producers of one partition, by id."""

    __slots__ = ("_producers",)

    def __init__(self) -> None:
        self._producers: dict[int, Producer] = {}

    def __len__(self) -> int:
        return len(self._producers)

    def __iter__(self) -> Iterator[tuple[int, Producer]]:
        return iter(self._producers.items())

    def get(self, producer_id: int) -> Producer | None:
        return self._producers.get(producer_id)

    def put(self, producer_id: int, producer: Producer) -> None:
        """Take over what a snapshot held."""
        self._producers[producer_id] = producer

    def clear(self) -> None:
        self._producers.clear()

    def check(self, header: BatchHeader) -> Duplicate | None:
        """Whether the leader may store the batch: None yes, Duplicate it is there already, ApiError no."""
        producer = self._producers.get(header.producer_id)
        if producer is None:
            return None  # P5
        if header.producer_epoch == producer.epoch:
            first = header.base_sequence
            expected = _after(producer.batches[-1].last_sequence) if producer.batches else 0
            if first != expected and first != NO_SEQUENCE:
                stored = _duplicate(producer, header)  # P1
                if stored is None:
                    raise _out_of_order(header, expected)  # P4
                return stored
        elif header.producer_epoch < producer.epoch:
            raise ApiError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"producer {header.producer_id} writes with epoch {header.producer_epoch}, "
                f"a newer one uses epoch {producer.epoch}",
            )  # P2
        elif header.base_sequence > 0:
            raise _out_of_order(header, 0)  # P3
        if producer.transaction_start != NO_OFFSET and not header.is_transactional:
            raise ApiError(
                ErrorCode.INVALID_TXN_STATE,
                f"producer {header.producer_id} writes outside of its open transaction",
            )  # P7
        return None

    def record(self, header: BatchHeader, base_offset: int, timestamp: int) -> None:
        """Remember a stored batch; batches without a producer are to be left out by the caller."""
        _, _, _, _, _, attributes, delta, _, _, producer_id, epoch, first, _ = header
        producer = self._producers.get(producer_id)
        if producer is None:
            producer = self._producers[producer_id] = Producer(epoch, timestamp)
        elif producer.epoch != epoch:
            producer.epoch = epoch
            producer.batches.clear()
        producer.timestamp = timestamp
        if attributes & CONTROL_BIT:
            producer.transaction_start = NO_OFFSET
            return
        last = (first + delta) % _SEQUENCES if first >= 0 else NO_SEQUENCE
        producer.batches.append(_tuple(Batch, (first, last, base_offset, base_offset + delta, timestamp)))
        if attributes & TRANSACTIONAL_BIT and producer.transaction_start == NO_OFFSET:
            producer.transaction_start = base_offset

    def expire(self, before_ms: int) -> None:
        """Forget producers whose last batch is older, but for those with an open transaction."""
        self._producers = {
            producer_id: producer
            for producer_id, producer in self._producers.items()
            if producer.timestamp >= before_ms or producer.transaction_start != NO_OFFSET
        }


def _after(sequence: int) -> int:
    return (sequence + 1) % _SEQUENCES


def _duplicate(producer: Producer, header: BatchHeader) -> Duplicate | None:
    first = header.base_sequence
    last = (first + header.last_offset_delta) % _SEQUENCES
    for batch in producer.batches:
        if batch.first_sequence == first and batch.last_sequence == last:
            return Duplicate(batch.base_offset, batch.last_offset, batch.timestamp)
    return None


def _out_of_order(header: BatchHeader, expected: int) -> ApiError:
    return ApiError(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        f"producer {header.producer_id} (epoch {header.producer_epoch}) sends sequence {header.base_sequence}, "
        f"{expected} is next",
    )
