"""What a leader knows of the others during its one epoch: how far they are, when they last fetched, who waits.

Used by `Raft` while it leads. Invariants:

L1  A voter counts with what it has *synced*: the others by their fetch offset, this one by `Raft.synced`.
L2  Nothing is committed before the leader's own first batch is: the high watermark passes `epoch_start` or stays.
L3  The high watermark never falls.
L4  One parked fetch for each fetcher; a newer one takes the place of the older.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from moldau.raft.messages import FetchRequest
from moldau.raft.quorum import Batch, RaftConfig

MAX_PARKED_FETCHES = 1_000


@dataclass(slots=True)
class Voter:
    """How far another voter is known to be."""

    synced: int = 0
    last_fetch_ms: int = 0
    next_begin_ms: int = 0


class Leadership:
    """One tenure."""

    __slots__ = ("_config", "_parked", "_uncommitted", "epoch_start", "synced", "uncommitted_bytes", "voters")

    def __init__(self, config: RaftConfig, epoch_start: int, synced: int, now_ms: int) -> None:
        self._config = config
        self.epoch_start = epoch_start
        self.synced = synced
        self.voters = {voter: Voter(last_fetch_ms=now_ms, next_begin_ms=now_ms) for voter in config.others}
        self.uncommitted_bytes = 0
        self._uncommitted: deque[Batch] = deque()
        self._parked: dict[int, tuple[FetchRequest, int]] = {}

    # ------------------------------------------------------------------------------------------ own batches

    def appended(self, batch: Batch) -> None:
        """One more batch waits for the quorum."""
        self._uncommitted.append(batch)
        self.uncommitted_bytes += batch.value_bytes

    def committed(self, high_watermark: int) -> None:
        """Batches below it wait no more."""
        while self._uncommitted and self._uncommitted[0].end_offset <= high_watermark:
            self.uncommitted_bytes -= self._uncommitted.popleft().value_bytes

    # ------------------------------------------------------------------------------------ high watermark

    def fetched(self, request: FetchRequest, now_ms: int) -> None:
        """Take a valid fetch for what it says about its sender."""
        voter = self.voters.get(request.source)
        if voter is not None:
            voter.synced = request.offset
            voter.last_fetch_ms = now_ms
            voter.next_begin_ms = now_ms + self._config.begin_interval_ms

    def high_watermark(self, current: int) -> int:
        """The offset that a majority has synced (L1, L2, L3)."""
        synced = sorted([self.synced, *(voter.synced for voter in self.voters.values())], reverse=True)
        agreed = synced[self._config.majority - 1]
        return max(current, agreed) if agreed > self.epoch_start else current

    # ---------------------------------------------------------------------------------------- deadlines

    def silent(self, now_ms: int) -> list[int]:
        """The voters to call on now; each is not called again for an interval."""
        due = [node for node, voter in self.voters.items() if voter.next_begin_ms <= now_ms]
        for node in due:
            self.voters[node].next_begin_ms = now_ms + self._config.begin_interval_ms
        return due

    @property
    def quorum_deadline_ms(self) -> int | None:
        """When it must give up unless enough voters fetch before."""
        needed = self._config.majority - 1
        if needed == 0:
            return None
        fetches = sorted((voter.last_fetch_ms for voter in self.voters.values()), reverse=True)
        return fetches[needed - 1] + self._config.check_quorum_ms

    @property
    def deadline_ms(self) -> int | None:
        """When to look again."""
        deadlines = [voter.next_begin_ms for voter in self.voters.values()]
        deadlines += [deadline for _, deadline in self._parked.values()]
        quorum = self.quorum_deadline_ms
        if quorum is not None:
            deadlines.append(quorum)
        return min(deadlines, default=None)

    @property
    def successors(self) -> tuple[int, ...]:
        """The others, furthest first."""
        return tuple(sorted(self.voters, key=lambda node: (-self.voters[node].synced, node)))

    # ----------------------------------------------------------------------------------- parked fetches

    def park(self, request: FetchRequest, deadline_ms: int) -> FetchRequest | None:
        """Hold a fetch that has nothing to bring back (L4). Returned is one that cannot be held (any longer)."""
        if len(self._parked) >= MAX_PARKED_FETCHES and request.source not in self._parked:
            return request
        earlier = self._parked.pop(request.source, None)
        self._parked[request.source] = (request, deadline_ms)
        return None if earlier is None else earlier[0]

    def release(self, end_offset: int, high_watermark: int, now_ms: int | None) -> list[FetchRequest]:
        """The fetches that have something to bring back by now, or have waited long enough."""
        due = [
            request
            for request, deadline in self._parked.values()
            if request.offset < end_offset
            or request.high_watermark < high_watermark
            or (now_ms is not None and deadline <= now_ms)
        ]
        for request in due:
            del self._parked[request.source]
        return due

    def release_all(self) -> list[FetchRequest]:
        """All of them: the tenure ends."""
        due = [request for request, _ in self._parked.values()]
        self._parked.clear()
        return due
