"""ShareAcknowledge (API 79). A member of a share group tells what became of records it had acquired."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
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
    Value,
    ignorable,
    since,
)


class AcknowledgementBatch(Message):
    """One of the `acknowledgement_batches` of `AcknowledgePartition`."""

    first_offset: Int64 = 0
    last_offset: Int64 = 0
    acknowledge_types: list[Int8] = []


class AcknowledgePartition(Message):
    """One of the `partitions` of `AcknowledgeTopic`."""

    partition_index: Int32 = 0
    acknowledgement_batches: list[AcknowledgementBatch] = []


class AcknowledgeTopic(Message):
    """One of the `topics` of `ShareAcknowledgeRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[AcknowledgePartition] = []


class ShareAcknowledgeRequest(Top):
    """What became of them."""

    TABLE: ClassVar[Table] = Table("request", key=79, versions=(1, 2))

    group_id: NullableString = None
    member_id: NullableString = ""
    share_session_epoch: Int32 = 0
    is_renew_ack: Annotated[Bool, since(2)] = False
    topics: list[AcknowledgeTopic] = []


class LeaderIdAndEpoch(Value, frozen=True):
    """The `current_leader` of `PartitionData`."""

    leader_id: Int32 = 0
    leader_epoch: Int32 = 0


class PartitionData(Message):
    """One of the `partitions` of `ShareAcknowledgeTopicResponse`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch()


class ShareAcknowledgeTopicResponse(Message):
    """One of the `responses` of `ShareAcknowledgeResponse`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionData] = []


class NodeEndpoint(Message):
    """One of the `node_endpoints` of `ShareAcknowledgeResponse`."""

    node_id: Int32 = 0
    host: String = ""
    port: Int32 = 0
    rack: NullableString = None


class ShareAcknowledgeResponse(Top):
    """Whether that was taken."""

    TABLE: ClassVar[Table] = Table("response", key=79, versions=(1, 2))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    acquisition_lock_timeout_ms: Annotated[Int32, since(2), ignorable] = 0
    responses: list[ShareAcknowledgeTopicResponse] = []
    node_endpoints: list[NodeEndpoint] = []
