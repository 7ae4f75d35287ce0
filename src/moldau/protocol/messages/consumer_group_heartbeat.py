"""ConsumerGroupHeartbeat (API 68). A member of a consumer group says that it is alive, what it wants and what it has.

This is all that a member ever sends: the broker assigns.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import ZERO_UUID, Int16, Int32, Message, NullableString, String, Table, Top, Uuid, since


class TopicPartitions(Message):
    """One of the `topic_partitions` of `ConsumerGroupHeartbeatRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[Int32] = []


class ConsumerGroupHeartbeatRequest(Top):
    """Who is alive, and what has changed."""

    TABLE: ClassVar[Table] = Table("request", key=68, versions=(0, 1))

    group_id: String = ""
    member_id: String = ""
    member_epoch: Int32 = 0
    instance_id: NullableString = None
    rack_id: NullableString = None
    rebalance_timeout_ms: Int32 = -1
    subscribed_topic_names: list[String] | None = None
    subscribed_topic_regex: Annotated[NullableString, since(1)] = None
    server_assignor: NullableString = None
    topic_partitions: list[TopicPartitions] | None = None


class Assignment(Message):
    """The `assignment` of `ConsumerGroupHeartbeatResponse`."""

    topic_partitions: list[TopicPartitions] = []


class ConsumerGroupHeartbeatResponse(Top):
    """The epoch and, when it has changed, the assignment."""

    TABLE: ClassVar[Table] = Table("response", key=68, versions=(0, 1))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    member_id: NullableString = None
    member_epoch: Int32 = 0
    heartbeat_interval_ms: Int32 = 0
    assignment: Assignment | None = None
