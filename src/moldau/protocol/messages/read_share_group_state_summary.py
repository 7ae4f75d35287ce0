"""ReadShareGroupStateSummary (API 87). Where share partitions begin, without what is acquired."""

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


class PartitionData(Message):
    """One of the `partitions` of `ReadStateSummaryData`."""

    partition: Int32 = 0
    leader_epoch: Int32 = 0


class ReadStateSummaryData(Message):
    """One of the `topics` of `ReadShareGroupStateSummaryRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionData] = []


class ReadShareGroupStateSummaryRequest(Top):
    """Which."""

    TABLE: ClassVar[Table] = Table("request", key=87, versions=(0, 1))

    group_id: String = ""
    topics: list[ReadStateSummaryData] = []


class PartitionResult(Message):
    """One of the `partitions` of `ReadStateSummaryResult`."""

    partition: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    state_epoch: Int32 = 0
    leader_epoch: Int32 = 0
    start_offset: Int64 = 0
    delivery_complete_count: Annotated[Int32, since(1), ignorable] = -1


class ReadStateSummaryResult(Message):
    """One of the `results` of `ReadShareGroupStateSummaryResponse`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionResult] = []


class ReadShareGroupStateSummaryResponse(Top):
    """The beginning of each."""

    TABLE: ClassVar[Table] = Table("response", key=87, versions=(0, 1))

    results: list[ReadStateSummaryResult] = []
