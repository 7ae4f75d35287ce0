"""ShareGroupDescribe (API 77). Share groups, with their members."""

from __future__ import annotations

from typing import ClassVar

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
    Uuid,
    Value,
)


class ShareGroupDescribeRequest(Top):
    """Which groups."""

    TABLE: ClassVar[Table] = Table("request", key=77, versions=(1, 1))

    group_ids: list[String] = []
    include_authorized_operations: Bool = False


class TopicPartitions(Message):
    """One of the `topic_partitions` of `Assignment`."""

    topic_id: Uuid = ZERO_UUID
    topic_name: String = ""
    partitions: list[Int32] = []


class Assignment(Value, frozen=True):
    """The `assignment` of `Member`."""

    topic_partitions: list[TopicPartitions] = []


class Member(Message):
    """One of the `members` of `DescribedGroup`."""

    member_id: String = ""
    rack_id: NullableString = None
    member_epoch: Int32 = 0
    client_id: String = ""
    client_host: String = ""
    subscribed_topic_names: list[String] = []
    assignment: Assignment = Assignment()


class DescribedGroup(Message):
    """One of the `groups` of `ShareGroupDescribeResponse`."""

    error_code: Int16 = 0
    error_message: NullableString = None
    group_id: String = ""
    group_state: String = ""
    group_epoch: Int32 = 0
    assignment_epoch: Int32 = 0
    assignor_name: String = ""
    members: list[Member] = []
    authorized_operations: Int32 = -2147483648


class ShareGroupDescribeResponse(Top):
    """Each group."""

    TABLE: ClassVar[Table] = Table("response", key=77, versions=(1, 1))

    throttle_time_ms: Int32 = 0
    groups: list[DescribedGroup] = []
