"""The quorum-state file: epoch, leader and vote as Kafka writes them, as one JSON object with its version."""

from __future__ import annotations

import json
import posixpath

from moldau.environment.doors import Disk
from moldau.raft import QuorumState

NAME = "quorum-state"
_VERSION = 1
_NOBODY = -1
_NO_DIRECTORY = "AAAAAAAAAAAAAAAAAAAAAA"


class UnreadableState(ValueError):
    """The file is not one; the text says which."""


def read_state(disk: Disk, directory: str) -> QuorumState:
    """What was saved last; nothing when there is no file."""
    path = posixpath.join(directory, NAME)
    if not disk.exists(path):
        return QuorumState()
    try:
        found = json.loads(disk.read_file(path))
        leader, voted = int(found["leaderId"]), int(found["votedId"])
        return QuorumState(
            epoch=int(found["leaderEpoch"]),
            leader=None if leader == _NOBODY else leader,
            voted_for=None if voted == _NOBODY else voted,
        )
    except (ValueError, KeyError, TypeError) as broken:
        raise UnreadableState(f"{path} cannot be read ({broken!r}): restore it from a copy") from broken


def encode_state(state: QuorumState) -> bytes:
    """The file's content."""
    return json.dumps(
        {
            "leaderId": _NOBODY if state.leader is None else state.leader,
            "leaderEpoch": state.epoch,
            "votedId": _NOBODY if state.voted_for is None else state.voted_for,
            "votedDirectoryId": _NO_DIRECTORY,
            "data_version": _VERSION,
        },
        separators=(",", ":"),
    ).encode("ascii")
