"""The batches of one partition on their way out: their order, their sequence numbers, and what a refusal means.

The accumulator is its only caller.

I1  Batches leave in the order in which they were opened, and a batch sent again leaves before any later one.
I2  Without idempotence one batch is in flight, with it up to the limit: otherwise a retry could overtake.
I3  After a failure nothing is sent until every batch in flight has its answer; then those that failed go first.
I4  A batch that may have been written keeps its stamp, so the broker recognises it. Only when the broker says of the
    oldest unsettled batch that its sequence number does not follow, which proves that neither it nor any later one
    was written, do all of them get new stamps: the next epoch, from sequence zero.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from moldau.client.errors import DeliveryTimedOut, MoldauError, ProducerFenced
from moldau.client.outgoing import OutgoingBatch
from moldau.client.sequences import LAST_EPOCH, UNSTAMPED, Stamp, advance
from moldau.model import ErrorCode

_SEQUENCE_BROKEN = frozenset(
    {
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_PRODUCER_ID,
        ErrorCode.INVALID_PRODUCER_EPOCH,
    }
)


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """What all queues of a producer have in common."""

    idempotent: bool
    in_flight: int
    retry_backoff_ms: int
    retry_backoff_max_ms: int


class PartitionQueue:
    """Closed batches of one partition, those sent and not settled first."""

    __slots__ = (
        "_halted",
        "_limits",
        "_next",
        "_not_before_ms",
        "_outstanding",
        "_rebase",
        "_sent",
        "_waiting",
        "leader",
        "open",
        "partition",
        "topic",
    )

    def __init__(self, topic: str, partition: int, limits: QueueLimits) -> None:
        self.topic = topic
        self.partition = partition
        self.leader = -1
        self.open: OutgoingBatch | None = None
        self._limits = limits
        self._waiting: deque[OutgoingBatch] = deque()
        self._sent: deque[OutgoingBatch] = deque()
        self._outstanding = 0
        self._halted = False
        self._rebase = False
        self._not_before_ms = 0
        self._next = UNSTAMPED

    def __bool__(self) -> bool:
        """Whether any closed batch is not settled or not answered."""
        return bool(self._waiting or self._sent)

    def push(self, batch: OutgoingBatch) -> None:
        """A closed batch, the newest."""
        self._waiting.append(batch)

    def identify(self, producer_id: int, epoch: int) -> None:
        """Who sends from now on; called before the first batch leaves."""
        assert self._next == UNSTAMPED
        self._next = Stamp(producer_id, epoch, 0)

    @property
    def identified(self) -> bool:
        """Whether a batch could be stamped (always, without idempotence)."""
        return not self._limits.idempotent or self._next != UNSTAMPED

    def sendable(self, now_ms: int) -> bool:
        """Whether `take` has a batch."""
        if self._halted:
            if self._outstanding or now_ms < self._not_before_ms:
                return False  # I3
        elif self._outstanding >= (self._limits.in_flight if self._limits.idempotent else 1):
            return False  # I2
        return bool(self._waiting) or self._outstanding < len(self._sent)

    def next_size(self) -> int:
        """About how many bytes `take` will give."""
        batch = self._first_to_send()
        return len(batch.data) if batch.data is not None else batch.size

    def take(self) -> OutgoingBatch:
        """The next batch to send, stamped and encoded; only when it is `sendable`."""
        if self._halted:
            self._halted = False
            if self._rebase:
                self._new_epoch()
        batch = self._first_to_send()
        if batch.attempts == 0:
            self._waiting.popleft()
            self._sent.append(batch)
            batch.encoded(self._next)
            if self._limits.idempotent:
                self._next = self._next._replace(sequence=advance(self._next.sequence, batch.count))
        batch.attempts += 1
        batch.in_flight = True
        self._outstanding += 1
        return batch

    def written(self, batch: OutgoingBatch, base_offset: int, append_time_ms: int) -> bool:
        """The broker has it. Whether this settled the batch (it may have been given up before)."""
        self._answered(batch)
        self._sent.remove(batch)
        if batch.settled:
            return False
        batch.written(base_offset, append_time_ms)
        return True

    def refused(self, batch: OutgoingBatch, failure: MoldauError, now_ms: int) -> bool:
        """The broker refuses it, or nobody knows. Whether this settled the batch; otherwise it will be sent again."""
        self._answered(batch)
        if batch.settled:
            self._sent.remove(batch)
            return False
        broken = self._limits.idempotent and failure.code in _SEQUENCE_BROKEN
        again = failure.retriable or broken
        if broken and self._sent[0] is batch:
            self._rebase = True  # I4
            if batch.stamp.epoch >= LAST_EPOCH:
                failure = ProducerFenced("this producer has used up its epochs; make a new one", failure.code)
                again = False
        if not again:
            self._sent.remove(batch)
            batch.lost(failure)
            return True
        self._halt(batch, now_ms)
        return False

    def expire(self, now_ms: int) -> list[OutgoingBatch]:
        """Give up the batches whose time is over. One in flight stays in line until it is answered (I3)."""
        expired: list[OutgoingBatch] = []
        for batch in self._sent:
            if batch.deadline_ms > now_ms:
                break
            if not batch.settled:
                expired.append(batch)
        while self._waiting and self._waiting[0].deadline_ms <= now_ms:
            expired.append(self._waiting.popleft())
        for batch in expired:
            if batch.attempts and not batch.in_flight:
                self._sent.remove(batch)
            batch.lost(self._timed_out(batch))
        return expired

    def unsettled(self) -> list[OutgoingBatch]:
        """The batches that have no fate yet, in order."""
        return [batch for batch in (*self._sent, *self._waiting) if not batch.settled]

    def give_up(self, failure: MoldauError) -> list[OutgoingBatch]:
        """Everything unsettled is lost; the queue is empty afterwards."""
        lost = self.unsettled()
        self._sent.clear()
        self._waiting.clear()
        self._outstanding = 0
        for batch in lost:
            batch.lost(failure.again())
        return lost

    def wake_at(self, now_ms: int) -> int | None:
        """When a batch is to be given up or may be sent again, whichever is first."""
        times = [batch.deadline_ms for batch in self._sent if not batch.settled][:1]
        if self._waiting:
            times.append(self._waiting[0].deadline_ms)
        if self._halted and not self._outstanding and self._not_before_ms > now_ms:
            times.append(self._not_before_ms)
        return min(times, default=None)

    def _first_to_send(self) -> OutgoingBatch:
        if self._outstanding < len(self._sent):
            return next(batch for batch in self._sent if not batch.in_flight)  # I1
        return self._waiting[0]

    def _answered(self, batch: OutgoingBatch) -> None:
        assert batch.in_flight
        batch.in_flight = False
        self._outstanding -= 1

    def _halt(self, batch: OutgoingBatch, now_ms: int) -> None:
        limits = self._limits
        pause_ms = min(limits.retry_backoff_max_ms, limits.retry_backoff_ms << min(batch.attempts - 1, 16))
        self._not_before_ms = max(now_ms + pause_ms, self._not_before_ms) if self._halted else now_ms + pause_ms
        self._halted = True

    def _new_epoch(self) -> None:
        self._rebase = False
        self._next = Stamp(self._next.producer_id, self._next.epoch + 1, 0)
        for batch in self._sent:
            batch.encoded(self._next)
            self._next = self._next._replace(sequence=advance(self._next.sequence, batch.count))

    def _timed_out(self, batch: OutgoingBatch) -> DeliveryTimedOut:
        if self.leader < 0:
            why = "the partition has no leader that could be found"
        elif batch.attempts == 0:
            why = "it was never sent, because earlier batches or the connection did not get through"
        else:
            why = f"it was sent {batch.attempts} times without an acknowledgement"
        return DeliveryTimedOut(
            f"{batch.count} records for {self.topic}-{self.partition} were not acknowledged in time: {why}; "
            "see whether the brokers are up, or raise delivery_timeout"
        )
