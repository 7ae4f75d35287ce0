"""The quorum state as the JSON text that rests in Kafka's `quorum-state` file.

Raft decides what is in it, its driver writes and reads the file. Version 0 goes with a quorum whose voters come from
the configuration, version 1 with one whose voters are in the log.
"""

from __future__ import annotations

import json
from typing import Any

from moldau.environment.doors import Buffer
from moldau.model import format_uuid, parse_uuid
from moldau.protocol.errors import Malformed, UnsupportedVersion
from moldau.protocol.messages.quorum_state import QuorumStateData, Voter


def encode_quorum_state(state: QuorumStateData, version: int) -> bytes:
    """The text of the file."""
    election = {"leaderId": state.leader_id, "leaderEpoch": state.leader_epoch, "votedId": state.voted_id}
    fields: dict[str, Any]
    if version == 0:
        voters = state.current_voters
        fields = {
            "clusterId": state.cluster_id,
            **election,
            "appliedOffset": state.applied_offset,
            "currentVoters": None if voters is None else [{"voterId": voter.voter_id} for voter in voters],
        }
    elif version == 1:
        fields = {**election, "votedDirectoryId": format_uuid(state.voted_directory_id)}
    else:
        raise UnsupportedVersion(f"QuorumStateData has versions 0 and 1, not {version}")
    return json.dumps({**fields, "data_version": version}, separators=(",", ":")).encode()


def decode_quorum_state(text: Buffer) -> QuorumStateData:
    """What the text says; raises `Malformed`."""
    try:
        fields = json.loads(bytes(text))
        version = fields["data_version"]
        state = QuorumStateData(
            leader_id=_number(fields, "leaderId"),
            leader_epoch=_number(fields, "leaderEpoch"),
            voted_id=_number(fields, "votedId"),
        )
        if version == 0:
            state.cluster_id = str(fields["clusterId"])
            state.applied_offset = _number(fields, "appliedOffset")
            voters = fields["currentVoters"]
            state.current_voters = None if voters is None else [Voter(voter_id=_number(v, "voterId")) for v in voters]
        elif version == 1:
            state.voted_directory_id = parse_uuid(fields["votedDirectoryId"])
        else:
            raise ValueError(f"data_version {version} is not known here")
    except (ValueError, KeyError, TypeError, RecursionError) as wrong:
        raise Malformed(f"a quorum state cannot be read: {wrong!r}") from wrong
    return state


def _number(fields: dict[str, Any], name: str) -> int:
    value = fields[name]
    if type(value) is not int:
        raise ValueError(f"{name} is no whole number: {value!r}")
    return value
