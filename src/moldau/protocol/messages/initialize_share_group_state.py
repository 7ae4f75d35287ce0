"""InitializeShareGroupState (API 83). The state of share partitions begins."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Int16, Int32, Int64, Message, NullableString, String, Table, Top, Uuid


class PartitionData(Message):
    """One of the `partitions` of `InitializeStateData`."""

    partition: Int32 = 0
    state_epoch: Int32 = 0
    start_offset: Int64 = 0


class InitializeStateData(Message):
    """One of the `topics` of `InitializeShareGroupStateRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionData] = []


class InitializeShareGroupStateRequest(Top):
    """Which, and from where."""

    TABLE: ClassVar[Table] = Table("request", key=83)

    group_id: String = ""
    topics: list[InitializeStateData] = []


class PartitionResult(Message):
    """One of the `partitions` of `InitializeStateResult`."""

    partition: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None


class InitializeStateResult(Message):
    """One of the `results` of `InitializeShareGroupStateResponse`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionResult] = []


class InitializeShareGroupStateResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=83)

    results: list[InitializeStateResult] = []
