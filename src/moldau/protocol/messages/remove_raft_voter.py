"""RemoveRaftVoter (API 81). The metadata quorum loses a voter."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Int16, Int32, NullableString, Table, Top, Uuid


class RemoveRaftVoterRequest(Top):
    """Who."""

    TABLE: ClassVar[Table] = Table("request", key=81)

    cluster_id: NullableString = ""
    voter_id: Int32 = 0
    voter_directory_id: Uuid = ZERO_UUID


class RemoveRaftVoterResponse(Top):
    """What became of it."""

    TABLE: ClassVar[Table] = Table("response", key=81)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""
