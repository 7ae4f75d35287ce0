"""ElectLeaders (API 43). Partitions get their preferred leader, or any that is alive."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int8, Int16, Int32, Message, NullableString, String, Table, Top, since


class TopicPartitions(Message):
    """One of the `topic_partitions` of `ElectLeadersRequest`."""

    topic: String = ""
    partitions: list[Int32] = []


class ElectLeadersRequest(Top):
    """What kind of election, and where; null for everywhere."""

    TABLE: ClassVar[Table] = Table("request", key=43, versions=(0, 2), flexible=2)

    election_type: Annotated[Int8, since(1)] = 0
    topic_partitions: list[TopicPartitions] | None = []
    timeout_ms: Int32 = 60000


class PartitionResult(Message):
    """One of the `partition_result` of `ReplicaElectionResult`."""

    partition_id: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""


class ReplicaElectionResult(Message):
    """One of the `replica_election_results` of `ElectLeadersResponse`."""

    topic: String = ""
    partition_result: list[PartitionResult] = []


class ElectLeadersResponse(Top):
    """What became of each partition."""

    TABLE: ClassVar[Table] = Table("response", key=43, versions=(0, 2), flexible=2)

    throttle_time_ms: Int32 = 0
    error_code: Annotated[Int16, since(1)] = 0
    replica_election_results: list[ReplicaElectionResult] = []
