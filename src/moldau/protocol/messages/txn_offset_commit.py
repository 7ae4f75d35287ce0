"""TxnOffsetCommit (API 28). Offsets of a group that count once a transaction is committed."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int16, Int32, Int64, Message, NullableString, String, Table, Top, ignorable, since


class TxnOffsetCommitRequestPartition(Message):
    """One of the `partitions` of `TxnOffsetCommitRequestTopic`."""

    partition_index: Int32 = 0
    committed_offset: Int64 = 0
    committed_leader_epoch: Annotated[Int32, since(2), ignorable] = -1
    committed_metadata: NullableString = ""


class TxnOffsetCommitRequestTopic(Message):
    """One of the `topics` of `TxnOffsetCommitRequest`."""

    name: String = ""
    partitions: list[TxnOffsetCommitRequestPartition] = []


class TxnOffsetCommitRequest(Top):
    """The offsets."""

    TABLE: ClassVar[Table] = Table("request", key=28, versions=(0, 5), flexible=3)

    transactional_id: String = ""
    group_id: String = ""
    producer_id: Int64 = 0
    producer_epoch: Int16 = 0
    generation_id: Annotated[Int32, since(3)] = -1
    member_id: Annotated[String, since(3)] = ""
    group_instance_id: Annotated[NullableString, since(3)] = None
    topics: list[TxnOffsetCommitRequestTopic] = []


class TxnOffsetCommitResponsePartition(Message):
    """One of the `partitions` of `TxnOffsetCommitResponseTopic`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0


class TxnOffsetCommitResponseTopic(Message):
    """One of the `topics` of `TxnOffsetCommitResponse`."""

    name: String = ""
    partitions: list[TxnOffsetCommitResponsePartition] = []


class TxnOffsetCommitResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=28, versions=(0, 5), flexible=3)

    throttle_time_ms: Int32 = 0
    topics: list[TxnOffsetCommitResponseTopic] = []
