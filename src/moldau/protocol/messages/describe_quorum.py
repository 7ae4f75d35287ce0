"""DescribeQuorum (API 55). The voters and observers of the metadata quorum and how far each is."""

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
    Uint16,
    Uuid,
    ignorable,
    since,
)


class PartitionData(Message):
    """One of the `partitions` of `TopicData`."""

    partition_index: Int32 = 0


class TopicData(Message):
    """One of the `topics` of `DescribeQuorumRequest`."""

    topic_name: String = ""
    partitions: list[PartitionData] = []


class DescribeQuorumRequest(Top):
    """Which partitions of it."""

    TABLE: ClassVar[Table] = Table("request", key=55, versions=(0, 2))

    topics: list[TopicData] = []


class ReplicaState(Message):
    """One of the `current_voters` of `PartitionData`."""

    replica_id: Int32 = 0
    replica_directory_id: Annotated[Uuid, since(2)] = ZERO_UUID
    log_end_offset: Int64 = 0
    last_fetch_timestamp: Annotated[Int64, since(1), ignorable] = -1
    last_caught_up_timestamp: Annotated[Int64, since(1), ignorable] = -1


class AnsweredPartitionData(Message):
    """One of the `partitions` of `TopicData`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    error_message: Annotated[NullableString, since(2), ignorable] = ""
    leader_id: Int32 = 0
    leader_epoch: Int32 = 0
    high_watermark: Int64 = 0
    current_voters: list[ReplicaState] = []
    observers: list[ReplicaState] = []


class AnsweredTopicData(Message):
    """One of the `topics` of `DescribeQuorumResponse`."""

    topic_name: String = ""
    partitions: list[AnsweredPartitionData] = []


class Listener(Message):
    """One of the `listeners` of `Node`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0


class Node(Message):
    """One of the `nodes` of `DescribeQuorumResponse`."""

    node_id: Int32 = 0
    listeners: list[Listener] = []


class DescribeQuorumResponse(Top):
    """The state of the quorum."""

    TABLE: ClassVar[Table] = Table("response", key=55, versions=(0, 2))

    error_code: Int16 = 0
    error_message: Annotated[NullableString, since(2), ignorable] = ""
    topics: list[AnsweredTopicData] = []
    nodes: Annotated[list[Node], since(2)] = []
