"""The quorum's driver: carries decisions to the machine, the machine's wishes to the disk, and what is committed to
the picture of the cluster.

Handlers call `submit`; the assembly calls `start` and `stop`. It decides nothing about the cluster itself.

Q1  What `Ready` wants is done in its order, and nothing reaches the machine before `advance`.
Q2  A decision sees everything decided before it, committed or not.
Q3  Whoever submitted is told once: after its records are committed, the picture holds them, and every subscriber has
    taken the delta in; or with the error.
Q4  Deltas are taken in one after the other, in the order of the log.
"""

from __future__ import annotations

import posixpath
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from moldau.broker.journal import Journal
from moldau.broker.quorum.metadata_log import READ_BYTES, MetadataLog
from moldau.broker.quorum.state_file import NAME, encode_state
from moldau.controller import Outcome
from moldau.environment.doors import Clock, Disk, Offload
from moldau.metadata import Delta, Image, apply
from moldau.model import ApiError, ErrorCode
from moldau.protocol.metadata_records import decode_record, encode_record
from moldau.protocol.tables import Top
from moldau.raft import Batch, Raft, Ready, Role
from moldau.storage import Committer

MOST_UNDECIDED = 10_000
"""Requests that may wait for the machine; more are refused."""

Decide = Callable[[Image], Outcome]
Done = Callable[[Outcome | None, ApiError | None], None]


class Subscriber(Protocol):
    """Whoever does what a new picture asks for."""

    def take_in(self, image: Image, delta: Delta, done: Callable[[], None], /) -> None:
        """Do it, then call `done` (once, now or later)."""


class _Submitted(NamedTuple):
    offset: int
    outcome: Outcome
    done: Done


class QuorumDriver:
    """The one driver of a voter."""

    def __init__(
        self,
        image: Image,
        raft: Raft,
        log: MetadataLog,
        committer: Committer,
        disk: Disk,
        offload: Offload,
        clock: Clock,
        journal: Journal,
    ) -> None:
        self.image = image
        """The picture of what is committed and taken in: at first the empty one."""
        self._raft = raft
        self._log = log
        self._committer = committer
        self._disk = disk
        self._offload = offload
        self._clock = clock
        self._journal = journal
        self._ahead: Image | None = None
        self._undecided: deque[tuple[Decide, Done]] = deque()
        self._submitted: deque[_Submitted] = deque()
        self._subscribers: Sequence[Subscriber] = ()
        self._saving = False
        self._syncing = False
        self._stopped = False
        self._read_to = 0
        self._committed = 0
        self._decoded: Image = self.image
        self._deltas: deque[tuple[Image, Delta]] = deque()
        self._taking_in = False
        self._in_office: list[Callable[[], None]] = []

    def start(self, subscribers: Sequence[Subscriber], in_office: Callable[[], None]) -> None:
        """Run the machine; `in_office` is called once this node leads and its picture is complete."""
        self._subscribers = subscribers
        self._in_office.append(in_office)
        self._run()

    def stop(self) -> None:
        """Take no further decision; those that wait are refused."""
        self._stopped = True
        refusal = ApiError(ErrorCode.NOT_CONTROLLER, "this broker is stopping")
        for _, done in self._undecided:
            done(None, refusal)
        self._undecided.clear()

    def submit(self, decide: Decide, done: Done) -> None:
        """Have the controller decide on the newest picture; `done` gets what it decided, or why it could not."""
        if self._stopped or len(self._undecided) >= MOST_UNDECIDED:
            done(None, ApiError(ErrorCode.NOT_CONTROLLER, "this broker is stopping or takes no more changes"))
            return
        self._undecided.append((decide, done))
        self._run()

    # ---------------------------------------------------------------------------------- the machine's wishes

    def _run(self) -> None:
        """Feed the machine and do what it wants, until it wants nothing."""
        while not self._saving:
            ready = self._raft.ready()
            if ready is not None:
                self._save(ready)
            elif not self._decide_next():
                return

    def _save(self, ready: Ready) -> None:
        if ready.save is None:
            self._carry_out(ready)
            return
        self._saving = True
        data = encode_state(ready.save)
        path = posixpath.join(self._log.log.directory, NAME)

        def saved(_: None, error: BaseException | None) -> None:
            if error is not None:
                self._fail(f"{path} could not be written: {error}")
                return
            self._saving = False
            self._carry_out(ready)
            self._run()

        self._offload.submit(lambda: self._disk.replace_file(path, data), saved)

    def _carry_out(self, ready: Ready) -> None:
        assert ready.truncate_to is None, "a quorum of one never truncates"
        assert not ready.send, "a quorum of one has nobody to send to"
        if ready.append:
            try:
                self._log.append(ready.append)
            except ApiError as failed:
                self._fail(f"the metadata log could not be written: {failed}")
                return
            self._sync()
        if ready.commit is not None:
            self._committed = ready.commit
        self._raft.advance()  # Q1
        if ready.commit is not None:
            self._read_committed()

    def _sync(self) -> None:
        if not self._syncing:
            self._syncing = True
            self._committer.request(self._log.log, self._log.end_offset, self._synced)

    def _synced(self, error: OSError | None) -> None:
        self._syncing = False
        if error is not None:
            self._fail(f"the metadata log could not be synced: {error}")
            return
        self._raft.synced(self._log.log.synced_offset, self._clock.monotonic_ms())
        if self._log.log.synced_offset < self._log.end_offset:
            self._sync()
        self._run()

    def _fail(self, why: str) -> None:
        self._journal.tell("quorum failed", f"the controller stops: {why}")
        self._saving = True  # nothing reaches the machine any more
        self.stop()
        refusal = ApiError(ErrorCode.KAFKA_STORAGE_ERROR, why)
        for submitted in self._submitted:
            submitted.done(None, refusal)
        self._submitted.clear()

    # ------------------------------------------------------------------------------------------- decisions

    def _decide_next(self) -> bool:
        """Take the next request; whether there was one that may be decided."""
        start = self._raft.epoch_start
        if self._raft.role is not Role.LEADER or start is None or self._raft.high_watermark <= start:
            return False
        if self._ahead is None:
            if self._read_to < self._raft.high_watermark:
                return False
            self._ahead = self._decoded
            for tell in self._in_office:
                tell()
            self._in_office.clear()
        if not self._undecided:
            return False
        decide, done = self._undecided.popleft()
        try:
            outcome = decide(self._ahead)
            end_offset = self._append(outcome.records)
        except ApiError as refused:
            done(None, refused)
            return True
        except Exception as failure:
            self._journal.tell("decision failed", f"the controller failed to decide: {failure!r}")
            done(None, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "the controller failed to decide"))
            return True
        self._submitted.append(_Submitted(end_offset, outcome, done))
        self._tell_submitted()
        return True

    def _append(self, records: Sequence[Top]) -> int:
        """Propose the records; the offset up to which the picture must be to hold them."""
        assert self._ahead is not None
        if not records:
            return self._ahead.offset + 1
        end_offset = self._raft.propose([encode_record(record) for record in records])
        self._ahead, _ = apply(self._ahead, records, end_offset - 1)  # Q2
        return end_offset

    # ------------------------------------------------------------------------------------- what is committed

    def _read_committed(self) -> None:
        """Turn what has been committed into pictures and deltas, one for each batch."""
        while self._read_to < self._committed:
            batches = self._log.read(self._read_to, READ_BYTES)
            whole = [batch for batch in batches if batch.end_offset <= self._committed]
            assert whole, f"nothing at {self._read_to} below {self._committed}"
            self._read(whole)
        self._take_in_next()

    def _read(self, batches: Sequence[Batch]) -> None:
        """Fold batches into the picture; many at once (at the start) give one delta."""
        records: list[Top] = []
        for batch in batches:
            if not batch.control:
                records += [decode_record(value) for value in batch.values]
            self._read_to = batch.end_offset
        image, delta = apply(self._decoded, records, self._read_to - 1)
        self._decoded = image
        self._deltas.append((image, delta))

    def _take_in_next(self) -> None:
        if self._taking_in or not self._deltas:
            return
        self._taking_in = True  # Q4
        image, delta = self._deltas.popleft()
        waiting = deque(self._subscribers)

        def next_subscriber() -> None:
            if waiting:
                waiting.popleft().take_in(image, delta, next_subscriber)
                return
            self.image = image
            self._taking_in = False
            self._tell_submitted()
            self._take_in_next()

        next_subscriber()

    def _tell_submitted(self) -> None:
        while self._submitted and self._submitted[0].offset <= self.image.offset + 1:
            submitted = self._submitted.popleft()
            submitted.done(submitted.outcome, None)  # Q3
