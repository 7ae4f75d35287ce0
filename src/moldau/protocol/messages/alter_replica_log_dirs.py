"""AlterReplicaLogDirs (API 34). Replicas are moved to another directory of their broker."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Message, String, Table, Top


class AlterReplicaLogDirTopic(Message):
    """One of the `topics` of `AlterReplicaLogDir`."""

    name: String = ""
    partitions: list[Int32] = []


class AlterReplicaLogDir(Message):
    """One of the `dirs` of `AlterReplicaLogDirsRequest`."""

    path: String = ""
    topics: list[AlterReplicaLogDirTopic] = []


class AlterReplicaLogDirsRequest(Top):
    """Directories and the replicas that belong there."""

    TABLE: ClassVar[Table] = Table("request", key=34, versions=(1, 2), flexible=2)

    dirs: list[AlterReplicaLogDir] = []


class AlterReplicaLogDirPartitionResult(Message):
    """One of the `partitions` of `AlterReplicaLogDirTopicResult`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0


class AlterReplicaLogDirTopicResult(Message):
    """One of the `results` of `AlterReplicaLogDirsResponse`."""

    topic_name: String = ""
    partitions: list[AlterReplicaLogDirPartitionResult] = []


class AlterReplicaLogDirsResponse(Top):
    """What became of each replica."""

    TABLE: ClassVar[Table] = Table("response", key=34, versions=(1, 2), flexible=2)

    throttle_time_ms: Int32 = 0
    results: list[AlterReplicaLogDirTopicResult] = []
