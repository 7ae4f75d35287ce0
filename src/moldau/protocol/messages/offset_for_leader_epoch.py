"""OffsetForLeaderEpoch (API 23). Where a leader epoch ended, so that logs which differ find out where."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int16, Int32, Int64, Message, String, Table, Top, ignorable, since


class OffsetForLeaderPartition(Message):
    """One of the `partitions` of `OffsetForLeaderTopic`."""

    partition: Int32 = 0
    current_leader_epoch: Int32 = -1
    leader_epoch: Int32 = 0


class OffsetForLeaderTopic(Message):
    """One of the `topics` of `OffsetForLeaderEpochRequest`."""

    topic: String = ""
    partitions: list[OffsetForLeaderPartition] = []


class OffsetForLeaderEpochRequest(Top):
    """Partitions and epochs."""

    TABLE: ClassVar[Table] = Table("request", key=23, versions=(2, 4), flexible=4)

    replica_id: Annotated[Int32, since(3), ignorable] = -2
    topics: list[OffsetForLeaderTopic] = []


class EpochEndOffset(Message):
    """One of the `partitions` of `OffsetForLeaderTopicResult`."""

    error_code: Int16 = 0
    partition: Int32 = 0
    leader_epoch: Int32 = -1
    end_offset: Int64 = -1


class OffsetForLeaderTopicResult(Message):
    """One of the `topics` of `OffsetForLeaderEpochResponse`."""

    topic: String = ""
    partitions: list[EpochEndOffset] = []


class OffsetForLeaderEpochResponse(Top):
    """The end of each epoch."""

    TABLE: ClassVar[Table] = Table("response", key=23, versions=(2, 4), flexible=4)

    throttle_time_ms: Int32 = 0
    topics: list[OffsetForLeaderTopicResult] = []
