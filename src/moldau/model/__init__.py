"""The words that all rooms share: numbers with names, topic-partitions, error codes.

Imports nothing of the project and holds no state.
"""

from moldau.model.errors import ApiError, ErrorCode
from moldau.model.numbers import (
    NO_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    BrokerId,
    LeaderEpoch,
    Offset,
    ProducerEpoch,
    ProducerId,
    TopicId,
    TopicPartition,
    format_uuid,
    parse_uuid,
)

__all__ = [
    "NO_EPOCH",
    "NO_PRODUCER_ID",
    "NO_SEQUENCE",
    "ApiError",
    "BrokerId",
    "ErrorCode",
    "LeaderEpoch",
    "Offset",
    "ProducerEpoch",
    "ProducerId",
    "TopicId",
    "TopicPartition",
    "format_uuid",
    "parse_uuid",
]
