"""Vote (API 52). A candidate of the metadata quorum asks for votes.

Version 1 names voters by directory too; version 2 can ask beforehand.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
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
    tag,
)


class VoteRequestPartitionData(Message):
    """One of the `partitions` of `VoteRequestTopicData`."""

    partition_index: Int32 = 0
    replica_epoch: Int32 = 0
    replica_id: Int32 = 0
    replica_directory_id: Annotated[Uuid, since(1), ignorable] = ZERO_UUID
    voter_directory_id: Annotated[Uuid, since(1), ignorable] = ZERO_UUID
    last_offset_epoch: Int32 = 0
    last_offset: Int64 = 0
    pre_vote: Annotated[Bool, since(2)] = False


class VoteRequestTopicData(Message):
    """One of the `topics` of `VoteRequest`."""

    topic_name: String = ""
    partitions: list[VoteRequestPartitionData] = []


class VoteRequest(Top):
    """The candidacy."""

    TABLE: ClassVar[Table] = Table("request", key=52, versions=(0, 2))

    cluster_id: NullableString = None
    voter_id: Annotated[Int32, since(1), ignorable] = -1
    topics: list[VoteRequestTopicData] = []


class VoteResponsePartitionData(Message):
    """One of the `partitions` of `VoteResponseTopicData`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    leader_id: Int32 = 0
    leader_epoch: Int32 = 0
    vote_granted: Bool = False


class VoteResponseTopicData(Message):
    """One of the `topics` of `VoteResponse`."""

    topic_name: String = ""
    partitions: list[VoteResponsePartitionData] = []


class NodeEndpoint(Message):
    """One of the `node_endpoints` of `VoteResponse`."""

    node_id: Int32 = 0
    host: String = ""
    port: Uint16 = 0


class VoteResponse(Top):
    """The votes."""

    TABLE: ClassVar[Table] = Table("response", key=52, versions=(0, 2))

    error_code: Int16 = 0
    topics: list[VoteResponseTopicData] = []
    node_endpoints: Annotated[list[NodeEndpoint], since(1), tag(0)] = []
