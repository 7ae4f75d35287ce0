"""WriteShareGroupState (API 85). The state of share partitions changes."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int8,
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


class StateBatch(Message):
    """One of the `state_batches` of `PartitionData`."""

    first_offset: Int64 = 0
    last_offset: Int64 = 0
    delivery_state: Int8 = 0
    delivery_count: Int16 = 0


class PartitionData(Message):
    """One of the `partitions` of `WriteStateData`."""

    partition: Int32 = 0
    state_epoch: Int32 = 0
    leader_epoch: Int32 = 0
    start_offset: Int64 = 0
    delivery_complete_count: Annotated[Int32, since(1), ignorable] = -1
    state_batches: list[StateBatch] = []


class WriteStateData(Message):
    """One of the `topics` of `WriteShareGroupStateRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionData] = []


class WriteShareGroupStateRequest(Top):
    """The changes."""

    TABLE: ClassVar[Table] = Table("request", key=85, versions=(0, 1))

    group_id: String = ""
    topics: list[WriteStateData] = []


class PartitionResult(Message):
    """One of the `partitions` of `WriteStateResult`."""

    partition: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None


class WriteStateResult(Message):
    """One of the `results` of `WriteShareGroupStateResponse`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionResult] = []


class WriteShareGroupStateResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=85, versions=(0, 1))

    results: list[WriteStateResult] = []
