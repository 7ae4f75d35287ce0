"""Where a record was written, as deliveries tell it."""

from __future__ import annotations

from typing import NamedTuple

from moldau.client.outgoing import UNKNOWN_OFFSET, OutgoingBatch


class RecordMetadata(NamedTuple):
    """Where a record was written. The offset is -1 when nobody was asked (acks=0) or the broker did not say."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int


def metadata_of(batch: OutgoingBatch, index: int, timestamp_ms: int) -> RecordMetadata:
    """The place of one record of a settled batch; raises what kept the batch out."""
    if batch.failure is not None:
        batch.seen += 1
        raise batch.failure.again()
    offset = UNKNOWN_OFFSET if batch.base_offset == UNKNOWN_OFFSET else batch.base_offset + index
    time = batch.append_time_ms if batch.append_time_ms >= 0 else timestamp_ms
    return RecordMetadata(batch.topic, batch.partition, offset, time)
