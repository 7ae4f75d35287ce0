"""JoinGroup (API 11). A member of a classic group joins it, or joins it again for a rebalance."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    Bool,
    Bytes,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    ignorable,
    nullable_since,
    since,
)


class JoinGroupRequestProtocol(Message):
    """One of the `protocols` of `JoinGroupRequest`."""

    name: String = ""
    metadata: Bytes = b""


class JoinGroupRequest(Top):
    """Who joins, and what it can."""

    TABLE: ClassVar[Table] = Table("request", key=11, versions=(0, 9), flexible=6)

    group_id: String = ""
    session_timeout_ms: Int32 = 0
    rebalance_timeout_ms: Annotated[Int32, since(1), ignorable] = -1
    member_id: String = ""
    group_instance_id: Annotated[NullableString, since(5)] = None
    protocol_type: String = ""
    protocols: list[JoinGroupRequestProtocol] = []
    reason: Annotated[NullableString, since(8), ignorable] = None


class JoinGroupResponseMember(Message):
    """One of the `members` of `JoinGroupResponse`."""

    member_id: String = ""
    group_instance_id: Annotated[NullableString, since(5), ignorable] = None
    metadata: Bytes = b""


class JoinGroupResponse(Top):
    """The generation, its leader, and for the leader the members."""

    TABLE: ClassVar[Table] = Table("response", key=11, versions=(0, 9), flexible=6)

    throttle_time_ms: Annotated[Int32, since(2), ignorable] = 0
    error_code: Int16 = 0
    generation_id: Int32 = -1
    protocol_type: Annotated[NullableString, since(7), ignorable] = None
    protocol_name: Annotated[NullableString, nullable_since(7)] = ""
    leader: String = ""
    skip_assignment: Annotated[Bool, since(9)] = False
    member_id: String = ""
    members: list[JoinGroupResponseMember] = []
