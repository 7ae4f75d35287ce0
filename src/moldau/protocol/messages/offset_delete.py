"""OffsetDelete (API 47). Offsets of a group are forgotten."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Message, String, Table, Top


class OffsetDeleteRequestPartition(Message):
    """One of the `partitions` of `OffsetDeleteRequestTopic`."""

    partition_index: Int32 = 0


class OffsetDeleteRequestTopic(Message):
    """One of the `topics` of `OffsetDeleteRequest`."""

    name: String = ""
    partitions: list[OffsetDeleteRequestPartition] = []


class OffsetDeleteRequest(Top):
    """Which of them."""

    TABLE: ClassVar[Table] = Table("request", key=47, flexible=None)

    group_id: String = ""
    topics: list[OffsetDeleteRequestTopic] = []


class OffsetDeleteResponsePartition(Message):
    """One of the `partitions` of `OffsetDeleteResponseTopic`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0


class OffsetDeleteResponseTopic(Message):
    """One of the `topics` of `OffsetDeleteResponse`."""

    name: String = ""
    partitions: list[OffsetDeleteResponsePartition] = []


class OffsetDeleteResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=47, flexible=None)

    error_code: Int16 = 0
    throttle_time_ms: Int32 = 0
    topics: list[OffsetDeleteResponseTopic] = []
