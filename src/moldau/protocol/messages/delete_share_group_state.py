"""DeleteShareGroupState (API 86). The state of share partitions is forgotten."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Int16, Int32, Message, NullableString, String, Table, Top, Uuid


class PartitionData(Message):
    """One of the `partitions` of `DeleteStateData`."""

    partition: Int32 = 0


class DeleteStateData(Message):
    """One of the `topics` of `DeleteShareGroupStateRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionData] = []


class DeleteShareGroupStateRequest(Top):
    """Which."""

    TABLE: ClassVar[Table] = Table("request", key=86)

    group_id: String = ""
    topics: list[DeleteStateData] = []


class PartitionResult(Message):
    """One of the `partitions` of `DeleteStateResult`."""

    partition: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None


class DeleteStateResult(Message):
    """One of the `results` of `DeleteShareGroupStateResponse`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionResult] = []


class DeleteShareGroupStateResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=86)

    results: list[DeleteStateResult] = []
