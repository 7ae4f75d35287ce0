"""One partition on the broker that leads it: appends, reads, and who waits for them.

The handlers of Produce and Fetch call it, on the two hottest paths of a broker: nothing is made here that a request
does not need, and a produce that is committed at once parks nobody. What is decided about replicas is in `progress`,
who waits is in `waiting`; this file binds them to a log, a committer and a clock. Invariants:

A1  What `read` shows lies below the high watermark.
A2  A produce is answered with NONE only once its last record lies below the high watermark.
A3  With durability "fsync" the leader acknowledges what is synced, with "page-cache" what is appended.
A4  After `close`, or after the disk has failed, everybody parked has been answered and nothing is appended.
A5  The log never begins above the high watermark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from moldau.environment.doors import Clock, FileSlice, Timer
from moldau.model import NO_EPOCH, ApiError, ErrorCode, TopicPartition
from moldau.records import BatchHeader, stamp, stamp_append_time
from moldau.replication.progress import Progress
from moldau.replication.waiting import (
    MAX_PARKED_FETCHES,
    MAX_PARKED_PRODUCES,
    ParkedFetch,
    ParkedProduce,
    Token,
    Waiting,
)
from moldau.storage.committer import Committer
from moldau.storage.log import Log
from moldau.storage.retention import Reason, Retention

ALL = -1
NO_OFFSET = -1
NO_TIMESTAMP = -1
ANY_EPOCH = -1
AT_HIGH_WATERMARK = -1


class Durability(Enum):
    """What a leader waits for before it counts itself."""

    PAGE_CACHE = "page-cache"
    FSYNC = "fsync"


@dataclass(frozen=True, slots=True)
class PartitionSettings:
    """What a topic's configuration says about replication."""

    durability: Durability = Durability.FSYNC
    min_insync_replicas: int = 1
    append_time: bool = False
    """`message.timestamp.type=LogAppendTime`"""


class Appended(NamedTuple):
    """Where an append has gone; a duplicate has gone there before."""

    base_offset: int
    append_time_ms: int
    log_start_offset: int
    last_offset: int
    duplicate: bool


class FetchRead(NamedTuple):
    """What a read brings; whoever takes it releases the slices."""

    error: ErrorCode
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    slices: Sequence[FileSlice]
    bytes: int


_new_tuple = tuple.__new__
_NO_SLICES: tuple[FileSlice, ...] = ()


class Partition:
    """The leader's side of one partition."""

    __slots__ = (
        "_clock",
        "_committer",
        "_durable",
        "_min_insync",
        "_on_synced",
        "_progress",
        "_refusal",
        "_replica",
        "_timer",
        "_timer_at_ms",
        "_waiting",
        "high_watermark",
        "index",
        "leader_epoch",
        "log",
        "settings",
        "topic",
        "topic_id",
    )

    def __init__(
        self,
        topic_partition: TopicPartition,
        topic_id: bytes,
        replica: int,
        log: Log,
        committer: Committer,
        clock: Clock,
        settings: PartitionSettings,
    ) -> None:
        self.topic, self.index = topic_partition
        self.topic_id = topic_id
        self.log = log
        self._replica = replica
        self._committer = committer
        self._clock = clock
        self._waiting = Waiting()
        self._on_synced = self._synced
        self._timer: Timer | None = None
        self._timer_at_ms = 0
        self._refusal: ErrorCode | None = ErrorCode.NOT_LEADER_OR_FOLLOWER
        self._progress: Progress | None = None
        self.leader_epoch = ANY_EPOCH
        self.high_watermark = log.start_offset
        self.configure(settings)

    def configure(self, settings: PartitionSettings) -> None:
        """Take new settings, from the next append on."""
        self.settings = settings
        self._durable = settings.durability is Durability.FSYNC
        self._min_insync = settings.min_insync_replicas

    def lead(self, leader_epoch: int, isr: Sequence[int]) -> None:
        """Lead from now on in this epoch; what is on disk counts as acknowledged by this replica."""
        assert leader_epoch >= self.leader_epoch, (leader_epoch, self.leader_epoch)
        if self._refusal is ErrorCode.KAFKA_STORAGE_ERROR:
            return
        own = self.log.synced_offset if self._durable else self.log.end_offset
        self._progress = Progress(self._replica, isr, own, self.high_watermark)
        self.leader_epoch = leader_epoch
        self._refusal = None
        self._risen()
        if self._durable and self.log.end_offset > own:
            self._committer.request(self.log, self.log.end_offset, self._on_synced)

    # -------------------------------------------------------------------------------------------- produce

    def append(self, batches: memoryview, headers: Sequence[BatchHeader], acks: int) -> Appended:
        """Append validated batches, in place stamped with their offsets. ApiError when they may not be."""
        if self._refusal is not None:
            raise ApiError(self._refusal)
        if acks != 1 and acks != 0:
            self._check_acks(acks)
        log = self.log
        first = headers[0]
        if first.producer_id >= 0:
            if len(headers) > 1:
                raise ApiError(ErrorCode.INVALID_RECORD, "an idempotent producer sends one batch at a time")
            duplicate = log.producers.check(first)
            if duplicate is not None:
                at_ms = duplicate.timestamp if self.settings.append_time else NO_TIMESTAMP
                return Appended(duplicate.base_offset, at_ms, log.start_offset, duplicate.last_offset, True)
        base_offset = end_offset = log.end_offset
        append_time_ms = NO_TIMESTAMP
        if len(headers) == 1 and not self.settings.append_time:
            stamp(batches, 0, base_offset, self.leader_epoch)
            end_offset += first.last_offset_delta + 1
        else:
            if self.settings.append_time:
                append_time_ms = self._clock.wall_ms()
            end_offset = self._stamp(batches, headers, append_time_ms)
        try:
            log.append(batches, headers)
        except ApiError:
            self._fail()
            raise
        if self._durable:
            self._committer.request(log, end_offset, self._on_synced)
        else:
            self._acknowledge(end_offset)
        return _new_tuple(Appended, (base_offset, append_time_ms, log.start_offset, end_offset - 1, False))

    def await_committed(
        self, last_offset: int, deadline_ms: int, done: Callable[[ErrorCode], None]
    ) -> ParkedProduce | None:
        """Call `done` once when the record is committed, or cannot be, or at the (monotonic) deadline. None: it is
        committed already and nobody is called."""
        if last_offset < self.high_watermark:
            return None
        if self._refusal is not None:
            raise ApiError(self._refusal)
        parked = ParkedProduce(last_offset, deadline_ms, done)
        self._waiting.park_produce(parked)
        if self._timer is None or deadline_ms < self._timer_at_ms:
            self._arm(deadline_ms)
        return parked

    def _check_acks(self, acks: int) -> None:
        if acks != ALL:
            raise ApiError(ErrorCode.INVALID_REQUIRED_ACKS, f"acks={acks}: ask for -1 (all), 1 or 0")
        assert self._progress is not None
        if self._progress.in_sync < self._min_insync:
            raise ApiError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"{self._progress.in_sync} replicas of {self.topic}-{self.index} are in sync, "
                f"min.insync.replicas is {self._min_insync}",
            )
        if len(self._waiting.produces) >= MAX_PARKED_PRODUCES:
            raise ApiError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"{MAX_PARKED_PRODUCES} produces to {self.topic}-{self.index} wait already: send again later",
            )

    def _stamp(self, batches: memoryview, headers: Sequence[BatchHeader], append_time_ms: int) -> int:
        position, offset = 0, self.log.end_offset
        for header in headers:
            if append_time_ms != NO_TIMESTAMP:
                stamp_append_time(batches, position, append_time_ms)
            stamp(batches, position, offset, self.leader_epoch)
            offset += header.last_offset_delta + 1
            position += header.size
        return offset

    # ---------------------------------------------------------------------------------------------- fetch

    def check_epoch(self, leader_epoch: int) -> ErrorCode:
        """Whether an asker who believes in this epoch may be served."""
        if self._refusal is not None:
            return self._refusal
        if leader_epoch == self.leader_epoch or leader_epoch == ANY_EPOCH:
            return ErrorCode.NONE
        return ErrorCode.FENCED_LEADER_EPOCH if leader_epoch < self.leader_epoch else ErrorCode.UNKNOWN_LEADER_EPOCH

    def epoch_end(self, epoch: int) -> tuple[int, int]:
        """The largest epoch that began here and is not above the one asked for, and where it ended; both -1 for an
        epoch that no leader here knows yet. One older than all that is kept ended where the oldest kept one begins."""
        log = self.log
        if epoch < 0 or epoch > self.leader_epoch:
            return NO_EPOCH, NO_OFFSET
        if epoch == self.leader_epoch:  # known from the election on, before the leader has written anything
            return epoch, log.end_offset
        return log.epoch_end(epoch) or (epoch, log.epochs.first_offset(log.end_offset))

    @property
    def last_stable_offset(self) -> int:
        """What a reader of committed transactions may see: the high watermark, since there are none yet."""
        return self.high_watermark

    def read(
        self, offset: int, max_bytes: int, *, leader_epoch: int = ANY_EPOCH, at_least_one: bool = True
    ) -> FetchRead:
        """Whole batches from `offset` up to the high watermark; an error says why there can be none."""
        log, high_watermark = self.log, self.high_watermark
        if self._refusal is not None or leader_epoch != ANY_EPOCH:
            error = self.check_epoch(leader_epoch)
            if error:
                return FetchRead(error, -1, -1, -1, _NO_SLICES, 0)
        start_offset = log.start_offset
        slices: Sequence[FileSlice] = _NO_SLICES
        size = 0
        error = ErrorCode.NONE
        if start_offset <= offset < high_watermark:
            slices = log.read(offset, high_watermark, max_bytes, at_least_one)
            for part in slices:
                size += part.length
        elif offset < start_offset or offset > log.end_offset:
            error = ErrorCode.OFFSET_OUT_OF_RANGE
        return _new_tuple(FetchRead, (error, high_watermark, high_watermark, start_offset, slices, size))

    def park_fetch(self, wake: Callable[[], None]) -> ParkedFetch | None:
        """Call `wake` once, when the high watermark rises or this stops leading. None: too many wait already, so
        answer now with what there is."""
        waiting = self._waiting
        if len(waiting.fetches) >= MAX_PARKED_FETCHES:
            return None
        parked = ParkedFetch(wake)
        waiting.fetches[parked] = None
        return parked

    def cancel(self, token: Token) -> None:
        """Do not call whom it stands for; harmless when it has been called."""
        self._waiting.cancel(token)

    # ------------------------------------------------------------------------------------------ old records

    def delete_before(self, offset: int) -> None:
        """Begin at this offset from now on, or at the high watermark; OFFSET_OUT_OF_RANGE above it."""
        if self._refusal is not None:
            raise ApiError(self._refusal)
        if offset == AT_HIGH_WATERMARK:
            offset = self.high_watermark
        if not 0 <= offset <= self.high_watermark:  # A5
            raise ApiError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"offset {offset} of {self.topic}-{self.index} is not committed: ask for 0 to {self.high_watermark}, "
                f"or for {AT_HIGH_WATERMARK}",
            )
        self.log.advance_start(offset)

    def expire(self, limits: Retention, now_ms: int) -> list[Reason]:
        """Begin above what is too old or too much; why each segment goes. Nothing goes while another leads."""
        if self._refusal is not None:
            return []
        return self.log.expire(limits, now_ms, self.high_watermark)  # A5

    # ------------------------------------------------------------------------------------------- progress

    def _synced(self, error: OSError | None) -> None:
        if error is not None:
            self._fail()
        elif self._refusal is None:
            self._acknowledge(self.log.synced_offset)

    def _acknowledge(self, offset: int) -> None:
        assert self._progress is not None
        if self._progress.acknowledge(self._replica, offset):
            self._risen()

    def _risen(self) -> None:
        assert self._progress is not None
        self.high_watermark = self._progress.high_watermark
        waiting = self._waiting
        if waiting.produces:
            enough = self._progress.in_sync >= self._min_insync
            code = ErrorCode.NONE if enough else ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
            for done in waiting.take_committed(self.high_watermark):
                done(code)
        if waiting.fetches:
            for wake in waiting.take_fetches():
                wake()

    # ---------------------------------------------------------------------------------------- time and end

    def _arm(self, deadline_ms: int) -> None:
        """One timer for all: it goes off at the earliest deadline, or earlier and finds nothing to do."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at_ms = deadline_ms
        self._timer = self._clock.call_at(deadline_ms, self._expire)

    def _expire(self) -> None:
        self._timer = None
        expired = self._waiting.take_expired(self._clock.monotonic_ms())
        deadline_ms = self._waiting.deadline_ms
        if deadline_ms is not None:
            self._arm(deadline_ms)
        for done in expired:
            done(ErrorCode.REQUEST_TIMED_OUT)

    def close(self) -> None:
        """Lead no more: everybody parked is told so. The log stays open, it belongs to the caller."""
        self._end(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def _fail(self) -> None:
        self._end(ErrorCode.KAFKA_STORAGE_ERROR)

    def _end(self, refusal: ErrorCode) -> None:
        self._refusal = refusal
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for done in self._waiting.take_produces():
            done(refusal)
        for wake in self._waiting.take_fetches():
            wake()
