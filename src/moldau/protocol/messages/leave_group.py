"""LeaveGroup (API 13). Members leave a classic group; several at once from version 3."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int16, Int32, Message, NullableString, String, Table, Top, ignorable, since, until


class MemberIdentity(Message):
    """One of the `members` of `LeaveGroupRequest`."""

    member_id: String = ""
    group_instance_id: NullableString = None
    reason: Annotated[NullableString, since(5), ignorable] = None


class LeaveGroupRequest(Top):
    """Who leaves."""

    TABLE: ClassVar[Table] = Table("request", key=13, versions=(0, 5), flexible=4)

    group_id: String = ""
    member_id: Annotated[String, until(2)] = ""
    members: Annotated[list[MemberIdentity], since(3)] = []


class MemberResponse(Message):
    """One of the `members` of `LeaveGroupResponse`."""

    member_id: String = ""
    group_instance_id: NullableString = ""
    error_code: Int16 = 0


class LeaveGroupResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=13, versions=(0, 5), flexible=4)

    throttle_time_ms: Annotated[Int32, since(1), ignorable] = 0
    error_code: Int16 = 0
    members: Annotated[list[MemberResponse], since(3)] = []
