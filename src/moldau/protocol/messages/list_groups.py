"""ListGroups (API 16). The groups of a broker; filtered by state from version 4, by type from version 5."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int16, Int32, Message, String, Table, Top, ignorable, since


class ListGroupsRequest(Top):
    """Which states and types."""

    TABLE: ClassVar[Table] = Table("request", key=16, versions=(0, 5), flexible=3)

    states_filter: Annotated[list[String], since(4)] = []
    types_filter: Annotated[list[String], since(5)] = []


class ListedGroup(Message):
    """One of the `groups` of `ListGroupsResponse`."""

    group_id: String = ""
    protocol_type: String = ""
    group_state: Annotated[String, since(4), ignorable] = ""
    group_type: Annotated[String, since(5), ignorable] = ""


class ListGroupsResponse(Top):
    """The groups."""

    TABLE: ClassVar[Table] = Table("response", key=16, versions=(0, 5), flexible=3)

    throttle_time_ms: Annotated[Int32, since(1), ignorable] = 0
    error_code: Int16 = 0
    groups: list[ListedGroup] = []
