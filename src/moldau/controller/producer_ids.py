"""AllocateProducerIds (version 0): a block of producer ids for one broker, never handed out again."""

from __future__ import annotations

from dataclasses import dataclass

from moldau.controller.brokers import registered
from moldau.controller.limits import PRODUCER_ID_BLOCK
from moldau.controller.outcome import Outcome
from moldau.metadata import Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.metadata_records import ProducerIdsRecord

_LAST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ProducerIds:
    """The ids from `first` on."""

    first: int
    count: int


def allocate_producer_ids(image: Image, broker_id: int, broker_epoch: int) -> Outcome[ProducerIds]:
    """The next block, for the broker that is registered with this epoch."""
    registered(image, broker_id, broker_epoch)
    first = image.next_producer_id
    if first > _LAST_ID - PRODUCER_ID_BLOCK:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "all producer ids have been handed out")
    record = ProducerIdsRecord(
        broker_id=broker_id, broker_epoch=broker_epoch, next_producer_id=first + PRODUCER_ID_BLOCK
    )
    return Outcome((record,), ProducerIds(first, PRODUCER_ID_BLOCK))
