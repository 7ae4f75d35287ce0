"""What becomes of partitions when a broker goes or comes: leaders and in-sync replicas. Used by `brokers`.

Only in-sync replicas lead. The last one in sync stays in sync while it is away, and the partition waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from moldau.metadata import NO_LEADER, Image, PartitionState
from moldau.protocol.messages.metadata_records import PartitionChangeRecord
from moldau.protocol.tables import Top


def after_loss(image: Image, broker_id: int) -> list[Top]:
    """The broker leads nothing and is in sync nowhere, except where it is the last."""
    records: list[Top] = []
    for topic_id, index, state in _partitions(image, broker_id):
        isr = [replica for replica in state.isr if replica != broker_id]
        change = PartitionChangeRecord(partition_id=index, topic_id=topic_id)
        if isr and len(isr) < len(state.isr):
            change.isr = isr
        if state.leader == broker_id:
            change.leader = _leader(image, state, isr)
        if change.isr is not None or state.leader == broker_id:
            records.append(change)
    return records


def after_return(image: Image, broker_id: int) -> list[Top]:
    """The broker leads what has no leader and has it in sync."""
    return [
        PartitionChangeRecord(partition_id=index, topic_id=topic_id, leader=broker_id)
        for topic_id, index, state in _partitions(image, broker_id)
        if state.leader == NO_LEADER and broker_id in state.isr
    ]


def _partitions(image: Image, broker_id: int) -> Iterator[tuple[bytes, int, PartitionState]]:
    for topic in image.topics_by_id.values():
        for index, state in enumerate(topic.partitions):
            if broker_id in state.replicas:
                yield topic.id, index, state


def _leader(image: Image, state: PartitionState, isr: list[int]) -> int:
    """The first replica, in the order of preference, that is in sync and active."""
    for replica in state.replicas:
        if replica in isr and replica in image.brokers and image.brokers[replica].active:
            return replica
    return NO_LEADER
