"""UpdateRaftVoter (API 82). A voter of the metadata quorum is found elsewhere, or can more."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uint16,
    Uuid,
    Value,
    tag,
)


class Listener(Message):
    """One of the `listeners` of `UpdateRaftVoterRequest`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0


class KRaftVersionFeature(Value, frozen=True):
    """The `k_raft_version_feature` of `UpdateRaftVoterRequest`."""

    min_supported_version: Int16 = 0
    max_supported_version: Int16 = 0


class UpdateRaftVoterRequest(Top):
    """The voter as it is now."""

    TABLE: ClassVar[Table] = Table("request", key=82)

    cluster_id: NullableString = ""
    current_leader_epoch: Int32 = 0
    voter_id: Int32 = 0
    voter_directory_id: Uuid = ZERO_UUID
    listeners: list[Listener] = []
    k_raft_version_feature: KRaftVersionFeature = KRaftVersionFeature()


class CurrentLeader(Value, frozen=True):
    """The `current_leader` of `UpdateRaftVoterResponse`."""

    leader_id: Int32 = -1
    leader_epoch: Int32 = -1
    host: String = ""
    port: Int32 = 0


class UpdateRaftVoterResponse(Top):
    """What became of it, and who leads."""

    TABLE: ClassVar[Table] = Table("response", key=82)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    current_leader: Annotated[CurrentLeader, tag(0)] = CurrentLeader()
