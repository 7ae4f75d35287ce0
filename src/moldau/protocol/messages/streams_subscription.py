"""What members of a classic streams group tell each other inside JoinGroup."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bytes,
    Int8,
    Int32,
    Int64,
    Message,
    NullableString,
    Table,
    Top,
    Uuid,
    ignorable,
    since,
    until,
)


class TaskId(Message):
    """One of the `prev_tasks` of `SubscriptionInfoData`."""

    topic_group_id: Int32 = 0
    partition: Int32 = 0


class PartitionToOffsetSum(Message):
    """One of the `partition_to_offset_sum` of `TaskOffsetSum`."""

    partition: Int32 = 0
    offset_sum: Int64 = 0


class TaskOffsetSum(Message):
    """One of the `task_offset_sums` of `SubscriptionInfoData`."""

    topic_group_id: Int32 = 0
    partition: Annotated[Int32, since(10)] = 0
    offset_sum: Annotated[Int64, since(10)] = 0
    named_topology: Annotated[NullableString, since(10), ignorable] = ""
    partition_to_offset_sum: Annotated[list[PartitionToOffsetSum], until(9)] = []


class ClientTag(Message):
    """One of the `client_tags` of `SubscriptionInfoData`."""

    key: Bytes = b""
    value: Bytes = b""


class SubscriptionInfoData(Top):
    """What a member has and how far its tasks are."""

    TABLE: ClassVar[Table] = Table("data", versions=(1, 11), flexible=None)

    version: Int32 = 0
    latest_supported_version: Annotated[Int32, since(3)] = -1
    process_id: Uuid = ZERO_UUID
    prev_tasks: Annotated[list[TaskId], until(6)] = []
    standby_tasks: Annotated[list[TaskId], until(6)] = []
    user_end_point: Annotated[Bytes, since(2)] = b""
    task_offset_sums: Annotated[list[TaskOffsetSum], since(7)] = []
    unique_field: Annotated[Int8, since(8)] = 0
    error_code: Annotated[Int32, since(9)] = 0
    client_tags: Annotated[list[ClientTag], since(11)] = []
