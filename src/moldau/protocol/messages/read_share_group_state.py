"""ReadShareGroupState (API 84). The state of share partitions."""

from __future__ import annotations

from typing import ClassVar

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
)


class PartitionData(Message):
    """One of the `partitions` of `ReadStateData`."""

    partition: Int32 = 0
    leader_epoch: Int32 = 0


class ReadStateData(Message):
    """One of the `topics` of `ReadShareGroupStateRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionData] = []


class ReadShareGroupStateRequest(Top):
    """Which."""

    TABLE: ClassVar[Table] = Table("request", key=84)

    group_id: String = ""
    topics: list[ReadStateData] = []


class StateBatch(Message):
    """One of the `state_batches` of `PartitionResult`."""

    first_offset: Int64 = 0
    last_offset: Int64 = 0
    delivery_state: Int8 = 0
    delivery_count: Int16 = 0


class PartitionResult(Message):
    """One of the `partitions` of `ReadStateResult`."""

    partition: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    state_epoch: Int32 = 0
    start_offset: Int64 = 0
    state_batches: list[StateBatch] = []


class ReadStateResult(Message):
    """One of the `results` of `ReadShareGroupStateResponse`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionResult] = []


class ReadShareGroupStateResponse(Top):
    """The state of each."""

    TABLE: ClassVar[Table] = Table("response", key=84)

    results: list[ReadStateResult] = []
