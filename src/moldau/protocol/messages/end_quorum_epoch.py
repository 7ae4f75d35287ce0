"""EndQuorumEpoch (API 54). A leader of the metadata quorum resigns and names who should follow it."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uint16,
    Uuid,
    ignorable,
    since,
    tag,
    until,
)


class ReplicaInfo(Message):
    """One of the `preferred_candidates` of `EndQuorumEpochRequestPartitionData`."""

    candidate_id: Int32 = 0
    candidate_directory_id: Uuid = ZERO_UUID


class EndQuorumEpochRequestPartitionData(Message):
    """One of the `partitions` of `EndQuorumEpochRequestTopicData`."""

    partition_index: Int32 = 0
    leader_id: Int32 = 0
    leader_epoch: Int32 = 0
    preferred_successors: Annotated[list[Int32], until(0), ignorable] = []
    preferred_candidates: Annotated[list[ReplicaInfo], since(1), ignorable] = []


class EndQuorumEpochRequestTopicData(Message):
    """One of the `topics` of `EndQuorumEpochRequest`."""

    topic_name: String = ""
    partitions: list[EndQuorumEpochRequestPartitionData] = []


class LeaderEndpoint(Message):
    """One of the `leader_endpoints` of `EndQuorumEpochRequest`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0


class EndQuorumEpochRequest(Top):
    """The epoch that ends."""

    TABLE: ClassVar[Table] = Table("request", key=54, versions=(0, 1), flexible=1)

    cluster_id: NullableString = None
    topics: list[EndQuorumEpochRequestTopicData] = []
    leader_endpoints: Annotated[list[LeaderEndpoint], since(1), ignorable] = []


class EndQuorumEpochResponsePartitionData(Message):
    """One of the `partitions` of `EndQuorumEpochResponseTopicData`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    leader_id: Int32 = 0
    leader_epoch: Int32 = 0


class EndQuorumEpochResponseTopicData(Message):
    """One of the `topics` of `EndQuorumEpochResponse`."""

    topic_name: String = ""
    partitions: list[EndQuorumEpochResponsePartitionData] = []


class NodeEndpoint(Message):
    """One of the `node_endpoints` of `EndQuorumEpochResponse`."""

    node_id: Int32 = 0
    host: String = ""
    port: Uint16 = 0


class EndQuorumEpochResponse(Top):
    """What the voter knows."""

    TABLE: ClassVar[Table] = Table("response", key=54, versions=(0, 1), flexible=1)

    error_code: Int16 = 0
    topics: list[EndQuorumEpochResponseTopicData] = []
    node_endpoints: Annotated[list[NodeEndpoint], since(1), tag(0)] = []
