"""The quorum's driver: carries requests to the controller, the machine's wishes to the disk, and what is committed to
whoever has to do something about it.

Handlers call `submit`; the assembly calls `start` and `stop`. It decides nothing.

D1  What `Ready` wants is done in its order, and nothing reaches the machines before `advance`.
D2  Deltas are taken in by all subscribers one after the other, in the order of the log.
D3  Whoever submitted is told once: after what was decided is committed and taken in by every subscriber, or with the
    error.
"""

from __future__ import annotations

import posixpath
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from moldau.broker.journal import Journal
from moldau.broker.quorum.metadata_log import MetadataLog
from moldau.broker.quorum.state_file import NAME, encode_state
from moldau.controller import Answer, Decide, QuorumController
from moldau.environment.doors import Clock, Disk, Offload
from moldau.metadata import Delta, Image
from moldau.model import ApiError, ErrorCode
from moldau.raft import Raft, Ready
from moldau.storage import Committer

MOST_UNDECIDED = 10_000
"""Requests that may wait for the machine; more are refused."""

NOBODY = -1

Done = Callable[[Any, ApiError | None], None]
"""Told the response, or why there is none."""


class Subscriber(Protocol):
    """Whoever does what a new picture of the cluster asks for."""

    def take_in(self, image: Image, delta: Delta, done: Callable[[], None], /) -> None:
        """Do it, then call `done` (once, now or later)."""


class Standing(NamedTuple):
    """Who leads the quorum and how far it is, as this voter knows."""

    leader: int
    """-1 while nobody is known to lead."""
    epoch: int
    high_watermark: int
    end_offset: int
    """Of this voter's own log."""


class _Due(NamedTuple):
    """An answer that waits for the deltas before it."""

    offset: int
    answer: Answer


class QuorumDriver:
    """The one driver of a voter."""

    def __init__(
        self,
        raft: Raft,
        controller: QuorumController,
        log: MetadataLog,
        committer: Committer,
        disk: Disk,
        offload: Offload,
        clock: Clock,
        journal: Journal,
    ) -> None:
        self._raft = raft
        self._controller = controller
        self._log = log
        self._committer = committer
        self._disk = disk
        self._offload = offload
        self._clock = clock
        self._journal = journal
        self._subscribers: Sequence[Subscriber] = ()
        self._undecided: deque[tuple[Decide, Done]] = deque()
        self._deltas: deque[Delta] = deque()
        self._due: deque[_Due] = deque()
        self._taking_in = False
        self._saving = False
        self._syncing = False
        self._refusal: ApiError | None = None

    def start(self, subscribers: Sequence[Subscriber]) -> None:
        """Run the machines; requests are decided once this node is in office."""
        self._subscribers = subscribers
        self._run()

    def stop(self) -> None:
        """Take no further request; those that wait are refused."""
        self._refuse_all(ApiError(ErrorCode.NOT_CONTROLLER, "this broker is stopping: ask again later"))

    @property
    def standing(self) -> Standing:
        """How the quorum stands now."""
        raft = self._raft
        leader = NOBODY if raft.leader is None else raft.leader
        return Standing(leader, raft.epoch, raft.high_watermark, self._log.end_offset)

    def submit(self, decide: Decide, done: Done) -> None:
        """Have the controller decide, and `done` told what came of it."""
        if self._refusal is not None:
            done(None, self._refusal)
        elif len(self._undecided) >= MOST_UNDECIDED:
            done(None, ApiError(ErrorCode.THROTTLING_QUOTA_EXCEEDED, "too many changes wait: ask again later"))
        else:
            self._undecided.append((decide, done))
            self._run()

    # --------------------------------------------------------------------------------- around the machines

    def _run(self) -> None:
        """Feed the machines and do what they want, until they want nothing."""
        while not self._saving and self._refusal is None:
            ready = self._raft.ready()
            if ready is not None:
                self._save(ready)
                continue
            answers = self._controller.settle()
            self._due.extend(_Due(self._controller.image.offset, answer) for answer in answers)
            if not answers and not self._decide_next():
                break
        self._take_in_next()

    def _decide_next(self) -> bool:
        """Hand the next request over; whether anything may have changed."""
        if not self._controller.in_office:
            return False
        if not self._undecided:
            return False
        decide, done = self._undecided.popleft()
        try:
            self._controller.request(decide, done)
        except Exception as failure:
            self._journal.tell("decision failed", f"the controller failed to decide: {failure!r}")
            done(None, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "the controller failed to decide"))
        return True

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
            delta = self._controller.committed(self._log.read_all(self._controller.image.offset + 1, ready.commit))
            if delta is not None:
                self._deltas.append(delta)
        self._raft.advance()  # D1

    def _sync(self) -> None:
        if not self._syncing:
            self._syncing = True
            self._committer.request(self._log.log, self._log.end_offset, self._synced)

    def _synced(self, error: OSError | None) -> None:
        self._syncing = False
        if error is not None:
            self._fail(f"the metadata log could not be synced: {error}")
            return
        if self._log.log.synced_offset < self._log.end_offset:
            self._sync()
        if not self._saving:
            self._raft.synced(self._log.log.synced_offset, self._clock.monotonic_ms())
            self._run()

    # ------------------------------------------------------------------------------------ what is committed

    def _take_in_next(self) -> None:
        """Hand the next delta to the subscribers in turn, then give the answers that waited for it."""
        while self._deltas and not self._taking_in:
            self._taking_in = True  # D2
            self._take_in(self._deltas[0], 0)
        if not self._taking_in:
            self._answer(self._controller.image.offset)

    def _take_in(self, delta: Delta, place: int) -> None:
        if place < len(self._subscribers):
            self._subscribers[place].take_in(delta.after, delta, lambda: self._take_in(delta, place + 1))
            return
        self._deltas.popleft()
        self._taking_in = False
        self._answer(delta.after.offset)
        self._run()

    def _answer(self, offset: int) -> None:
        while self._due and self._due[0].offset <= offset:
            _, (token, response, error) = self._due.popleft()
            done: Done = token  # type: ignore[assignment]  # what `submit` handed over
            done(response, error)  # D3

    # ---------------------------------------------------------------------------------------------- the end

    def _fail(self, why: str) -> None:
        self._journal.tell("quorum failed", f"the controller stops: {why}")
        self._refuse_all(ApiError(ErrorCode.KAFKA_STORAGE_ERROR, why))

    def _refuse_all(self, refusal: ApiError) -> None:
        self._refusal = self._refusal or refusal
        undecided, self._undecided = self._undecided, deque()
        for _, done in undecided:
            done(None, refusal)
