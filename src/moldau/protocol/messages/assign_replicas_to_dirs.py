"""AssignReplicasToDirs (API 73). A broker tells the controller which directories its replicas are in."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Int16, Int32, Int64, Message, Table, Top, Uuid


class PartitionData(Message):
    """One of the `partitions` of `TopicData`."""

    partition_index: Int32 = 0


class TopicData(Message):
    """One of the `topics` of `DirectoryData`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionData] = []


class DirectoryData(Message):
    """One of the `directories` of `AssignReplicasToDirsRequest`."""

    id: Uuid = ZERO_UUID
    topics: list[TopicData] = []


class AssignReplicasToDirsRequest(Top):
    """Directories and replicas."""

    TABLE: ClassVar[Table] = Table("request", key=73)

    broker_id: Int32 = 0
    broker_epoch: Int64 = -1
    directories: list[DirectoryData] = []


class AnsweredPartitionData(Message):
    """One of the `partitions` of `TopicData`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0


class AnsweredTopicData(Message):
    """One of the `topics` of `DirectoryData`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[AnsweredPartitionData] = []


class AnsweredDirectoryData(Message):
    """One of the `directories` of `AssignReplicasToDirsResponse`."""

    id: Uuid = ZERO_UUID
    topics: list[AnsweredTopicData] = []


class AssignReplicasToDirsResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=73)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    directories: list[AnsweredDirectoryData] = []
