"""The quorum state as the file `quorum-state` holds it, in Kafka's words. Called by the driver around its disk."""

from __future__ import annotations

from moldau.environment.doors import Buffer
from moldau.protocol.messages.quorum_state import QuorumStateData
from moldau.protocol.quorum_state import decode_quorum_state, encode_quorum_state
from moldau.raft.quorum import QuorumState

_NOBODY = -1
_VERSION = 1


def encode_state(state: QuorumState) -> bytes:
    """The file's content."""
    data = QuorumStateData(
        leader_id=_NOBODY if state.leader is None else state.leader,
        leader_epoch=state.epoch,
        voted_id=_NOBODY if state.voted_for is None else state.voted_for,
    )
    return encode_quorum_state(data, _VERSION)


def decode_state(content: Buffer) -> QuorumState:
    """What the file says; raises `protocol.errors.Malformed`."""
    data = decode_quorum_state(content)
    return QuorumState(data.leader_epoch, _somebody(data.leader_id), _somebody(data.voted_id))


def _somebody(number: int) -> int | None:
    return None if number == _NOBODY else number
