"""DescribeGroups (API 15). Classic groups, with their members."""

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
    since,
)


class DescribeGroupsRequest(Top):
    """Which groups."""

    TABLE: ClassVar[Table] = Table("request", key=15, versions=(0, 6), flexible=5)

    groups: list[String] = []
    include_authorized_operations: Annotated[Bool, since(3)] = False


class DescribedGroupMember(Message):
    """One of the `members` of `DescribedGroup`."""

    member_id: String = ""
    group_instance_id: Annotated[NullableString, since(4), ignorable] = None
    client_id: String = ""
    client_host: String = ""
    member_metadata: Bytes = b""
    member_assignment: Bytes = b""


class DescribedGroup(Message):
    """One of the `groups` of `DescribeGroupsResponse`."""

    error_code: Int16 = 0
    error_message: Annotated[NullableString, since(6)] = None
    group_id: String = ""
    group_state: String = ""
    protocol_type: String = ""
    protocol_data: String = ""
    members: list[DescribedGroupMember] = []
    authorized_operations: Annotated[Int32, since(3)] = -2147483648


class DescribeGroupsResponse(Top):
    """Each group."""

    TABLE: ClassVar[Table] = Table("response", key=15, versions=(0, 6), flexible=5)

    throttle_time_ms: Annotated[Int32, since(1), ignorable] = 0
    groups: list[DescribedGroup] = []
