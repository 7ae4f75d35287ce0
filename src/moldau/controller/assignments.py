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
            ErrorCode.INVALID_REPLICA_ASSIGNMENT, "The manual partition assignment includes an empty replica list."
        )
    if len(frozenset(brokers)) != len(brokers):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"The manual partition assignment of partition {index} names a broker twice: name each once.",
        )
    for broker in brokers:
        if broker not in image.brokers:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"The manual partition assignment includes broker {broker}, but no such broker is registered.",
            )
    if len(brokers) != replication_factor:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"The manual partition assignment includes a partition with {len(brokers)} replica(s), but this is not "
            f"consistent with previous partitions, which have {replication_factor} replica(s).",
        )
    if not any(image.brokers[broker].active for broker in brokers):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"All brokers specified in the manual partition assignment for partition {index} are fenced or in "
            "controlled shutdown.",
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
