"""ShareGroupHeartbeat (API 76). A member of a share group says that it is alive and what it wants."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Int16, Int32, Message, NullableString, String, Table, Top, Uuid


class ShareGroupHeartbeatRequest(Top):
    """Who is alive, and what has changed."""

    TABLE: ClassVar[Table] = Table("request", key=76, versions=(1, 1))

    group_id: String = ""
    member_id: String = ""
    member_epoch: Int32 = 0
    rack_id: NullableString = None
    subscribed_topic_names: list[String] | None = None


class TopicPartitions(Message):
    """One of the `topic_partitions` of `Assignment`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[Int32] = []


class Assignment(Message):
    """The `assignment` of `ShareGroupHeartbeatResponse`."""

    topic_partitions: list[TopicPartitions] = []


class ShareGroupHeartbeatResponse(Top):
    """The epoch and, when it has changed, the assignment."""

    TABLE: ClassVar[Table] = Table("response", key=76, versions=(1, 1))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    member_id: NullableString = None
    member_epoch: Int32 = 0
    heartbeat_interval_ms: Int32 = 0
    assignment: Assignment | None = None
