"""DeleteGroups (API 42). Groups without members are deleted with their offsets."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Message, String, Table, Top


class DeleteGroupsRequest(Top):
    """Which groups."""

    TABLE: ClassVar[Table] = Table("request", key=42, versions=(0, 2), flexible=2)

    groups_names: list[String] = []


class DeletableGroupResult(Message):
    """One of the `results` of `DeleteGroupsResponse`."""

    group_id: String = ""
    error_code: Int16 = 0


class DeleteGroupsResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=42, versions=(0, 2), flexible=2)

    throttle_time_ms: Int32 = 0
    results: list[DeletableGroupResult] = []
