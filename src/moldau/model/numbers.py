"""Different numbers have different types; sizes are bytes, times end in `_ms` or `_ns`."""

from __future__ import annotations

import base64
from typing import NamedTuple, NewType

Offset = NewType("Offset", int)
LeaderEpoch = NewType("LeaderEpoch", int)
BrokerId = NewType("BrokerId", int)
ProducerId = NewType("ProducerId", int)
ProducerEpoch = NewType("ProducerEpoch", int)
TopicId = NewType("TopicId", bytes)
"""Sixteen bytes; all zero means none."""

NO_EPOCH = LeaderEpoch(-1)
NO_PRODUCER_ID = ProducerId(-1)
NO_SEQUENCE = -1


class TopicPartition(NamedTuple):
    """One partition of one topic, by name."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def format_uuid(value: bytes) -> str:
    """Kafka's text form of an id: base64url without padding, 22 characters."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode("ascii")


def parse_uuid(text: str) -> bytes:
    """The sixteen bytes behind `format_uuid`'s text; ValueError when it is not one."""
    try:
        value = base64.urlsafe_b64decode(text + "==")
    except ValueError as broken:
        raise ValueError(f"not an id: {text!r}") from broken
    if len(value) != 16:
        raise ValueError(f"not an id of 16 bytes: {text!r}")
    return value
