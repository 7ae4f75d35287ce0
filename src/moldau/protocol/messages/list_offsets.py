"""ListOffsets (API 2). Offsets of partitions by timestamp.

Negative timestamps stand for special places, such as the end of the log.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int8, Int16, Int32, Int64, Message, String, Table, Top, ignorable, since


class ListOffsetsPartition(Message):
    """One of the `partitions` of `ListOffsetsTopic`."""

    partition_index: Int32 = 0
    current_leader_epoch: Annotated[Int32, since(4), ignorable] = -1
    timestamp: Int64 = 0


class ListOffsetsTopic(Message):
    """One of the `topics` of `ListOffsetsRequest`."""

    name: String = ""
    partitions: list[ListOffsetsPartition] = []


class ListOffsetsRequest(Top):
    """Partitions and timestamps."""

    TABLE: ClassVar[Table] = Table("request", key=2, versions=(1, 11), flexible=6)

    replica_id: Int32 = 0
    isolation_level: Annotated[Int8, since(2)] = 0
    topics: list[ListOffsetsTopic] = []
    timeout_ms: Annotated[Int32, since(10), ignorable] = 0


class ListOffsetsPartitionResponse(Message):
    """One of the `partitions` of `ListOffsetsTopicResponse`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    timestamp: Int64 = -1
    offset: Int64 = -1
    leader_epoch: Annotated[Int32, since(4)] = -1


class ListOffsetsTopicResponse(Message):
    """One of the `topics` of `ListOffsetsResponse`."""

    name: String = ""
    partitions: list[ListOffsetsPartitionResponse] = []


class ListOffsetsResponse(Top):
    """Offsets, partition by partition."""

    TABLE: ClassVar[Table] = Table("response", key=2, versions=(1, 11), flexible=6)

    throttle_time_ms: Annotated[Int32, since(2), ignorable] = 0
    topics: list[ListOffsetsTopicResponse] = []
