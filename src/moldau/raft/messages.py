"""What voters tell each other: Kafka's Vote, BeginQuorumEpoch, EndQuorumEpoch and Fetch, bare of their wire form.

Made and read by `Raft`; a driver translates them from and to the protocol's messages and keeps each request until its
response comes, to repeat from it what the wire does not carry back (`number`, `pre_vote`). Nobody is told of a lost
message: everything is asked again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moldau.model import ErrorCode

if TYPE_CHECKING:
    from moldau.raft.quorum import Batch, EpochEnd


@dataclass(frozen=True, slots=True)
class VoteRequest:
    """Asks for a vote in `epoch`; with `pre_vote`, whether there would be one in the epoch after it."""

    source: int
    target: int
    epoch: int
    last_epoch: int
    end_offset: int
    pre_vote: bool


@dataclass(frozen=True, slots=True)
class VoteResponse:
    """`epoch` and `leader` are what the asked one knows now."""

    source: int
    target: int
    epoch: int
    leader: int | None
    pre_vote: bool
    granted: bool


@dataclass(frozen=True, slots=True)
class BeginQuorumEpochRequest:
    """The source leads this epoch. Repeated until the target fetches, which is the answer that counts."""

    source: int
    target: int
    epoch: int


@dataclass(frozen=True, slots=True)
class EndQuorumEpochRequest:
    """The source leads this epoch no more; `successors` stand best first."""

    source: int
    target: int
    epoch: int
    successors: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QuorumEpochResponse:
    """The answer to either of the two."""

    source: int
    target: int
    epoch: int
    leader: int | None


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """Asks for what follows `offset`, and thereby says that everything before it is synced at the source."""

    source: int
    target: int
    epoch: int
    offset: int
    last_epoch: int
    high_watermark: int
    """What the source knows, so that it is told at once when there is more."""
    number: int
    """The response repeats it: an answer that has been overtaken is dropped."""


@dataclass(frozen=True, slots=True)
class FetchResponse:
    """What follows the offset asked for, or where the asker's log leaves the leader's."""

    source: int
    target: int
    epoch: int
    leader: int | None
    error: ErrorCode
    number: int
    high_watermark: int = 0
    diverging: EpochEnd | None = None
    batches: tuple[Batch, ...] = ()


Request = VoteRequest | BeginQuorumEpochRequest | EndQuorumEpochRequest | FetchRequest
Response = VoteResponse | QuorumEpochResponse | FetchResponse
Message = Request | Response
