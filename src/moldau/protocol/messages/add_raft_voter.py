"""AddRaftVoter (API 80). The metadata quorum gets another voter."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uint16,
    Uuid,
    since,
)


class Listener(Message):
    """One of the `listeners` of `AddRaftVoterRequest`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0


class AddRaftVoterRequest(Top):
    """Who, and where it is found."""

    TABLE: ClassVar[Table] = Table("request", key=80, versions=(0, 1))

    cluster_id: NullableString = ""
    timeout_ms: Int32 = 0
    voter_id: Int32 = 0
    voter_directory_id: Uuid = ZERO_UUID
    listeners: list[Listener] = []
    ack_when_committed: Annotated[Bool, since(1)] = True


class AddRaftVoterResponse(Top):
    """What became of it."""

    TABLE: ClassVar[Table] = Table("response", key=80, versions=(0, 1))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""
