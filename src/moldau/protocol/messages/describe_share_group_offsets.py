"""DescribeShareGroupOffsets (API 90). Where share groups have got to."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int16,
    Int32,
    Int64,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uuid,
    ignorable,
    since,
)


class DescribeShareGroupOffsetsRequestTopic(Message):
    """One of the `topics` of `DescribeShareGroupOffsetsRequestGroup`."""

    topic_name: String = ""
    partitions: list[Int32] = []


class DescribeShareGroupOffsetsRequestGroup(Message):
    """One of the `groups` of `DescribeShareGroupOffsetsRequest`."""

    group_id: String = ""
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None = []


class DescribeShareGroupOffsetsRequest(Top):
    """The groups and partitions."""

    TABLE: ClassVar[Table] = Table("request", key=90, versions=(0, 1))

    groups: list[DescribeShareGroupOffsetsRequestGroup] = []


class DescribeShareGroupOffsetsResponsePartition(Message):
    """One of the `partitions` of `DescribeShareGroupOffsetsResponseTopic`."""

    partition_index: Int32 = 0
    start_offset: Int64 = 0
    leader_epoch: Int32 = 0
    lag: Annotated[Int64, since(1), ignorable] = -1
    error_code: Int16 = 0
    error_message: NullableString = None


class DescribeShareGroupOffsetsResponseTopic(Message):
    """One of the `topics` of `DescribeShareGroupOffsetsResponseGroup`."""

    topic_name: String = ""
    topic_id: Uuid = ZERO_UUID
    partitions: list[DescribeShareGroupOffsetsResponsePartition] = []


class DescribeShareGroupOffsetsResponseGroup(Message):
    """One of the `groups` of `DescribeShareGroupOffsetsResponse`."""

    group_id: String = ""
    topics: list[DescribeShareGroupOffsetsResponseTopic] = []
    error_code: Int16 = 0
    error_message: NullableString = None


class DescribeShareGroupOffsetsResponse(Top):
    """Where each begins."""

    TABLE: ClassVar[Table] = Table("response", key=90, versions=(0, 1))

    throttle_time_ms: Int32 = 0
    groups: list[DescribeShareGroupOffsetsResponseGroup] = []
