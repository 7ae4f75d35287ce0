"""A partition on the brokers that were named or placed for it. Used by `create_topics` and `create_partitions`."""

from __future__ import annotations

from collections.abc import Sequence

from moldau.metadata import NO_LEADER, Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.metadata_records import PartitionRecord
from moldau.protocol.tables import ZERO_UUID


def check_assignment(index: int, brokers: Sequence[int], replication_factor: int, image: Image) -> None:
    """ApiError(INVALID_REPLICA_ASSIGNMENT) when partition `index` cannot be on these brokers."""
    if not brokers:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"partition {index} is assigned to no broker: name at least one"
        )
    if len(frozenset(brokers)) != len(brokers):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"partition {index} is assigned to one broker twice: name each once",
        )
    for broker in brokers:
        if broker not in image.brokers:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"partition {index} is assigned to broker {broker}, which is not registered",
            )
    if len(brokers) != replication_factor:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"partition {index} is assigned to {len(brokers)} brokers, the first one to {replication_factor}: "
            "assign all to the same number",
        )
    if not any(image.brokers[broker].active for broker in brokers):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"none of the brokers that partition {index} is assigned to takes part now: name one that does",
        )


def new_partition(image: Image, topic_id: bytes, index: int, replicas: Sequence[int]) -> PartitionRecord:
    """The first record of a partition: in sync is who takes part, and the first of them leads."""
    isr = [replica for replica in replicas if image.brokers[replica].active]
    return PartitionRecord(
        partition_id=index,
        topic_id=topic_id,
        replicas=list(replicas),
        isr=isr,
        leader=isr[0] if isr else NO_LEADER,
        leader_epoch=0,
        partition_epoch=0,
        directories=[_directory(image, replica) for replica in replicas],
    )


def _directory(image: Image, replica: int) -> bytes:
    """The broker's one log directory, or the reserved id that leaves the choice to it."""
    directories = image.brokers[replica].log_dirs
    return directories[0] if len(directories) == 1 else ZERO_UUID
