"""Consensus with no input or output: step, deadline, ready, advance.

A driver (in the broker) owns the disk and the network; this room decides. It reads the log through `LogView` and
says in `Ready` what is to be written, sent and applied.
"""

from moldau.raft.machine import Raft
from moldau.raft.messages import (
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    Message,
    QuorumEpochResponse,
    Request,
    Response,
    VoteRequest,
    VoteResponse,
)
from moldau.raft.quorum import Batch, EpochEnd, LogView, QuorumState, RaftConfig, Ready, Role

__all__ = [
    "Batch",
    "BeginQuorumEpochRequest",
    "EndQuorumEpochRequest",
    "EpochEnd",
    "FetchRequest",
    "FetchResponse",
    "LogView",
    "Message",
    "QuorumEpochResponse",
    "QuorumState",
    "Raft",
    "RaftConfig",
    "Ready",
    "Request",
    "Response",
    "Role",
    "VoteRequest",
    "VoteResponse",
]
