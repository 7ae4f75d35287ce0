"""AlterPartitionReassignments (API 45). Partitions are moved to other replicas, or such a move is called off."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bool, Int16, Int32, Message, NullableString, String, Table, Top, ignorable, since


class ReassignablePartition(Message):
    """One of the `partitions` of `ReassignableTopic`."""

    partition_index: Int32 = 0
    replicas: list[Int32] | None = None


class ReassignableTopic(Message):
    """One of the `topics` of `AlterPartitionReassignmentsRequest`."""

    name: String = ""
    partitions: list[ReassignablePartition] = []


class AlterPartitionReassignmentsRequest(Top):
    """The replicas that each partition is to have."""

    TABLE: ClassVar[Table] = Table("request", key=45, versions=(0, 1))

    timeout_ms: Int32 = 60000
    allow_replication_factor_change: Annotated[Bool, since(1)] = True
    topics: list[ReassignableTopic] = []


class ReassignablePartitionResponse(Message):
    """One of the `partitions` of `ReassignableTopicResponse`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""


class ReassignableTopicResponse(Message):
    """One of the `responses` of `AlterPartitionReassignmentsResponse`."""

    name: String = ""
    partitions: list[ReassignablePartitionResponse] = []


class AlterPartitionReassignmentsResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=45, versions=(0, 1))

    throttle_time_ms: Int32 = 0
    allow_replication_factor_change: Annotated[Bool, since(1), ignorable] = True
    error_code: Int16 = 0
    error_message: NullableString = ""
    responses: list[ReassignableTopicResponse] = []
