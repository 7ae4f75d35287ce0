"""OffsetFetch (API 9). Where groups have got to, as they committed it; several groups at once from version 8."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
    Int16,
    Int32,
    Int64,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uuid,
    between,
    ignorable,
    nullable_since,
    since,
    until,
)


class OffsetFetchRequestTopic(Message):
    """One of the `topics` of `OffsetFetchRequest`."""

    name: String = ""
    partition_indexes: list[Int32] = []


class OffsetFetchRequestTopics(Message):
    """One of the `topics` of `OffsetFetchRequestGroup`."""

    name: Annotated[String, until(9), ignorable] = ""
    topic_id: Annotated[Uuid, since(10), ignorable] = ZERO_UUID
    partition_indexes: list[Int32] = []


class OffsetFetchRequestGroup(Message):
    """One of the `groups` of `OffsetFetchRequest`."""

    group_id: String = ""
    member_id: Annotated[NullableString, since(9), ignorable] = None
    member_epoch: Annotated[Int32, since(9), ignorable] = -1
    topics: list[OffsetFetchRequestTopics] | None = []


class OffsetFetchRequest(Top):
    """The groups, and of which partitions."""

    TABLE: ClassVar[Table] = Table("request", key=9, versions=(1, 10), flexible=6)

    group_id: Annotated[String, until(7)] = ""
    topics: Annotated[list[OffsetFetchRequestTopic] | None, until(7), nullable_since(2)] = []
    groups: Annotated[list[OffsetFetchRequestGroup], since(8)] = []
    require_stable: Annotated[Bool, since(7)] = False


class OffsetFetchResponsePartition(Message):
    """One of the `partitions` of `OffsetFetchResponseTopic`."""

    partition_index: Int32 = 0
    committed_offset: Int64 = 0
    committed_leader_epoch: Annotated[Int32, since(5), ignorable] = -1
    metadata: NullableString = ""
    error_code: Int16 = 0


class OffsetFetchResponseTopic(Message):
    """One of the `topics` of `OffsetFetchResponse`."""

    name: String = ""
    partitions: list[OffsetFetchResponsePartition] = []


class OffsetFetchResponsePartitions(Message):
    """One of the `partitions` of `OffsetFetchResponseTopics`."""

    partition_index: Int32 = 0
    committed_offset: Int64 = 0
    committed_leader_epoch: Int32 = -1
    metadata: NullableString = ""
    error_code: Int16 = 0


class OffsetFetchResponseTopics(Message):
    """One of the `topics` of `OffsetFetchResponseGroup`."""

    name: Annotated[String, until(9), ignorable] = ""
    topic_id: Annotated[Uuid, since(10), ignorable] = ZERO_UUID
    partitions: list[OffsetFetchResponsePartitions] = []


class OffsetFetchResponseGroup(Message):
    """One of the `groups` of `OffsetFetchResponse`."""

    group_id: String = ""
    topics: list[OffsetFetchResponseTopics] = []
    error_code: Int16 = 0


class OffsetFetchResponse(Top):
    """The offsets of each group."""

    TABLE: ClassVar[Table] = Table("response", key=9, versions=(1, 10), flexible=6)

    throttle_time_ms: Annotated[Int32, since(3), ignorable] = 0
    topics: Annotated[list[OffsetFetchResponseTopic], until(7)] = []
    error_code: Annotated[Int16, between(2, 7), ignorable] = 0
    groups: Annotated[list[OffsetFetchResponseGroup], since(8)] = []
