"""DescribeTopicPartitions (API 75). Topics and their partitions, page by page."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Bool, Int16, Int32, Message, NullableString, String, Table, Top, Uuid


class TopicRequest(Message):
    """One of the `topics` of `DescribeTopicPartitionsRequest`."""

    name: String = ""


class Cursor(Message):
    """The `cursor` of `DescribeTopicPartitionsRequest`."""

    topic_name: String = ""
    partition_index: Int32 = 0


class DescribeTopicPartitionsRequest(Top):
    """The topics, and where to go on."""

    TABLE: ClassVar[Table] = Table("request", key=75)

    topics: list[TopicRequest] = []
    response_partition_limit: Int32 = 2000
    cursor: Cursor | None = None


class DescribeTopicPartitionsResponsePartition(Message):
    """One of the `partitions` of `DescribeTopicPartitionsResponseTopic`."""

    error_code: Int16 = 0
    partition_index: Int32 = 0
    leader_id: Int32 = 0
    leader_epoch: Int32 = -1
    replica_nodes: list[Int32] = []
    isr_nodes: list[Int32] = []
    eligible_leader_replicas: list[Int32] | None = None
    last_known_elr: list[Int32] | None = None
    offline_replicas: list[Int32] = []


class DescribeTopicPartitionsResponseTopic(Message):
    """One of the `topics` of `DescribeTopicPartitionsResponse`."""

    error_code: Int16 = 0
    name: NullableString = ""
    topic_id: Uuid = ZERO_UUID
    is_internal: Bool = False
    partitions: list[DescribeTopicPartitionsResponsePartition] = []
    topic_authorized_operations: Int32 = -2147483648


class DescribeTopicPartitionsResponse(Top):
    """A page, and where the next one begins."""

    TABLE: ClassVar[Table] = Table("response", key=75)

    throttle_time_ms: Int32 = 0
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    next_cursor: Cursor | None = None
