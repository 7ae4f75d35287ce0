"""Produce (API 0). Record batches for topic partitions, and where they came to stand.

Kafka's older versions are gone, yet a broker says that it has 0 to 2, because librdkafka looks for them.
From version 13 a topic is named by its id.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int16,
    Int32,
    Int64,
    Message,
    NullableRecords,
    NullableString,
    String,
    Table,
    Top,
    Uuid,
    Value,
    ignorable,
    since,
    tag,
    until,
)


class PartitionProduceData(Message):
    """One of the `partition_data` of `TopicProduceData`."""

    index: Int32 = 0
    records: NullableRecords = None


class TopicProduceData(Message):
    """One of the `topic_data` of `ProduceRequest`."""

    name: Annotated[String, until(12), ignorable] = ""
    topic_id: Annotated[Uuid, since(13), ignorable] = ZERO_UUID
    partition_data: list[PartitionProduceData] = []


class ProduceRequest(Top):
    """Batches to append."""

    TABLE: ClassVar[Table] = Table("request", key=0, versions=(3, 13), flexible=9)

    transactional_id: NullableString = None
    acks: Int16 = 0
    timeout_ms: Int32 = 0
    topic_data: list[TopicProduceData] = []


class BatchIndexAndErrorMessage(Message):
    """One of the `record_errors` of `PartitionProduceResponse`."""

    batch_index: Int32 = 0
    batch_index_error_message: NullableString = None


class LeaderIdAndEpoch(Value, frozen=True):
    """The `current_leader` of `PartitionProduceResponse`."""

    leader_id: Int32 = -1
    leader_epoch: Int32 = -1


class PartitionProduceResponse(Message):
    """One of the `partition_responses` of `TopicProduceResponse`."""

    index: Int32 = 0
    error_code: Int16 = 0
    base_offset: Int64 = 0
    log_append_time_ms: Int64 = -1
    log_start_offset: Annotated[Int64, since(5), ignorable] = -1
    record_errors: Annotated[list[BatchIndexAndErrorMessage], since(8), ignorable] = []
    error_message: Annotated[NullableString, since(8), ignorable] = None
    current_leader: Annotated[LeaderIdAndEpoch, since(10), tag(0)] = LeaderIdAndEpoch()


class TopicProduceResponse(Message):
    """One of the `responses` of `ProduceResponse`."""

    name: Annotated[String, until(12), ignorable] = ""
    topic_id: Annotated[Uuid, since(13), ignorable] = ZERO_UUID
    partition_responses: list[PartitionProduceResponse] = []


class NodeEndpoint(Message):
    """One of the `node_endpoints` of `ProduceResponse`."""

    node_id: Int32 = 0
    host: String = ""
    port: Int32 = 0
    rack: NullableString = None


class ProduceResponse(Top):
    """What became of the batches, partition by partition."""

    TABLE: ClassVar[Table] = Table("response", key=0, versions=(3, 13), flexible=9)

    responses: list[TopicProduceResponse] = []
    throttle_time_ms: Int32 = 0
    node_endpoints: Annotated[list[NodeEndpoint], since(10), tag(0)] = []
