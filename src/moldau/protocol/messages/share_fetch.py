"""ShareFetch (API 78). Records for a member of a share group, acquired for a while, and word of those it had."""

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
    Records,
    String,
    Table,
    Top,
    Uuid,
    Value,
    ignorable,
    since,
)


class AcknowledgementBatch(Message):
    """One of the `acknowledgement_batches` of `FetchPartition`."""

    first_offset: Int64 = 0
    last_offset: Int64 = 0
    acknowledge_types: list[Int8] = []


class FetchPartition(Message):
    """One of the `partitions` of `FetchTopic`."""

    partition_index: Int32 = 0
    acknowledgement_batches: list[AcknowledgementBatch] = []


class FetchTopic(Message):
    """One of the `topics` of `ShareFetchRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[FetchPartition] = []


class ForgottenTopic(Message):
    """One of the `forgotten_topics_data` of `ShareFetchRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[Int32] = []


class ShareFetchRequest(Top):
    """Where to fetch, and what became of earlier records."""

    TABLE: ClassVar[Table] = Table("request", key=78, versions=(1, 2))

    group_id: NullableString = None
    member_id: NullableString = ""
    share_session_epoch: Int32 = 0
    max_wait_ms: Int32 = 0
    min_bytes: Int32 = 0
    max_bytes: Int32 = 2147483647
    max_records: Int32 = 0
    batch_size: Int32 = 0
    share_acquire_mode: Annotated[Int8, since(2), ignorable] = 0
    is_renew_ack: Annotated[Bool, since(2)] = False
    topics: list[FetchTopic] = []
    forgotten_topics_data: list[ForgottenTopic] = []


class LeaderIdAndEpoch(Value, frozen=True):
    """The `current_leader` of `PartitionData`."""

    leader_id: Int32 = 0
    leader_epoch: Int32 = 0


class AcquiredRecords(Message):
    """One of the `acquired_records` of `PartitionData`."""

    first_offset: Int64 = 0
    last_offset: Int64 = 0
    delivery_count: Int16 = 0


class PartitionData(Message):
    """One of the `partitions` of `ShareFetchableTopicResponse`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    acknowledge_error_code: Int16 = 0
    acknowledge_error_message: NullableString = None
    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch()
    records: Records = b""
    acquired_records: list[AcquiredRecords] = []


class ShareFetchableTopicResponse(Message):
    """One of the `responses` of `ShareFetchResponse`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionData] = []


class NodeEndpoint(Message):
    """One of the `node_endpoints` of `ShareFetchResponse`."""

    node_id: Int32 = 0
    host: String = ""
    port: Int32 = 0
    rack: NullableString = None


class ShareFetchResponse(Top):
    """Records, and which of them are acquired."""

    TABLE: ClassVar[Table] = Table("response", key=78, versions=(1, 2))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    acquisition_lock_timeout_ms: Int32 = 0
    responses: list[ShareFetchableTopicResponse] = []
    node_endpoints: list[NodeEndpoint] = []
