"""SyncGroup (API 14). The leader of a classic group hands in the assignment, and every member gets its part."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bytes, Int16, Int32, Message, NullableString, String, Table, Top, ignorable, since


class SyncGroupRequestAssignment(Message):
    """One of the `assignments` of `SyncGroupRequest`."""

    member_id: String = ""
    assignment: Bytes = b""


class SyncGroupRequest(Top):
    """The assignment, from the leader."""

    TABLE: ClassVar[Table] = Table("request", key=14, versions=(0, 5), flexible=4)

    group_id: String = ""
    generation_id: Int32 = 0
    member_id: String = ""
    group_instance_id: Annotated[NullableString, since(3)] = None
    protocol_type: Annotated[NullableString, since(5), ignorable] = None
    protocol_name: Annotated[NullableString, since(5), ignorable] = None
    assignments: list[SyncGroupRequestAssignment] = []


class SyncGroupResponse(Top):
    """The part of this member."""

    TABLE: ClassVar[Table] = Table("response", key=14, versions=(0, 5), flexible=4)

    throttle_time_ms: Annotated[Int32, since(1), ignorable] = 0
    error_code: Int16 = 0
    protocol_type: Annotated[NullableString, since(5), ignorable] = None
    protocol_name: Annotated[NullableString, since(5), ignorable] = None
    assignment: Bytes = b""
