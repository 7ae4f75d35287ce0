"""AlterShareGroupOffsets (API 91). Where a share group begins is set anew."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Int16, Int32, Int64, Message, NullableString, String, Table, Top, Uuid


class AlterShareGroupOffsetsRequestPartition(Message):
    """One of the `partitions` of `AlterShareGroupOffsetsRequestTopic`."""

    partition_index: Int32 = 0
    start_offset: Int64 = 0


class AlterShareGroupOffsetsRequestTopic(Message):
    """One of the `topics` of `AlterShareGroupOffsetsRequest`."""

    topic_name: String = ""
    partitions: list[AlterShareGroupOffsetsRequestPartition] = []


class AlterShareGroupOffsetsRequest(Top):
    """The partitions and offsets."""

    TABLE: ClassVar[Table] = Table("request", key=91)

    group_id: String = ""
    topics: list[AlterShareGroupOffsetsRequestTopic] = []


class AlterShareGroupOffsetsResponsePartition(Message):
    """One of the `partitions` of `AlterShareGroupOffsetsResponseTopic`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None


class AlterShareGroupOffsetsResponseTopic(Message):
    """One of the `responses` of `AlterShareGroupOffsetsResponse`."""

    topic_name: String = ""
    topic_id: Uuid = ZERO_UUID
    partitions: list[AlterShareGroupOffsetsResponsePartition] = []


class AlterShareGroupOffsetsResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=91)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    responses: list[AlterShareGroupOffsetsResponseTopic] = []
