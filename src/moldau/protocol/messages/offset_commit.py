"""OffsetCommit (API 8). Where members of a group have got to, to be remembered."""

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
    until,
)


class OffsetCommitRequestPartition(Message):
    """One of the `partitions` of `OffsetCommitRequestTopic`."""

    partition_index: Int32 = 0
    committed_offset: Int64 = 0
    committed_leader_epoch: Annotated[Int32, since(6), ignorable] = -1
    committed_metadata: NullableString = ""


class OffsetCommitRequestTopic(Message):
    """One of the `topics` of `OffsetCommitRequest`."""

    name: Annotated[String, until(9), ignorable] = ""
    topic_id: Annotated[Uuid, since(10), ignorable] = ZERO_UUID
    partitions: list[OffsetCommitRequestPartition] = []


class OffsetCommitRequest(Top):
    """Offsets of a group."""

    TABLE: ClassVar[Table] = Table("request", key=8, versions=(2, 10), flexible=8)

    group_id: String = ""
    generation_id_or_member_epoch: Int32 = -1
    member_id: String = ""
    group_instance_id: Annotated[NullableString, since(7)] = None
    retention_time_ms: Annotated[Int64, until(4), ignorable] = -1
    topics: list[OffsetCommitRequestTopic] = []


class OffsetCommitResponsePartition(Message):
    """One of the `partitions` of `OffsetCommitResponseTopic`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0


class OffsetCommitResponseTopic(Message):
    """One of the `topics` of `OffsetCommitResponse`."""

    name: Annotated[String, until(9), ignorable] = ""
    topic_id: Annotated[Uuid, since(10), ignorable] = ZERO_UUID
    partitions: list[OffsetCommitResponsePartition] = []


class OffsetCommitResponse(Top):
    """What became of each offset."""

    TABLE: ClassVar[Table] = Table("response", key=8, versions=(2, 10), flexible=8)

    throttle_time_ms: Annotated[Int32, since(3), ignorable] = 0
    topics: list[OffsetCommitResponseTopic] = []
