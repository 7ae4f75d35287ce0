"""The plain data of one member of the quorum: who it is, what it must remember, what it wants done.

Made and read by `Raft` and by the driver that owns its disk and its network. Nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from moldau.raft.messages import Message


class Role(Enum):
    """What a voter is doing in its current epoch."""

    UNATTACHED = "unattached"
    """Knows the epoch, not its leader."""
    FOLLOWER = "follower"
    PROSPECTIVE = "prospective"
    """Asks whether it would be elected, without disturbing the epoch."""
    CANDIDATE = "candidate"
    LEADER = "leader"


@dataclass(frozen=True, slots=True)
class RaftConfig:
    """Who takes part and how patient they are. Names and defaults follow Kafka's `controller.quorum.*`."""

    node_id: int
    voters: tuple[int, ...]
    election_timeout_ms: int = 1_000
    fetch_timeout_ms: int = 2_000
    request_timeout_ms: int = 2_000
    retry_backoff_ms: int = 20
    fetch_wait_ms: int = 500
    """How long a leader holds a fetch that has nothing to bring back."""
    max_fetch_bytes: int = 8 * 1024 * 1024
    max_batch_bytes: int = 8 * 1024 * 1024
    max_uncommitted_bytes: int = 64 * 1024 * 1024
    """What a leader lets wait for the quorum before it refuses further proposals."""

    def __post_init__(self) -> None:
        if self.node_id not in self.voters:
            raise ValueError(f"node {self.node_id} is not among the voters {list(self.voters)}: add it to them")
        if len(frozenset(self.voters)) != len(self.voters):
            raise ValueError(f"voters {list(self.voters)} name a node twice: name each once")

    @property
    def majority(self) -> int:
        """How many voters decide."""
        return len(self.voters) // 2 + 1

    @property
    def others(self) -> tuple[int, ...]:
        """The voters but this one, in the order they were given."""
        return tuple(voter for voter in self.voters if voter != self.node_id)

    @property
    def begin_interval_ms(self) -> int:
        """How often a leader calls on a voter that does not fetch."""
        return self.fetch_timeout_ms // 2

    @property
    def check_quorum_ms(self) -> int:
        """How long a leader goes on without fetches from a majority."""
        return self.fetch_timeout_ms * 3 // 2


@dataclass(frozen=True, slots=True)
class QuorumState:
    """What must be on disk, synced, before anything that depends on it is sent."""

    epoch: int = 0
    leader: int | None = None
    voted_for: int | None = None


class Batch(NamedTuple):
    """Records that enter the log together, of one epoch. A control batch holds one encoded control message."""

    base_offset: int
    epoch: int
    control: bool
    values: tuple[bytes, ...]
    timestamp_ms: int = -1
    """Wall clock of the leader's append; -1 until its driver has stamped it."""

    @property
    def end_offset(self) -> int:
        """The offset after its last record."""
        return self.base_offset + len(self.values)

    @property
    def value_bytes(self) -> int:
        """The size of what it holds, framing not counted."""
        return sum(map(len, self.values))


class EpochEnd(NamedTuple):
    """Where an epoch ends in a log."""

    epoch: int
    offset: int


class LogView(Protocol):
    """What the machine may see of the log on disk: everything appended, synced or not."""

    @property
    def end_offset(self) -> int: ...

    @property
    def last_epoch(self) -> int:
        """The epoch of the last batch; 0 for an empty log."""

    def end_of_epoch(self, epoch: int) -> EpochEnd:
        """The largest epoch in the log that is at most `epoch`, and the offset after its last batch;
        (0, 0) when there is none."""

    def read(self, offset: int, max_bytes: int) -> Sequence[Batch]:
        """Whole batches from the one that begins at `offset` on, at least one unless that is the end."""


@dataclass(frozen=True, slots=True)
class Ready:
    """What the driver does now, in this order: save (durably), truncate, append, send, apply; then `advance`.

    The append need not be synced before the send: whoever counts it waits for `Raft.synced`."""

    save: QuorumState | None
    truncate_to: int | None
    append: tuple[Batch, ...]
    send: tuple[Message, ...]
    commit: int | None
    """The new high watermark: everything below it is committed."""
