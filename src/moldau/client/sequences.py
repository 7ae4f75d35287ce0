"""A producer's identity on one partition and the sequence numbers that go with it, and putting both into a batch.

The partition queue asks. The fields lie at fixed places of a batch's header and inside its checksum.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from moldau.model import NO_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE
from moldau.records import crc32c

LAST_SEQUENCE = 0x7FFFFFFF
LAST_EPOCH = 0x7FFF

_IDENTITY = struct.Struct(">qhi")
_IDENTITY_AT = 43
_CRC = struct.Struct(">I")
_CRC_AT = 17
_CHECKED_FROM = 21


class Stamp(NamedTuple):
    """Who sent a batch and where it stands in that sender's order."""

    producer_id: int
    epoch: int
    sequence: int


UNSTAMPED = Stamp(NO_PRODUCER_ID, NO_EPOCH, NO_SEQUENCE)


def advance(sequence: int, count: int) -> int:
    """The sequence number `count` records later; after the last one comes zero."""
    return (sequence + count) & LAST_SEQUENCE


def restamp(batch: bytes, stamp: Stamp) -> bytes:
    """The same batch under another stamp."""
    data = bytearray(batch)
    _IDENTITY.pack_into(data, _IDENTITY_AT, *stamp)
    _CRC.pack_into(data, _CRC_AT, crc32c(memoryview(data)[_CHECKED_FROM:]))
    return bytes(data)
