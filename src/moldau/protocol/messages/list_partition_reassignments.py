"""ListPartitionReassignments (API 46). The partitions that are being moved."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Message, NullableString, String, Table, Top


class ListPartitionReassignmentsTopics(Message):
    """One of the `topics` of `ListPartitionReassignmentsRequest`."""

    name: String = ""
    partition_indexes: list[Int32] = []


class ListPartitionReassignmentsRequest(Top):
    """Which partitions; null for all."""

    TABLE: ClassVar[Table] = Table("request", key=46)

    timeout_ms: Int32 = 60000
    topics: list[ListPartitionReassignmentsTopics] | None = None


class OngoingPartitionReassignment(Message):
    """One of the `partitions` of `OngoingTopicReassignment`."""

    partition_index: Int32 = 0
    replicas: list[Int32] = []
    adding_replicas: list[Int32] = []
    removing_replicas: list[Int32] = []


class OngoingTopicReassignment(Message):
    """One of the `topics` of `ListPartitionReassignmentsResponse`."""

    name: String = ""
    partitions: list[OngoingPartitionReassignment] = []


class ListPartitionReassignmentsResponse(Top):
    """Each move under way."""

    TABLE: ClassVar[Table] = Table("response", key=46)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""
    topics: list[OngoingTopicReassignment] = []
