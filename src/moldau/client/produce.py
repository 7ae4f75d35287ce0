"""Batches to a Produce request, and its answer to the fate of each batch. No waiting, no connection.

The sender asks. From version 13 on topics are named by their ids, so both names and ids are put in and looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moldau.client.errors import MoldauError, broker_error
from moldau.client.outgoing import UNKNOWN_OFFSET, OutgoingBatch
from moldau.client.topology import NO_TOPIC_ID, Topology
from moldau.model import ErrorCode
from moldau.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)

FIRST_WITH_TOPIC_IDS = 13

_WRITTEN = frozenset({ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER})


class Fate(NamedTuple):
    """What the broker says of one batch."""

    batch: OutgoingBatch
    base_offset: int = UNKNOWN_OFFSET
    append_time_ms: int = -1
    failure: MoldauError | None = None
    leader_moved: bool = False


def request_of(batches: Sequence[OutgoingBatch], topology: Topology, acks: int, timeout_ms: int) -> ProduceRequest:
    """One request with a batch for each of some partitions."""
    topics: dict[str, TopicProduceData] = {}
    for batch in batches:
        data = topics.get(batch.topic)
        if data is None:
            known = topology.topics.get(batch.topic)
            topic_id = known.id if known else NO_TOPIC_ID
            data = topics[batch.topic] = TopicProduceData(name=batch.topic, topic_id=topic_id, partition_data=[])
        data.partition_data.append(PartitionProduceData(index=batch.partition, records=batch.data))
    return ProduceRequest(acks=acks, timeout_ms=timeout_ms, topic_data=list(topics.values()))


def newest_version(request: ProduceRequest) -> int | None:
    """The newest version that the request may have: without the id of every topic, one that has names."""
    if any(topic.topic_id == NO_TOPIC_ID for topic in request.topic_data):
        return FIRST_WITH_TOPIC_IDS - 1
    return None


def fates(answer: ProduceResponse, batches: Sequence[OutgoingBatch], topology: Topology) -> list[Fate]:
    """What became of each batch, in the order of the batches."""
    said: dict[tuple[str, int], PartitionProduceResponse] = {}
    for topic in answer.responses:
        name = topic.name or topology.topic_name(topic.topic_id) or ""
        for partition in topic.partition_responses:
            said[name, partition.index] = partition
    return [_fate(batch, said.get((batch.topic, batch.partition))) for batch in batches]


def _fate(batch: OutgoingBatch, said: PartitionProduceResponse | None) -> Fate:
    where = f"{batch.topic}-{batch.partition}"
    if said is None:
        code = ErrorCode.UNKNOWN_TOPIC_ID
        return Fate(batch, failure=broker_error(code, f"the broker's answer leaves out {where}"), leader_moved=True)
    if said.error_code in _WRITTEN:
        return Fate(batch, said.base_offset, said.log_append_time_ms)
    told = [f"record {error.batch_index}: {error.batch_index_error_message}" for error in said.record_errors[:3]]
    words = "; ".join([said.error_message] if said.error_message and not told else told)
    failure = broker_error(said.error_code, f"{batch.count} records were not written to {where}", words or None)
    return Fate(batch, failure=failure, leader_moved=failure.code.stale_metadata)
