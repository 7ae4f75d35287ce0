"""DescribeProducers (API 61). The producers that are active on partitions."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Int64, Message, NullableString, String, Table, Top


class TopicRequest(Message):
    """One of the `topics` of `DescribeProducersRequest`."""

    name: String = ""
    partition_indexes: list[Int32] = []


class DescribeProducersRequest(Top):
    """Which partitions."""

    TABLE: ClassVar[Table] = Table("request", key=61)

    topics: list[TopicRequest] = []


class ProducerState(Message):
    """One of the `active_producers` of `PartitionResponse`."""

    producer_id: Int64 = 0
    producer_epoch: Int32 = 0
    last_sequence: Int32 = -1
    last_timestamp: Int64 = -1
    coordinator_epoch: Int32 = 0
    current_txn_start_offset: Int64 = -1


class PartitionResponse(Message):
    """One of the `partitions` of `TopicResponse`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    active_producers: list[ProducerState] = []


class TopicResponse(Message):
    """One of the `topics` of `DescribeProducersResponse`."""

    name: String = ""
    partitions: list[PartitionResponse] = []


class DescribeProducersResponse(Top):
    """The producers of each."""

    TABLE: ClassVar[Table] = Table("response", key=61)

    throttle_time_ms: Int32 = 0
    topics: list[TopicResponse] = []
