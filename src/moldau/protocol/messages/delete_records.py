"""DeleteRecords (API 21). Records before an offset are deleted."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Int64, Message, String, Table, Top


class DeleteRecordsPartition(Message):
    """One of the `partitions` of `DeleteRecordsTopic`."""

    partition_index: Int32 = 0
    offset: Int64 = 0


class DeleteRecordsTopic(Message):
    """One of the `topics` of `DeleteRecordsRequest`."""

    name: String = ""
    partitions: list[DeleteRecordsPartition] = []


class DeleteRecordsRequest(Top):
    """Up to where, partition by partition."""

    TABLE: ClassVar[Table] = Table("request", key=21, versions=(0, 2), flexible=2)

    topics: list[DeleteRecordsTopic] = []
    timeout_ms: Int32 = 0


class DeleteRecordsPartitionResult(Message):
    """One of the `partitions` of `DeleteRecordsTopicResult`."""

    partition_index: Int32 = 0
    low_watermark: Int64 = 0
    error_code: Int16 = 0


class DeleteRecordsTopicResult(Message):
    """One of the `topics` of `DeleteRecordsResponse`."""

    name: String = ""
    partitions: list[DeleteRecordsPartitionResult] = []


class DeleteRecordsResponse(Top):
    """Where each log begins now."""

    TABLE: ClassVar[Table] = Table("response", key=21, versions=(0, 2), flexible=2)

    throttle_time_ms: Int32 = 0
    topics: list[DeleteRecordsTopicResult] = []
